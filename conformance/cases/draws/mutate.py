"""Applies mutations of shapes, dtypes, forms of vectors, index values, and axes of groups."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np

from conformance.cases.draws.choices import Choose, Rejected
from conformance.cases.draws.elements import Array, as_tensor
from conformance.cases.draws.geometry import Geometry, layout_of
from conformance.cases.draws.keys import mutated_key
from conformance.cases.draws.mistakes import with_mistake
from conformance.cases.draws.mutations import Mutation
from conformance.specification.applied import Applied
from conformance.specification.indices.kinds import shape_of
from conformance.specification.literals import Argument, Tensor

_TENSORS: Mapping[str, Callable[[Array, int], Array]] = {
    "one-longer": lambda array, axis: np.concatenate([array, array.take([0], axis)], axis),
    "one-shorter": lambda array, axis: array.take(range(array.shape[axis] - 1), axis),
    "of-length-one": lambda array, axis: array.take([0], axis),
    "left-out": lambda array, axis: array.take(0, axis),
    "put-before": np.expand_dims,
    "two-put-before": lambda array, axis: np.repeat(np.expand_dims(array, axis), 2, axis),
    "swapped-with-the-next": lambda array, axis: np.swapaxes(array, axis, axis + 1),
    "joined-with-the-next": lambda array, axis: array.reshape(
        *array.shape[:axis], math.prod(array.shape[axis : axis + 2]), *array.shape[axis + 2 :]
    ),
    "of-length-zero": lambda array, axis: array.take([], axis),
}
_VECTORS: Mapping[str, Callable[[int, int], list[int]]] = {
    "one-longer": lambda length, _: [length + 1],
    "one-shorter": lambda length, _: [length - 1],
    "of-length-one": lambda _, __: [1],
    "left-out": lambda _, __: [],
    "swapped-with-the-next": lambda length, following: [following, length],
    "joined-with-the-next": lambda length, following: [length * following],
    "of-length-zero": lambda _, __: [0],
    "of-negative-length": lambda length, _: [-length],
}
_FORMS: Mapping[str, Callable[[tuple[int, ...]], Argument]] = {
    "as-a-list": list,
    "as-an-int32-tensor": lambda vector: as_tensor("int32", np.array(vector, int)),
    "as-an-int64-tensor": lambda vector: as_tensor("int64", np.array(vector, int)),
}
_NUMBERS: Mapping[str, Callable[[int], int]] = {
    "one-more": lambda number: number + 1,
    "one-less": lambda number: number - 1,
    "ten-more": lambda number: number + 10,
    "ten-less": lambda number: number - 10,
    "of-negative-length": lambda number: -number,
}
_OUTSIDE: Mapping[str, Callable[[int], int]] = {
    "the-length": lambda bound: bound,
    "past-the-length": lambda bound: bound + 1,
    "minus-one": lambda _: -1,
    "minus-the-length": lambda bound: -bound,
    "below-minus-the-length": lambda bound: -bound - 1,
}


def mutate(choose: Choose, mutation: Mutation, geometry: Geometry, call: Applied) -> Applied:
    """The mutated call; Rejected if the mutation does not apply."""
    if mutation.is_mistake:
        return with_mistake(mutation, call)
    if mutation.of_group:
        return _group(mutation, geometry, call)
    value = call.arguments.get(mutation.target)
    if isinstance(value, Tensor):
        return call.with_arguments({mutation.target: _tensor(choose, mutation, call, value)})
    if isinstance(value, str):
        return call.with_arguments({mutation.target: _key(mutation, call, value)})
    if isinstance(value, tuple):
        return call.with_arguments({mutation.target: _vector(mutation, value)})
    if isinstance(value, int) and mutation.kind in _NUMBERS:
        return call.with_arguments({mutation.target: _NUMBERS[mutation.kind](value)})
    raise Rejected


def _tensor(choose: Choose, mutation: Mutation, call: Applied, value: Tensor) -> Tensor:
    if mutation.of_values:
        return as_tensor(value.dtype, _outside(choose, mutation, call, value.array))
    if mutation.kind in _TENSORS:
        return as_tensor(value.dtype, _axis(mutation.kind, value.array, mutation.axis))
    if mutation.kind == "as-bool" and call.operation.arguments[mutation.target].index:
        return _mask(call.geometries[mutation.target].bounds, value.array)
    return as_tensor(mutation.kind.removeprefix("as-"), value.array)


def _mask(bounds: tuple[int, ...], array: Array) -> Tensor:
    """True only, which selects everything as a mask, and position 1 of each axis as a number."""
    if min(bounds, default=0) < 2:
        raise Rejected
    return as_tensor("bool", np.ones(array.shape))


def _axis(kind: str, array: Array, axis: int) -> Array:
    try:
        return _TENSORS[kind](array, axis)
    except (ValueError, IndexError):
        raise Rejected from None


def _key(mutation: Mutation, call: Applied, value: str) -> str:
    target = shape_of(call.values[layout_of(call.operation).keys[mutation.target]])
    if target is None:
        raise Rejected
    return mutated_key(value, mutation.kind, mutation.axis, target)


def _vector(mutation: Mutation, vector: tuple[int, ...]) -> Argument:
    kind, axis = mutation.kind, mutation.axis
    if kind in _FORMS:
        return _FORMS[kind](vector)
    if kind in ("put-before", "two-put-before"):
        return (*vector[:axis], 1 if kind == "put-before" else 2, *vector[axis:])
    uses_next = kind in ("swapped-with-the-next", "joined-with-the-next")
    if kind not in _VECTORS or axis + uses_next >= len(vector):
        raise Rejected
    following = vector[axis + 1] if uses_next else 0
    return (*vector[:axis], *_VECTORS[kind](vector[axis], following), *vector[axis + 1 + uses_next :])


def _outside(choose: Choose, mutation: Mutation, call: Applied, array: Array) -> Array:
    geometry = call.geometries.get(mutation.target)
    array = np.array(array)
    if not array.size or geometry is None:
        raise Rejected
    position = choose(0, array.size - 1)
    array.flat[position] = _OUTSIDE[mutation.kind](geometry.bounds[position % len(geometry.bounds)])
    return array


def _group(mutation: Mutation, geometry: Geometry, call: Applied) -> Applied:
    layout = layout_of(call.operation)
    kind = mutation.kind.removeprefix("group-")
    related = {name for name in layout.groups if layout.root(name) == mutation.target}
    arguments: dict[str, Argument] = {}
    for name, parts in layout.arguments.items():
        value = call.arguments.get(name)
        start = 0
        for part in parts:
            if part.group in related and value is not None:
                value = _in_argument(kind, value, start, mutation.axis, rank=part.rank)
            start += 1 if part.rank else len(geometry.lengths[part.group])
        arguments[name] = value
    return call.with_arguments({name: value for name, value in arguments.items() if name in call.arguments})


def _in_argument(kind: str, value: Argument, start: int, axis: int, *, rank: bool) -> Argument:
    """The argument with an axis of a group mutated, or the column that indexes that axis."""
    if isinstance(value, Tensor):
        return as_tensor(
            value.dtype, _column(kind, value.array, start, axis) if rank else _axis(kind, value.array, start + axis)
        )
    if isinstance(value, tuple):
        return _vector(Mutation(kind, "", start + axis), value)
    if isinstance(value, int) and rank:
        return value + {"left-out": -1, "put-before": 1}.get(kind, 0)
    return value


def _column(kind: str, array: Array, start: int, axis: int) -> Array:
    if kind == "left-out":
        return np.delete(array, axis, start)
    return np.insert(array, axis, 0, start) if kind == "put-before" else array
