"""A recorded call with its arrays: where its index argument points, and which elements meet."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from conformance.results.records import CaseRecord
from conformance.specification.indexing import IndexGeometry, Indexing, geometry_of, read_indexing
from conformance.specification.literals import LiteralError, Tensor, argument
from conformance.specification.numbers import elements

RESULT = "result"
MOST_ELEMENTS = 4096
"""Of a tensor whose elements are told apart."""

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Move:
    """Elements that belong together, each by its number in its tensor, the last axis counting fastest."""

    index: tuple[int, ...]
    """Of the index argument: one vector, or one element."""
    target: tuple[int, ...] | None
    """Where it points, nothing where that is outside; None in a tensor too large to tell its elements apart."""
    moved: tuple[int, ...] | None
    """What is put there, or what is taken out."""


@dataclass(frozen=True)
class RecordedCall:
    """The call of a case, read from its record."""

    case: CaseRecord
    tensors: Mapping[str, Tensor]

    @property
    def axes(self) -> Mapping[str, list[str]]:
        """The groups of axes, of a call that keeps a layout."""
        return self.case.axes or {}

    @cached_property
    def index(self) -> str | None:
        """The argument that points; None where the call keeps no layout, or nothing or more than one points."""
        declared = [name for name, record in self.case.points.items() if read_indexing(record)]
        names = [name for name in declared if name in self.tensors and self.tensors[name].kind == "integer"]
        return names[0] if len(names) == 1 else None

    @property
    def indexing(self) -> Indexing | None:
        """What the spec declares of it."""
        return read_indexing(self.case.points[self.index]) if self.index else None

    @cached_property
    def geometry(self) -> IndexGeometry | None:
        """Where it points; None where the call has no target, as that of a relation, or one that it cannot point into."""
        if self.index is None or self.indexing is None or self.indexing.into not in self.axes:
            return None
        shapes = {name: tuple(value) for name, value in self.case.call.items() if isinstance(value, list)}
        geometry = geometry_of(self.indexing, self.index, {**self.case.call, **shapes, **self.tensors})
        return geometry if geometry and geometry.fits else None

    @property
    def target(self) -> str | None:
        """What it points into: a tensor, or the result where that is made anew."""
        if self.geometry is None:
            return None
        into = self.geometry.indexing.into
        return into if into in self.tensors else RESULT

    @cached_property
    def moved(self) -> str | None:
        """What is put at the places that the index argument points to; the result where elements are taken out."""
        batch = [group for group in self.axes.get(self.index or "", []) if not _counts(group)]
        others = [name for name in self.tensors if name not in (self.index, self.target) and name in self.axes]
        if self.target is None:
            return None
        if others:
            return others[0]
        taken = self.target != RESULT and RESULT in self.axes and set(batch) <= set(self.axes[RESULT])
        return RESULT if taken else None

    def shape(self, name: str) -> tuple[int, ...] | None:
        """Of a tensor or of the result; None where nothing says it."""
        if name in self.tensors:
            return self.tensors[name].shape
        lengths = self._lengths
        axes = self.axes.get(name)
        if axes is None:
            return None
        seen: dict[str, int] = {}
        shape = []
        for group in axes:
            number = seen[group] = seen.get(group, -1) + 1
            shape.append(lengths[group][number])
        return tuple(shape)

    @cached_property
    def _lengths(self) -> dict[str, list[int]]:
        """The lengths of every group of axes."""
        found: dict[str, list[int]] = {}
        for name, groups in self.axes.items():
            lengths = self.tensors[name].shape if name in self.tensors else self.case.call.get(name)
            if name == RESULT or not isinstance(lengths, list | tuple):
                continue
            for group in dict.fromkeys(groups):
                found.setdefault(group, [length for length, one in zip(lengths, groups, strict=True) if one == group])
        return found

    def elements(self, name: str) -> list[Any]:
        """A tensor's elements in one list, as ``conformance.specification.numbers`` has them."""
        flat: list[Any] = elements(self.tensors[name].array.reshape(-1))
        return flat

    def moves(self) -> Iterator[Move]:
        """What belongs together, an index vector or element at a time; none where the call keeps no layout."""
        geometry = self.geometry
        if geometry is None or self.index is None or self.target == self.moved:
            return
        indices = _numbers(geometry.index.shape)
        if indices is None:
            return
        vectors = indices.reshape(geometry.inside.size, geometry.vectors.shape[-1])
        targets = None if _numbers(geometry.shape) is None else geometry.rows(geometry.positions)
        moved = self._moved_rows(geometry)
        for row, (vector, inside) in enumerate(zip(vectors, geometry.inside.flat, strict=True)):
            target = _row(targets, row) if inside else ()
            yield Move(_flat(vector), target, () if self.moved is None else _row(moved, row))

    def _moved_rows(self, geometry: IndexGeometry) -> Array | None:
        """The numbers of the elements that go with each index; None of a tensor that is too large or laid out otherwise."""
        shape = self.shape(self.moved) if self.moved else None
        numbers = None if shape is None else _numbers(shape)
        part = None if numbers is None else geometry.part_of(numbers)
        return None if part is None else geometry.rows(part)


def recorded_call(case: CaseRecord) -> RecordedCall | None:
    """A case's call with its arrays; None where a literal of it is one that this version cannot read."""
    try:
        values = {name: argument(written) for name, written in case.call.items()}
    except (LiteralError, TypeError, ValueError):
        return None
    return RecordedCall(case, {name: value for name, value in values.items() if isinstance(value, Tensor)})


def _counts(group: str) -> bool:
    """Whether an axis is one that counts the axes of a group."""
    return group.startswith("rank(")


def _numbers(shape: tuple[int, ...]) -> Array | None:
    size = math.prod(shape)
    return np.arange(size).reshape(shape) if size <= MOST_ELEMENTS else None


def _row(rows: Array | None, row: int) -> tuple[int, ...] | None:
    return None if rows is None else _flat(rows[row])


def _flat(numbers: Array) -> tuple[int, ...]:
    return tuple(np.asarray(numbers).reshape(-1).tolist())
