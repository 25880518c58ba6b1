"""What the operating system refuses: a path of the command line, or room on the machine."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from conformance.app.errors import ConformanceError
from conformance.results.exit_status import NO_ROOM, USAGE

_NO_ROOM = {
    getattr(errno, name)
    for name in ("ENOSPC", "EDQUOT", "EFBIG", "EPIPE", "EIO", "EMFILE", "ENFILE", "ENOMEM", "EAGAIN")
    if hasattr(errno, name)
}
"""Such as a full disk, a closed output or a limit on the size of a file: the same command may work later."""
_NO_NAME = {errno.ENAMETOOLONG, errno.ELOOP}
"""Of a path that somebody chose."""
_NO_PERMISSION = {errno.EACCES, errno.EPERM, errno.EROFS}
_NO_THREAD = "can't start new thread"
"""What Python says of a limit on processes, which counts threads too; it is no OSError."""


def described(error: Exception, arguments: Sequence[str]) -> ConformanceError | None:
    """The failure of a command; None if the error says nothing of the machine or of a path in the command's arguments."""
    if isinstance(error, RuntimeError) and str(error) == _NO_THREAD:
        text = "no thread can be started, as the number of processes is limited (ulimit -u)"
        return ConformanceError(f"{text}; what was written until then can be read", NO_ROOM)
    if isinstance(error, MemoryError):
        return ConformanceError("out of memory; what was written until then can be read", NO_ROOM)
    if not isinstance(error, OSError):
        return None
    reason = error.strerror or str(error)
    place = f"{error.filename}: " if error.filename else ""
    if error.errno in _NO_ROOM:
        return ConformanceError(f"{place}{reason}; what was written until then can be read", NO_ROOM)
    if error.errno in _NO_PERMISSION:
        return ConformanceError(f"{place}{reason}; what was written until then can be read", USAGE)
    paths = [str(path) for path in (error.filename, error.filename2) if path is not None]
    if error.errno in _NO_NAME or any(_is_below(path, argument) for path in paths for argument in arguments):
        return ConformanceError(f"{_shortened(place)}{reason}; use another path", USAGE)
    return None


def discard_output() -> None:
    """Discard what was not written to standard output, which Python would try again at its exit."""
    with suppress(OSError), Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        os.dup2(nowhere.fileno(), sys.stdout.fileno())


def _is_below(path: str, argument: str) -> bool:
    """Whether a path is that of an argument or its value, or of something in its folder."""
    words = [word for word in (argument, argument.partition("=")[2]) if word]
    return any(Path(path).absolute().is_relative_to(Path(word).absolute()) for word in words)


def _shortened(place: str) -> str:
    return place if len(place) <= 200 else f"{place[:100]}...{place[-97:]}"
