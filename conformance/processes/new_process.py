"""Workers and fork servers as new processes, which end with this one, even if it is killed."""

from __future__ import annotations

import atexit
import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

from conformance.processes.pipes import Pipes
from conformance.worker.processes import adopt_orphans, children, kill_children

_INTERVAL = 0.005
"""Seconds between two questions whether a worker is there."""


def launched(
    command: Sequence[str], environment: Mapping[str, str], folder: Path, **descriptors: Any
) -> subprocess.Popen[bytes]:
    """Start a program in a session of its own; OSError if that fails.

    The system ends a worker together with the thread that started it, so all are started by one that lives as long as
    this process.
    """
    options = {"env": dict(environment), "cwd": folder, "start_new_session": True, **descriptors}
    return _launcher().submit(_started, list(command), options).result()


def _started(command: list[str], options: dict[str, Any]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(command, **options)


@cache
def _launcher() -> ThreadPoolExecutor:
    """The thread; what the processes leave behind is ended together with this process."""
    others = children()
    if adopt_orphans():
        atexit.register(kill_children, others)
    return ThreadPoolExecutor(1, "launcher")


class SpawnedProcess:
    """A worker in a session of its own; on Linux, the child of a process that ends as the worker does."""

    is_forked = False

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], folder: Path, pipes: Pipes) -> None:
        """folder: its current folder."""
        self._worker: int | None = None
        requests, replies, errors = pipes.worker_ends
        try:
            self._process = launched(command, environment, folder, stdin=requests, stdout=replies, stderr=errors)
        finally:
            pipes.close_worker_ends()

    @property
    def pid(self) -> int:
        return self._worker or self._process.pid

    @property
    def is_running(self) -> bool:
        return self._process.poll() is None

    def await_start(self, limit: float) -> None:
        """Wait until the worker is there, but no longer than ``limit`` seconds or until it has ended."""
        deadline = time.monotonic() + limit
        while sys.platform == "linux" and self._worker is None and self.is_running and time.monotonic() < deadline:
            self._worker = next(iter(children(str(self._process.pid))), None)
            if self._worker is None:
                time.sleep(_INTERVAL)

    def wait(self, limit: float) -> int | None:
        """Its exit code, negative for a signal, once it has ended; None if it still runs after ``limit`` seconds."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(limit)
        return self._process.returncode

    def kill_group(self) -> None:
        """Kill it and the processes that it started."""
        for group in {self.pid, self._process.pid}:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(group, signal.SIGKILL)
