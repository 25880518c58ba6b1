"""A recorded call with the arrays that it receives: where its index arguments point, and which elements it moves."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from conformance.results.records import CaseRecord
from conformance.specification.axes import OF_MASK
from conformance.specification.indices.declarations import read_indexing
from conformance.specification.indices.geometry import IndexGeometry, geometry_of
from conformance.specification.indices.kinds import RESULT, Indexing, InKey
from conformance.specification.literals import Argument, LiteralError, Tensor, argument
from conformance.specification.numbers import elements
from conformance.specification.programs.meaning import received
from conformance.specification.programs.reading import NotAProgram, read_program

__all__ = ["RESULT", "Move", "RecordedCall", "recorded_call"]

MOST_ELEMENTS = 4096
"""Elements of the largest tensor for which moves are computed."""

Array = np.ndarray[Any, Any]
Points = Mapping[str, Mapping[str, str | None]]
"""Index argument to its declaration, as in a record."""


@dataclass(frozen=True)
class Move:
    """An index with the elements that it selects and moves, as flat indices into their tensors (row-major)."""

    index: tuple[int, ...]
    """In the index argument: a vector or an element."""
    target: tuple[int, ...] | None
    """Where it points; empty if out of bounds, None if the target has more than MOST_ELEMENTS."""
    moved: tuple[int, ...] | None
    """What is written to, or read from, the target."""


@dataclass(frozen=True)
class RecordedCall:
    """The call of a case, read from its record."""

    case: CaseRecord
    tensors: Mapping[str, Tensor]
    """What the call receives; of a call in a program, what the program makes of its arguments."""
    points: Points
    """The index arguments of its operation."""

    @property
    def axes(self) -> Mapping[str, list[str]]:
        """The groups of axes; empty if the call does not have a layout."""
        return self.case.axes or {}

    @cached_property
    def index(self) -> str | None:
        """The index argument; None unless exactly one tensor of integers, or one mask, is declared as one."""
        names = [
            name
            for name, indexing in self._declared.items()
            if indexing is not None and name in self.tensors and self.tensors[name].kind == indexing.family
        ]
        return names[0] if len(names) == 1 else None

    @cached_property
    def _declared(self) -> Mapping[str, Indexing | None]:
        """By index argument, its declaration in the spec; None for one that this version does not know."""
        return {name: read_indexing(record, self.case.call) for name, record in self.points.items()}

    @property
    def indexing(self) -> Indexing | None:
        """The declaration of the index argument in the spec."""
        return self._declared[self.index] if self.index else None

    @cached_property
    def geometry(self) -> IndexGeometry | None:
        """Where it points; None if the call has no target, as in a relation, or the index does not fit the target."""
        if self.index is None or self.indexing is None or self.indexing.into not in self.axes:
            return None
        return self.geometries.get(self.index)

    @cached_property
    def indices(self) -> tuple[str, ...]:
        """The index arguments of its operation that it has, of any dtype."""
        return tuple(name for name in self.points if name in self.tensors)

    @cached_property
    def geometries(self) -> Mapping[str, IndexGeometry]:
        """Where each of them points; those are left out that do not fit the target, or have not the dtype of an index."""
        shapes = {name: tuple(value) for name, value in self.case.call.items() if isinstance(value, list)}
        values = {**self.case.call, **shapes, **self.tensors}
        declared = {name: self._declared[name] for name in self.indices}
        found = {name: geometry_of(one, name, values) for name, one in declared.items() if one is not None}
        return {name: geometry for name, geometry in found.items() if geometry is not None and geometry.fits}

    @property
    def fits(self) -> bool:
        """Whether its arguments are compatible, as far as it can be told."""
        # A program is only made around a call that is valid; an older file has the axes of what the program gets.
        if self.axes or self.case.axes is None or self.case.program is not None:
            return True
        # The layout of an operation with a key names the axes of the longest key.
        keyed = next((one for one in self.geometries.values() if isinstance(one.indexing, InKey)), None)
        sources = {*self.tensors}.difference(self.indices, (keyed.indexing.into,) if keyed else ())
        return keyed is not None and all(keyed.part_of(self.tensors[name].array) is not None for name in sources)

    @cached_property
    def target(self) -> str | None:
        """What it points into: a tensor argument, or the result if the operation creates it."""
        if self.geometry is None:
            return None
        into = self.geometry.indexing.into
        return into if into in self.tensors else RESULT

    @cached_property
    def moved(self) -> str | None:
        """The tensor that is written to the target; the result if elements are read from it."""
        batch = [group for group in self.axes.get(self.index or "", []) if not _is_rank(group)]
        sources = [name for name in self.tensors if name not in (self.index, self.target) and name in self.axes]
        if self.target is None:
            return None
        if sources:
            return sources[0]
        if self.target == RESULT or RESULT not in self.axes:
            return None
        of_result = self.axes[RESULT]
        # A mask is not among the axes of what it selects; other indices are.
        counts = self.indexing is not None and self.indexing.counts_from_data
        reads = OF_MASK in of_result if counts else set(batch) <= set(of_result)
        return RESULT if reads else None

    @property
    def reads(self) -> bool:
        """Whether the result consists of elements that are read."""
        program = self.case.program
        if program is not None and not read_program(program).returns_the_result:
            return False
        if len(self._declared) < 2:
            return self.moved == RESULT
        # By a key, unless there is something to write.
        places = {place for each in self._declared.values() if each for place in each.places}
        return {*self.case.call} <= {*self._declared, *places}

    def shape(self, name: str) -> tuple[int, ...] | None:
        """The shape of a tensor or of the result; None if the layout does not determine it."""
        if name in self.tensors:
            return self.tensors[name].shape
        if name not in self.axes:
            return None
        lengths = {group: iter(of_group) for group, of_group in self._lengths.items()}
        shape = [next(lengths.get(group, iter(())), None) for group in self.axes[name]]
        return tuple(length for length in shape if length is not None) if None not in shape else None

    @cached_property
    def _lengths(self) -> dict[str, list[int]]:
        """Group to the lengths of its axes."""
        by_group: dict[str, list[int]] = {}
        for name, groups in self.axes.items():
            lengths = self.tensors[name].shape if name in self.tensors else self.case.call.get(name)
            if isinstance(lengths, int):
                lengths = [lengths]
            if name == RESULT and self.geometry is not None and self.geometry.indexing.into == RESULT:
                lengths = self.geometry.shape
            elif name == RESULT and self.geometry is not None and OF_MASK in groups:
                lengths = self.geometry.taken
            elif name == RESULT:
                continue
            # A file that was edited may have a tensor of other axes than it names.
            if not isinstance(lengths, list | tuple) or len(lengths) != len(groups):
                continue
            for group in dict.fromkeys(groups):
                of_group = [length for length, of_axis in zip(lengths, groups, strict=True) if of_axis == group]
                by_group.setdefault(group, of_group)
        return by_group

    def elements(self, name: str) -> list[Any]:
        """The elements of a tensor in a flat list, in the form of ``conformance.specification.numbers``."""
        flat: list[Any] = elements(self.tensors[name].array.reshape(-1))
        return flat

    def moves(self) -> Iterator[Move]:
        """The moves of each index vector or element; none if the call does not have a layout."""
        geometry = self.geometry
        if geometry is None or self.index is None or self.target == self.moved:
            return
        if geometry.index.size > MOST_ELEMENTS:
            return
        cells, inside = geometry.cells, geometry.inside
        targets = None if _flat_indices(geometry.shape) is None else _rows(geometry.rows(geometry.positions))
        moved_rows = self._moved_rows(geometry)
        moved = None if moved_rows is None else _rows(moved_rows)
        for row, (vector, is_inside) in enumerate(zip(_rows(cells), inside.ravel().tolist(), strict=True)):
            target = _row(targets, row) if is_inside else ()
            yield Move(tuple(vector), target, () if self.moved is None else _row(moved, row))

    def _moved_rows(self, geometry: IndexGeometry) -> Array | None:
        """The flat indices of the elements moved by each index; None if the tensor is too large or has a different layout."""
        shape = self.shape(self.moved) if self.moved else None
        indices = None if shape is None else _flat_indices(shape)
        part = None if indices is None else geometry.part_of(indices)
        return None if part is None else geometry.rows(part)


def recorded_call(case: CaseRecord, points: Points | None = None) -> RecordedCall | None:
    """The call of a case with its arrays; None if this version cannot read one of its literals, or the program around it.

    points: the index arguments of its operation, of which a case that does not keep the layout names none; None for those
    that it names.
    """
    try:
        values = {name: _argument(written) for name, written in case.call.items()}
    except (LiteralError, TypeError, ValueError):
        return None
    try:
        arguments = values if case.program is None else received(read_program(case.program), values)
    except NotAProgram:
        return None
    if arguments is None:
        return None
    tensors = {name: value for name, value in arguments.items() if isinstance(value, Tensor)}
    return RecordedCall(case, tensors, case.points if points is None else points)


def _is_rank(group: str) -> bool:
    """Whether the length of an axis is the rank of a group, as in ``rank(outer)``."""
    return group.startswith("rank(")


def _flat_indices(shape: tuple[int, ...]) -> Array | None:
    size = math.prod(shape)
    return np.arange(size).reshape(shape) if size <= MOST_ELEMENTS else None


def _rows(rows: Array) -> list[list[int]]:
    """The numbers in each of them."""
    listed: list[list[int]] = rows.reshape(len(rows), math.prod(rows.shape[1:])).tolist()
    return listed


def _row(rows: Sequence[Sequence[int]] | None, row: int) -> tuple[int, ...] | None:
    return None if rows is None else tuple(rows[row])


_MOST_ARGUMENTS = 1024
_ARGUMENTS: dict[str, Argument] = {}
"""The last arguments by their literals: calls of a clause have many in common, and so has a call with its control."""


def _argument(written: Any) -> Argument:
    """The argument that a literal denotes; LiteralError if it is invalid."""
    if not isinstance(written, dict):
        return argument(written)
    text = repr(written)
    known = _ARGUMENTS.get(text)
    if known is None:
        if len(_ARGUMENTS) >= _MOST_ARGUMENTS:
            _ARGUMENTS.clear()
        known = _ARGUMENTS[text] = argument(written)
    return known
