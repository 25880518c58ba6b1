"""Copy the worker's code to a temporary folder: the only part of this package that a target's interpreter sees.

A folder is locked by the process that made it, and the lock ends with the process, however it ends. So a folder that is not locked
was left by a process that was killed, and whoever makes the next one removes it.
"""

from __future__ import annotations

import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from conformance.data_folders import PACKAGE
from conformance.files import FolderInUse, locked_folder

PREFIX = "conformance-staged-"
"""Of the names of the folders."""
_ATTEMPTS = 10
"""To make a folder that no other process takes for one that was left, before it is locked."""
_START = """from conformance.worker.start import main

main()
"""


@contextmanager
def staged_worker() -> Iterator[Path]:
    """Yield the path of a script that starts the worker; its folder is removed when the context ends.

    The folder is first on the import path of the interpreter that runs the script. It only contains
    ``conformance.adapter`` and ``conformance.worker``, so nothing of the parent's site-packages is visible. OSError if it cannot
    be written.
    """
    with temporary_folder() as folder:
        try:
            _copy(folder)
        except OSError as error:  # which may name no file, or one of the package
            raise OSError(error.errno, error.strerror, str(folder)) from None
        yield folder / "start_worker.py"


def _copy(folder: Path) -> None:
    package = folder / "conformance"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "worker").mkdir()
    for file in (PACKAGE / "adapter.py", *(PACKAGE / "worker").glob("*.py")):
        (package / file.relative_to(PACKAGE)).write_bytes(file.read_bytes())
    (folder / "start_worker.py").write_text(_START, encoding="utf-8")


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """A new folder for temporary files, which is removed when the context ends, or by the next call if this process is killed."""
    _remove_left_folders()
    with ExitStack() as stack:
        for _ in range(_ATTEMPTS):
            folder = Path(tempfile.mkdtemp(prefix=PREFIX))
            with suppress(FolderInUse, FileNotFoundError):  # another process has locked it, to remove it
                stack.enter_context(locked_folder(folder))
                if folder.exists():
                    break
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        yield folder


def _remove_left_folders() -> None:
    """Remove the folders of processes of this user that were killed."""
    if sys.platform == "win32":  # without locks of folders
        return
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with suppress(FolderInUse, OSError):
            found = folder.lstat()
            if stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid():
                with locked_folder(folder):
                    shutil.rmtree(folder, ignore_errors=True)
