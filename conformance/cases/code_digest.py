"""Digests of the code that computes cases, as a part of those of the files that store them."""

from __future__ import annotations

import hashlib
import sys
from functools import cache
from importlib.metadata import version
from pathlib import Path

_PACKAGE = Path(__file__).parent.parent
_CODE = ("specification", "cases", "outcomes", "worker", "adapter.py")
"""The parts of the suite that specs and cases depend on."""


@cache
def source_digest() -> str:
    """Differs if other code may give other cases."""
    digest = hashlib.sha256()
    for file in sorted(file for name in _CODE for file in _modules(_PACKAGE / name)):
        digest.update(f"{file.relative_to(_PACKAGE).as_posix()}\0".encode() + file.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


@cache
def code_digest() -> str:
    """Differs if other code, or another version of Python or NumPy, may give other cases or store them differently."""
    versions = f"{sys.version} {version('numpy')} {source_digest()}"
    return hashlib.sha256(versions.encode()).hexdigest()[:16]


def _modules(path: Path) -> list[Path]:
    return [path] if path.is_file() else list(path.rglob("*.py"))
