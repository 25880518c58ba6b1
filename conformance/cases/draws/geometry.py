"""The geometry of a call: the lengths of all groups of axes, and everything else that a compiled call depends on."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

from conformance.cases.draws.choices import Choose, Rejected, choose_item
from conformance.cases.draws.keys import draw_key
from conformance.specification.groups import Group
from conformance.specification.indices.keys import key_of
from conformance.specification.indices.kinds import InKey, Vectors
from conformance.specification.layout import Layout
from conformance.specification.literals import Argument
from conformance.specification.model import ArgumentSpec, Operation

MOST_ELEMENTS = 200
"""The maximum number of elements of a drawn tensor: readable, and stored completely in results files."""
MOST_VECTORS = 12
LONGEST = (9, 7, 6, 5, 3, 3, 2, 2)
"""The maximum length of an axis, by the number of axes of a tensor."""
DTYPES = ("float32", "int32")
INDEX_DTYPES = ("int32", "int64")

Profile = Mapping[str, int]
"""The number of axes of each group."""


@dataclass(frozen=True)
class Geometry:
    """The common properties of calls of the same form."""

    lengths: Mapping[str, tuple[int, ...]]
    """The lengths of the axes of each group."""
    plain: Mapping[str, Argument]
    """Arguments without axes: choices and numbers; omitted arguments are missing."""
    dtype: str
    index_dtype: str

    def number(self, layout: Layout, argument: str) -> int:
        """The number that an argument of the layout is: the length of an axis, or how many axes groups have."""
        return sum(self.shape(layout, argument))

    def shape(self, layout: Layout, argument: str) -> tuple[int, ...]:
        """The shape of an argument of the layout; Rejected if a key selects nothing of these lengths."""
        if argument in layout.selected:
            return self._selected(layout)
        shape: list[int] = []
        for part in layout.arguments[argument]:
            shape += [len(self.lengths[part.group])] if part.rank else self.lengths[part.group]
        return tuple(shape)

    def along(self, layout: Layout, index: str) -> int | None:
        """The axis along which an index points; None without one, Rejected if a key names more axes than there are."""
        indexing = layout.indices[index].indexing
        if isinstance(indexing, InKey):
            return _axis(self.plain[indexing.key], index, len(self.shape(layout, indexing.into)))
        return self.number(layout, indexing.axis) if indexing.axis is not None else None

    def has(self, layout: Layout, argument: str) -> bool:
        """Whether calls of this geometry have an argument of the layout; not an index that the key does not name."""
        indices = layout.indices.get(argument)
        if indices is None or not isinstance(indices.indexing, InKey):
            return layout.has(argument)
        return argument in key_of(str(self.plain[indices.indexing.key])).names

    def selects_some(self, layout: Layout) -> bool:
        """Whether the key of a layout that has one selects an element; Rejected if it does not fit these lengths."""
        return math.prod(self._selected(layout)) > 0

    def _selected(self, layout: Layout) -> tuple[int, ...]:
        indexing = layout.in_key
        assert indexing is not None, "a layout has selected only beside a key"
        key = key_of(str(self.plain[indexing.key]))
        try:
            return key.shape(self.shape(layout, indexing.into), *(self.shape(layout, name) for name in key.names))
        except (ValueError, LookupError):
            raise Rejected from None


def _axis(key: Argument, index: str, rank: int) -> int:
    try:
        return key_of(str(key)).axes(rank)[index]
    except ValueError:
        raise Rejected from None


def layout_of(operation: Operation) -> Layout:
    """The layout of an operation; ValueError if its spec has none."""
    if operation.layout is None:
        raise ValueError(f"the spec of {operation.name} has no axes and layout, so no call can be drawn")
    return operation.layout


def profiles(layout: Layout) -> list[Profile]:
    """All combinations of numbers of axes, the fewest axes first; related groups follow their base group."""
    free = [group for group in layout.groups.values() if group.other is None]
    counts = product(*(range(group.low, group.high + 1) for group in free))
    return sorted(
        ({group.name: count for group, count in zip(free, combination, strict=True)} for combination in counts),
        key=lambda profile: sum(profile.values()),
    )


def draw_geometry(
    choose: Choose, operation: Operation, profile: Profile | None = None, dtypes: Sequence[str] = DTYPES
) -> Geometry:
    """A geometry, by default of any profile."""
    layout = layout_of(operation)
    if profile is None:
        profile = {group.name: choose(group.low, group.high) for group in layout.groups.values() if group.other is None}
    plain = {**plain_arguments(choose, operation), **_keys(choose, operation, profile)}
    lengths: dict[str, tuple[int, ...]] = {}
    for group in layout.groups.values():
        lengths[group.name] = (
            related(choose, group, lengths)
            if group.other
            else _free(choose, group, layout, profile, Geometry(lengths, plain, "", ""))
        )
    geometry = Geometry(lengths, plain, choose_item(choose, dtypes), choose_item(choose, INDEX_DTYPES))
    if layout.keys and not geometry.selects_some(layout):
        raise Rejected
    return geometry


def _keys(choose: Choose, operation: Operation, profile: Profile) -> dict[str, Argument]:
    """The keys that no index stands in, some of the times where a key needs none, so that those that a spec lists occur too.

    That a function takes a negative step is written in a clause of its own where it writes.
    """
    layout = layout_of(operation)
    needed = any(not operation.arguments[name].optional for name in layout.indices)
    drawn: dict[str, Argument] = {}
    for name, into in layout.keys.items() if not needed else ():
        rank = sum(profile[layout.root(part.group)] for part in layout.arguments[into])
        if choose(0, 4):
            drawn[name] = draw_key(choose, rank, downwards=operation.written_argument is None)
    return drawn


def _free(choose: Choose, group: Group, layout: Layout, profile: Profile, so_far: Geometry) -> tuple[int, ...]:
    lengths = so_far.lengths
    chosen: list[int] = []
    used = {length for group_lengths in lengths.values() for length in group_lengths}
    for _ in range(profile[group.name]):
        most = _longest(group, layout, profile, replace(so_far, lengths={**lengths, group.name: tuple(chosen)}))
        longer = range(2, most + 1)
        fresh = [length for length in longer if length not in used]
        # Different lengths distinguish axes; equal lengths and length one reveal other defects.
        chosen.append(choose_item(choose, [1, *fresh, *longer, *fresh]))
        used.add(chosen[-1])
    return tuple(chosen)


def _longest(group: Group, layout: Layout, profile: Profile, geometry: Geometry) -> int:
    most, lengths = LONGEST[0], geometry.lengths
    for argument, parts in layout.arguments.items():
        groups = [part.group for part in parts if not part.rank]
        if group.name not in groups:
            continue
        axes = sum(profile.get(name, profile.get(layout.groups[name].other or "", 1)) for name in groups)
        so_far = math.prod(math.prod(lengths.get(name, ())) for name in groups)
        most = min(most, LONGEST[min(axes, len(LONGEST)) - 1], MOST_ELEMENTS // so_far)
        indices = layout.indices.get(argument)
        if indices is not None and isinstance(indices.indexing, Vectors):
            positions = math.prod(lengths.get(parts[-1].group, ())) if indices.distinct else MOST_VECTORS
            most = min(most, min(positions, MOST_VECTORS) // so_far)
        elif indices is not None and indices.distinct and not indices.indexing.is_aligned:
            positions_along = _positions_along(layout, argument, geometry)
            most = most if positions_along is None else min(most, positions_along // so_far)
    return max(most, 1)


def _positions_along(layout: Layout, index: str, geometry: Geometry) -> int | None:
    """The number of positions that an index can have; None if it is not known yet."""
    indexing = layout.indices[index].indexing
    if isinstance(indexing, InKey):
        if any(part.group not in geometry.lengths for part in layout.arguments[indexing.into]):
            return None
        return geometry.shape(layout, indexing.into)[geometry.along(layout, index) or 0]
    indexed = geometry.lengths.get(layout.indexed_group(index))
    return None if indexed is None else math.prod(indexed)


def related(choose: Choose, group: Group, lengths: Mapping[str, tuple[int, ...]]) -> tuple[int, ...]:
    if group.comparison == "at most":
        return tuple(choose(1, length) for length in lengths[str(group.other)])
    return tuple(length + choose(0, 2) for length in lengths[str(group.other)])


def plain_arguments(choose: Choose, operation: Operation) -> dict[str, Argument]:
    plain: dict[str, Argument] = {}
    for name, spec in operation.arguments.items():
        if spec.optional and choose(0, 1) == 0:
            continue
        if spec.choices:
            plain[name] = choose_item(choose, spec.choices)
        elif _is_number(choose, name, spec, operation):
            plain[name] = choose(2, 9)
    return plain


def _is_number(choose: Choose, name: str, spec: ArgumentSpec, operation: Operation) -> bool:
    """Whether to draw an argument as a free number; with some probability if it may be a tensor too."""
    if "scalar" not in spec.kinds:
        return False
    if not layout_of(operation).has(name):
        return True
    return "tensor" in spec.kinds and choose(0, 4) == 4
