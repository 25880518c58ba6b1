"""What drawn calls hold: values that make mistakes visible, and indices within their bounds."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from conformance.cases.draws.choices import Choose, Rejected, some_of
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
"""The first magnitude at which whole numbers are no longer exact; of dtypes that are not here 2^31 will do."""
ORDERS = 999
"""Orders of elements to choose from; order 0 is that of counting."""

Array = np.ndarray[Any, Any]


class Invalid(Rejected):
    """A call that the layout gives, and that rules refuse."""

    def __init__(self, call: Call) -> None:
        super().__init__()
        self.call = call


def fill(choose: Choose, operation: Operation, geometry: Geometry) -> Call:
    """A valid call of this geometry; Rejected where rules ask for more than the layout gives."""
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
    """A tensor of these elements, written as nested lists; of none, as zeros of its shape, which lists would lose."""
    array = frozen(np.array(array, numpy_dtype(dtype)))
    if not array.size:
        return Tensor(dtype, array, f"zeros({list(array.shape)})")
    # Whole numbers are the same in float64, whose lists are made at once.
    return Tensor(dtype, array, array.astype("float64").tolist() if kind_of(dtype) == "float" else elements(array))


def _data_shapes(operation: Operation, geometry: Geometry) -> dict[str, tuple[int, ...]]:
    layout = layout_of(operation)
    return {
        name: geometry.shape(layout, name)
        for name, spec in operation.arguments.items()
        if "tensor" in spec.kinds and name in layout.arguments and name not in {*layout.indices, *geometry.plain}
    }


def _data(choose: Choose, shape: tuple[int, ...], offset: int, dtype: str) -> Tensor:
    """Whole numbers, none of them zero and none twice in a call, as far as the dtype has so many.

    A dozen of them add up without rounding: every order of adding gives the same bits.
    """
    numbers = np.arange(1, math.prod(shape) + 1)
    order = choose(0, ORDERS)
    if order:
        numbers = np.random.default_rng(order).permutation(numbers)
    most = max(EXACT.get(dtype, 2**31) // 16, 1)
    numbers = (numbers + offset - 1) % most + 1
    if kind_of(dtype) == "bool":
        numbers = np.random.default_rng(order).integers(0, 2, len(numbers))
    return as_tensor(dtype, numbers.reshape(shape))


def _indices(choose: Choose, operation: Operation, geometry: Geometry, indices: Indices, name: str) -> Tensor:
    layout, indexing = layout_of(operation), indices.indexing
    shape, target = geometry.shape(layout, name), geometry.shape(layout, indexing.into)
    axes = indexing.axes(shape, target, geometry.shape(layout, indexing.along)[0] if indexing.along else None)
    assert axes is not None, "a layout whose declaration it does not agree with is not loaded"
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
    given: Mapping[str, Argument] = {**dict.fromkeys(operation.arguments), **geometry.plain}
    return indices.distinct is not None and indices.distinct.holds(given)


def _vectors(choose: Choose, count: int, bounds: tuple[int, ...], *, distinct: bool) -> Array:
    if distinct:
        places = math.prod(bounds)
        if count > places:
            raise Rejected
        return np.stack(np.unravel_index(some_of(choose, places, count), bounds), axis=-1)
    vectors: list[tuple[int, ...]] = []
    for number in range(count):
        # Among many places chance alone would rarely choose one twice.
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
    others = (*shape[:axis], *shape[axis + 1 :])
    lines = [some_of(choose, bound, shape[axis]) for _ in range(math.prod(others))]
    return np.moveaxis(np.array(lines, int).reshape(*others, shape[axis]), -1, axis)
