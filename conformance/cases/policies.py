"""What each policy towards indices that point outside would have made of a call.

They come from the reference and from calls that are valid: indices are moved inside, or into one more position at the
end of each axis, which is cut off a result that was written to and holds the value that fills one that was read.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from conformance.cases.model import PolicyOutcome
from conformance.cases.reference import Reference, ReferenceFailed
from conformance.specification.dtypes import kind_of, numpy_dtype
from conformance.specification.indexing import IndexGeometry
from conformance.specification.literals import Tensor, frozen
from conformance.specification.model import Call, NotATuple, Operation
from conformance.specification.vocabulary import Policy

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class _Outside:
    """A call some of whose indices point outside."""

    call: Call
    index: str
    geometry: IndexGeometry

    @property
    def bad(self) -> Array:
        """Which vectors point outside."""
        return ~self.geometry.inside

    @cached_property
    def vectors(self) -> Array:
        """As Python's own integers, which do not overflow."""
        return self.geometry.vectors.astype(object)

    @cached_property
    def bounds(self) -> Array:
        return np.array(self.geometry.bounds, dtype=object)

    def within(self, vectors: Array) -> Call:
        """The call with other indices."""
        array = np.array(vectors.tolist(), np.int64).reshape(self.geometry.index.shape)
        return self.call.with_arguments({self.index: Tensor("int64", frozen(array), None)})

    def beyond(self, bad: Array, fill: Any) -> Call:
        """The call with these indices in one more position at the end of each axis, which holds ``fill``."""
        moved = np.where(bad[..., None], self.bounds, self.vectors)
        return self.within(moved).with_arguments({self.geometry.indexing.into: self._longer(fill)})

    def _longer(self, fill: Any) -> Any:
        value, axes = self.call.arguments[self.geometry.indexing.into], self.geometry.axes
        if isinstance(value, Tensor):
            pad = [(0, int(axis in axes)) for axis in range(value.rank)]
            inside = tuple(slice(length) for length in value.shape)
            longer = np.full(
                [length + more for length, (_, more) in zip(value.shape, pad, strict=True)], fill, value.array.dtype
            )
            longer[inside] = value.array
            return Tensor(value.dtype, frozen(longer), None)
        assert isinstance(value, tuple)
        return tuple(length + int(axis in axes) for axis, length in enumerate(value))


def policy_outcomes(operation: Operation, call: Call, reference: Reference) -> tuple[PolicyOutcome, ...]:
    """What each policy makes of the call; nothing where no index points outside, or more is wrong with the call."""
    try:
        return required_outcomes(operation, call, reference)
    except ReferenceFailed:
        return ()


def required_outcomes(operation: Operation, call: Call, reference: Reference) -> tuple[PolicyOutcome, ...]:
    """The same; ReferenceFailed where the reference does not give them."""
    outside = _outside(operation, call)
    return () if outside is None else tuple(_outcomes(operation, outside, reference))


def alike(outcomes: tuple[PolicyOutcome, ...]) -> str | None:
    """Two policies that the values of a call cannot tell apart."""
    for one, other in combinations(outcomes, 2):
        if one.policy != other.policy and one.result.array.tobytes() == other.result.array.tobytes():
            return f"{one.policy} and {other.policy}"
    return None


def _outside(operation: Operation, call: Call) -> _Outside | None:
    values = operation.values(call)
    for name, geometry in operation.geometries(call).items():
        in_another_form = isinstance(values[geometry.indexing.into], NotATuple)
        if geometry.fits and not geometry.inside.all() and not in_another_form:
            return _Outside(call, name, geometry)
    return None


def _outcomes(operation: Operation, outside: _Outside, reference: Reference) -> Iterator[PolicyOutcome]:
    shape = operation.result_shape.value(operation.values(outside.call))
    written = reference(operation, outside.beyond(outside.bad, 0)).shape != shape
    after = np.cumsum(outside.bad.reshape(-1)).reshape(outside.bad.shape) > 0
    dtype = getattr(outside.call.arguments[outside.geometry.indexing.into], "dtype", "")

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
    vectors, bounds = outside.vectors, outside.bounds
    if not all(bound > 0 for bound in bounds):
        return
    yield "clamps", np.clip(vectors, 0, bounds - 1)
    if np.all((-bounds <= vectors) & (vectors < bounds)):
        yield "wraps-negative", np.where(vectors < 0, vectors + bounds, vectors)
    else:
        yield "wraps-modulo", vectors % bounds


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
