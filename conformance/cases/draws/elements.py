"""The elements of drawn calls: values that make defects visible, and indices in bounds."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from conformance.cases.draws.choices import Choose, Rejected, choose_distinct
from conformance.cases.draws.geometry import Geometry, layout_of
from conformance.specification.dtypes import kind_of, numpy_dtype
from conformance.specification.layout import Indices
from conformance.specification.literals import Argument, Tensor, frozen
from conformance.specification.model import Call, Operation
from conformance.specification.numbers import elements

EXACT = {
    "bool": 2, "int8": 2**7, "uint8": 2**8, "int16": 2**15, "uint16": 2**16, "float16": 2**11, "bfloat16": 2**8,
    "float32": 2**24, "complex64": 2**24,
}  # fmt: skip
"""The limit below which integers are exact; 2^31 suffices for other dtypes."""
ORDERS = 999
"""The number of random orders of elements; order 0 is ascending."""

Array = np.ndarray[Any, Any]


class Invalid(Rejected):
    """A call that matches the layout and breaks rules."""

    def __init__(self, call: Call) -> None:
        super().__init__()
        self.call = call


def fill(choose: Choose, operation: Operation, geometry: Geometry) -> Call:
    """A valid call of this geometry; Rejected if its elements do not fit or the call breaks a rule."""
    layout = layout_of(operation)
    arguments: dict[str, Argument] = {}
    data = _data_shapes(operation, geometry)
    offset = sum(map(math.prod, data.values()))
    for name, spec in operation.arguments.items():
        if name in geometry.plain:
            arguments[name] = geometry.plain[name]
        elif name in data:
            offset -= math.prod(data[name])
            arguments[name] = _data(choose, data[name], offset, geometry.dtype)
        elif name not in layout.arguments:
            continue
        elif "vector" in spec.kinds:
            arguments[name] = geometry.shape(layout, name)
        elif "tensor" in spec.kinds:
            arguments[name] = _indices(choose, operation, geometry, layout.indices[name], name)
        else:
            arguments[name] = geometry.shape(layout, name)[0]
    call = Call(arguments)
    if operation.broken_rules(call):
        raise Invalid(call)
    return call


def as_tensor(dtype: str, array: Array) -> Tensor:
    """A tensor with a literal of nested lists or, if it is empty, a constructor that preserves its shape."""
    array = frozen(np.array(array, numpy_dtype(dtype)))
    if not array.size:
        return Tensor(dtype, array, f"zeros({list(array.shape)})")
    # Integers are the same in float64, whose conversion to lists is fast.
    return Tensor(dtype, array, array.astype("float64").tolist() if kind_of(dtype) == "float" else elements(array))


def _data_shapes(operation: Operation, geometry: Geometry) -> dict[str, tuple[int, ...]]:
    layout = layout_of(operation)
    return {
        name: geometry.shape(layout, name)
        for name, spec in operation.arguments.items()
        if "tensor" in spec.kinds and name in layout.arguments and name not in {*layout.indices, *geometry.plain}
    }


def _data(choose: Choose, shape: tuple[int, ...], offset: int, dtype: str) -> Tensor:
    """Positive integers, distinct within the call if the dtype allows it.

    They are small enough that sums of a dozen are exact: every order of additions gives the same bits.
    """
    numbers = np.arange(1, math.prod(shape) + 1)
    order = choose(0, ORDERS)
    if order:
        numbers = np.random.default_rng(order).permutation(numbers)
    limit = max(EXACT.get(dtype, 2**31) // 16, 1)
    numbers = (numbers + offset - 1) % limit + 1
    if kind_of(dtype) == "bool":
        numbers = np.random.default_rng(order).integers(0, 2, len(numbers))
    return as_tensor(dtype, numbers.reshape(shape))


def _indices(choose: Choose, operation: Operation, geometry: Geometry, indices: Indices, name: str) -> Tensor:
    layout, indexing = layout_of(operation), indices.indexing
    shape, target = geometry.shape(layout, name), geometry.shape(layout, indexing.into)
    axes = indexing.axes(shape, target, geometry.shape(layout, indexing.along)[0] if indexing.along else None)
    assert axes is not None, "a layout that contradicts the declaration is not loaded"
    bounds = tuple(target[axis] for axis in axes)
    distinct = _is_distinct(operation, geometry, indices)
    if indexing.by_vectors:
        array = _vectors(choose, math.prod(shape[:-1]), bounds, distinct=distinct).reshape(shape)
    elif indexing.by_elements:
        array = _lines(choose, shape, bounds[0], axes[0], distinct=distinct)
    else:
        array = _lines(choose, (math.prod(shape),), bounds[0], 0, distinct=distinct).reshape(shape)
    return as_tensor(geometry.index_dtype, array)


def _is_distinct(operation: Operation, geometry: Geometry, indices: Indices) -> bool:
    values: Mapping[str, Argument] = {**dict.fromkeys(operation.arguments), **geometry.plain}
    return indices.distinct is not None and indices.distinct.holds(values)


def _vectors(choose: Choose, count: int, bounds: tuple[int, ...], *, distinct: bool) -> Array:
    if distinct:
        positions = math.prod(bounds)
        if count > positions:
            raise Rejected
        return np.stack(np.unravel_index(choose_distinct(choose, positions, count), bounds), axis=-1)
    vectors: list[tuple[int, ...]] = []
    for number in range(count):
        # With many positions, duplicates would be rare by chance.
        if number and choose(0, 4) == 4:
            vectors.append(vectors[choose(0, number - 1)])
        else:
            vectors.append(tuple(choose(0, bound - 1) for bound in bounds))
    return np.array(vectors, int).reshape(count, len(bounds))


def _lines(choose: Choose, shape: tuple[int, ...], bound: int, axis: int, *, distinct: bool) -> Array:
    if not distinct:
        return np.array([choose(0, bound - 1) for _ in range(math.prod(shape))], int).reshape(shape)
    if shape[axis] > bound:
        raise Rejected
    parallel = (*shape[:axis], *shape[axis + 1 :])
    lines = [choose_distinct(choose, bound, shape[axis]) for _ in range(math.prod(parallel))]
    return np.moveaxis(np.array(lines, int).reshape(*parallel, shape[axis]), -1, axis)
