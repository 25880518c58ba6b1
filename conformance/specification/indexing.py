"""Which positions of its target each index of a call means, and within which bounds."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np

from conformance.specification.literals import Tensor

Array = np.ndarray[Any, Any]
Shape = tuple[int, ...]
Selects = Literal["elements", "slices"]
OUTSIDE = -1
"""The number of a position that is not there."""


@dataclass(frozen=True)
class Indexing:
    """What the spec declares of an index argument.

    Without ``along`` the last axis of the index holds vectors, whose column k is an index along axis k of the target.
    With it every element is an index along that one axis, and selects one element, at its own position on the other
    axes, or the whole slice.
    """

    into: str
    """The argument that is the target, or that gives the target's shape."""
    along: str | None = None
    """The argument that says the one axis along which all indices point."""
    selects: Selects = "elements"

    @property
    def by_vectors(self) -> bool:
        return self.along is None

    @property
    def by_elements(self) -> bool:
        return self.along is not None and self.selects == "elements"

    def axes(self, index: Shape, target: Shape, along: object) -> Shape | None:
        """The axes of the target along which an index of this shape points; None where nobody can say.

        Of vectors that are longer than the target has axes, as far as there are axes.
        """
        rank = len(target)
        if self.by_vectors:
            return tuple(range(min(index[-1], rank))) if index else None
        return (along % rank,) if isinstance(along, int) and -rank <= along < rank else None


def read_indexing(record: object) -> Indexing | None:
    """A declaration as records have it, the fields by name; None for one that this version does not know."""
    if not isinstance(record, Mapping) or record.get("selects") not in get_args(Selects):
        return None
    try:
        return Indexing(**record)
    except TypeError:
        return None


@dataclass(frozen=True, eq=False)
class IndexGeometry:
    """Where the indices of one call point."""

    indexing: Indexing
    index: Array
    shape: Shape
    """Of the target."""
    axes: Shape
    """Of the target: along which the columns of a vector point, or every index."""

    @property
    def bounds(self) -> Shape:
        """Column by column, what an index is less than."""
        return tuple(self.shape[axis] for axis in self.axes)

    @cached_property
    def vectors(self) -> Array:
        """The index with its vectors along the last axis; single indices are vectors of one."""
        return self.index if self.indexing.by_vectors else self.index[..., None]

    @property
    def batch(self) -> Shape:
        """The shape in which the vectors stand."""
        return tuple(self.vectors.shape[:-1])

    @cached_property
    def inside(self) -> Array:
        """Vector by vector, whether every column is within its bounds, as far as there are bounds."""
        inside = np.ones(self.batch, bool)
        # Column by column: Python's integers are compared exactly with those of every dtype.
        for column, bound in enumerate(self.bounds):
            inside &= (self.vectors[..., column] >= 0) & (self.vectors[..., column] < bound)
        return inside

    @property
    def fits(self) -> bool:
        """Whether an index of this shape can point into such a target, whatever its values are."""
        if min(self.shape, default=0) < 0 or len(self.axes) < self.vectors.shape[-1]:
            return False
        if not self.indexing.by_elements:
            return True
        beside = [axis for axis in range(len(self.shape)) if axis not in self.axes]
        return self.index.ndim == len(self.shape) and all(self.index.shape[axis] <= self.shape[axis] for axis in beside)

    @property
    def taken(self) -> Shape:
        """The shape of what all indices select together: what a gather returns, and what a scatter is given."""
        if self.indexing.by_elements:
            return tuple(self.index.shape)
        return self.shape[: self._first] + self.batch + self.shape[self._first + len(self.axes) :]

    @property
    def _first(self) -> int:
        """The axis of ``taken`` at which those of ``batch`` begin."""
        return self.axes[0] if self.axes and not self.indexing.by_elements else 0

    @cached_property
    def positions(self) -> Array:
        """For each element of ``taken`` its number in the target, in row-major order; OUTSIDE where it is not there."""
        numbers = np.zeros(self.taken, np.intp)
        for axis in range(len(self.shape)):
            numbers += self._coordinates(axis) * math.prod(self.shape[axis + 1 :])
        return np.where(self._spread(self.inside), numbers, OUTSIDE)

    def _coordinates(self, axis: int) -> Array:
        """Along an axis of the target the coordinate of each element of ``taken``; any where it is outside."""
        if axis in self.axes:
            column = self.vectors[..., self.axes.index(axis)]
            return self._spread(np.where(self.inside, column, 0).astype(np.intp))
        moved = 0 if self.indexing.by_elements or axis < self._first else len(self.batch) - len(self.axes)
        return np.arange(self.taken[axis + moved]).reshape((-1,) + (1,) * (len(self.taken) - axis - moved - 1))

    def _spread(self, of_batch: Array) -> Array:
        """What there is for each vector, as it is broadcast to ``taken``."""
        return of_batch.reshape(self.batch + (1,) * (len(self.taken) - self._first - len(self.batch)))

    def rows(self, of_taken: Array) -> Array:
        """What there is for each element of ``taken``, in a row for each vector."""
        count = len(self.batch)
        rows = np.moveaxis(of_taken, range(self._first, self._first + count), range(count))
        return rows.reshape(math.prod(self.batch), math.prod(rows.shape[count:]))

    def part_of(self, source: Array) -> Array | None:
        """What of a scatter's source has an element for each of ``taken``; None where it is laid out otherwise."""
        if self.indexing.by_elements and source.ndim == len(self.taken):
            source = source[tuple(map(slice, self.taken))]
        return source if source.shape == self.taken else None

    @property
    def has_duplicates(self) -> bool:
        """Whether two indices mean the same positions."""
        vectors = self.vectors.reshape(math.prod(self.batch), self.vectors.shape[-1])
        if self.indexing.by_elements:
            beside = np.indices(self.batch).reshape(len(self.batch), -1).T
            vectors = np.column_stack([np.delete(beside, self.axes, axis=1), vectors.astype(np.int64)])
        ordered = vectors[np.lexsort(vectors.T)] if vectors.size else vectors
        return bool((ordered[1:] == ordered[:-1]).all(axis=1).any())


def geometry_of(indexing: Indexing, name: str, values: Mapping[str, object]) -> IndexGeometry | None:
    """Where the index argument of this name points, in a call with these values; None where nobody can say.

    A target is a tensor, or a shape as a tuple.
    """
    index, shape = values.get(name), shape_of(values.get(indexing.into))
    if not isinstance(index, Tensor) or index.kind != "integer" or shape is None:
        return None
    axes = indexing.axes(index.shape, shape, values.get(indexing.along or ""))
    return None if axes is None else IndexGeometry(indexing, index.array, shape, axes)


def shape_of(target: object) -> Shape | None:
    """The shape of a tensor, or that which a tuple of numbers is."""
    if isinstance(target, Tensor):
        return target.shape
    return target if isinstance(target, tuple) and all(type(length) is int for length in target) else None
