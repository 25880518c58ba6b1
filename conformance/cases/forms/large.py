"""Calls of gigabytes: sizes, positions and indices that 32 bits do not count. Only a run with ``--large`` makes them.

Such a call is a small one of which some axes are stretched: its elements lie at the first and at the last positions of the
long axis, and all between them are zero. So is its result, which the reference computes for the small call with one more
position of zeros along these axes. No memory is used for zeros that nobody writes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from conformance.cases.expectations import Returns
from conformance.cases.forms.calls import telling_call
from conformance.cases.forms.geometries import Lengths, only_in_indices, usual_lengths, usual_profiles
from conformance.cases.model import Case, Entry
from conformance.cases.reference import Reference, ReferenceFailed
from conformance.cases.variation import DtypeTest, RareForm, Turn, Turns
from conformance.specification.applied import Applied
from conformance.specification.axes import axes_of
from conformance.specification.dtypes import numpy_dtype
from conformance.specification.indices.kinds import RESULT, Flat, Indexing, Vectors
from conformance.specification.layout import Layout
from conformance.specification.literals import Argument, Tensor, frozen, sparse
from conformance.specification.model import Call, Clause, Operation

DTYPE = "int8"
"""The dtype of the data: one byte, so that as little memory as possible has positions beyond 2^31."""
BEYOND_INT32 = 2**31 + 3
BEYOND_UINT32 = 2**32 + 3
SIDE = 50_000
"""The length of each of two axes with more than 2^31 elements."""

Array = np.ndarray[Any, Any]
Groups = Mapping[str, Sequence[str]]
"""By argument, and of the result, the group of each axis."""
Axis = tuple[str, int]
"""A group of axes, and one of its axes."""


@dataclass(frozen=True)
class Stretch:
    """The new length of an axis, the places of its elements, and a place between them, where all are zero."""

    length: int
    places: tuple[int, ...]
    zero: int


Stretches = Mapping[Axis, Stretch]


def large_cases(operation: Operation, reference: Reference) -> Iterator[Case]:
    """``<clause>/large.<name>``: the large calls of an operation that has a layout; they belong to the clause of valid draws.

    Indices that stand in a key have none: which axes they point along depends on it.
    """
    if operation.layout is None or operation.layout.in_key is not None:
        return
    clause = next(clause for clause in operation.clauses if clause.name == operation.layout.drawn)
    turns = Turns(operation.name)
    for name, lengths, long in _forms(operation.layout):
        call = telling_call(operation, reference, lengths, DTYPE, 0, name)
        made = None if call is None else _stretched_case(clause, reference, name, call, lengths, long, turns)
        if made is not None:
            yield made


def _forms(layout: Layout) -> Iterator[tuple[str, Lengths, Mapping[Axis, int]]]:
    """By name, the lengths of a small call, and the lengths to which axes of it are stretched."""
    indexed = [(layout.indexed_group(name), 0) for name in layout.indices]
    picked = [(group, 0) for group in layout.groups if group in only_in_indices(layout)]
    slices = [(group, 0) for group in _of_slices(layout)]
    profiles = sorted(
        usual_profiles(layout, *(group for group, _ in indexed)), key=lambda profile: sum(profile.values())
    )
    for name, axes, length in (
        ("axis-beyond-int32", indexed, BEYOND_INT32),
        ("axis-beyond-uint32", indexed, BEYOND_UINT32),
        ("elements-beyond-int32", [*indexed, *slices[-1:]], SIDE),
        ("taken-beyond-int32", [*picked, *slices[-1:]], SIDE),
    ):
        is_pair = length == SIDE
        usable = [usual_lengths(layout, profile, shorter=True) for profile in profiles]
        usable = [lengths for lengths in usable if all(len(lengths[group]) > axis for group, axis in axes)]
        if usable and axes and (not is_pair or len(axes) > len(indexed)):
            yield name, usable[0], dict.fromkeys(axes, length)


def _of_slices(layout: Layout) -> Iterator[str]:
    """The free groups of axes that no index has, and that none points along."""
    of_indices = {part.group for name in layout.indices for part in layout.arguments[name]}
    indexed = {layout.indexed_group(name) for name in layout.indices}
    for group in layout.groups.values():
        if group.other is None and group.name not in of_indices | indexed:
            yield group.name


def _stretched_case(
    clause: Clause,
    reference: Reference,
    name: str,
    call: Applied,
    small: Lengths,
    long: Mapping[Axis, int],
    turns: Turns,
) -> Case | None:
    """None if the stretched call has another meaning, or a result that is not zero between its elements."""
    groups = axes_of(call)
    layout = call.operation.layout
    if groups is None or RESULT not in groups or layout is None:
        return None
    for index in layout.indices:  # what an index axis is filled with points to a place of zeros
        group = layout.indexed_group(index)
        if layout.indices[index].indexing.holds_positions and any(axis in long for axis in _pairs(groups[index])):
            long = {(group, 0): small[group][0] + 1, **long}
    padded = {(group, axis): _kept(small[group][axis], small[group][axis] + 1) for group, axis in long}
    stretches = {
        (group, axis): (_kept if _limits(layout, group) else _spread)(small[group][axis], length)
        for (group, axis), length in long.items()
    }
    try:
        meant, large = (_stretched(layout, call, groups, chosen) for chosen in (padded, stretches))
        if meant.broken_rules or large.broken_rules:
            return None
        result = reference(meant)
    except (ReferenceFailed, _Unstretchable):
        return None
    of_result = [stretches.get(pair) for pair in _pairs(groups[RESULT])]
    elements = _inside(result.array, of_result)
    if not elements.any() or np.count_nonzero(elements) != np.count_nonzero(result.array):
        return None
    expected = _placed(result.dtype, elements, of_result)
    if max(expected.array.nbytes, *(tensor.array.nbytes for tensor in large.tensors.values())) < BEYOND_INT32:
        return None
    return Case(
        f"{clause.id}/large.{name}",
        large,
        clause,
        Returns(expected, meant.accumulates),
        Entry(clause.location),
        RareForm(True, Turn(turns.next("large")), DtypeTest((*large.data,)), form="large"),
    )


def _pairs(groups: Sequence[str]) -> list[Axis]:
    """Each axis with its number among those of its group."""
    return [(group, groups[:number].count(group)) for number, group in enumerate(groups)]


def _limits(layout: Layout, group: str) -> bool:
    """Whether elements of an index lie at their own positions along the axes of a group, so that these must stay."""
    of_indices = {part.group for name in layout.indices for part in layout.arguments[name]}
    is_indexed = any(layout.indexed_group(name) == group for name in layout.indices)
    return not is_indexed and any(layout.groups[name].other == group for name in of_indices)


def _kept(small: int, length: int) -> Stretch:
    """All elements stay at the first places."""
    return Stretch(length, tuple(range(small)), small)


def _spread(small: int, length: int) -> Stretch:
    """The first element stays at the first place, and the others go to the last places."""
    return Stretch(length, (0, *range(length - small + 1, length)), 1)


class _Unstretchable(Exception):
    """An argument whose meaning depends on the length of an axis in another way."""


def _stretched(layout: Layout, call: Applied, groups: Groups, stretches: Stretches) -> Applied:
    arguments: dict[str, Argument] = {}
    for name, value in call.arguments.items():
        of_axes = [stretches.get(pair) for pair in _pairs(groups.get(name, ()))]
        indexing = layout.indices[name].indexing if name in layout.indices else None
        if isinstance(value, Tensor) and indexing is not None and indexing.holds_positions:
            mapped, zero = _mapped(value.array, indexing, layout.indexed_group(name), call, stretches)
            arguments[name] = _filled(value.dtype, mapped, of_axes, zero)
        elif isinstance(value, Tensor):
            arguments[name] = _placed(value.dtype, value.array, of_axes)
        elif isinstance(value, tuple):
            arguments[name] = tuple(
                length if stretch is None else stretch.length for length, stretch in zip(value, of_axes, strict=True)
            )
        elif type(value) is int and any(not part.rank for part in layout.arguments.get(name, ())):
            [part] = layout.arguments[name]
            stretch = stretches.get((part.group, 0))
            arguments[name] = value if stretch is None else stretch.length
        else:
            arguments[name] = value
    return Applied(call.operation, Call(arguments))


def _mapped(
    index: Array, indexing: Indexing, group: str, call: Applied, stretches: Stretches
) -> tuple[Array, Sequence[int] | int]:
    """The index into the stretched target, and an index of a place of zeros there."""
    if indexing.into == RESULT:
        raise _Unstretchable  # the length of the result follows from the indices
    if isinstance(indexing, Flat):
        into = call.arguments[indexing.into]
        shape = into.shape if isinstance(into, Tensor) else into
        if not isinstance(shape, tuple):
            raise _Unstretchable
        of_axes = [stretches.get((group, axis)) for axis in range(len(shape))]
        lengths = [length if one is None else one.length for length, one in zip(shape, of_axes, strict=True)]
        columns = [_moved(column, one) for column, one in zip(np.unravel_index(index, shape), of_axes, strict=True)]
        zeros = [0 if one is None else one.zero for one in of_axes]
        return np.ravel_multi_index(columns, lengths).astype(index.dtype), int(np.ravel_multi_index(zeros, lengths))
    if isinstance(indexing, Vectors):
        of_columns = [stretches.get((group, column)) for column in range(index.shape[-1])]
        moved = [_moved(index[..., column], one) for column, one in enumerate(of_columns)]
        return np.stack(moved, axis=-1).astype(index.dtype), [0 if one is None else one.zero for one in of_columns]
    stretch = stretches.get((group, 0))
    return _moved(index, stretch).astype(index.dtype), 0 if stretch is None else stretch.zero


def _moved(positions: Array, stretch: Stretch | None) -> Array:
    return positions if stretch is None else np.array(stretch.places)[positions]


def _inside(array: Array, of_axes: Sequence[Stretch | None]) -> Array:
    """The elements of a padded result without those of the last position of each padded axis."""
    return array[tuple(slice(None) if one is None else slice(len(one.places)) for one in of_axes)]


def _filled(dtype: str, index: Array, of_axes: Sequence[Stretch | None], zero: Sequence[int] | int) -> Tensor:
    """An index whose new elements point to a place of zeros."""
    if all(one is None for one in of_axes):
        return Tensor(dtype, frozen(index), None)
    lengths = [length if one is None else one.length for length, one in zip(index.shape, of_axes, strict=True)]
    array = np.empty(lengths, index.dtype)
    array[...] = zero
    array[_places(index.shape, of_axes)] = index
    return Tensor(dtype, frozen(array), None)


def _placed(dtype: str, elements: Array, of_axes: Sequence[Stretch | None]) -> Tensor:
    """The elements at their places in zeros."""
    if all(one is None for one in of_axes):
        return Tensor(dtype, frozen(np.array(elements)), None)
    lengths = [length if one is None else one.length for length, one in zip(elements.shape, of_axes, strict=True)]
    coordinates = np.broadcast_arrays(*_places(elements.shape, of_axes))
    positions = np.ravel_multi_index([each.reshape(-1) for each in coordinates], lengths)
    return sparse(dtype, lengths, positions, elements.astype(numpy_dtype(dtype)).reshape(-1))


def _places(shape: Sequence[int], of_axes: Sequence[Stretch | None]) -> tuple[Array, ...]:
    return np.ix_(*(range(length) if one is None else one.places for length, one in zip(shape, of_axes, strict=True)))
