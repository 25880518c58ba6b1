"""The worker's code in a folder of its own: all that a target's interpreter ever sees of this package."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from conformance.places import PACKAGE

_START = """from conformance.worker.start import main

main()
"""


@contextmanager
def staged_worker() -> Iterator[Path]:
    """A script that starts the worker; it and its folder are gone when the context ends.

    The folder stands first on the import path of the interpreter that runs the script, and holds ``conformance.adapter``
    and ``conformance.worker`` alone, so that nothing of the parent's site-packages comes along.
    """
    with tempfile.TemporaryDirectory(prefix="conformance-worker-") as name:
        package = Path(name) / "conformance"
        package.mkdir()
        (package / "__init__.py").touch()
        shutil.copy(PACKAGE / "adapter.py", package)
        shutil.copytree(PACKAGE / "worker", package / "worker", ignore=shutil.ignore_patterns("__pycache__"))
        script = Path(name) / "start_worker.py"
        script.write_text(_START, encoding="utf-8")
        yield script
