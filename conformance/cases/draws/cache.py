"""Stores drawn cases in a file, so that further runs, targets and versions reuse them."""

from __future__ import annotations

import contextlib
import pickle
from collections.abc import Mapping, Sequence
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


def read_cases(file: Path, shared: Shared) -> Sequence[Case] | None:
    """The cases of a file; None if it is missing or damaged, so that they are drawn again."""
    try:
        with file.open("rb") as stream:
            cases = _Unpickler(stream, shared).load()
    except Exception:  # the file may be damaged in any way
        return None
    is_sound = isinstance(cases, list) and all(isinstance(case, Case) for case in cases)
    return cases if is_sound else None


def write_cases(file: Path, cases: Sequence[Case], shared: Shared) -> None:
    """Store cases and remove those of other versions of the specs or the code; errors of the file system are ignored."""
    with contextlib.suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        with replacing(file) as temporary, temporary.open("wb") as stream:
            _Pickler(stream, shared).dump(cases)
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
