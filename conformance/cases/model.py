"""A case: one concrete call with an expectation, derived from a clause."""

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
    """Every element that a call writes, in the order of its indices, some of them to one place."""

    places: np.ndarray[Any, Any]
    """Numbers of elements of the result, in row-major order."""
    values: np.ndarray[Any, Any]


@dataclass(frozen=True)
class Returns:
    """This result is expected."""

    value: Tensor
    digits: int | None
    """Decimal places that count; None when every bit does."""
    accumulates: bool
    """Elements were added or multiplied, so that -0.0 equals 0.0."""
    source: Literal["printed", "spec", "reference", "relation"]
    """Who gives the value: the document, the spec by hand, the reference, or the target by the other side of a relation."""
    within: float | None = None
    """The greatest difference that rounding may make; None where every bit counts, or digits do."""
    writes: Writes | None = None
    """Where any of several values for one place may remain: all that are written; ``value`` is then one of the results."""


@dataclass(frozen=True)
class Agrees:
    """Both sides of a relation give the same, each computed by the target itself."""

    relation: MetamorphicRelation


def generated_id(clause: str, number: int) -> str:
    """The id of a generated case: the same for the same seed, specs and number of draws."""
    return f"{clause}/draw.{number}"


def generated_ids(clause: str) -> str:
    """A pattern that the ids of all generated cases of a clause match."""
    return f"{clause}/draw.*"


Expectation = Returns | Raises | Observed | Agrees


@dataclass(frozen=True)
class PolicyOutcome:
    """What a policy towards indices that point outside makes of a call."""

    policy: Policy
    result: Tensor


@dataclass(frozen=True)
class Origin:
    """How a drawn case came about, so that smaller ones like it can be drawn."""

    rule: Rule | None
    """The rule that it breaks; None where it keeps all."""
    number: int
    """Among the draws of its clause, from 1."""
    choices: Sequence[int]
    """As ``conformance.strategies.drawn_calls`` makes them."""
    reference: Reference


@dataclass(frozen=True)
class Case:
    """One concrete call with an expectation."""

    id: str
    operation: Operation
    clause: Clause
    written: WrittenCall
    """The call with what is said of it: as a spec has it, or changed from that, or generated in the same form."""
    expectation: Expectation
    derived_from: str | None = None
    """The id of the case that it was derived from."""
    policies: tuple[PolicyOutcome, ...] = ()
    """Where indices point outside, what each policy would give; see ``conformance.cases.policies``."""
    duplicates: Returns | None = None
    """Where indices of a written call name a position twice, what the call may give; such a call is made repeatedly."""
    origin: Origin | None = field(default=None, repr=False)
    """Of a generated case."""

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
        """For a case expected to raise: the same call with only the violation fixed."""
        return self.written.fixed

    @property
    def about_dtype(self) -> tuple[str, ...]:
        """Arguments whose dtype it is about; judged only where the documentation of an API claims the dtype."""
        return self.written.about_dtype

    @property
    def device(self) -> Device | None:
        """The kind of device that it is for; None for all."""
        return self.written.device


@dataclass(frozen=True, eq=False, slots=True)
class ApiCall:
    """A call of an operation as an API of a target takes it."""

    operation: str
    call: Call
    api: str
    case: str
    """Id of the case that it is made for."""
