"""Cases: concrete calls with expectations, each of a clause."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from conformance.cases.expectations import Agrees, Compared, Expectation, Returning
from conformance.cases.facts import CaseFacts
from conformance.cases.variation import (
    EXPENSIVE,
    Batched,
    Contradicting,
    Differentiated,
    Drawn,
    DrawnProgram,
    DtypeTest,
    InDtype,
    InProgram,
    NestedTransform,
    Passed,
    RareForm,
    SharingMemory,
    Transformed,
    TwiceDifferentiated,
    Variation,
)
from conformance.specification.applied import Applied
from conformance.specification.literals import Tensor
from conformance.specification.model import Clause, Observed, Operation, PassedAs, WrittenCall
from conformance.specification.problems import Location
from conformance.specification.vocabulary import Device, Policy

LARGE = 2**30
"""Bytes of the arrays of a call from which on a machine may lack memory for it."""


def generated_id(clause: str, number: int) -> str:
    """The id of a generated case: the same for the same seed, specs and number of draws."""
    return f"{clause}/draw.{number}"


def generated_ids(clause: str) -> str:
    """A pattern that matches the ids of all generated cases of a clause."""
    return f"{clause}/draw.*"


def drawn_program_id(clause: str, number: int) -> str:
    """The id of a drawn program: as that of a generated case."""
    return f"{clause}/draw.program.{number}"


def drawn_clause(operation: Operation) -> Clause:
    """The clause that drawn valid calls of an operation with a layout belong to."""
    assert operation.layout is not None
    return next(clause for clause in operation.clauses if clause.name == operation.layout.drawn)


Treatment = Policy | Literal["cut"]
"""What is done to an out-of-bounds index: a policy, or it is cut to 32 bits, which puts it in bounds."""


@dataclass(frozen=True)
class PolicyOutcome:
    """The result of a call whose out-of-bounds indices are treated in one way."""

    policy: Treatment
    result: Tensor


@dataclass(frozen=True)
class Entry:
    """What the specs say of a case besides its call and its expectation."""

    location: Location
    note: str | None = None
    device: Device | None = None
    """The kind of device that the case applies to; None for all."""

    @classmethod
    def of(cls, written: WrittenCall) -> Entry:
        """That of a call in a spec."""
        return cls(written.location, written.note, written.device)


@dataclass(frozen=True)
class Case:
    """A concrete call with an expectation."""

    id: str
    call: Applied
    clause: Clause
    expectation: Expectation
    entry: Entry
    variation: Variation
    control: Applied | None = None
    """For a case that should raise: the same call with only the violation fixed."""
    policies: tuple[PolicyOutcome, ...] = ()
    """For out-of-bounds indices, the result of each policy; see ``conformance.cases.policies``."""
    duplicates: Compared | None = None
    """For a written call with duplicate indices, the allowed results; such a call is repeated."""

    @property
    def clause_id(self) -> str:
        return self.clause.id

    @property
    def operation(self) -> Operation:
        return self.call.operation

    @property
    def operation_name(self) -> str:
        return self.operation.name

    @property
    def device(self) -> Device | None:
        """The kind of device that it applies to; None for all."""
        return self.entry.device

    @property
    def facts(self) -> CaseFacts:
        """What selections and known divergences ask of it."""
        varied = self.variation
        return CaseFacts(
            self.id,
            self.clause.id,
            self.operation.name,
            frozenset(value.dtype for value in self.call.arguments.values() if isinstance(value, Tensor)),
            isinstance(varied, Drawn | DrawnProgram),
            self.device,
            self.operation.earlier_ids(self.id),
            varied.base if isinstance(varied, Passed) else None,
            self.call.manner.needs,
            self.call.call.constants,
            varied.manner.kind if isinstance(varied, Transformed) else None,
        )

    @property
    def asks_for_memory_alone(self) -> bool:
        """Whether no document says what the call should do, and it must not write or read outside of its arguments all the same.

        An index lies outside, or an argument contradicts another one.
        """
        is_dangerous = bool(self.policies) or isinstance(self.variation, Contradicting)
        return is_dangerous and isinstance(self.expectation, Observed)

    @property
    def may_leave_memory(self) -> bool:
        """Whether memory is watched in its call: one in another dtype or in a program accesses no other memory than its base."""
        if isinstance(self.variation, Differentiated):
            return not self.variation.is_left_out(EXPENSIVE, 0)
        return not isinstance(
            self.variation,
            InDtype | InProgram | Drawn | DrawnProgram | Passed | Batched | NestedTransform | TwiceDifferentiated,
        )

    @property
    def retyped(self) -> tuple[str, ...]:
        """Arguments whose dtype is the violation: the control has another one."""
        if self.control is None:
            return ()
        before, fixed = self.call.arguments, self.control.arguments
        return tuple(name for name, value in fixed.items() if _dtype(before.get(name)) not in (None, _dtype(value)))

    @cached_property
    def size(self) -> int:
        """The size of its tensors and of its expected result, in bytes."""
        expected = [self.expectation.value] if isinstance(self.expectation, Returning) else []
        values = (*self.call.arguments.values(), *expected)
        return sum(value.array.nbytes for value in values if isinstance(value, Tensor))

    @property
    def dtype_test(self) -> DtypeTest | None:
        """What it tests of dtypes that a document of its clause may not mention; None if it tests none."""
        return self.variation.dtype_test

    @cached_property
    def dtypes_tested(self) -> dict[str, str]:
        """By argument, the dtypes that it tests: a refusal is judged only if a document or the adapter promises them."""
        names = self.dtype_test.arguments if self.dtype_test is not None else ()
        arguments = {name: self.call.arguments.get(name) for name in names}
        return {name: value.dtype for name, value in arguments.items() if isinstance(value, Tensor)}

    @property
    def open(self) -> str | None:
        """Why a refusal is not judged but what is returned is; None if both are."""
        match self.variation:
            case Passed(manner=PassedAs(ways)) if "argument" in ways.values():
                return "no document says whether this may be an argument of what is compiled"
            case DrawnProgram():
                return "an error in a drawn program is judged only beside the same program without compiling"
            case SharingMemory():
                return "no document says whether arguments may share memory"
            case RareForm(is_open=True) | InProgram(is_open=True) | Passed(is_open=True):
                return "an error in this rare form is not judged"
            case _:
                return None

    @property
    def broken_promises(self) -> tuple[Clause, ...]:
        """The clauses of the rules that it breaks of those that only some APIs document, but not its own."""
        broken = self.call.broken_promises if not isinstance(self.expectation, Agrees) else ()
        return tuple(clause for clause in broken if clause is not self.clause)


@dataclass(frozen=True, eq=False, slots=True)
class ApiCall:
    """A call of an operation in the form that an API of a target accepts."""

    call: Applied
    api: str
    case: str
    """The id of its case."""

    @property
    def operation(self) -> str:
        """The name of the operation."""
        return self.call.operation.name


def _dtype(value: object) -> str | None:
    return value.dtype if isinstance(value, Tensor) else None
