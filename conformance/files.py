"""Atomic replacement of files: readers see either the old or the new content. Locks, which end with their process."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

RESULTS_ENDINGS = (".jsonl", ".jsonl.gz", ".jsonl.xz")
"""What the names of results files end in."""
TEMPORARY = "conformance-staged-"
"""Of the names of temporary folders. Each is locked by the process that made it, and the lock ends with the process, however it
ends: a folder that is not locked was left by a process that was killed."""
_ATTEMPTS = 10
"""To make a temporary folder that no other process takes for one that was left, before it is locked."""
MOST_PARTS = 1000
"""The maximum number of parts of a key in a TOML file."""
MOST_BYTES_OF_TOML = 1_000_000
"""The maximum size of a TOML file: the time to read it grows with the square of the length of its keys."""


def open_regular(path: Path) -> BinaryIO:
    """Open a file for reading; OSError for a pipe or a device, which may never end."""
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        is_folder = stat.S_ISDIR(os.fstat(descriptor).st_mode)
        os.close(descriptor)
        raise OSError(errno.EINVAL, "is a folder" if is_folder else "is not a regular file", str(path))
    return os.fdopen(descriptor, "rb")


def read_regular(path: Path, most: int = -1) -> bytes:
    """The content of a file, or its first bytes; OSError as for ``open_regular``."""
    with open_regular(path) as file:
        try:
            return file.read(most)
        except OSError as error:  # which does not name the file, as that of opening it does
            raise OSError(error.errno, error.strerror, str(path)) from None


def read_toml(path: Path) -> dict[str, Any]:
    """The content of a TOML file; OSError as for ``open_regular``, ValueError if it is none, or would take very long to read."""
    import tomllib

    content = read_regular(path, MOST_BYTES_OF_TOML + 1)
    if len(content) > MOST_BYTES_OF_TOML:
        raise ValueError(f"it is too long; at most {MOST_BYTES_OF_TOML:,} bytes are allowed")
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        before = content.count(b"\n", 0, error.start)
        raise ValueError(f"its text is not UTF-8 (at line {before + 1})") from None
    for number, line in enumerate(text.splitlines(), 1):
        if line.count(".") > MOST_PARTS:  # of a key, the time grows with the square of their number
            raise ValueError(f"line {number} has {line.count('.')} dots; at most {MOST_PARTS} are allowed")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError("its values are nested too deeply") from None


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A temporary file that replaces ``path`` at the end of the block; after an error ``path`` is unchanged.

    It has the same suffix as ``path``, because the suffix may determine the format.
    """
    temporary = temporary_beside(path)
    try:
        yield temporary
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def temporary_beside(path: Path) -> Path:
    """A new name in the same folder; of two processes with one id, in containers that share the folder, each has its own."""
    return path.with_name(f".{os.urandom(8).hex()}.{path.name}")


def replace_text(path: Path, text: str) -> None:
    """Replace the content of a file by text, encoded as UTF-8."""
    replace_parts(path, [text])


def replace_parts(path: Path, parts: Iterable[str]) -> None:
    """Replace the content of a file by a text that is made part by part, encoded as UTF-8."""
    with replacing(path) as temporary, temporary.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(parts)


class FolderInUse(Exception):
    """Another process has locked the folder."""


@contextlib.contextmanager
def locked_folder(folder: Path) -> Iterator[None]:
    """Lock a folder until the end of the block; FolderInUse if another process has. On Windows, nothing is locked."""
    if sys.platform == "win32":
        yield
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        if not try_lock(descriptor):
            raise FolderInUse
        yield
    finally:
        os.close(descriptor)


def try_lock(descriptor: int) -> bool:
    """Lock an open file, or on POSIX a folder; False if another process has."""
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


@contextlib.contextmanager
def temporary_folder() -> Iterator[Path]:
    """A new folder for temporary files, which is removed when the context ends, or by the next call if this process is killed."""
    _remove_left_folders()
    with contextlib.ExitStack() as stack:
        for _ in range(_ATTEMPTS):
            folder = Path(tempfile.mkdtemp(prefix=TEMPORARY))
            with contextlib.suppress(FolderInUse, FileNotFoundError):  # another process has locked it, to remove it
                stack.enter_context(locked_folder(folder))
                if folder.exists():
                    break
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        yield folder


def _remove_left_folders() -> None:
    """Remove the folders of processes of this user that were killed."""
    if sys.platform == "win32":  # without locks of folders
        return
    for folder in Path(tempfile.gettempdir()).glob(f"{TEMPORARY}*"):
        with contextlib.suppress(FolderInUse, OSError):
            found = folder.lstat()
            if stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid():
                with locked_folder(folder):
                    shutil.rmtree(folder, ignore_errors=True)
