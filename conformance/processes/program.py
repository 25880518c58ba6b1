"""A program of the user's: it runs once, with a limit of time and one of memory, and how it ended is told."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from conformance.outcomes.model import Died, Hung
from conformance.outcomes.signals import name_of_signal
from conformance.processes.memory import memory_of
from conformance.processes.patience import Patience

_CHECK_INTERVAL = 0.02
"""Seconds between checks of the program's time and memory."""
_SHELL = 128
"""What a shell adds to the number of the signal that ended its program."""
_FATAL = {
    _SHELL + number
    for number in (signal.SIGILL, signal.SIGABRT, signal.SIGBUS, signal.SIGFPE, signal.SIGKILL, signal.SIGSEGV)
}
_MOST_TEXT = 2000
"""Characters of what a program printed to keep."""


@dataclass(frozen=True)
class Limits:
    """What a program may use."""

    seconds: float
    memory: int
    """In bytes, of it and the processes that it started."""


@dataclass(frozen=True)
class Exited:
    """The program ended by itself."""

    status: int
    printed: str
    """The end of what it printed, on standard error if there is anything."""
    seconds: float


def run_program(command: Sequence[str], limits: Limits) -> Exited | Died | Hung:
    """Run a program to its end or its limit; OSError if it cannot be started."""
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        begun = time.monotonic()
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=errors, start_new_session=True
        )
        try:
            ending = _await(process, limits)
        finally:  # before it is waited for: until then no other group has its number
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        seconds = time.monotonic() - begun
        printed = _tail(errors) or _tail(output)
    if ending == "hung":
        return Hung(limits.seconds, printed)
    if ending == "memory":
        return Died(most_memory=limits.memory, stderr=printed)
    status = process.returncode
    if status < 0 or status in _FATAL:
        return Died(signal=name_of_signal(-status if status < 0 else status - _SHELL), stderr=printed)
    return Exited(status, printed, seconds)


def _await(process: subprocess.Popen[bytes], limits: Limits) -> str | None:
    """Wait for the program; which limit it exceeded, if any."""
    patience = Patience(process.pid, limits.seconds)
    while os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        if _memory_of_group(process.pid) > limits.memory:
            return "memory"
        if patience.is_over():
            return "hung"
        time.sleep(_CHECK_INTERVAL)
    return None


def _memory_of_group(group: int) -> int:
    """Bytes that the processes of a group use now; 0 if unknown."""
    return sum(memory_of(process) or 0 for process in _processes(group))


def _processes(group: int) -> list[int]:
    """A process and those that it started."""
    found, waiting = [], [group]
    while waiting:
        process = waiting.pop()
        found.append(process)
        with contextlib.suppress(OSError, UnicodeDecodeError):
            children = Path(f"/proc/{process}/task/{process}/children").read_text(encoding="ascii")
            waiting.extend(map(int, children.split()))
    return found


def _tail(file: IO[bytes]) -> str:
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - _MOST_TEXT))
    return file.read().decode("utf-8", "replace").strip()
