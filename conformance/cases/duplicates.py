"""Calls whose indices name a place twice: what they write, and what may remain of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from conformance.cases.model import Expectation, Returns, Writes
from conformance.cases.reference import Reference, ReferenceFailed
from conformance.specification.literals import Argument, Tensor, frozen
from conformance.specification.model import ArgumentSpec, Call, Operation

Array = np.ndarray[Any, Any]


def duplicates_of(
    operation: Operation, call: Call, reference: Reference, expectation: Expectation | None = None
) -> Returns | None:
    """What a call may give whose indices name a place twice; None for any other, and where that cannot be told.

    That is what a spec expects, where it expects a result. Else elements that are added give their sum, and of elements
    that are moved any may remain.
    """
    found = _duplicates(operation, call)
    if found is None or operation.broken_rules(call):
        return None
    if isinstance(expectation, Returns):
        return expectation
    spec, places = found
    accumulates = bool(operation.result_accumulates.value(operation.values(call)))
    sources = [] if accumulates else list(_sources(operation, call, spec))
    writes = _writes(call, spec, places, sources)
    if sources and writes is None:
        return None
    value = _written(call.arguments[str(spec.into)], writes) if writes is not None else None
    try:
        return Returns(value or reference(operation, call), None, accumulates, "reference", writes=writes)
    except ReferenceFailed:
        return None


def _written(into: Argument, writes: Writes) -> Tensor | None:
    """The tensor after the last of the writes to each place; None where it is no tensor that holds such elements."""
    if not isinstance(into, Tensor) or into.array.dtype != writes.values.dtype:
        return None
    array = np.array(into.array)
    array.reshape(-1)[writes.places] = writes.values
    return Tensor(into.dtype, frozen(array), None)


def _duplicates(operation: Operation, call: Call) -> tuple[ArgumentSpec, Array] | None:
    """The indices that point to where is written, and their places, where one of these stands twice."""
    for spec in operation.arguments.values():
        index, shape = call.arguments.get(spec.name), _shape_of(call.arguments.get(spec.into or ""))
        if not isinstance(index, Tensor) or index.kind != "integer" or not index.rank or shape is None:
            continue
        places = _places(spec, call, index.array, shape) if _is_written(operation, call, spec) else None
        if places is not None and len(np.unique(places)) < len(places):
            return spec, places
    return None


def _shape_of(value: object) -> tuple[int, ...] | None:
    if isinstance(value, Tensor):
        return value.shape
    return value if isinstance(value, tuple) and all(type(length) is int for length in value) else None


def _is_written(operation: Operation, call: Call, spec: ArgumentSpec) -> bool:
    """Whether the result has the shape of what indices point into, and would have it were that longer."""
    into = str(spec.into)
    value = call.arguments[into]
    shape = _shape_of(value)
    assert shape is not None
    for lengths in (shape, tuple(length + 1 for length in shape)):
        other = replace(value, array=np.broadcast_to(0, lengths)) if isinstance(value, Tensor) else lengths
        values = operation.values(call.with_arguments({into: other}))
        if operation.result_shape.value(values) != lengths:
            return False
    return True


def _places(spec: ArgumentSpec, call: Call, index: Array, shape: tuple[int, ...]) -> Array | None:
    """For each element that is written, the number of its place; None where one is outside, or the call is no valid one."""
    if spec.along is None:
        return _of_vectors(index, shape)
    along = call.arguments.get(spec.along)
    if not isinstance(along, int) or index.ndim != len(shape) or not -index.ndim <= along < index.ndim:
        return None
    grid: list[Array] = list(np.indices(index.shape))
    grid[along] = index
    return _numbered(grid, shape)


def _of_vectors(index: Array, shape: tuple[int, ...]) -> Array | None:
    depth = index.shape[-1]
    if not 0 < depth <= len(shape):
        return None
    inner = list(np.indices(shape[depth:]))
    vectors = index.reshape((-1, depth) + (1,) * len(inner))
    grid = [*(vectors[:, column] for column in range(depth)), *(axis[None] for axis in inner)]
    return _numbered(np.broadcast_arrays(*grid), shape)


def _numbered(grid: list[Array] | tuple[Array, ...], shape: tuple[int, ...]) -> Array | None:
    if any((axis < 0).any() or (axis >= length).any() for axis, length in zip(grid, shape, strict=True)):
        return None
    return np.ravel_multi_index([axis.astype(np.intp) for axis in grid], shape).reshape(-1)


def _writes(call: Call, spec: ArgumentSpec, places: Array, sources: Sequence[Tensor]) -> Writes | None:
    """What is written where, if one tensor alone can be what is written."""
    index = call.arguments[spec.name]
    assert isinstance(index, Tensor)
    if len(sources) != 1:
        return None
    array = sources[0].array
    if spec.along is not None and array.ndim == index.rank:
        array = array[tuple(map(slice, index.shape))]
    return Writes(places, array.reshape(-1)) if array.size == len(places) else None


def _sources(operation: Operation, call: Call, spec: ArgumentSpec) -> Iterator[Tensor]:
    for name, value in call.arguments.items():
        if isinstance(value, Tensor) and name not in (spec.name, spec.into) and not operation.arguments[name].index:
            yield value
