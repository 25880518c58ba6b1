"""The elements of drawn calls: values that make defects visible, and indices in bounds."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from conformance.cases.draws.choices import Choose, Rejected, choose_distinct
from conformance.cases.draws.geometry import Geometry, layout_of
from conformance.specification.applied import Applied
from conformance.specification.dtypes import kind_of, numpy_dtype
from conformance.specification.indices.geometry import axes_of, bounds_of
from conformance.specification.indices.kinds import Mask, Vectors
from conformance.specification.layout import Indices
from conformance.specification.literals import Argument, Tensor, frozen
from conformance.specification.model import Call, Operation

EXACT = {
    "bool": 2, "int8": 2**7, "uint8": 2**8, "int16": 2**15, "uint16": 2**16, "float16": 2**11, "bfloat16": 2**8,
    "float32": 2**24, "complex64": 2**24,
}  # fmt: skip
"""The limit below which integers are exact; 2^31 suffices for other dtypes."""
ORDERS = 999
"""The number of random orders of elements; order 0 is ascending."""
_MIXING = np.uint64(0x9E3779B97F4A7C15)

Array = np.ndarray[Any, Any]


class Invalid(Rejected):
    """A call that matches the layout and breaks rules."""

    def __init__(self, call: Applied) -> None:
        super().__init__()
        self.call = call


def fill(choose: Choose, operation: Operation, geometry: Geometry) -> Applied:
    """A valid call of this geometry; Rejected if its elements do not fit or the call breaks a rule."""
    layout = layout_of(operation)
    arguments: dict[str, Argument] = {}
    data = _data(choose, operation, geometry)
    for name, spec in operation.arguments.items():
        if name in geometry.plain:
            arguments[name] = geometry.plain[name]
        elif name in data:
            arguments[name] = data[name]
        elif not geometry.has(layout, name):
            continue
        elif "vector" in spec.kinds:
            arguments[name] = geometry.shape(layout, name)
        elif "tensor" in spec.kinds:
            arguments[name] = _indices(choose, operation, geometry, layout.indices[name], name)
        else:
            arguments[name] = geometry.number(layout, name)
    call = Applied(operation, Call(arguments))
    if call.broken_rules:
        raise Invalid(call)
    return call


def as_tensor(dtype: str, array: Array) -> Tensor:
    """A tensor; one without elements has a constructor as its literal, because lists do not preserve its shape."""
    array = frozen(np.array(array, numpy_dtype(dtype)))
    return Tensor(dtype, array, None if array.size else f"zeros({list(array.shape)})")


def _data_shapes(operation: Operation, geometry: Geometry) -> dict[str, tuple[int, ...]]:
    layout = layout_of(operation)
    return {
        name: geometry.shape(layout, name)
        for name, spec in operation.arguments.items()
        if "tensor" in spec.kinds and layout.has(name) and name not in {*layout.indices, *geometry.plain}
    }


def _data(choose: Choose, operation: Operation, geometry: Geometry) -> dict[str, Tensor]:
    """By argument, positive integers, distinct within the call if the dtype allows it.

    They are small enough that sums of a dozen are exact: every order of additions gives the same bits.
    """
    shapes = _data_shapes(operation, geometry)
    total = sum(map(math.prod, shapes.values()))
    numbers = _numbers(choose(0, ORDERS), total, geometry)
    data = {}
    end = total
    for name, shape in shapes.items():
        # The last argument has the smallest numbers unless they are shuffled, as updates are what a reader compares.
        start = end - math.prod(shape)
        data[name] = as_tensor(geometry.dtype, numbers[start:end].reshape(shape))
        end = start
    return data


def _numbers(order: int, total: int, geometry: Geometry) -> Array:
    positions = np.arange(total) if order == 0 else _shuffled(order, total)
    if kind_of(geometry.dtype) == "bool":
        return positions % 2
    plain = [value for value in geometry.plain.values() if type(value) is int]
    limit = max(EXACT.get(geometry.dtype, 2**31) // 16, 1)
    return (positions + max(plain, default=0)) % limit + 1


def _shuffled(order: int, total: int) -> Array:
    """The numbers below ``total`` in an order that is the same with every version of NumPy."""
    with np.errstate(over="ignore"):
        mixed = np.arange(1, total + 1, dtype=np.uint64) * _MIXING + np.uint64(order)
        mixed = (mixed ^ (mixed >> np.uint64(31))) * _MIXING
    return np.argsort(mixed ^ (mixed >> np.uint64(29)), kind="stable")


def _indices(choose: Choose, operation: Operation, geometry: Geometry, indices: Indices, name: str) -> Tensor:
    layout, indexing = layout_of(operation), indices.indexing
    shape, target = geometry.shape(layout, name), geometry.shape(layout, indexing.into)
    along = geometry.along(layout, name)
    if isinstance(indexing, Mask):
        return as_tensor("bool", _mask(choose, math.prod(shape)).reshape(shape))
    paired = geometry.number(layout, indexing.paired_by) if indexing.paired_by is not None else 0
    axes = axes_of(indexing, shape, target, along, paired)
    assert axes is not None, "a layout that contradicts the declaration is not loaded"
    bounds = bounds_of(indexing, target, axes)
    # No index is valid along an axis without length, so that all are 0.
    distinct = _is_distinct(operation, geometry, indices) and 0 not in bounds
    if isinstance(indexing, Vectors):
        array = _vectors(choose, math.prod(shape[:-1]), bounds, distinct=distinct).reshape(shape)
    elif indexing.is_aligned:
        array = _lines(choose, shape, bounds[0], axes[0], distinct=distinct)
    else:
        array = _lines(choose, (math.prod(shape),), bounds[0], 0, distinct=distinct)
        array = (np.sort(array) if indexing.is_ordered else array).reshape(shape)
    return as_tensor(geometry.index_dtype, array)


def _mask(choose: Choose, size: int) -> Array:
    """Mostly a mask with both, sometimes one that selects a single element, all or none."""
    kind = choose(0, 9)
    if kind > 7 or not size:
        return np.full(size, kind == 8)
    if kind == 7:
        return np.asarray(np.arange(size) == choose(0, size - 1))
    return np.array([choose(0, 1) == 1 for _ in range(size)], bool)


def _is_distinct(operation: Operation, geometry: Geometry, indices: Indices) -> bool:
    values: Mapping[str, Argument] = {**dict.fromkeys(operation.arguments), **geometry.plain}
    return indices.distinct is not None and indices.distinct.holds(values)


def _vectors(choose: Choose, count: int, bounds: tuple[int, ...], *, distinct: bool) -> Array:
    if distinct:
        positions = math.prod(bounds)
        if count > positions:
            raise Rejected
        chosen = np.array(choose_distinct(choose, positions, count), int)
        return np.stack(np.unravel_index(chosen, bounds), axis=-1) if bounds else np.zeros((count, 0), int)
    vectors: list[tuple[int, ...]] = []
    for number in range(count):
        # With many positions, duplicates would be rare by chance.
        if number and choose(0, 4) == 4:
            vectors.append(vectors[choose(0, number - 1)])
        else:
            vectors.append(tuple(choose(0, max(bound - 1, 0)) for bound in bounds))
    return np.array(vectors, int).reshape(count, len(bounds))


def _lines(choose: Choose, shape: tuple[int, ...], bound: int, axis: int, *, distinct: bool) -> Array:
    if not distinct:
        return np.array([choose(0, max(bound - 1, 0)) for _ in range(math.prod(shape))], int).reshape(shape)
    if shape[axis] > bound:
        raise Rejected
    parallel = (*shape[:axis], *shape[axis + 1 :])
    lines = [choose_distinct(choose, bound, shape[axis]) for _ in range(math.prod(parallel))]
    return np.moveaxis(np.array(lines, int).reshape(*parallel, shape[axis]), -1, axis)
