"""Where the cases of specs are stored."""

from __future__ import annotations

import hashlib
from pathlib import Path


def cases_folder(home: Path, specs: Path) -> Path:
    """The folder for those of a file or folder of specs."""
    return home / "cases" / hashlib.sha256(str(specs.absolute()).encode()).hexdigest()[:16]
