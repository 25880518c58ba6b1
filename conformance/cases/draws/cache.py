"""Stores drawn cases in a file, so that further runs, targets and versions reuse them.

With the mutations that break each rule, which take longer to find than a process takes to start.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from conformance.cases.code_digest import code_digest
from conformance.cases.draws.mutations import Mutation
from conformance.cases.draws.survey import BreakingMutation, ToDraw
from conformance.cases.model import Case
from conformance.cases.reference import Reference
from conformance.cases.store.codec import Codec, Damaged, Named
from conformance.cases.store.operations import CLASSES, FIELDS, parts_of
from conformance.cases.store.sealed import read_sealed, write_sealed
from conformance.cases.variation import Drawn
from conformance.specification.model import Operation

_CODEC = Codec((*CLASSES, Drawn, Mutation, BreakingMutation), fields_of=FIELDS)


@dataclass(frozen=True)
class StoredDraws:
    """The drawn cases of an operation."""

    cases: Sequence[Case]
    mutations: ToDraw


@dataclass(frozen=True)
class DrawsFile:
    """The file with the drawn cases of an operation."""

    folder: Path
    operation: Operation
    reference: Reference
    digest: str
    """That of the specs and the reference."""
    seed: int
    count: int

    @property
    def path(self) -> Path:
        return self.folder / f"{self._name}.{self.digest}.{code_digest()}.draws"

    def read(self) -> StoredDraws | None:
        """What it contains; None if it is missing or damaged, so that the cases are drawn again."""
        content = read_sealed(self.path, b"")
        try:
            return StoredDraws(*_CODEC.unpacked(content, self._parts)) if content is not None else None
        except (Damaged, TypeError):  # the checksum is right: another program wrote it
            return None

    def write(self, draws: StoredDraws) -> None:
        """Store drawn cases and remove those of other versions of the specs or the code; errors of the file system are ignored."""
        with contextlib.suppress(OSError):
            write_sealed(self.path, b"", _CODEC.packed([[*draws.cases], draws.mutations], self._parts))
            for path in self.folder.glob(f"{self._name}.*"):
                if path != self.path:
                    path.unlink(missing_ok=True)

    @property
    def _name(self) -> str:
        return f"{self.operation.name}.{self.count}.{self.seed}"

    @property
    def _parts(self) -> Named:
        return {**parts_of(self.operation), ("reference",): self.reference}
