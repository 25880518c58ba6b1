"""The result of a call under each policy for out-of-bounds indices.

The reference computes them from valid calls: indices are moved in bounds, or to an additional position at the end of each
axis. For a scatter that position is removed from the result; for a gather it holds the fill value.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from conformance.cases.model import PolicyOutcome, Treatment
from conformance.cases.reference import Reference, ReferenceFailed
from conformance.specification.applied import Applied
from conformance.specification.dtypes import kind_of, numpy_dtype
from conformance.specification.indices.geometry import IndexGeometry
from conformance.specification.indices.kinds import RESULT, Indexing, Labels
from conformance.specification.literals import Tensor, frozen
from conformance.specification.model import NotATuple

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class _OutOfBoundsCall:
    """A call with out-of-bounds indices."""

    call: Applied
    index: str
    geometry: IndexGeometry

    @property
    def outside(self) -> Array:
        """By vector, whether it is out of bounds."""
        return ~self.geometry.inside

    @cached_property
    def vectors(self) -> Array:
        """The vectors as Python integers, which do not overflow."""
        return self.geometry.vectors.astype(object)

    @cached_property
    def bounds(self) -> Array:
        return np.array(self.geometry.bounds, dtype=object)

    def with_indices(self, vectors: Array) -> Applied:
        """The call with these indices; labels that must be in order, with what they label in the same order."""
        array = np.array(vectors.tolist(), np.int64).reshape(self.geometry.index.shape)
        moved = self.call.with_arguments({self.index: Tensor("int64", frozen(array), None)})
        return in_order(moved, self.index, self.geometry.indexing)

    def with_appended(self, outside: Array, fill: Any) -> Applied:
        """The call with these indices moved to an additional position at the end of each axis, filled with ``fill``."""
        moved = self.with_indices(np.where(outside[..., None], self.bounds, self.vectors))
        into = self.geometry.indexing.into
        return moved if into == RESULT else moved.with_arguments({into: self._longer(fill)})

    def _longer(self, fill: Any) -> Any:
        value = self.call.arguments[self.geometry.indexing.into]
        lengths, longer = self.geometry.counted, self.geometry.appended
        if not isinstance(value, Tensor):
            return longer[0] if isinstance(value, int) else longer
        array = np.full(longer, fill, value.array.dtype)
        array[tuple(map(slice, lengths))] = value.array.reshape(lengths)
        return Tensor(value.dtype, frozen(array), None)

    def without_appended(self, result: Tensor, shape: tuple[int, ...]) -> Tensor:
        """The result, of this shape, without the additional positions."""
        # A target that is counted along one axis stays so.
        is_counted = result.array.ndim != len(shape)
        array = result.array[: math.prod(shape)] if is_counted else result.array[tuple(map(slice, shape))]
        return Tensor(result.dtype, frozen(np.ascontiguousarray(array).reshape(shape)), None)


def in_order(call: Applied, index: str, indexing: Indexing) -> Applied:
    """The call with its labels, and the data that they label, in the order of a valid call; itself if any order is valid."""
    if not isinstance(indexing, Labels) or not indexing.is_ordered:
        return call
    labels, data = call.arguments.get(index), call.arguments.get(indexing.data)
    if not isinstance(labels, Tensor) or not isinstance(data, Tensor):
        return call
    order = np.argsort(labels.array.reshape(-1), kind="stable")
    slices = data.array.reshape(labels.array.size, *data.shape[labels.rank :])[order]
    return call.with_arguments(
        {
            index: replace(labels, array=frozen(labels.array.reshape(-1)[order].reshape(labels.shape)), written=None),
            indexing.data: replace(data, array=frozen(slices.reshape(data.shape)), written=None),
        }
    )


def policy_outcomes(call: Applied, reference: Reference) -> tuple[PolicyOutcome, ...]:
    """The result of each policy; empty if no index is out of bounds or the call is otherwise invalid."""
    try:
        return required_outcomes(call, reference)
    except ReferenceFailed:
        return ()


def required_outcomes(call: Applied, reference: Reference) -> tuple[PolicyOutcome, ...]:
    """The result of each policy; ReferenceFailed if the reference cannot compute them."""
    invalid = _out_of_bounds(call)
    return () if invalid is None else tuple(_outcomes(invalid, reference))


def indistinguishable(outcomes: tuple[PolicyOutcome, ...]) -> str | None:
    """Two policies with the same result, such as ``clamps and fills``; None if all results differ."""
    for first, second in combinations(outcomes, 2):
        if first.policy != second.policy and first.result.array.tobytes() == second.result.array.tobytes():
            return f"{first.policy} and {second.policy}"
    return None


def _out_of_bounds(call: Applied) -> _OutOfBoundsCall | None:
    for name, geometry in call.geometries.items():
        in_another_form = isinstance(call.values.get(geometry.indexing.into), NotATuple)
        if geometry.fits and not geometry.inside.all() and not in_another_form:
            return _OutOfBoundsCall(call, name, geometry)
    return None


def _outcomes(invalid: _OutOfBoundsCall, reference: Reference) -> Iterator[PolicyOutcome]:
    shape = invalid.call.result_shape
    written = reference(invalid.with_appended(invalid.outside, 0)).shape != shape
    after = np.cumsum(invalid.outside.reshape(-1)).reshape(invalid.outside.shape) > 0
    dtype = getattr(invalid.call.arguments.get(invalid.geometry.indexing.into), "dtype", "")

    def dropped(outside: Array, fill: Any) -> Tensor:
        return invalid.without_appended(reference(invalid.with_appended(outside, fill)), shape)

    for fill in [0] if written else _fills(dtype):
        yield PolicyOutcome("ignores" if written else "fills", dropped(invalid.outside, fill))
        # Stopping at the last index is the same as ignoring it.
        if np.any(after & ~invalid.outside):
            yield PolicyOutcome("stops", dropped(after, fill))
    for policy, indices in _moved(invalid):
        yield PolicyOutcome(policy, reference(invalid.with_indices(indices)))


def _moved(invalid: _OutOfBoundsCall) -> Iterator[tuple[Treatment, Array]]:
    """The indices moved in bounds by each treatment; one that is undefined for one of them is omitted."""
    vectors, bounds = invalid.vectors, invalid.bounds
    if not all(bound > 0 for bound in bounds):
        return
    yield "clamps", np.clip(vectors, 0, bounds - 1)
    if np.all((-bounds <= vectors) & (vectors < bounds)):
        yield "wraps-negative", np.where(vectors < 0, vectors + bounds, vectors)
    else:
        yield "wraps-modulo", vectors % bounds
    cut = (vectors + 2**31) % 2**32 - 2**31
    if np.any(cut != vectors) and np.all((-bounds <= cut) & (cut < bounds)):
        yield "cut", np.where(cut < 0, cut + bounds, cut)


def _fills(dtype: str) -> list[Any]:
    """The values with which implementations fill missing elements."""
    kind = kind_of(dtype)
    if kind in ("float", "complex"):
        return [0, np.nan]
    if kind == "integer":
        limits = np.iinfo(numpy_dtype(dtype))
        return [0, *{int(limits.min), int(limits.max)} - {0}]
    return [False, True]
