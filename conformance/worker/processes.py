"""The processes that belong to this one, on Linux: nothing that an adapter starts outlives its run."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
from pathlib import Path
from typing import Optional

_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36
_LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None


def end_with_parent() -> None:
    """Let the system kill this process when the thread that started it has ended, however it ends."""
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def be_a_child() -> None:
    """On Linux, return in a child of this process, in a session of its own; this process ends as the child does.

    So what kills its own parent does not kill the suite.
    """
    if _LIBC is None:
        return
    parent = os.getpid()
    child = os.fork()
    if child == 0:
        end_with_parent()
        if os.getppid() != parent:
            os._exit(1)
        os.setsid()
        return
    for stream in range(3):  # whose ends the suite is to notice
        os.close(stream)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        with contextlib.suppress(OSError, ValueError):
            signal.signal(number, signal.SIG_DFL)
        os.kill(parent, number)
    os._exit(os.WEXITSTATUS(status))


def outlive_parent() -> None:
    """Undo ``end_with_parent``, for a process that notices the end of its parent and has something to do then."""
    _prctl(_PR_SET_PDEATHSIG, 0)


def adopt_orphans() -> bool:
    """Become the parent of all descendants whose parent ends; False if the system cannot."""
    return _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def stay_on_this_core() -> None:
    """Bind this process, and the threads that it will start, to the core on which it runs, if the system can."""
    if _LIBC is not None:
        with contextlib.suppress(OSError, AttributeError, ValueError):
            os.sched_setaffinity(0, {_LIBC.sched_getcpu()})


def children(process: str = "self") -> set[int]:
    """The process ids of a process's children, ended ones included; empty if unknown."""
    found: set[int] = set()
    with contextlib.suppress(OSError, ValueError):
        for thread in Path("/proc", process, "task").iterdir():
            found.update(map(int, (thread / "children").read_text().split()))
    return found


def kill_children(spared: set[int]) -> None:
    """Kill all children but these, and the children that they leave."""
    previous: Optional[set[int]] = None
    while True:
        doomed = children() - spared
        if not doomed or doomed == previous:
            return
        previous = doomed
        for child in doomed:
            _kill(child)


def _kill(child: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(child, signal.SIGKILL)
    with contextlib.suppress(ChildProcessError):
        os.waitpid(child, 0)


def _prctl(option: int, value: int) -> bool:
    return _LIBC is not None and bool(_LIBC.prctl(option, value, 0, 0, 0) == 0)
