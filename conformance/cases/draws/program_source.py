"""Builds cases from drawn programs: so many in all, over the operations that have a layout."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from conformance.cases.draws.choices import Recorder, Rejected, seeded
from conformance.cases.draws.programs import draw_program, drawable
from conformance.cases.expectations import Returns
from conformance.cases.model import Case, Entry, drawn_clause, drawn_program_id
from conformance.cases.reference import Reference, ReferenceFailed, results_of
from conformance.cases.variation import DrawnProgram
from conformance.specification.applied import Applied
from conformance.specification.model import Around, Operation
from conformance.specification.problems import Problem

ATTEMPTS = 50
"""The maximum number of attempts for a program."""
NOTE = "a drawn program"


@dataclass(frozen=True)
class ProgramSource:
    """A source of drawn programs: their number in all, and their seed."""

    count: int
    seed: int
    operations: Mapping[str, Operation]
    """Those of the specs, which programs may call."""
    only: frozenset[str] | None = None
    """The operations to draw programs around; None for all."""

    def cases(self, operation: Operation, reference: Reference) -> Iterator[Case | Problem]:
        """The drawn programs around calls of an operation."""
        for number in range(1, self._count(operation) + 1):
            case = self._case(operation, reference, number)
            if case is not None:
                yield case

    def _count(self, operation: Operation) -> int:
        """How many programs are around calls of an operation: the first operations have one more if they do not share equally."""
        names = [name for name in drawable(self.operations) if self.only is None or name in self.only]
        if operation.name not in names:
            return 0
        return self.count // len(names) + (names.index(operation.name) < self.count % len(names))

    def _case(self, operation: Operation, reference: Reference, number: int) -> Case | None:
        operations = drawable(self.operations)
        generator = seeded(f"{self.seed} program {operation.name} {number}")
        for _ in range(ATTEMPTS):
            try:
                call, accumulates = draw_program(Recorder(generator), operation, operations, reference)
                return program_case(call, operations, reference, number, accumulates=accumulates)
            except (Rejected, ReferenceFailed):
                continue
        return None


def program_case(
    call: Applied,
    operations: Mapping[str, Operation],
    reference: Reference,
    number: int,
    *,
    accumulates: bool,
    name: str | None = None,
) -> Case:
    """The case of a call with a drawn program around it; ReferenceFailed if the reference does not return.

    name: its id, by default that of a drawn program.
    """
    assert isinstance(call.manner, Around)
    clause = drawn_clause(call.operation)
    results = results_of(reference, call)
    return Case(
        name or drawn_program_id(clause.id, number),
        call,
        clause,
        Returns(results.value, accumulates, parts=results.parts),
        Entry(clause.location, NOTE),
        DrawnProgram(call.manner, number, operations, reference),
    )
