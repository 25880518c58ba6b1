"""Two arrays beside each other: which elements differ, and how."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from conformance.cases.model import Returns
from conformance.spec.dtypes import FLOATS, kind_of
from conformance.spec.numbers import element

MOST_SHOWN = 20

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


def compare(expected: Returns, got: Array) -> Comparison:
    """Differences under the expectation's own rule: printed digits, or every bit but NaN payloads.

    In sums, -0.0 equals 0.0.
    """
    wanted = expected.value.array
    if wanted.tobytes() == got.tobytes():
        return Comparison(0, wanted.size, (), None)
    differs = _differs(wanted, got, expected)
    where = np.argwhere(differs)
    first = tuple(
        (tuple(map(int, index)), element(wanted[tuple(index)]), element(got[tuple(index)]))
        for index in where[:MOST_SHOWN]
    )
    return Comparison(len(where), wanted.size, first, _largest(wanted, got, differs, expected.value.dtype))


def _differs(wanted: Array, got: Array, expected: Returns) -> Array:
    if expected.digits is not None:
        with np.errstate(all="ignore"):
            close = np.abs(got.astype(np.float64) - wanted.astype(np.float64)) <= 0.5 * 10.0**-expected.digits
        return ~(close | _both_nan(wanted, got))
    if kind_of(expected.value.dtype) not in ("float", "complex"):
        return np.asarray(wanted != got)
    with np.errstate(all="ignore"):
        same = (wanted == got) if expected.sums else _same_bits(wanted, got)
    return ~(same | _both_nan(wanted, got))


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
