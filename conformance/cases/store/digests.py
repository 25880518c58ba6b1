"""Digests of what the cases of an operation depend on, which say whether what is stored of them is still right."""

from __future__ import annotations

import hashlib
from pathlib import Path

from conformance.cases.code_digest import code_digest, source_digest
from conformance.data_folders import PROGRAMS, specs_folder
from conformance.files import read_regular

_BESIDE = ("regressions/*.yaml", "reference.py")
"""The files of a folder of specs on which the cases of each of its operations depend; documents only say who promises what."""


class Digests:
    """Those of the operations of a folder of specs, as its files are now."""

    def __init__(self, specs: Path, reference: Path) -> None:
        """reference: the adapter that computes results."""
        self._specs = specs
        shared = [specs_folder() / PROGRAMS, *(file for pattern in _BESIDE for file in sorted(specs.glob(pattern)))]
        self._shared = _digest(source_digest(), reference.read_bytes(), *map(_content, shared))
        self._files = {file.stem: _content(file) for file in specs.glob("*.yaml")}

    def of_listing(self, operation: str) -> str:
        """Differs if the specs of the operation, the reference or the code may give other cases."""
        return _digest(self._shared, operation, self._files.get(operation, b"")).hex()

    def of_cases(self, operation: str) -> bytes:
        """Differs too if Python or NumPy have another version, or the files another place, which the cases name."""
        return _digest(self.of_listing(operation), code_digest(), str(self._specs.absolute()))


def digest_of_all(specs: Path, reference: Path) -> str:
    """One for all operations of a user's file or folder of specs, whose relations may call operations of the suite."""
    folder = specs if specs.is_dir() else specs.parent
    patterns = ("*.yaml", "*/*.yaml", "*.lock", "*/*.lock", "*.py")
    of_user = sorted(file for pattern in patterns for file in folder.glob(pattern))
    files = [*of_user, *sorted(specs_folder().glob("*.yaml")), reference]
    return _digest(source_digest(), *(part for file in files for part in (str(file), _content(file)))).hex()


def _content(file: Path) -> bytes:
    """Nothing of a file that cannot be read, which whoever loads the specs says."""
    try:
        return read_regular(file)
    except OSError:
        return b""


def _digest(*parts: str | bytes) -> bytes:
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "big") + data)
    return digest.digest()
