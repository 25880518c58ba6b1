"""A recorded call with its arrays: where its index argument points, and which elements meet."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np

from conformance.results.records import CaseRecord
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
        points = self.case.points
        names = [name for name, value in self.tensors.items() if name in points and value.kind == "integer"]
        return names[0] if len(names) == 1 else None

    @cached_property
    def target(self) -> str | None:
        """What it points into: a tensor, or the result where that is made anew."""
        group = self.case.points.get(self.index or "")
        having = [name for name, groups in self.axes.items() if name != self.index and group in groups]
        tensors = [name for name in having if name in self.tensors]
        return (tensors or [RESULT])[0] if having else None

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

    @property
    def by_vectors(self) -> bool:
        """Whether the last axis of the index argument holds the columns of a vector; else every element points."""
        return any(map(_counts, self.axes.get(self.index or "", [])))

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

    def limits(self) -> tuple[int, ...]:
        """The lengths of the axes that the index argument points along; of none where it points nowhere."""
        return tuple(self._lengths.get(self.case.points.get(self.index or "", ""), ()))

    def vectors(self) -> Array:
        """The index vectors as rows; single elements are vectors of one."""
        assert self.index is not None
        array = self.tensors[self.index].array
        return array.reshape(math.prod(array.shape[:-1]), array.shape[-1]) if self.by_vectors else array.reshape(-1, 1)

    def moves(self) -> Iterator[Move]:
        """What belongs together, an index vector or element at a time; none where the call keeps no layout."""
        if self.index is None or self.target is None or self.target == self.moved:
            return
        shapes = {name: self.shape(name) or () for name in (self.index, self.target, self.moved) if name}
        numbers = {name: _numbers(shape) for name, shape in shapes.items()}
        pointing = numbers[self.index]
        if pointing is None:
            return
        places = pointing.shape[:-1] if self.by_vectors else pointing.shape
        for place in product(*map(range, places)):
            at = {self.target: self._axes_at(self.target, place, self.tensors[self.index].array[place])}
            at |= {self.moved: self._axes_at(self.moved, place, None)} if self.moved else {}
            found = {name: _chosen(numbers[name], shapes[name], axes) for name, axes in at.items()}
            yield Move(_flat(pointing[place]), found[self.target], found[self.moved] if self.moved else ())

    def _axes_at(self, name: str, place: tuple[int, ...], vector: Array | None) -> list[int | slice]:
        """What of each axis of a tensor a place of the index argument is about; and its vector, of the target."""
        columns = iter([] if vector is None else vector.reshape(-1).tolist())
        group = self.case.points[self.index or ""]
        return [
            next(columns) if vector is not None and one == group else self._beside(one, axis, name, place)
            for axis, one in enumerate(self.axes[name])
        ]

    def _beside(self, group: str, axis: int, name: str, place: tuple[int, ...]) -> int | slice:
        """The position on an axis that is not pointed along: the index argument's own, or all where it has none."""
        groups = self.axes[self.index or ""]
        if not self.by_vectors:
            return place[axis] if len(self.axes[name]) == len(groups) else slice(None)
        if group not in groups:
            return slice(None)
        before = self.axes[name][:axis].count(group)
        return place[groups.index(group) + before]


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


def _chosen(numbers: Array | None, shape: tuple[int, ...], axes: list[int | slice]) -> tuple[int, ...] | None:
    """The elements of a piece of a tensor; none where it is outside, None where nobody has numbered them."""
    if any(isinstance(one, int) and not 0 <= one < length for one, length in zip(axes, shape, strict=True)):
        return ()
    return None if numbers is None else _flat(numbers[tuple(axes)])


def _flat(numbers: Array) -> tuple[int, ...]:
    return tuple(np.asarray(numbers).reshape(-1).tolist())
