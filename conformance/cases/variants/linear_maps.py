"""Derivatives from the specification's own reference, without a formula for any of them.

Every operation is affine in each element of its data, at least between other elements, so a column of the matrix of an argument is
a difference quotient of the reference: (op(a + h) - op(a)) / h, where one element of a is changed. In float64, on small integers
and with a power of two as h, it is exact. What belongs to another permitted result has another matrix.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from ml_dtypes import finfo

from conformance.cases.expectations import Choice
from conformance.cases.variants.permitted import Permitted
from conformance.specification.applied import Applied
from conformance.specification.dtypes import numpy_dtype
from conformance.specification.literals import Tensor, frozen

STEP = 0.25
"""Smaller than half the distance of two integers, so that the larger of two elements remains the larger."""
PRECISION: Mapping[str, int] = {"bfloat16": 8, "float16": 11, "float32": 24, "float64": 53}
"""By dtype, the number of bits of an integer that it holds exactly."""
_FRACTIONS = 1024
"""Quotients that are a multiple of one part of this many are exact in every dtype; others are rounded, as in a mean."""
ROUNDINGS = 4
"""The allowed number of roundings of a derivative that is not exact, beside its sums: a division, a product, a sum and the
conversion."""

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Linear:
    """One permitted result of a call, and its matrix: by element of the result and of the argument, how one changes the other."""

    result: Array
    matrix: Array
    influence: Array | None = None
    """Of a result that is chosen among elements, as in amax: which elements it is chosen among, with the number of all of them.

    0 where an element of the argument has no influence on the element of the result. A framework may compute such a derivative
    as a difference in which the elements that are not chosen cancel only up to rounding.
    """


def linear_maps(call: Applied, of: str, permitted: Permitted) -> Sequence[Linear]:
    """Each permitted result of a call in float64 with the matrix of an argument; empty if they are not known."""
    data = list(call.data)
    wide, opposite = (call.with_arguments({name: _wide(call, name, sign) for name in data}) for sign in (1, -1))
    maps = _maps(wide, of, permitted)
    if not maps or _are_opposite(maps, permitted(opposite)):
        return maps
    influences = {name: _influence(wide, data, name, permitted) for name in data}
    [first, *others] = influences.values()
    if (own := influences[of]) is None or first is None:
        return maps
    number = sum((other.sum(axis=1) for other in others if other is not None), first.sum(axis=1))
    influence = own * number[:, None]
    is_chosen = any(np.any((each.matrix != 0) != own) for each in maps)
    return [replace(each, influence=influence) for each in maps] if is_chosen else maps


def _wide(call: Applied, name: str, sign: int) -> Tensor:
    value = call.arguments[name]
    assert isinstance(value, Tensor)
    return Tensor("float64", frozen(np.asarray(sign * value.array.astype(np.float64))), None)


def _are_opposite(maps: Sequence[Linear], others: Sequence[Tensor]) -> bool:
    """Whether negated data only negate the results, as they do unless the operation compares or multiplies."""
    return len(maps) == len(others) and all(
        np.array_equal(each.result, -other.array, equal_nan=True) for each, other in zip(maps, others, strict=True)
    )


def _influence(wide: Applied, data: Sequence[str], of: str, permitted: Permitted) -> Array | None:
    """Whether an element of the argument changes an element of any result, if it is by far the largest or the smallest of all.

    None if results are not known.
    """
    before = [result.array for result in permitted(wide)]
    values = {name: value.array for name in data if isinstance(value := wide.arguments[name], Tensor)}
    far = 1 + 2 * max(float(np.nanmax(np.abs(value), initial=0, where=np.isfinite(value))) for value in values.values())
    columns: list[Array] = []
    for element in range(values[of].size):
        changed = np.zeros(before[0].size, bool)
        for number in (far, -far):
            moved = np.array(values[of])
            moved.reshape(-1)[element] = number
            after = permitted(wide.with_arguments({of: Tensor("float64", frozen(moved), None)}))
            if len(after) != len(before):
                return None
            for one, other in zip(before, after, strict=True):
                changed |= ~((one == other.array) | (np.isnan(one) & np.isnan(other.array))).reshape(-1)
        columns.append(changed)
    return np.array(columns).reshape(values[of].size, before[0].size).T


def _maps(wide: Applied, of: str, permitted: Permitted) -> list[Linear]:
    before = [result.array for result in permitted(wide)]
    argument = wide.arguments[of]
    assert isinstance(argument, Tensor)
    columns: list[list[Array]] = [[] for _ in before]
    for element in range(argument.array.size if before else 0):
        moved = np.array(argument.array)
        moved.reshape(-1)[element] += STEP
        after = permitted(wide.with_arguments({of: Tensor("float64", frozen(moved), None)}))
        if len(after) != len(before):
            return []
        for column, one, other in zip(columns, before, after, strict=True):
            column.append(_quotient(one, other.array))
    return [
        Linear(result, np.array(column).reshape(argument.array.size, result.size).T)
        for result, column in zip(before, columns, strict=True)
    ]


def _quotient(before: Array, after: Array) -> Array:
    """How much each element changed; what was filled, even with NaN, did not."""
    with np.errstate(invalid="ignore"):
        same = (before == after) | (np.isnan(before) & np.isnan(after))
        return np.where(same, 0.0, (after - before) / STEP).reshape(-1)


@dataclass(frozen=True)
class Bilinear:
    """The only permitted result of a call, its matrix by one argument, and how each element of another one changes that matrix."""

    linear: Linear
    changes: Array
    """By element of the result, of the argument, and of the other one."""


def bilinear_map(call: Applied, of: str, by: str, permitted: Permitted) -> Bilinear | None:
    """How elements of two arguments, or two of the same, change the result together; None if it is open, or not known."""
    wide = call.with_arguments({name: _wide(call, name, 1) for name in call.data})
    before = _maps(wide, of, permitted)
    if len(before) != 1:
        return None
    other = wide.data[by]
    layers = []
    for element in range(other.array.size):
        moved = np.array(other.array)
        moved.reshape(-1)[element] += STEP
        after = _maps(wide.with_arguments({by: Tensor("float64", frozen(moved), None)}), of, permitted)
        if len(after) != 1:
            return None
        layers.append((after[0].matrix - before[0].matrix) / STEP)
    return Bilinear(before[0], np.stack(layers, axis=-1)) if layers else None


def derivatives(
    maps: Sequence[Linear], of: Tensor, seed: Tensor, *, in_reverse: bool = True
) -> tuple[Choice, ...] | None:
    """The product of each matrix and a cotangent, or in forward mode a tangent, in their dtype; None if it is not exact there.

    of: the argument.
    """
    largest = 2.0 ** PRECISION[of.dtype]
    factors = seed.array.astype(np.float64).reshape(-1)
    choices = []
    for each in maps:
        matrix, shape = (each.matrix.T, of.shape) if in_reverse else (each.matrix, each.result.shape)
        size = (np.abs(matrix) @ np.abs(factors)).reshape(shape)
        if max(size.max(initial=0.0), _largest_product(each, factors)) > largest:
            return None
        derivative = (matrix @ factors).reshape(shape)
        bounds = None if is_exact(matrix) else ROUNDINGS * size / largest
        if each.influence is not None:
            weights = np.where(each.influence > 0, ROUNDINGS + each.influence, 0)
            bounds = ((weights.T if in_reverse else weights) @ np.abs(factors)).reshape(shape) / largest
        choices.append(Choice(_tensor(each.result, of.dtype), _tensor(derivative, of.dtype), bounds))
    return tuple(_different(choices))


def is_exact(quotients: Array) -> bool:
    """Whether none of them is rounded."""
    return bool((quotients * _FRACTIONS % 1 == 0).all())


def _largest_product(each: Linear, seed: Array) -> float:
    """The largest number on the way to a derivative of a product: the cotangent times the result, divided by the element."""
    if np.abs(each.matrix).max(initial=0.0) <= 1:
        return 0.0
    return float(np.nanmax(np.abs(each.result), initial=1.0) * np.abs(seed).max(initial=1.0))


def _tensor(array: Array, dtype: str) -> Tensor:
    """The array in a dtype, in which the limits of float64, as of a maximum of nothing, are its own limits."""
    limits = finfo(numpy_dtype(dtype))  # type: ignore[no-untyped-call]
    wide = np.finfo(np.float64)
    with np.errstate(over="ignore"):
        converted = array.astype(numpy_dtype(dtype))
    converted = np.where(array == wide.max, limits.max, np.where(array == wide.min, limits.min, converted))
    return Tensor(dtype, frozen(np.ascontiguousarray(converted.astype(numpy_dtype(dtype))).reshape(array.shape)), None)


def _different(choices: Sequence[Choice]) -> list[Choice]:
    """The first of those that have the same result and the same derivative."""
    found: dict[tuple[bytes, bytes], Choice] = {}
    for one in choices:
        found.setdefault((one.result.array.tobytes(), one.derivative.array.tobytes()), one)
    return [*found.values()]
