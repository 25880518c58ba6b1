"""Starts processes that end with this one, even if it is killed."""

from __future__ import annotations

import atexit
import subprocess
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

from conformance.worker.processes import adopt_orphans, children, kill_children


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
