"""Two arrays beside each other: which elements differ, and how."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from conformance.cases.model import Returns, Writes
from conformance.specification.dtypes import FLOATS, kind_of
from conformance.specification.numbers import element

MOST_SHOWN = 20
_SMALLEST_NORMAL = {"float16": 2.0**-14, "bfloat16": 2.0**-126, "float32": 2.0**-126, "float64": 2.0**-1022}

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Comparison:
    """Elements in which a result differs from the expected one; both have the same shape and dtype."""

    count: int
    total: int
    first: tuple[tuple[tuple[int, ...], Any, Any], ...]
    """Index, expected and got, of the first ones in row-major order."""
    largest: tuple[tuple[int, ...], Any, Any, float | int] | None
    """The one of the greatest absolute difference, and that difference."""
    bound: float | None = None
    """What it may be at most; None where every bit counts."""
    flushed: int = 0
    """Elements of a sum that are zero where a number too small for the dtype's full precision was expected."""


def compare(expected: Returns, got: Array) -> Comparison:
    """Differences under the expectation's own rule: printed digits, a bound, or every bit but NaN payloads.

    In sums, -0.0 equals 0.0, and zero stands for subnormal numbers, which some hardware flushes. Where any of several
    values for a place may remain, an element that is one of them does not differ.
    """
    wanted = expected.value.array
    if wanted.tobytes() == got.tobytes():
        return Comparison(0, wanted.size, (), None)
    differs = _differs(wanted, got, expected)
    flushed = _flushed(wanted, got, expected.value.dtype) & differs if expected.accumulates else np.zeros_like(differs)
    differs = differs & ~flushed
    if expected.writes is not None:
        differs = _without_written(differs, got, expected.writes)
    where = np.argwhere(differs)
    first = tuple(
        (tuple(map(int, index)), element(wanted[tuple(index)]), element(got[tuple(index)]))
        for index in where[:MOST_SHOWN]
    )
    largest = _largest(wanted, got, differs, expected.value.dtype)
    return Comparison(len(where), wanted.size, first, largest, bound_of(expected), int(flushed.sum()))


def _differs(wanted: Array, got: Array, expected: Returns) -> Array:
    bound = bound_of(expected)
    if bound is not None:
        with np.errstate(all="ignore"):
            close = (np.abs(_wide(got) - _wide(wanted)) <= bound) | (wanted == got)
        return np.asarray(~(close | _both_nan(wanted, got)))
    if kind_of(expected.value.dtype) not in ("float", "complex"):
        return np.asarray(wanted != got)
    with np.errstate(all="ignore"):
        same = (wanted == got) if expected.accumulates else _same_bits(wanted, got)
    return ~(same | _both_nan(wanted, got))


def bound_of(expected: Returns) -> float | None:
    """The greatest difference that an element may have; None where every bit counts."""
    return expected.within if expected.digits is None else 0.5 * 10.0**-expected.digits


def _wide(array: Array) -> Array:
    wide: Array = array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)
    return wide


def _flushed(wanted: Array, got: Array, dtype: str) -> Array:
    if dtype not in _SMALLEST_NORMAL:
        return np.zeros(wanted.shape, bool)
    return np.asarray((np.abs(wanted.astype(np.float64)) < _SMALLEST_NORMAL[dtype]) & (got == 0))


def _without_written(differs: Array, got: Array, writes: Writes) -> Array:
    """Only those elements that differ from every value that is written to their place."""
    left = np.array(differs)
    elements = got.reshape(-1)
    for place in np.flatnonzero(differs):
        written = writes.values[writes.positions == place]
        left.reshape(-1)[place] = elements[place].tobytes() not in {one.tobytes() for one in written}
    return left


def _both_nan(wanted: Array, got: Array) -> Array:
    return np.asarray(np.isnan(wanted) & np.isnan(got))


def _same_bits(wanted: Array, got: Array) -> Array:
    bits = np.dtype((np.void, wanted.dtype.itemsize))
    left, right = (np.ascontiguousarray(one).reshape(-1).view(bits) for one in (wanted, got))
    return np.asarray(left == right).reshape(wanted.shape)


def _largest(
    wanted: Array, got: Array, differs: Array, dtype: str
) -> tuple[tuple[int, ...], Any, Any, float | int] | None:
    if dtype not in FLOATS and kind_of(dtype) != "integer":
        return None
    with np.errstate(all="ignore"):
        distance = np.abs(got.astype(np.float64) - wanted.astype(np.float64))
    distance = np.where(differs & np.isfinite(distance), distance, -1.0)
    if distance.size == 0 or distance.max() < 0:
        return None
    index = tuple(map(int, np.unravel_index(int(distance.argmax()), distance.shape)))
    exact = abs(int(got[index]) - int(wanted[index])) if kind_of(dtype) == "integer" else float(distance[index])
    return index, element(wanted[index]), element(got[index]), exact
