"""A worker that was started as a new process of its interpreter."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from conformance.targets.launching import launched
from conformance.targets.pipes import Pipes


class SpawnedProcess:
    """A child of the suite, in a session of its own."""

    is_forked = False

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], folder: Path, pipes: Pipes) -> None:
        """folder: its current folder."""
        requests, replies, errors = pipes.worker_ends
        try:
            self._process = launched(command, environment, folder, stdin=requests, stdout=replies, stderr=errors)
        finally:
            pipes.close_worker_ends()

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def is_running(self) -> bool:
        return self._process.poll() is None

    def await_start(self, limit: float) -> None:
        """Nothing, as it has started."""

    def wait(self, limit: float) -> int | None:
        """Its exit code, negative for a signal, once it has ended; None if it still runs after ``limit`` seconds."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(limit)
        return self._process.returncode

    def kill_group(self) -> None:
        """Kill it and the processes that it started."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
