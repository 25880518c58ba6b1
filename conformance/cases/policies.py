"""What each policy towards indices that point outside would have made of a call.

They come from the reference and from calls that are valid: indices are moved inside, or into one more position at the
end of each axis, which is cut off a result that was written to and holds the value that fills one that was read.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from conformance.cases.model import PolicyOutcome
from conformance.cases.reference import Reference, ReferenceFailed
from conformance.specification.dtypes import kind_of, numpy_dtype
from conformance.specification.literals import Tensor, frozen
from conformance.specification.model import ArgumentSpec, Call, Operation
from conformance.specification.vocabulary import Policy

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class _Outside:
    """A call some of whose indices point outside."""

    call: Call
    index: str
    into: str
    axes: tuple[int, ...]
    """The axes that indices point along: one for each column, or one for all."""
    columns: bool
    indices: Array
    """As Python's own integers, which do not overflow."""
    sizes: Array
    """Along the last axis, how long the axis is that a column points along."""
    bad: Array
    """Where an index vector, or an index where all point along one axis, points outside."""

    def within(self, indices: Array) -> Call:
        """The call with other indices."""
        array = np.array(indices.tolist(), np.int64).reshape(self.indices.shape)
        return self.call.with_arguments({self.index: Tensor("int64", frozen(array), None)})

    def beyond(self, bad: Array, fill: Any) -> Call:
        """The call with these indices in one more position at the end of each axis, which holds ``fill``."""
        moved = np.where(bad[..., None] if self.columns else bad, self.sizes, self.indices)
        return self.within(moved).with_arguments({self.into: self._longer(fill)})

    def _longer(self, fill: Any) -> Any:
        value = self.call.arguments[self.into]
        if isinstance(value, Tensor):
            pad = [(0, int(axis in self.axes)) for axis in range(value.rank)]
            inside = tuple(slice(length) for length in value.shape)
            longer = np.full(
                [length + more for length, (_, more) in zip(value.shape, pad, strict=True)], fill, value.array.dtype
            )
            longer[inside] = value.array
            return Tensor(value.dtype, frozen(longer), None)
        assert isinstance(value, tuple)
        return tuple(length + int(axis in self.axes) for axis, length in enumerate(value))


def policy_outcomes(operation: Operation, call: Call, reference: Reference) -> tuple[PolicyOutcome, ...]:
    """What each policy makes of the call; nothing where no index points outside, or more is wrong with the call."""
    try:
        return required_outcomes(operation, call, reference)
    except ReferenceFailed:
        return ()


def required_outcomes(operation: Operation, call: Call, reference: Reference) -> tuple[PolicyOutcome, ...]:
    """The same; ReferenceFailed where the reference does not give them."""
    for spec in operation.arguments.values():
        outside = _outside(spec, call)
        if outside is not None:
            return tuple(_outcomes(operation, outside, reference))
    return ()


def alike(outcomes: tuple[PolicyOutcome, ...]) -> str | None:
    """Two policies that the values of a call cannot tell apart."""
    for one, other in combinations(outcomes, 2):
        if one.policy != other.policy and one.result.array.tobytes() == other.result.array.tobytes():
            return f"{one.policy} and {other.policy}"
    return None


def _outside(spec: ArgumentSpec, call: Call) -> _Outside | None:
    value, into = call.arguments.get(spec.name), call.arguments.get(spec.into or "")
    if not isinstance(value, Tensor) or value.kind != "integer" or not isinstance(into, Tensor | tuple):
        return None
    shape = into.shape if isinstance(into, Tensor) else into
    axes = _axes(spec, call, value, len(shape)) if value.rank else ()
    sizes = np.array([shape[axis] for axis in axes], dtype=object)
    if not axes or _are_inside(value.array, sizes):
        return None
    indices = value.array.astype(object)
    wrong = np.asarray((indices < 0) | (indices >= sizes), bool)
    columns = spec.along is None
    bad = np.asarray(wrong.any(axis=-1) if columns else wrong)
    return _Outside(call, spec.name, str(spec.into), axes, columns, indices, sizes, bad)


def _are_inside(indices: Array, sizes: Array) -> bool:
    """Whether every index is, column by column, without a Python integer for each."""
    if not indices.size:
        return True
    every = tuple(range(indices.ndim - 1)) if len(sizes) > 1 else None
    least, most = indices.min(axis=every).tolist(), indices.max(axis=every).tolist()
    return bool(np.all(np.array(least, object) >= 0) and np.all(np.array(most, object) < sizes))


def _axes(spec: ArgumentSpec, call: Call, value: Tensor, rank: int) -> tuple[int, ...]:
    """The axes that indices point along; none where that cannot be said."""
    if spec.along is None:
        return tuple(range(value.shape[-1])) if value.shape[-1] <= rank else ()
    along = call.arguments.get(spec.along)
    return (along % rank,) if isinstance(along, int) and -rank <= along < rank else ()


def _outcomes(operation: Operation, outside: _Outside, reference: Reference) -> Iterator[PolicyOutcome]:
    shape = operation.result_shape.value(operation.values(outside.call))
    written = reference(operation, outside.beyond(outside.bad, 0)).shape != shape
    after = np.cumsum(outside.bad.reshape(-1)).reshape(outside.bad.shape) > 0
    dtype = getattr(outside.call.arguments[outside.into], "dtype", "")

    def dropped(bad: Array, fill: Any) -> Tensor:
        return _cut(reference(operation, outside.beyond(bad, fill)), shape)

    for fill in [0] if written else _fills(dtype):
        yield PolicyOutcome("ignores" if written else "fills", dropped(outside.bad, fill))
        # With no valid index after it, to stop at one is to ignore it.
        if np.any(after & ~outside.bad):
            yield PolicyOutcome("stops", dropped(after, fill))
    for policy, indices in _moved(outside):
        yield PolicyOutcome(policy, reference(operation, outside.within(indices)))


def _moved(outside: _Outside) -> Iterator[tuple[Policy, Array]]:
    """The indices as policies move them inside; a policy that has no answer for one of them is left out."""
    indices, sizes = outside.indices, outside.sizes
    if not all(size > 0 for size in sizes):
        return
    yield "clamps", np.clip(indices, 0, sizes - 1)
    if np.all((-sizes <= indices) & (indices < sizes)):
        yield "wraps-negative", np.where(indices < 0, indices + sizes, indices)
    else:
        yield "wraps-modulo", indices % sizes


def _fills(dtype: str) -> list[Any]:
    """With what implementations fill a result that they have no value for."""
    kind = kind_of(dtype)
    if kind in ("float", "complex"):
        return [0, np.nan]
    if kind == "integer":
        limits = np.iinfo(numpy_dtype(dtype))
        return [0, *{int(limits.min), int(limits.max)} - {0}]
    return [False, True]


def _cut(result: Tensor, shape: tuple[int, ...]) -> Tensor:
    """The result without the positions that were added."""
    inside = result.array[tuple(slice(length) for length in shape)]
    return Tensor(result.dtype, frozen(np.ascontiguousarray(inside).reshape(shape)), None)
