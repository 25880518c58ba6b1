"""What can be wrong with a target, told apart by when it is found."""

from __future__ import annotations

from typing import ClassVar


class TargetError(Exception):
    """Wrong before any process is started: grammar, an unknown name, mode or device, a missing file."""

    exit_status: ClassVar[int] = 4


class TargetBlocked(Exception):
    """Found by starting it: the installation, the interpreter, the import or the device failed."""

    exit_status: ClassVar[int] = 6
