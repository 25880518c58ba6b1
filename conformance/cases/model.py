"""Cases: concrete calls with expectations, each of a clause."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from conformance.cases.reference import Reference
from conformance.specification.literals import Tensor
from conformance.specification.model import (
    Call,
    Clause,
    MetamorphicRelation,
    Observed,
    Operation,
    Provenance,
    Raises,
    Rule,
    WrittenCall,
)
from conformance.specification.vocabulary import Device, Policy


@dataclass(frozen=True)
class Writes:
    """All elements that a call writes, in the order of its indices, some of them to the same position."""

    positions: np.ndarray[Any, Any]
    """Row-major positions in the result."""
    values: np.ndarray[Any, Any]


@dataclass(frozen=True)
class Choice:
    """One of the permitted results of a call, with the derivative that belongs to it."""

    result: Tensor
    derivative: Tensor
    bounds: np.ndarray[Any, Any] | None = None
    """The allowed difference of each element of the derivative; None if bits are compared."""


@dataclass(frozen=True)
class Returns:
    """This result is expected."""

    value: Tensor
    digits: int | None
    """The number of decimal places that are compared; None if every bit is."""
    accumulates: bool
    """Elements were added or multiplied, so that -0.0 equals 0.0."""
    source: Literal["printed", "spec", "reference", "relation"]
    """The origin of the value: the document, the spec, the reference, or the other side of a relation on the target."""
    within: float | None = None
    """The largest allowed difference due to rounding; None if bits or digits are compared."""
    bounds: np.ndarray[Any, Any] | None = None
    """The allowed difference of each element, if they differ; ``within`` is then the largest."""
    writes: Writes | None = None
    """All written values, if any one of several for a position may remain; ``value`` is then one allowed result."""
    choices: tuple[Choice, ...] = ()
    """For a derivative: each permitted result of the call itself with its derivative; ``value`` is the first of these."""
    batch: tuple[tuple[Tensor, ...], ...] = ()
    """For a batch: the permitted results of each of its calls; ``value`` is a stack of one of each along its first axis."""


@dataclass(frozen=True)
class Agrees:
    """Both sides of a relation, each computed by the target, are expected to be equal."""

    relation: MetamorphicRelation


def generated_id(clause: str, number: int) -> str:
    """The id of a generated case: the same for the same seed, specs and number of draws."""
    return f"{clause}/draw.{number}"


def generated_ids(clause: str) -> str:
    """A pattern that matches the ids of all generated cases of a clause."""
    return f"{clause}/draw.*"


Expectation = Returns | Raises | Observed | Agrees

LARGE = 2**30
"""Bytes of the arrays of a call from which on a machine may lack memory for it."""


Treatment = Policy | Literal["cut"]
"""What is done to an out-of-bounds index: a policy, or it is cut to 32 bits, which puts it in bounds."""


@dataclass(frozen=True)
class PolicyOutcome:
    """The result of a call whose out-of-bounds indices are treated in one way."""

    policy: Treatment
    result: Tensor


@dataclass(frozen=True)
class Origin:
    """The origin of a drawn case, from which smaller cases can be drawn."""

    rule: Rule | None
    """The rule that it breaks; None for a valid call."""
    number: int
    """The number among the draws of its clause, from 1."""
    form: int
    """The number of its form (shapes, dtypes and other arguments) among the draws of its clause, from 1."""
    choices: Sequence[int]
    """The choices, as in ``conformance.strategies.drawn_calls``."""
    reference: Reference


@dataclass(frozen=True)
class Form:
    """What a case in a form that is derived from the layout has besides its call."""

    open: bool
    """No rule says whether an API takes the form: a refusal is not judged, but what it returns is."""


@dataclass(frozen=True)
class Case:
    """A concrete call with an expectation."""

    id: str
    operation: Operation
    clause: Clause
    written: WrittenCall
    """The call and its expectation in the form of a spec: written, derived from that, or generated."""
    expectation: Expectation
    derived_from: str | None = None
    """The id of the original case of a derived one."""
    policies: tuple[PolicyOutcome, ...] = ()
    """For out-of-bounds indices, the result of each policy; see ``conformance.cases.policies``."""
    duplicates: Returns | None = None
    """For a written call with duplicate indices, the allowed results; such a call is repeated."""
    base: Case | None = field(default=None, repr=False, compare=False)
    """For a case in another dtype: the original call, which differs from it in nothing else but its values; its expectation is not known."""
    alike: Sequence[Case] = field(default=(), repr=False, compare=False)
    """For a case in another dtype: all cases of the operation that are derived in that dtype. Whether an API takes the dtype
    at all is asked once, by the first of them whose original call returns."""
    origin: Origin | None = field(default=None, repr=False)
    """Only for a generated case."""
    form: Form | None = None
    """Only for a form; see ``conformance.cases.forms``."""
    turn: int | None = None
    """The place among the cases of its kind of a form, a case that is passed in another way, or one that is computed through a
    transform; see ``conformance.cases.turns``. None for any other case."""
    is_extra: bool = False
    """Whether only a run of all transforms makes its call, since the sample has others like it."""
    is_beyond_documents: bool = False
    """For a derivative or a batch: whether no document promises a result of the call itself."""

    @property
    def clause_id(self) -> str:
        return self.clause.id

    @property
    def operation_name(self) -> str:
        return self.operation.name

    @property
    def call(self) -> Call:
        return self.written.call

    @property
    def provenance(self) -> Provenance:
        return self.written.provenance

    @property
    def control(self) -> Call | None:
        """For a case that should raise: the same call with only the violation fixed."""
        return self.written.fixed

    @property
    def retyped(self) -> tuple[str, ...]:
        """Arguments whose dtype is the violation: the control has another one."""
        before, fixed = self.call.arguments, self.control.arguments if self.control is not None else {}
        return tuple(name for name, value in fixed.items() if _dtype(before.get(name)) not in (None, _dtype(value)))

    @property
    def size(self) -> int:
        """The size of its tensors and of its expected result, in bytes."""
        expected = [self.expectation.value] if isinstance(self.expectation, Returns) else []
        values = (*self.call.arguments.values(), *expected)
        return sum(value.array.nbytes for value in values if isinstance(value, Tensor))

    @property
    def about_dtype(self) -> tuple[str, ...]:
        """Arguments whose dtype it tests; a refusal is judged only if a document or the adapter promises the dtype."""
        return self.written.about_dtype

    @property
    def dtypes_tested(self) -> dict[str, str]:
        """By argument, the dtypes that it tests."""
        arguments = {name: self.call.arguments.get(name) for name in self.about_dtype}
        return {name: value.dtype for name, value in arguments.items() if isinstance(value, Tensor)}

    @property
    def open(self) -> str | None:
        """Why a refusal is not judged but what is returned is; None if both are."""
        if "argument" in self.call.passed.values():
            return "no document says whether this may be an argument of what is compiled"
        return "an error in this rare form is not judged" if self.form is not None and self.form.open else None

    @property
    def broken_promises(self) -> tuple[Clause, ...]:
        """The clauses of the rules that it breaks of those that only some APIs document, but not its own."""
        broken = self.operation.broken_promises(self.call) if not isinstance(self.expectation, Agrees) else ()
        return tuple(clause for clause in broken if clause is not self.clause)

    @property
    def device(self) -> Device | None:
        """The kind of device that it applies to; None for all."""
        return self.written.device


@dataclass(frozen=True, eq=False, slots=True)
class ApiCall:
    """A call of an operation in the form that an API of a target accepts."""

    operation: str
    call: Call
    api: str
    case: str
    """The id of its case."""


def _dtype(value: object) -> str | None:
    return value.dtype if isinstance(value, Tensor) else None
