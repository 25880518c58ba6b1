"""Stores drawn cases in a file, so that further runs, targets and versions reuse them.

With the mutations that break each rule, which take longer to find than a process takes to start.
"""

from __future__ import annotations

import contextlib
import pickle
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from conformance.cases.code_digest import code_digest
from conformance.cases.model import Case
from conformance.cases.reference import Reference
from conformance.files import replacing
from conformance.specification.model import Operation

Shared = Mapping[tuple[str, str], object]
"""What the cases of an operation have in common, by name. It is not stored, so that cases that are read again refer to the
operation that is loaded."""


@dataclass(frozen=True)
class StoredDraws:
    """The drawn cases of an operation."""

    cases: Sequence[Case]
    mutations: bytes
    """As ``survey.packed_mutations`` returns them."""


def cache_file(folder: Path, operation: str, *, digest: str, seed: int, count: int) -> Path:
    """The file with the drawn cases of an operation; ``digest`` is that of the specs and the reference."""
    return folder / f"{operation}.{count}.{seed}.{digest}.{code_digest()}.pickle"


def shared_objects(operation: Operation, reference: Reference) -> Shared:
    """What drawn cases of an operation have in common."""
    shared: dict[tuple[str, str], object] = {("operation", ""): operation, ("reference", ""): reference}
    for clause in operation.clauses:
        shared |= {("clause", clause.id): clause, ("location", clause.id): clause.location}
        if clause.rule is not None:
            shared |= {("rule", clause.id): clause.rule, ("broken", clause.id): clause.rule.broken}
    return shared


def read_draws(file: Path, shared: Shared) -> StoredDraws | None:
    """What a file contains; None if it is missing or damaged, so that the cases are drawn again."""
    try:
        with file.open("rb") as stream:
            draws = _Unpickler(stream, shared).load()
    except Exception:  # the file may be damaged in any way
        return None
    is_sound = isinstance(draws, StoredDraws) and all(isinstance(case, Case) for case in draws.cases)
    return draws if is_sound else None


def write_draws(file: Path, draws: StoredDraws, shared: Shared) -> None:
    """Store drawn cases and remove those of other versions of the specs or the code; errors of the file system are ignored."""
    with contextlib.suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        with replacing(file) as temporary, temporary.open("wb") as stream:
            _Pickler(stream, shared).dump(draws)
        operation, count, seed, *_ = file.name.split(".")
        for path in file.parent.glob(f"{operation}.{count}.{seed}.*"):
            if path != file:
                path.unlink(missing_ok=True)


class _Pickler(pickle.Pickler):
    def __init__(self, stream: BinaryIO, shared: Shared) -> None:
        super().__init__(stream, pickle.HIGHEST_PROTOCOL)
        self._names = {id(value): name for name, value in shared.items()}

    def persistent_id(self, value: Any) -> tuple[str, str] | None:
        return self._names.get(id(value))


class _Unpickler(pickle.Unpickler):  # only for files of the suite's own, in a folder of the user's
    def __init__(self, stream: BinaryIO, shared: Shared) -> None:
        super().__init__(stream)
        self._shared = shared

    def persistent_load(self, name: tuple[str, str]) -> object:
        return self._shared[name]
