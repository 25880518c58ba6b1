"""The positions of the target that each index of a call refers to, and the bounds of indices."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from conformance.specification.indices.keys import Keyed, broadcasts
from conformance.specification.indices.kinds import (
    RESULT,
    Along,
    Array,
    Elements,
    Flat,
    Indexing,
    InKey,
    Labels,
    Mask,
    Shape,
    Vectors,
    from_the_front,
    shape_of,
)
from conformance.specification.literals import Tensor

OUTSIDE = -1
"""The number of a position that does not exist."""


@dataclass(frozen=True, eq=False)
class IndexGeometry:
    """The positions that the indices of a call refer to: each index selects the slice at its place along some axes.

    Where a kind of index differs, it has a class of its own below.
    """

    indexing: Indexing
    index: Array
    shape: Shape
    """The shape of the target."""
    axes: Shape
    """The axes of the target that the columns of a vector, or all single indices, refer to; a flat index refers to all."""
    paired: int = 0
    """The number of first axes that the index and the target share."""

    @property
    def bounds(self) -> Shape:
        """By column, the exclusive upper bound of indices."""
        return bounds_of(self.indexing, self.shape, self.axes)

    @cached_property
    def vectors(self) -> Array:
        """The index with vectors along the last axis; single indices become vectors of length one."""
        return self.index[..., None]

    @property
    def depth(self) -> int | None:
        """The number of columns of its vectors; None if it holds single indices or is a mask."""
        return None

    @property
    def cells(self) -> Array:
        """By vector, the row-major positions of its elements in the index."""
        return np.arange(self.index.size).reshape(self.inside.size, self.vectors.shape[-1])

    @property
    def batch(self) -> Shape:
        """The shape of the index without the axis of vectors."""
        return tuple(self.vectors.shape[:-1])

    @cached_property
    def inside(self) -> Array:
        """By vector, whether every column that has a bound is within it."""
        inside = np.ones(self.batch, bool)
        # By column, because Python integers compare exactly with every dtype.
        for column, bound in enumerate(self.bounds):
            inside &= (self.vectors[..., column] >= 0) & (self.vectors[..., column] < bound)
        return inside

    @property
    def fits(self) -> bool:
        """Whether the shapes of the index and the target are compatible."""
        has_axes = min(self.shape, default=0) >= 0 and len(self.bounds) >= self.vectors.shape[-1]
        return has_axes and self._agrees

    @property
    def _agrees(self) -> bool:
        """Whether the axes that the index and the target have in common are compatible."""
        return self.index.shape[: self.paired] == self.shape[: self.paired] and self.paired <= self._first

    @property
    def taken(self) -> Shape:
        """The shape of all selected elements: the result of a gather, or the updates of a scatter."""
        return self.shape[: self._first] + self.batch[self.paired :] + self.shape[self._first + len(self.axes) :]

    @property
    def _first(self) -> int:
        """The axis of ``taken`` at which the axes of ``batch`` begin that do not pair."""
        return self.axes[0] if self.axes else self.paired

    @property
    def _added(self) -> int:
        """How much later the axes behind those of ``batch`` come in ``taken`` than in the target."""
        return len(self.batch) - self.paired - len(self.axes)

    @property
    def _own(self) -> Shape:
        """The axes of ``batch`` at whose position of its own a vector lies in the target."""
        return tuple(range(self.paired))

    @cached_property
    def positions(self) -> Array:
        """By element of ``taken``, its row-major position in the target, or OUTSIDE."""
        numbers = np.zeros(self.taken, np.intp)
        for axis in range(len(self.shape)):
            numbers += self._coordinates(axis) * math.prod(self.shape[axis + 1 :])
        return np.where(self._spread(self.inside), numbers, OUTSIDE)

    def _coordinates(self, axis: int) -> Array:
        """By element of ``taken``, its coordinate along an axis of the target; arbitrary if out of bounds."""
        if axis in self.axes:
            column = self.vectors[..., self.axes.index(axis)]
            return self._spread(np.where(self.inside, column, 0).astype(np.intp))
        place = axis if axis < self._first else axis + self._added
        return np.arange(self.taken[place]).reshape((-1,) + (1,) * (len(self.taken) - place - 1))

    def _spread(self, of_batch: Array) -> Array:
        """Values by vector, reshaped to broadcast to ``taken``."""
        between = (1,) * (self._first - self.paired)
        behind = (1,) * (len(self.taken) - self._first - len(self.batch) + self.paired)
        if not self.paired:
            return of_batch.reshape(self.batch + behind)
        return of_batch.reshape(self.batch[: self.paired] + between + self.batch[self.paired :] + behind)

    def rows(self, of_taken: Array) -> Array:
        """Values by element of ``taken``, rearranged to one row per vector."""
        count = len(self.batch)
        axes = (*range(self.paired), *range(self._first, self._first + count - self.paired))
        rows = np.moveaxis(of_taken, axes, range(count))
        return rows.reshape(math.prod(self.batch), math.prod(rows.shape[count:]))

    def part_of(self, source: Array) -> Array | None:
        """The part of the source of a scatter with the shape of ``taken``; None if the shapes do not match."""
        return source if source.shape == self.taken else None

    @property
    def has_duplicates(self) -> bool:
        """Whether two indices refer to the same positions."""
        vectors = self.vectors.reshape(math.prod(self.batch), self.vectors.shape[-1])
        if self._own:
            coordinates = np.indices(self.batch).reshape(len(self.batch), -1).T[:, list(self._own)]
            vectors = np.column_stack([coordinates, vectors.astype(np.int64)])
        ordered = vectors[np.lexsort(vectors.T)] if vectors.size else vectors
        return bool((ordered[1:] == ordered[:-1]).all(axis=1).any())

    @property
    def counted(self) -> Shape:
        """The shape of the target as its indices count: a flat index counts along one axis."""
        return self.shape

    @property
    def appended(self) -> Shape:
        """``counted`` with another position at the end of each axis that is indexed."""
        return tuple(length + int(axis in self.axes) for axis, length in enumerate(self.shape))

    @property
    def mask_shape(self) -> Shape:
        """The shape that an implementation which takes masks needs in the place of the index."""
        return self.bounds[:1]

    @property
    def words(self) -> Iterator[str]:
        """What reports say of it, beside the rank of the target."""
        yield "along the last axis" if self.axes[0] == len(self.shape) - 1 else "not along the last axis"

    @property
    def _selected(self) -> str:
        return "single elements" if len(self.axes) == len(self.shape) else "slices"


class _OfVectors(IndexGeometry):
    @cached_property
    def vectors(self) -> Array:
        return self.index

    @property
    def depth(self) -> int:
        return int(self.index.shape[-1])

    @property
    def mask_shape(self) -> Shape:
        return (*self.bounds[:1], 1)

    @property
    def words(self) -> Iterator[str]:
        yield f"{len(self.batch)} batch {'axis' if len(self.batch) == 1 else 'axes'}"
        yield f"index vectors of {len(self.axes)}"
        yield self._selected


class _OfElements(IndexGeometry):
    @property
    def _agrees(self) -> bool:
        lengths = enumerate(zip(self.index.shape, self.shape, strict=False))
        return self.index.ndim == len(self.shape) and all(
            index <= target for axis, (index, target) in lengths if axis not in self.axes
        )

    @property
    def taken(self) -> Shape:
        return tuple(self.index.shape)

    @property
    def _first(self) -> int:
        return 0

    @property
    def _added(self) -> int:
        return 0

    @property
    def _own(self) -> Shape:
        return tuple(axis for axis in range(len(self.batch)) if axis not in self.axes)

    def part_of(self, source: Array) -> Array | None:
        """A source may be longer than the index."""
        fits = source.ndim == len(self.taken)
        return super().part_of(source[tuple(map(slice, self.taken))] if fits else source)

    @property
    def mask_shape(self) -> Shape:
        return self.shape


class _OfFlat(IndexGeometry):
    @cached_property
    def positions(self) -> Array:
        # An unsigned dtype does not hold OUTSIDE.
        return np.where(self.inside, np.where(self.inside, self.index, 0).astype(np.intp), OUTSIDE)

    @property
    def counted(self) -> Shape:
        return self.bounds

    @property
    def appended(self) -> Shape:
        return (self.bounds[0] + 1,)

    @property
    def mask_shape(self) -> Shape:
        return self.shape

    @property
    def words(self) -> Iterator[str]:
        yield f"an index of rank {len(self.batch)}"


class _OfLabels(IndexGeometry):
    @property
    def mask_shape(self) -> Shape:
        return self.batch


class _OfMask(IndexGeometry):
    @cached_property
    def vectors(self) -> Array:
        return np.argwhere(self.index)

    @property
    def cells(self) -> Array:
        return np.flatnonzero(self.index)[:, None]

    @property
    def _agrees(self) -> bool:
        return tuple(self.index.shape) == self.shape[: self.index.ndim]

    def part_of(self, source: Array) -> Array | None:
        """The first elements of a source are written, in row-major order."""
        size = math.prod(self.taken)
        return super().part_of(source.reshape(-1)[:size].reshape(self.taken) if source.size >= size else source)

    @property
    def words(self) -> Iterator[str]:
        yield f"a mask of rank {len(self.axes)}"
        yield self._selected


@dataclass(frozen=True, eq=False)
class _InKey(IndexGeometry):
    keyed: Keyed = field(kw_only=True)
    """The key with all indices that stand in it."""

    @property
    def _agrees(self) -> bool:
        return self.keyed.fits

    @property
    def taken(self) -> Shape:
        return self.keyed.taken

    @cached_property
    def positions(self) -> Array:
        return self.keyed.positions(OUTSIDE)

    def part_of(self, source: Array) -> Array | None:
        """A source is broadcast to what the key selects."""
        return super().part_of(np.broadcast_to(source, self.taken) if broadcasts(source.shape, self.taken) else source)

    @property
    def has_duplicates(self) -> bool:
        written = self.positions[self.positions != OUTSIDE]
        return bool(len(np.unique(written)) < written.size)


def axes_of(indexing: Indexing, index: Shape, target: Shape, along: object, paired: int) -> Shape | None:
    """The axes of the target that an index of this shape refers to; None if undefined.

    Surplus columns of vectors longer than the rank of the target are ignored. along: the axis, if it points along one; paired: the
    number of axes that pair.
    """
    rank = len(target)
    match indexing:
        case Vectors():
            return tuple(range(paired, min(paired + index[-1], rank))) if index else None
        case Elements() | Along() | InKey():
            axis = from_the_front(along, rank)
            return None if axis is None else (axis,)
        case Flat():
            return tuple(range(rank))
        case Mask():
            return tuple(range(min(len(index), rank)))
        case Labels():
            return (0,)


def bounds_of(indexing: Indexing, target: Shape, axes: Shape) -> Shape:
    """By column, the exclusive upper bound of indices along these axes of the target."""
    lengths = tuple(target[axis] for axis in axes)
    return (math.prod(lengths),) if isinstance(indexing, Flat) else lengths


def paired_axes(indexing: Indexing, index: Shape, number: object) -> int | None:
    """The number of axes that pair if its argument has this value, counted from the end if it is negative; None if undefined."""
    if indexing.paired_by is None:
        return 0
    most = len(index) - 1 if isinstance(indexing, Vectors) else len(index)
    if type(number) is not int or not -len(index) <= number <= most:
        return None
    paired = number + len(index) if number < 0 else number
    return paired if paired <= most else None


def _target_shape(indexing: Indexing, name: str, values: Mapping[str, object]) -> Shape | None:
    into = values.get(indexing.into)
    if not isinstance(indexing, Labels):
        return shape_of(into)
    index, data = values.get(name), values.get(indexing.data)
    if not isinstance(index, Tensor) or not isinstance(data, Tensor) or index.rank > data.rank:
        return None
    length = into
    if indexing.into == RESULT and index.kind == "integer":
        length = max(int(index.array.max()) + 1, 0) if index.array.size else 0
    return (length, *data.shape[index.rank :]) if type(length) is int else None


_CLASSES: Mapping[type[Indexing], type[IndexGeometry]] = {
    Vectors: _OfVectors, Elements: _OfElements, Flat: _OfFlat, Labels: _OfLabels, Mask: _OfMask
}  # fmt: skip


def geometry_of(indexing: Indexing, name: str, values: Mapping[str, object]) -> IndexGeometry | None:
    """The positions that an index argument refers to in a call with these values; None if undefined.

    The target is a tensor, or a shape as a tuple.
    """
    index, shape = values.get(name), _target_shape(indexing, name, values)
    if not isinstance(index, Tensor) or index.kind != indexing.family or shape is None:
        return None
    if isinstance(indexing, InKey):
        return _in_key(indexing, name, index, shape, values)
    paired = paired_axes(indexing, index.shape, values.get(indexing.paired_by or ""))
    if paired is None:
        return None
    axes = axes_of(indexing, index.shape, shape, values.get(indexing.axis or ""), paired)
    of_kind = _CLASSES.get(type(indexing), IndexGeometry)
    return None if axes is None else of_kind(indexing, index.array, shape, axes, paired)


def _in_key(
    indexing: InKey, name: str, index: Tensor, shape: Shape, values: Mapping[str, object]
) -> IndexGeometry | None:
    keyed = indexing.keyed(shape, values)
    axis = keyed.key.axes(len(shape)).get(name) if keyed is not None else None
    if keyed is None or axis is None:
        return None
    return _InKey(indexing, index.array, shape, (axis,), keyed=keyed)
