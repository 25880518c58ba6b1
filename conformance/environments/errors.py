"""Errors of targets, by when they are detected."""

from __future__ import annotations

import errno
from typing import ClassVar


class TargetError(Exception):
    """Detected before a process is started: a syntax error, an unknown name, mode or device, a missing file."""

    exit_status: ClassVar[int] = 4


class TargetBlocked(Exception):
    """Detected when starting the target: the installation, the interpreter, the import or the device failed."""

    exit_status: ClassVar[int] = 6


def process_refused(error: OSError) -> str | None:
    """Why no process could be started, if the system has a limit on them; None for any other reason."""
    if error.errno != errno.EAGAIN:
        return None
    return "no process can be started, as the number of processes is limited (ulimit -u)"
