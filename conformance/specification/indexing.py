"""The positions of the target that each index of a call refers to, and the bounds of indices."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np

from conformance.specification.keys import Filled, Keyed, broadcasts, key_of
from conformance.specification.literals import Tensor

Array = np.ndarray[Any, Any]
Shape = tuple[int, ...]
Selects = Literal["elements", "slices", "flat"]
"""What each index selects."""
MASK = "mask"
"""In its place: the index is a mask, which selects where it is true."""
Order = Literal["ascending"]
RESULT = "result"
"""The target of indices that point into the result of a call, whose length follows from them."""
OUTSIDE = -1
"""The number of a position that does not exist."""


@dataclass(frozen=True)
class Indexing:
    """The meaning of an index argument.

    Without ``along``, the last axis of the index holds vectors whose column k is an index along axis k of the target.
    With ``along``, every element is an index along that single axis, and selects either one element, at its own position
    on the other axes, or a whole slice. A flat index numbers all elements of the target in row-major order. With
    ``labels``, every element is the place along the first axis of the target of what other data have at its position: a
    slice, or an element if the data have no more axes. If they point into ``RESULT``, its first axis ends at the largest. With
    ``batched``, the first axes of the index and of the target pair: an index refers to the part of the target at its own position
    along them. A mask has the first axes of the target, and means the index vectors of its true elements, in row-major order.
    If ``along`` is a key, such as ``i, :, j``, the index is one of several that stand in it, which are broadcast against each other
    and select together. A mask that stands there in its place means the indices of its true elements.
    """

    into: str
    """The argument that is the target, the shape of the target, or with ``labels`` the length of its first axis, or ``RESULT``."""
    along: str | None = None
    """The argument that gives the single axis to index: a number, or a key in which the index stands by its name."""
    selects: Selects | Literal["mask"] = "elements"
    labels: str | None = None
    """The data whose slices the indices label; the target has the axes of such a slice behind its first."""
    order: Order | None = None
    """The order of the labels of a valid call; None for any."""
    batched: str | None = None
    """The argument that says how many of the first axes of the index and the target pair."""

    @property
    def mask(self) -> bool:
        return self.selects == MASK

    @property
    def kind(self) -> Literal["bool", "integer"]:
        """The family of the dtype of the index."""
        return "bool" if self.mask else "integer"

    @property
    def by_vectors(self) -> bool:
        return self.along is None and self.labels is None and not self.flat and not self.mask

    @property
    def flat(self) -> bool:
        return self.selects == "flat"

    @property
    def by_elements(self) -> bool:
        return self.along is not None and self.selects == "elements"

    def axes(self, index: Shape, target: Shape, along: object, paired: int = 0) -> Shape | None:
        """The axes of the target that an index of this shape refers to; None if undefined.

        Surplus columns of vectors longer than the rank of the target are ignored. paired: the number of axes that pair.
        """
        rank = len(target)
        if self.flat:
            return tuple(range(rank))
        if self.mask:
            return tuple(range(min(len(index), rank)))
        if self.by_vectors:
            return tuple(range(paired, min(paired + index[-1], rank))) if index else None
        if self.labels is not None:
            return (0,)
        return (along % rank,) if isinstance(along, int) and -rank <= along < rank else None

    def paired(self, index: Shape, batched: object) -> int | None:
        """The number of axes that pair if the argument has this value, counted from the end if it is negative; None if undefined."""
        if self.batched is None:
            return 0
        most = len(index) - 1 if self.by_vectors else len(index)
        if type(batched) is not int or not -len(index) <= batched <= most:
            return None
        paired = batched + len(index) if batched < 0 else batched
        return paired if paired <= most else None

    def bounds(self, target: Shape, axes: Shape) -> Shape:
        """By column, the exclusive upper bound of indices along these axes of the target."""
        lengths = tuple(target[axis] for axis in axes)
        return (math.prod(lengths),) if self.flat else lengths


def read_indexing(record: object) -> Indexing | None:
    """An Indexing from its fields in a record; None for one that this version does not know."""
    if not isinstance(record, Mapping) or record.get("selects") not in (*get_args(Selects), MASK):
        return None
    try:
        return Indexing(**record)
    except TypeError:
        return None


@dataclass(frozen=True, eq=False)
class IndexGeometry:
    """The positions that the indices of a call refer to."""

    indexing: Indexing
    index: Array
    shape: Shape
    """The shape of the target."""
    axes: Shape
    """The axes of the target that the columns of a vector, or all single indices, refer to; a flat index refers to all."""
    paired: int = 0
    """The number of first axes that the index and the target share."""
    keyed: Keyed | None = None
    """The key in which the index stands, with all indices there; None without a key."""

    @property
    def bounds(self) -> Shape:
        """By column, the exclusive upper bound of indices."""
        return self.indexing.bounds(self.shape, self.axes)

    @cached_property
    def vectors(self) -> Array:
        """The index with vectors along the last axis; single indices become vectors of length one."""
        if self.indexing.mask:
            return np.argwhere(self.index)
        return self.index if self.indexing.by_vectors else self.index[..., None]

    @property
    def cells(self) -> Array:
        """By vector, the row-major positions of its elements in the index."""
        if self.indexing.mask:
            return np.flatnonzero(self.index)[:, None]
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
        if min(self.shape, default=0) < 0 or len(self.bounds) < self.vectors.shape[-1]:
            return False
        if self.keyed is not None:
            return self.keyed.fits
        if self.index.shape[: self.paired] != self.shape[: self.paired] or self.paired > self._first:
            return False
        if self.indexing.mask:
            return tuple(self.index.shape) == self.shape[: self.index.ndim]
        if not self.indexing.by_elements:
            return True
        parallel = [axis for axis in range(len(self.shape)) if axis not in self.axes]
        return self.index.ndim == len(self.shape) and all(
            self.index.shape[axis] <= self.shape[axis] for axis in parallel
        )

    @property
    def taken(self) -> Shape:
        """The shape of all selected elements: the result of a gather, or the updates of a scatter."""
        if self.indexing.by_elements:
            return tuple(self.index.shape)
        if self.keyed is not None:
            return self.keyed.taken
        return self.shape[: self._first] + self.batch[self.paired :] + self.shape[self._first + len(self.axes) :]

    @property
    def _first(self) -> int:
        """The axis of ``taken`` at which the axes of ``batch`` begin that do not pair."""
        if self.indexing.by_elements:
            return 0
        return self.axes[0] if self.axes else self.paired

    @cached_property
    def positions(self) -> Array:
        """By element of ``taken``, its row-major position in the target, or OUTSIDE."""
        if self.indexing.flat:
            # An unsigned dtype does not hold OUTSIDE.
            return np.where(self.inside, np.where(self.inside, self.index, 0).astype(np.intp), OUTSIDE)
        if self.keyed is not None:
            return self.keyed.positions(OUTSIDE)
        numbers = np.zeros(self.taken, np.intp)
        for axis in range(len(self.shape)):
            numbers += self._coordinates(axis) * math.prod(self.shape[axis + 1 :])
        return np.where(self._spread(self.inside), numbers, OUTSIDE)

    def _coordinates(self, axis: int) -> Array:
        """By element of ``taken``, its coordinate along an axis of the target; arbitrary if out of bounds."""
        if axis in self.axes:
            column = self.vectors[..., self.axes.index(axis)]
            return self._spread(np.where(self.inside, column, 0).astype(np.intp))
        added = len(self.batch) - self.paired - len(self.axes)
        offset = 0 if self.indexing.by_elements or axis < self._first else added
        return np.arange(self.taken[axis + offset]).reshape((-1,) + (1,) * (len(self.taken) - axis - offset - 1))

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
        """The part of the source of a scatter with the shape of ``taken``; None if the shapes do not match.

        By a mask the first elements of a source are written, in row-major order.
        """
        if self.indexing.by_elements and source.ndim == len(self.taken):
            source = source[tuple(map(slice, self.taken))]
        if self.indexing.mask and source.size >= math.prod(self.taken):
            source = source.reshape(-1)[: math.prod(self.taken)].reshape(self.taken)
        if self.keyed is not None and broadcasts(source.shape, self.taken):
            source = np.broadcast_to(source, self.taken)
        return source if source.shape == self.taken else None

    @property
    def has_duplicates(self) -> bool:
        """Whether two indices refer to the same positions."""
        if self.keyed is not None:
            written = self.positions[self.positions != OUTSIDE]
            return bool(len(np.unique(written)) < written.size)
        vectors = self.vectors.reshape(math.prod(self.batch), self.vectors.shape[-1])
        if self.indexing.by_elements:
            coordinates = np.indices(self.batch).reshape(len(self.batch), -1).T
            vectors = np.column_stack([np.delete(coordinates, self.axes, axis=1), vectors.astype(np.int64)])
        elif self.paired:
            coordinates = np.indices(self.batch).reshape(len(self.batch), -1).T[:, : self.paired]
            vectors = np.column_stack([coordinates, vectors.astype(np.int64)])
        ordered = vectors[np.lexsort(vectors.T)] if vectors.size else vectors
        return bool((ordered[1:] == ordered[:-1]).all(axis=1).any())


def geometry_of(indexing: Indexing, name: str, values: Mapping[str, object]) -> IndexGeometry | None:
    """The positions that an index argument refers to in a call with these values; None if undefined.

    The target is a tensor, or a shape as a tuple.
    """
    index, shape = values.get(name), _target_shape(indexing, name, values)
    if not isinstance(index, Tensor) or index.kind != indexing.kind or shape is None:
        return None
    paired = indexing.paired(index.shape, values.get(indexing.batched or ""))
    if paired is None:
        return None
    along = values.get(indexing.along or "")
    keyed = _keyed(along, shape, values) if isinstance(along, str) else None
    if keyed is not None:
        along = keyed.key.axes(len(shape)).get(name)
    axes = indexing.axes(index.shape, shape, along, paired)
    return None if axes is None else IndexGeometry(indexing, index.array, shape, axes, paired, keyed)


def _keyed(written: str, shape: Shape, values: Mapping[str, object]) -> Keyed | None:
    """A key with its indices; None if it is no key, an index is missing, or the key or a mask does not fit the axes."""
    try:
        indices = [one for name in key_of(written).names if isinstance(one := values.get(name), Tensor)]
        filled = Filled(written, [one for one in indices if one.kind in ("integer", "bool")])
        fits = filled.key.rank <= len(shape) and filled.masks_fit(shape)
    except (ValueError, LookupError):
        return None
    return Keyed(filled.key, filled.arrays(), shape) if fits else None


def _target_shape(indexing: Indexing, name: str, values: Mapping[str, object]) -> Shape | None:
    into = values.get(indexing.into)
    if indexing.labels is None:
        return shape_of(into)
    index, data = values.get(name), values.get(indexing.labels)
    if not isinstance(index, Tensor) or not isinstance(data, Tensor) or index.rank > data.rank:
        return None
    length = into
    if indexing.into == RESULT and index.kind == "integer":
        length = max(int(index.array.max()) + 1, 0) if index.array.size else 0
    return (length, *data.shape[index.rank :]) if type(length) is int else None


def shape_of(target: object) -> Shape | None:
    """The shape of a tensor, or a tuple of integers itself; None for anything else."""
    if isinstance(target, Tensor):
        return target.shape
    return target if isinstance(target, tuple) and all(type(length) is int for length in target) else None
