"""What is expected of a call: one class for each way to say it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from conformance.outcomes.bits import same_bits
from conformance.outcomes.model import Part
from conformance.specification.literals import Tensor
from conformance.specification.model import MetamorphicRelation, Observed, Raises

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class ToDigits:
    """So many decimal places are compared, as a document prints them."""

    digits: int

    @property
    def largest(self) -> float:
        """The largest difference that an element may have."""
        return 0.5 * 10.0**-self.digits


@dataclass(frozen=True)
class Within:
    """Elements may differ by rounding."""

    largest: float
    """The largest difference that an element may have."""
    bounds: Array | None = None
    """The allowed difference of each element, if they differ."""

    @classmethod
    def each(cls, bounds: Array) -> Within:
        """These differences, one for each element."""
        return cls(float(bounds.max(initial=0.0)), bounds)


Tolerance = ToDigits | Within


@dataclass(frozen=True)
class Returns:
    """This result is expected."""

    value: Tensor
    accumulates: bool
    """Elements were added or multiplied, so that -0.0 equals 0.0."""
    source: Literal["printed", "spec", "reference", "relation"] = "reference"
    """The origin of the value: the document, the spec, the reference, or the other side of a relation on the target."""
    tolerance: Tolerance | None = None
    """None if every bit is compared."""
    parts: tuple[Part, ...] = ()
    """The results of a program that are joined in ``value``, in order; empty for one."""


@dataclass(frozen=True)
class Writes:
    """All elements that a call writes, in the order of its indices, some of them to the same position."""

    positions: Array
    """Row-major positions in the result."""
    values: Array


@dataclass(frozen=True)
class ReturnsAnyWritten:
    """A result is expected in which any one of several values that are written to a position may remain."""

    value: Tensor
    """One allowed result."""
    writes: Writes


@dataclass(frozen=True)
class Choice:
    """One of the permitted results of a call, with the derivative that belongs to it."""

    result: Tensor
    derivative: Tensor
    bounds: Array | None = None
    """The allowed difference of each element of the derivative; None if bits are compared."""

    @property
    def expected(self) -> Returns:
        """The derivative as an expectation."""
        return Returns(self.derivative, True, tolerance=None if self.bounds is None else Within.each(self.bounds))


@dataclass(frozen=True)
class ReturnsDerivative:
    """The derivative is expected that belongs to the result of the call itself."""

    choices: tuple[Choice, ...]
    """Each permitted result of the call with its derivative."""

    @property
    def value(self) -> Tensor:
        """The first derivative."""
        return self.choices[0].derivative


@dataclass(frozen=True)
class ReturnsBatch:
    """A permitted result of each call of a batch is expected."""

    value: Tensor
    """A stack of one permitted result of each call, along its first axis."""
    permitted: tuple[tuple[Tensor, ...], ...]
    """The permitted results of each call."""
    bounds: Array | None = None
    """The allowed difference of each element; None if bits are compared."""

    def expected(self, value: Tensor) -> Returns:
        """One stack of permitted results as an expectation."""
        return Returns(value, True, tolerance=None if self.bounds is None else Within.each(self.bounds))


@dataclass(frozen=True)
class Agrees:
    """Both sides of a relation, each computed by the target, are expected to be equal."""

    relation: MetamorphicRelation


Compared = Returns | ReturnsAnyWritten
"""What a single result is compared with."""
Returning = Compared | ReturnsDerivative | ReturnsBatch
"""A result is expected; ``value`` is it, or one that is allowed."""
Expectation = Returning | Raises | Observed | Agrees


def of_value(expected: Returning) -> Compared:
    """The expectation of ``value`` itself, without the other results that are allowed."""
    if isinstance(expected, ReturnsDerivative):
        return expected.choices[0].expected
    return expected.expected(expected.value) if isinstance(expected, ReturnsBatch) else expected


def tolerance_of(expected: Returning) -> Tolerance | None:
    """The tolerance of ``value``; None if every bit is compared."""
    compared = of_value(expected)
    return compared.tolerance if isinstance(compared, Returns) else None


def in_dtype(expectation: Expectation, dtype: str) -> Expectation:
    """What is expected, in another dtype if that holds all its elements, for where no document says which dtype a result has."""
    match expectation:
        case Returns(value=value) if (held := _held(value, dtype)) is not None:
            return replace(expectation, value=held)
        case ReturnsBatch(value=value, permitted=permitted) if (held := _held(value, dtype)) is not None:
            return replace(
                expectation, value=held, permitted=tuple(tuple(one.cast(dtype) for one in each) for each in permitted)
            )
        case _:
            return expectation


def _held(value: Tensor, dtype: str) -> Tensor | None:
    """The tensor in another dtype; None if that does not hold its elements."""
    with np.errstate(all="ignore"):
        held = value.cast(dtype)
        array = (
            held.array if value.array.dtype.kind == "c" else held.array.real
        )  # what is cast to complex has no imaginary part
        back = array.astype(value.array.dtype)
    return held if same_bits(back, value.array) else None
