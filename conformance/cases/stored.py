"""Stores the specs of the suite and their cases, since reading and building them takes longer than importing NumPy."""

from __future__ import annotations

import contextlib
import hashlib
import pickle
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

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
    try:
        with file.open("rb") as stream:
            if stream.read(len(digest)) != digest:
                return None
            stored = pickle.load(stream)  # noqa: S301 - a file of the suite's own, in a folder of the user's
    except Exception:  # the file may be damaged in any way
        return None
    return stored if isinstance(stored, StoredCases) else None


def write_cases(file: Path, digest: bytes, stored: StoredCases) -> None:
    """Store specs and cases in place of earlier ones; errors of the file system are ignored."""
    with contextlib.suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        with replacing(file) as temporary:
            temporary.write_bytes(digest + pickle.dumps(stored, pickle.HIGHEST_PROTOCOL))
