"""Errors of targets, by when they are detected."""

from __future__ import annotations

from typing import ClassVar


class TargetError(Exception):
    """Detected before a process is started: a syntax error, an unknown name, mode or device, a missing file."""

    exit_status: ClassVar[int] = 4


class TargetBlocked(Exception):
    """Detected when starting the target: the installation, the interpreter, the import or the device failed."""

    exit_status: ClassVar[int] = 6
