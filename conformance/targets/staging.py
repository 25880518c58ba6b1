"""Copy the worker's code to a temporary folder: the only part of this package that a target's interpreter sees."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from conformance.data_folders import PACKAGE

_START = """from conformance.worker.start import main

main()
"""


@contextmanager
def staged_worker() -> Iterator[Path]:
    """Yield the path of a script that starts the worker; its folder is removed when the context ends.

    The folder is first on the import path of the interpreter that runs the script. It only contains
    ``conformance.adapter`` and ``conformance.worker``, so nothing of the parent's site-packages is visible.
    """
    with tempfile.TemporaryDirectory(prefix="conformance-worker-") as folder:
        package = Path(folder) / "conformance"
        package.mkdir()
        (package / "__init__.py").touch()
        shutil.copy(PACKAGE / "adapter.py", package)
        shutil.copytree(PACKAGE / "worker", package / "worker", ignore=shutil.ignore_patterns("__pycache__"))
        script = Path(folder) / "start_worker.py"
        script.write_text(_START, encoding="utf-8")
        yield script
