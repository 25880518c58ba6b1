"""Maps the axes of a concrete call to the groups of the layout of its operation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate

from conformance.specification.applied import Applied
from conformance.specification.groups import Group, Part
from conformance.specification.indices.geometry import paired_axes
from conformance.specification.indices.keys import key_of
from conformance.specification.indices.kinds import RESULT, Labels, from_the_front, shape_of
from conformance.specification.layout import Layout
from conformance.specification.literals import Tensor

OF_MASK = "selected"
"""The group of the axis of a result that has what a mask selects."""


class _Length(int):
    """The length of an axis with its group, which slices and sums of shapes preserve."""

    group: str

    @classmethod
    def of(cls, length: int, group: str) -> _Length:
        result = cls(length)
        result.group = group
        return result


@dataclass(frozen=True)
class _Labelled:
    """A tensor whose lengths have groups, for the expression of the result shape."""

    tensor: Tensor
    shape: tuple[int, ...]

    def __getattr__(self, name: str) -> object:
        return getattr(self.tensor, name)


def axes_of(call: Applied) -> dict[str, tuple[str, ...]] | None:
    """The group of each axis of each tensor, each shape and the result; ``rank(outer)`` for an axis that counts axes.

    None if the operation has no layout or the call does not match it, as one with a mask in a key. A range of ranks only
    limits what is drawn, so a call with more or fewer axes has groups too.
    """
    layout = call.operation.layout
    if layout is None or call.masks_in_key:
        return None
    values = _lengths(layout, call)
    ranks = _ranks(layout, values)
    if ranks is None or not _matches(layout, values, ranks):
        return None
    groups = {
        name: _names(layout.arguments[name], ranks) for name, value in values.items() if not isinstance(value, int)
    }
    labelled = _labelled(call, values, groups)
    groups |= _selected(layout, call, labelled)
    result = None if RESULT in groups else _result(call, labelled)
    if result is not None:
        groups[RESULT] = result
    return groups


_Value = tuple[int, ...] | int
"""The lengths of a tensor or a shape, or the value of a number."""


def _lengths(layout: Layout, call: Applied) -> dict[str, _Value]:
    """The arguments of the call that the layout contains; negative axes are counted from the front."""
    lengths: dict[str, _Value] = {}
    labelled = {indices.indexing.into for indices in layout.indices.values() if isinstance(indices.indexing, Labels)}
    for name, value in call.values.items():
        if name not in layout.arguments:
            continue
        if isinstance(value, Tensor):
            lengths[name] = value.shape
        elif type(value) is tuple and all(isinstance(length, int) for length in value):
            lengths[name] = value  # a call with another form of shape tests that form
        elif type(value) is int and layout.arguments[name][0].rank:
            lengths[name] = _from_the_front(layout, call, name, value)
        elif isinstance(value, int) and name in labelled:
            lengths[name] = (value,)
    if RESULT in layout.arguments:
        for index in (name for name, indices in layout.indices.items() if indices.indexing.into == RESULT):
            geometry = call.geometries.get(index)
            if geometry is not None:
                lengths[RESULT] = geometry.shape
    return lengths


def _from_the_front(layout: Layout, call: Applied, along: str, value: int) -> int:
    for indexing in (indices.indexing for indices in layout.indices.values()):
        target = shape_of(call.arguments.get(indexing.into))
        axis = from_the_front(value, len(target)) if indexing.axis == along and target is not None else None
        if axis is not None:
            return axis
    for index, indices in layout.indices.items():
        shape = shape_of(call.arguments.get(index)) if indices.indexing.paired_by == along else None
        paired = paired_axes(indices.indexing, shape, value) if shape is not None else None
        if paired is not None:
            return paired
    return value


def _ranks(layout: Layout, values: Mapping[str, _Value]) -> dict[str, int] | None:
    """The number of axes of each group, derived step by step; None if one cannot be derived."""
    ranks: dict[str, int] = {}
    for group in layout.groups.values():
        if group.low == group.high:
            ranks[group.name] = group.low
    known = -1
    while known < len(ranks):
        known = len(ranks)
        for name, value in values.items():
            for group_name, rank in _follows(layout.arguments[name], value, ranks):
                ranks.update(dict.fromkeys(_family(layout, group_name), rank))
    needed = {part.group for name in values for part in layout.arguments[name]}
    return ranks if needed <= ranks.keys() else None


def _family(layout: Layout, name: str) -> Iterator[str]:
    """The groups that have the same number of axes as this one."""
    return (group for group in layout.groups if layout.root(group) == layout.root(name))


def _follows(parts: tuple[Part, ...], value: _Value, ranks: Mapping[str, int]) -> Iterator[tuple[str, int]]:
    """The numbers of axes that follow from one argument."""
    if isinstance(value, int):
        counts = [ranks.get(part.group) for part in parts]
        if counts.count(None) == 1:
            yield parts[counts.index(None)].group, value - sum(count for count in counts if count is not None)
        return
    sizes = [1 if part.rank else ranks.get(part.group) for part in parts]
    if sizes.count(None) == 1:
        yield parts[sizes.index(None)].group, len(value) - sum(size for size in sizes if size is not None)
    for number, part in enumerate(parts):
        axis = _axis(sizes, number)
        if part.rank and axis is not None and -len(value) <= axis < len(value):
            yield part.group, value[axis]


def _axis(sizes: list[int | None], number: int) -> int | None:
    """The axis at which a part begins, negative if counted from the end; None if unknown."""
    front, back = sizes[:number], sizes[number:]
    if None not in front:
        return sum(size for size in front if size is not None)
    return None if None in back else -sum(size for size in back if size is not None)


def _matches(layout: Layout, values: Mapping[str, _Value], ranks: Mapping[str, int]) -> bool:
    """Whether every argument has the shape of the layout, with the same lengths for each group."""
    if min(ranks.values(), default=0) < 0:
        return False
    lengths: dict[str, tuple[int, ...]] = {}
    for name, value in values.items():
        if isinstance(value, int):
            if value != sum(ranks[part.group] for part in layout.arguments[name]):
                return False
            continue
        for part, piece in _pieces(layout.arguments[name], value, ranks):
            expected = (ranks[part.group],) if part.rank else lengths.setdefault(part.group, piece)
            if piece != expected:
                return False
        if len(value) != _count(layout.arguments[name], ranks) or min(value, default=0) < 0:
            return False
    return all(_related(group, lengths) for group in layout.groups.values())


def _count(parts: tuple[Part, ...], ranks: Mapping[str, int]) -> int:
    """The number of axes; an argument may claim more than there is memory to name."""
    return sum(1 if part.rank else ranks[part.group] for part in parts)


def _pieces(
    parts: tuple[Part, ...], value: tuple[int, ...], ranks: Mapping[str, int]
) -> Iterator[tuple[Part, tuple[int, ...]]]:
    ends = list(accumulate(1 if part.rank else ranks[part.group] for part in parts))
    for part, start, end in zip(parts, [0, *ends], ends, strict=False):
        yield part, tuple(value[start:end])


def _related(group: Group, lengths: Mapping[str, tuple[int, ...]]) -> bool:
    related, base = lengths.get(group.name), lengths.get(group.other or "")
    if related is None or base is None:
        return True
    pairs = zip(related, base, strict=True)
    return all(length <= limit if group.comparison == "at most" else length >= limit for length, limit in pairs)


def _names(parts: tuple[Part, ...], ranks: Mapping[str, int]) -> tuple[str, ...]:
    names: list[str] = []
    for part in parts:
        names += [f"rank({part.group})"] if part.rank else [part.group] * ranks[part.group]
    return tuple(names)


def _labelled(call: Applied, values: Mapping[str, _Value], groups: Mapping[str, tuple[str, ...]]) -> dict[str, object]:
    """The arguments as values for expressions, whose lengths have groups."""
    labelled = dict(call.values)
    for name, names in groups.items():
        value = values[name]
        assert not isinstance(value, int)
        if name == RESULT:
            continue
        lengths = tuple(map(_Length.of, value, names))
        argument = labelled[name]
        if isinstance(argument, Tensor):
            labelled[name] = _Labelled(argument, lengths)
        else:
            labelled[name] = lengths[0] if isinstance(argument, int) else lengths
    return labelled


def _selected(layout: Layout, call: Applied, labelled: Mapping[str, object]) -> dict[str, tuple[str, ...]]:
    """The groups of the axes of arguments that have the shape of what a key selects, unless they are broadcast to it."""
    found: dict[str, tuple[str, ...]] = {}
    indexing = layout.in_key
    if indexing is None:
        return found
    for name in layout.selected:
        value = call.arguments.get(name)
        try:
            key = key_of(str(labelled[indexing.key]))
            shapes = [getattr(labelled[argument], "shape", ()) for argument in (indexing.into, *key.names)]
            shape = key.shape(*shapes)
        except (ValueError, LookupError):
            continue
        if isinstance(value, Tensor) and value.shape == shape:
            names = tuple(length.group for length in shape if isinstance(length, _Length))
            found |= {name: names} if len(names) == len(shape) else {}
    return found


def _result(call: Applied, labelled: Mapping[str, object]) -> tuple[str, ...] | None:
    """The groups of the axes of the result; None if its shape is not composed of lengths of arguments."""
    try:
        shape = call.operation.result_shape.value(labelled)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        return None
    if not isinstance(shape, tuple):
        return None
    selects = any(geometry.fits and geometry.indexing.counts_from_data for geometry in call.geometries.values())
    if not all(isinstance(length, _Length) for length in shape[int(selects) :]):
        return None
    return tuple(length.group if isinstance(length, _Length) else OF_MASK for length in shape)
