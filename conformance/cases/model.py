"""A case: one concrete call with an expectation, derived from a clause."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from conformance.spec.literals import Tensor
from conformance.spec.model import Call, Clause, Device, Observed, Operation, Raises
from conformance.spec.problems import Place


@dataclass(frozen=True)
class Returns:
    """This result is expected."""

    value: Tensor
    digits: int | None
    """Decimal places that count; None when every bit does."""
    sums: bool
    """Elements were added or multiplied, so that -0.0 equals 0.0."""
    source: Literal["printed", "spec", "reference"]
    """Who gives the value: the document, the spec by hand, or the reference."""


Expectation = Returns | Raises | Observed


@dataclass(frozen=True)
class Case:
    """One concrete call with an expectation."""

    id: str
    operation: Operation
    clause: Clause
    call: Call
    expectation: Expectation
    twin: Call | None
    """For a case expected to raise: the same call with only the violation mended."""
    note: str | None
    place: Place
    device: Device | None = None
    """The kind of device that it is for; None for all."""
