"""Compare two arrays: which elements differ, and by how much."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from conformance.cases.expectations import Compared, Returning, Returns, ReturnsAnyWritten, Within, Writes, tolerance_of
from conformance.judging.parts import place_of
from conformance.outcomes.bits import is_large, nonzero_in_either, same_bits
from conformance.outcomes.model import Part
from conformance.specification.dtypes import FLOATS, kind_of
from conformance.specification.literals import Tensor
from conformance.specification.numbers import element

MOST_SHOWN = 20
_SMALLEST_NORMAL = {"float16": 2.0**-14, "bfloat16": 2.0**-126, "float32": 2.0**-126, "float64": 2.0**-1022}

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Comparison:
    """The differences between a result and the expected one of the same shape and dtype."""

    count: int
    total: int
    first: tuple[tuple[tuple[int, ...], Any, Any], ...]
    """Index, expected and actual element of the first differences in row-major order."""
    largest: tuple[tuple[int, ...], Any, Any, float | int] | None
    """Index, expected and actual element of the largest absolute difference, and that difference."""
    bound: float | None = None
    """The largest difference allowed; None if elements must be equal."""
    flushed: int = 0
    """Number of elements of a sum that are zero instead of subnormal."""
    parts: tuple[Part, ...] = ()
    """The results of a program that were compared as one; empty for one."""

    def place_of(self, index: tuple[int, ...]) -> tuple[str | None, tuple[int, ...]]:
        """The result of a program in which an element lies, None if there is one, and its index there."""
        return place_of(self.parts, index[0]) if self.parts else (None, index)


def compare(expected: Compared, got: Array) -> Comparison:
    """The differences under the rule of the expectation: printed digits, a bound, or equal bits except in NaNs.

    In sums, -0.0 equals 0.0, and zero may replace subnormal numbers, as some hardware flushes them. Where several
    values are written to a position and any may remain, each of them is accepted.
    """
    array = expected.value.array
    if same_bits(array, got):
        return Comparison(0, array.size, (), None)
    found = _compared_where_not_zero(expected, got) if is_large(array) else _compared(expected, got)
    return replace(found, parts=expected.parts) if isinstance(expected, Returns) else found


def _compared(expected: Compared, got: Array) -> Comparison:
    array = expected.value.array
    differs = _differs(array, got, expected)
    flushed = _flushed(array, got, expected.value.dtype) & differs if _accumulates(expected) else np.zeros_like(differs)
    differs = differs & ~flushed
    if isinstance(expected, ReturnsAnyWritten):
        differs = _without_written(differs, got, expected.writes)
    indices = np.argwhere(differs)
    first = tuple(
        (tuple(map(int, index)), element(array[tuple(index)]), element(got[tuple(index)]))
        for index in indices[:MOST_SHOWN]
    )
    largest = _largest(array, got, differs, expected.value.dtype)
    return Comparison(len(indices), array.size, first, largest, allowed_difference(expected), int(flushed.sum()))


def _compared_where_not_zero(expected: Compared, got: Array) -> Comparison:
    """The same for large arrays, of which only those elements are compared that are not zero in both."""
    array = expected.value.array
    positions = nonzero_in_either(array, got)
    value = replace(expected.value, array=array.reshape(-1)[positions], written=None)
    found = _compared(replace(expected, value=value), got.reshape(-1)[positions])

    def place(index: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(map(int, np.unravel_index(int(positions[index]), array.shape)))

    first = tuple((place(index), due, is_) for index, due, is_ in found.first)
    largest = None if found.largest is None else (place(found.largest[0]), *found.largest[1:])
    return replace(found, total=array.size, first=first, largest=largest)


def matches(expected: Compared, result: Tensor) -> bool:
    """Whether a result has the expected dtype and shape, and no differences."""
    due = expected.value
    return (result.dtype, result.shape) == (due.dtype, due.shape) and compare(expected, result.array).count == 0


def _accumulates(expected: Compared) -> bool:
    return isinstance(expected, Returns) and expected.accumulates


def _differs(array: Array, got: Array, expected: Compared) -> Array:
    tolerance = tolerance_of(expected)
    bounds = tolerance.bounds if isinstance(tolerance, Within) else None
    bound = allowed_difference(expected) if bounds is None else bounds
    if bound is not None:
        with np.errstate(all="ignore"):
            close = (np.abs(_wide(got) - _wide(array)) <= bound) | (array == got)
        return np.asarray(~(close | _both_nan(array, got)))
    if kind_of(expected.value.dtype) not in ("float", "complex"):
        return np.asarray(array != got)
    with np.errstate(all="ignore"):
        same = (array == got) if _accumulates(expected) else _same_bits(array, got)
    return ~(same | _both_nan(array, got))


def allowed_difference(expected: Returning) -> float | None:
    """The largest difference that an element may have; None if elements must be equal."""
    tolerance = tolerance_of(expected)
    return tolerance.largest if tolerance is not None else None


def _wide(array: Array) -> Array:
    wide: Array = array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)
    return wide


def _flushed(expected: Array, got: Array, dtype: str) -> Array:
    if dtype not in _SMALLEST_NORMAL:
        return np.zeros(expected.shape, bool)
    return np.asarray((np.abs(expected.astype(np.float64)) < _SMALLEST_NORMAL[dtype]) & (got == 0))


def _without_written(differs: Array, got: Array, writes: Writes) -> Array:
    """Only the elements that differ from every value that is written to their position."""
    remaining = np.array(differs, order="C")
    is_written = _bits(writes.values.astype(got.dtype, copy=False)) == _bits(got)[writes.positions]
    remaining.reshape(-1)[writes.positions[is_written]] = False
    return remaining


def _both_nan(expected: Array, got: Array) -> Array:
    return np.asarray(np.isnan(expected) & np.isnan(got))


def _same_bits(expected: Array, got: Array) -> Array:
    return np.asarray(_bits(expected) == _bits(got)).reshape(expected.shape)


def _bits(array: Array) -> Array:
    """The elements in one dimension, of a type that compares their bytes."""
    return np.ascontiguousarray(array).reshape(-1).view((np.void, array.dtype.itemsize))


def _largest(
    expected: Array, got: Array, differs: Array, dtype: str
) -> tuple[tuple[int, ...], Any, Any, float | int] | None:
    if dtype not in FLOATS and kind_of(dtype) != "integer":
        return None
    with np.errstate(all="ignore"):
        distance = np.abs(got.astype(np.float64) - expected.astype(np.float64))
    distance = np.where(differs & np.isfinite(distance), distance, -1.0)
    if distance.size == 0 or distance.max() < 0:
        return None
    index = tuple(map(int, np.unravel_index(int(distance.argmax()), distance.shape)))
    exact = abs(int(got[index]) - int(expected[index])) if kind_of(dtype) == "integer" else float(distance[index])
    return index, element(expected[index]), element(got[index]), exact
