"""The mistakes that people make in calls; each may break several rules at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from conformance.cases.draws.choices import Rejected
from conformance.cases.draws.elements import Array, as_tensor
from conformance.cases.draws.geometry import layout_of
from conformance.cases.draws.mutations import NEXT_AXIS, POSITIONS, PREVIOUS_AXIS, Mutation
from conformance.specification.applied import Applied
from conformance.specification.indices.kinds import Indexing, Vectors, shape_of
from conformance.specification.literals import Argument, Tensor
from conformance.specification.model import Operation


@dataclass(frozen=True)
class _IndexAxes:
    """The axes of the data that stand for the axes of an index."""

    first: int
    count: int


_DATA: Mapping[str, Callable[[Array, _IndexAxes], Array]] = {
    "one-row": lambda array, axes: array[(slice(None),) * axes.first + (0,) * axes.count],
    "flat": lambda array, _: array.reshape(-1),
    "index-axes-last": lambda array, axes: _moved(array, axes, array.ndim - axes.count),
    "index-axes-first": lambda array, axes: _moved(array, axes, 0),
}
_INDICES: Mapping[str, Callable[[Array], Array]] = {
    "inner-axis-left-out": lambda array: array[..., 0],
    "inner-axis-first": lambda array: np.moveaxis(array, -1, 0),
}


def mistakes(call: Applied) -> Iterator[Mutation]:
    """All mistakes that can be made in a valid call."""
    for name, index, indexing in _indices(call):
        if isinstance(indexing, Vectors):
            yield from (Mutation(kind, name) for kind in _of_vectors(index))
        along = call.arguments.get(indexing.axis or "")
        if isinstance(along, int):
            yield from (Mutation(kind, str(indexing.axis)) for kind in _of_axis(call, indexing, along))
        axes = _axes(indexing, index, call)
        for data, value in _data(call, name, indexing):
            yield from (Mutation(kind, data) for kind in _of_data(value, axes))


def with_mistake(mutation: Mutation, call: Applied) -> Applied:
    """The call with the mistake; Rejected if it cannot be made in it."""
    try:
        return call.with_arguments(_changed(mutation.kind, mutation.target, call))
    except (ValueError, IndexError):
        raise Rejected from None


_STEPS = {NEXT_AXIS: 1, PREVIOUS_AXIS: -1}


def _changed(kind: str, target: str, call: Applied) -> dict[str, Argument]:
    value = call.arguments.get(target)
    if isinstance(value, int) and kind in _STEPS:
        return {target: value + _STEPS[kind]}
    if not isinstance(value, Tensor):
        raise Rejected
    if kind in _INDICES:
        return {target: as_tensor(value.dtype, _INDICES[kind](value.array))}
    owner = _index_of(call.operation, target) if kind in _DATA else target
    found = next((item for item in _indices(call) if item[0] == owner), None)
    if found is None:
        raise Rejected
    name, index, indexing = found
    if kind == POSITIONS:
        return _positions(call, name, index, indexing)
    return {target: as_tensor(value.dtype, _DATA[kind](value.array, _axes(indexing, index, call)))}


def _indices(call: Applied) -> Iterator[tuple[str, Tensor, Indexing]]:
    for name, indices in layout_of(call.operation).indices.items():
        index = call.arguments.get(name)
        if isinstance(index, Tensor):
            yield name, index, indices.indexing


def _data(call: Applied, index: str, indexing: Indexing) -> Iterator[tuple[str, Tensor]]:
    """The tensors that are written or added where an index says."""
    for name, value in call.data.items():
        if name != indexing.into and _index_of(call.operation, name) == index:
            yield name, value


def _index_of(operation: Operation, data: str) -> str:
    """The index whose axes most axes of the data stand for."""
    layout = layout_of(operation)
    groups = {
        name: {layout.root(part.group) for part in layout.arguments.get(name, ())} for name in (*layout.indices, data)
    }
    return max(layout.indices, key=lambda name: len(groups[name] & groups[data]))


def _axes(indexing: Indexing, index: Tensor, call: Applied) -> _IndexAxes:
    along = call.arguments.get(indexing.axis or "")
    if isinstance(along, int):
        return _IndexAxes(along, 1)
    return _IndexAxes(0, index.rank - 1 if isinstance(indexing, Vectors) else index.rank)


def _of_vectors(index: Tensor) -> Iterator[str]:
    if index.rank > 1:
        yield "inner-axis-first"
    if index.shape[-1:] == (1,):
        yield "inner-axis-left-out"
        if index.rank > 2:
            yield POSITIONS


def _of_axis(call: Applied, indexing: Indexing, along: int) -> Iterator[str]:
    rank = len(shape_of(call.values[indexing.into]) or ())
    if along + 1 < rank:
        yield NEXT_AXIS
    if along > 0:
        yield PREVIOUS_AXIS


def _of_data(value: Tensor, axes: _IndexAxes) -> Iterator[str]:
    yield "one-row"
    if value.rank > 1:
        yield "flat"
    if value.rank > axes.count:
        yield "index-axes-first" if axes.first else "index-axes-last"


def _moved(array: Array, axes: _IndexAxes, to: int) -> Array:
    return np.moveaxis(array, range(axes.first, axes.first + axes.count), range(to, to + axes.count))


def _positions(call: Applied, name: str, index: Tensor, indexing: Indexing) -> dict[str, Argument]:
    count = index.array.size
    changed: dict[str, Argument] = {name: as_tensor(index.dtype, index.array.reshape(count))}
    for data, value in _data(call, name, indexing):
        changed[data] = as_tensor(value.dtype, value.array.reshape(count, *value.shape[index.rank - 1 :]))
    return changed
