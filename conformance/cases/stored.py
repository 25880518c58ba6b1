"""Stores the specs of the suite and their cases, since reading and building them takes longer than importing NumPy.

A file has a digest, the specs, the facts of all cases, and the cases of each operation, which are read when they are needed.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import io
import mmap
import pickle
import zlib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from conformance.cases.build import Source
from conformance.cases.code_digest import code_digest
from conformance.cases.facts import CaseFacts, facts
from conformance.cases.model import Case
from conformance.cases.reference import Reference
from conformance.files import replacing
from conformance.specification.epoch import EPOCH
from conformance.specification.model import Catalogue, Clause, Operation


@dataclass(frozen=True)
class _Part:
    """The cases of an operation in a file."""

    file: Path
    data: memoryview
    checksum: int

    def read(self, catalogue: Catalogue) -> Sequence[Case]:
        """OSError if the file is damaged."""
        if zlib.crc32(self.data) != self.checksum:
            raise OSError(
                errno.EIO, "the stored cases are damaged; delete the file, and they are built again", str(self.file)
            )
        cases: Sequence[Case] = _Unpickler(io.BytesIO(self.data), catalogue).load()
        return cases


@dataclass
class StoredCases:
    """Specs without problems, and their cases, which refer to them."""

    catalogue: Catalogue
    facts: Sequence[CaseFacts]
    """Of all cases, in the order of the specs."""
    _built: dict[str, Sequence[Case]] = field(default_factory=dict)
    """The cases that are built or were read, by operation."""
    _parts: dict[str, _Part] = field(default_factory=dict)
    """The stored cases of the other operations."""

    @classmethod
    def of_built(cls, catalogue: Catalogue, cases: Sequence[Case]) -> StoredCases:
        by_operation: dict[str, list[Case]] = {}
        for case in cases:
            by_operation.setdefault(case.operation.name, []).append(case)
        return cls(catalogue, facts(cases), {**by_operation})

    def of_operation(self, name: str) -> Sequence[Case]:
        """The cases of an operation; none if the specs do not have it."""
        if name not in self._built:
            part = self._parts.get(name)
            self._built[name] = part.read(self.catalogue) if part is not None else []
        return self._built[name]

    def of_operations(self, names: Collection[str]) -> list[Case]:
        """The cases of these operations, in the order of the specs."""
        return [case for name in self.catalogue.operations if name in names for case in self.of_operation(name)]

    @cached_property
    def cases(self) -> Sequence[Case]:
        """All cases, in the order of the specs."""
        return self.of_operations(self.catalogue.operations)

    def source(self) -> Source:
        """Yields the cases of an operation without building them again."""

        def cases_of(operation: Operation, _: Reference) -> Iterator[Case]:
            yield from self.of_operation(operation.name)

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
            reader = pickle.Unpickler(stream)  # noqa: S301 - a file of the suite's own, in a folder of the user's
            catalogue, of_all, sizes = (reader.load() for _ in range(3))
            # It stays readable if the file is replaced meanwhile.
            whole = memoryview(mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ))
            parts, start = {}, stream.tell()
            for name, (size, checksum) in sizes.items():
                parts[name] = _Part(file, whole[start : start + size], checksum)
                start += size
            return StoredCases(catalogue, of_all, _parts=parts) if start == len(whole) else None
    except Exception:  # the file may be damaged in any way
        return None


def read_catalogue(file: Path, digest: bytes) -> Catalogue | None:
    """The specs of what was stored with this digest, without the cases, which take much longer to read; None as for these."""
    try:
        with file.open("rb") as stream:
            if stream.read(len(digest)) != digest:
                return None
            catalogue: Catalogue = pickle.load(stream)  # noqa: S301 - as in read_cases
            return catalogue
    except Exception:  # as in read_cases
        return None


def write_cases(file: Path, digest: bytes, stored: StoredCases) -> None:
    """Store specs and cases in place of earlier ones; errors of the file system are ignored."""
    parts = {name: _pickled(stored.of_operation(name), stored.catalogue) for name in stored.catalogue.operations}
    with contextlib.suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        with replacing(file) as temporary, temporary.open("wb") as stream:
            stream.write(digest)
            pickler = pickle.Pickler(stream, pickle.HIGHEST_PROTOCOL)
            for part in (
                stored.catalogue,
                stored.facts,
                {name: (len(part), zlib.crc32(part)) for name, part in parts.items()},
            ):
                pickler.dump(part)
            stream.writelines(parts.values())


def _pickled(cases: Sequence[Case], catalogue: Catalogue) -> bytes:
    stream = io.BytesIO()
    _Pickler(stream, catalogue).dump(cases)
    return stream.getvalue()


class _Pickler(pickle.Pickler):
    """Names operations and clauses of the specs, so that the cases refer to those that are read with them."""

    def __init__(self, stream: io.BytesIO, catalogue: Catalogue) -> None:
        super().__init__(stream, pickle.HIGHEST_PROTOCOL)
        self._names: dict[int, tuple[str, int | None]] = {}
        for operation in catalogue.operations.values():
            self._names[id(operation)] = (operation.name, None)
            for number, clause in enumerate(operation.clauses):
                self._names[id(clause)] = (operation.name, number)

    def persistent_id(self, obj: Any) -> tuple[str, int | None] | None:
        return self._names.get(id(obj)) if isinstance(obj, Operation | Clause) else None


class _Unpickler(pickle.Unpickler):
    def __init__(self, stream: io.BytesIO, catalogue: Catalogue) -> None:
        super().__init__(stream)
        self._operations = catalogue.operations

    def persistent_load(self, pid: tuple[str, int | None]) -> Operation | Clause:
        name, number = pid
        operation = self._operations[name]
        return operation if number is None else operation.clauses[number]
