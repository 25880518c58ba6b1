"""Stores the specs of the suite and their cases, since reading and building them takes longer than importing NumPy."""

from __future__ import annotations

import contextlib
import hashlib
import pickle
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformance.cases.build import Source
from conformance.cases.code_digest import code_digest
from conformance.cases.model import Case
from conformance.cases.reference import Reference
from conformance.files import replacing
from conformance.specification.epoch import EPOCH
from conformance.specification.model import Catalogue, Operation


@dataclass(frozen=True)
class StoredCases:
    """Specs without problems, and their cases, which refer to them."""

    catalogue: Catalogue
    cases: Sequence[Case]

    def source(self) -> Source:
        """Yields the cases of an operation without building them again."""
        by_operation: dict[str, list[Case]] = {}
        for case in self.cases:
            by_operation.setdefault(case.operation.name, []).append(case)

        def cases_of(operation: Operation, _: Reference) -> Iterator[Case]:
            yield from by_operation.get(operation.name, ())

        return cases_of


def stored_file(home: Path, specs: Path) -> Path:
    """The file for the specs of a folder."""
    return home / "cases" / f"{hashlib.sha256(str(specs.absolute()).encode()).hexdigest()[:16]}.pickle"


def digest_of(specs: Path, reference: Path) -> bytes:
    """Differs if anything differs that the cases depend on: specs, reference, code, and versions of Python and NumPy."""
    digest = hashlib.sha256(code_digest().encode())
    for file in sorted([*specs.rglob("*.yaml"), *specs.rglob("*.py"), *specs.glob(EPOCH), reference]):
        digest.update(f"{file}\0".encode() + file.read_bytes() + b"\0")
    return digest.digest()


def read_cases(file: Path, digest: bytes) -> StoredCases | None:
    """What was stored with this digest; None if that is something else, or cannot be read."""
    parts = _parts(file, digest, 2)
    return StoredCases(*parts) if parts is not None else None


def read_catalogue(file: Path, digest: bytes) -> Catalogue | None:
    """The specs of what was stored with this digest, without the cases, which take much longer to read; None as for these."""
    parts = _parts(file, digest, 1)
    return parts[0] if parts is not None else None


def _parts(file: Path, digest: bytes, number: int) -> Sequence[Any] | None:
    """The first parts of a file: the specs, and the cases."""
    try:
        with file.open("rb") as stream:
            if stream.read(len(digest)) != digest:
                return None
            reader = pickle.Unpickler(stream)  # noqa: S301 - a file of the suite's own, in a folder of the user's
            return [reader.load() for _ in range(number)]
    except Exception:  # the file may be damaged in any way
        return None


def write_cases(file: Path, digest: bytes, stored: StoredCases) -> None:
    """Store specs and cases in place of earlier ones; errors of the file system are ignored."""
    with contextlib.suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        with replacing(file) as temporary, temporary.open("wb") as stream:
            stream.write(digest)
            # One pickler for both, so that the cases refer to the specs before them.
            pickler = pickle.Pickler(stream, pickle.HIGHEST_PROTOCOL)
            pickler.dump(stored.catalogue)
            pickler.dump(stored.cases)
