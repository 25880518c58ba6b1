"""Copy the worker's code to a temporary folder: the only part of this package that a target's interpreter sees."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from conformance.data_folders import PACKAGE
from conformance.files import temporary_folder

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
