"""The shapes of a call: lengths of every group of axes, and what else decides how a compiled call looks."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from conformance.cases.draws.choices import Choose, one_of
from conformance.specification.layout import Group, Layout
from conformance.specification.literals import Argument
from conformance.specification.model import ArgumentSpec, Operation

MOST_ELEMENTS = 200
"""Elements of a drawn tensor: few enough to be read, and kept whole in a results file."""
MOST_VECTORS = 12
LONGEST = (9, 7, 6, 5, 3, 3, 2, 2)
"""The greatest length of an axis by the number of axes of a tensor."""
DTYPES = ("float32", "int32")
INDEX_DTYPES = ("int32", "int64")

Profile = Mapping[str, int]
"""How many axes each group has."""


@dataclass(frozen=True)
class Geometry:
    """What calls of the same form have in common."""

    lengths: Mapping[str, tuple[int, ...]]
    """Of the axes of each group."""
    plain: Mapping[str, Argument]
    """Words, and the numbers that stand where a tensor could; what is left out is not there."""
    dtype: str
    index_dtype: str

    def shape(self, layout: Layout, argument: str) -> tuple[int, ...]:
        """The shape of an argument of the layout."""
        shape: list[int] = []
        for part in layout.arguments[argument]:
            shape += [len(self.lengths[part.group])] if part.rank else self.lengths[part.group]
        return tuple(shape)


def layout_of(operation: Operation) -> Layout:
    """The layout of an operation; ValueError where its spec has none."""
    if operation.layout is None:
        raise ValueError(f"the spec of {operation.name} says nothing of axes and layout, so no call can be drawn")
    return operation.layout


def profiles(layout: Layout) -> list[Profile]:
    """Every number of axes that the groups may have, the fewest first; a related group follows another."""
    free = [group for group in layout.groups.values() if group.other is None]
    counts = product(*(range(group.low, group.high + 1) for group in free))
    return sorted(
        ({group.name: count for group, count in zip(free, one, strict=True)} for one in counts),
        key=lambda profile: sum(profile.values()),
    )


def draw_geometry(
    choose: Choose, operation: Operation, profile: Profile | None = None, dtypes: Sequence[str] = DTYPES
) -> Geometry:
    """A geometry; of this profile, where one is given."""
    layout = layout_of(operation)
    if profile is None:
        profile = one_of(choose, profiles(layout))
    plain = _plain(choose, operation)
    lengths: dict[str, tuple[int, ...]] = {}
    for group in layout.groups.values():
        lengths[group.name] = (
            _related(choose, group, lengths) if group.other else _free(choose, group, layout, profile, lengths)
        )
    return Geometry(lengths, plain, one_of(choose, dtypes), one_of(choose, INDEX_DTYPES))


def _free(
    choose: Choose, group: Group, layout: Layout, profile: Profile, lengths: Mapping[str, tuple[int, ...]]
) -> tuple[int, ...]:
    chosen: list[int] = []
    used = {length for of in lengths.values() for length in of}
    for _ in range(profile[group.name]):
        most = _longest(group, layout, profile, {**lengths, group.name: tuple(chosen)})
        longer = range(2, most + 1)
        fresh = [length for length in longer if length not in used]
        # Different lengths tell axes apart; equal ones and ones of length one have their own mistakes.
        chosen.append(one_of(choose, [1, *fresh, *longer, *fresh]))
        used.add(chosen[-1])
    return tuple(chosen)


def _longest(group: Group, layout: Layout, profile: Profile, lengths: Mapping[str, tuple[int, ...]]) -> int:
    most = LONGEST[0]
    for name, parts in layout.arguments.items():
        groups = [part.group for part in parts if not part.rank]
        if group.name not in groups:
            continue
        axes = sum(profile.get(one, profile.get(layout.groups[one].other or "", 1)) for one in groups)
        so_far = math.prod(math.prod(lengths.get(one, ())) for one in groups)
        most = min(most, LONGEST[min(axes, len(LONGEST)) - 1], MOST_ELEMENTS // so_far)
        indices = layout.indices.get(name)
        if indices is not None and indices.indexing.by_vectors:
            places = math.prod(lengths.get(parts[-1].group, ())) if indices.distinct else MOST_VECTORS
            most = min(most, min(places, MOST_VECTORS) // so_far)
    return max(most, 1)


def _related(choose: Choose, group: Group, lengths: Mapping[str, tuple[int, ...]]) -> tuple[int, ...]:
    if group.comparison == "at most":
        return tuple(choose(1, length) for length in lengths[str(group.other)])
    return tuple(length + choose(0, 2) for length in lengths[str(group.other)])


def _plain(choose: Choose, operation: Operation) -> dict[str, Argument]:
    plain: dict[str, Argument] = {}
    for name, spec in operation.arguments.items():
        if spec.optional and choose(0, 1) == 0:
            continue
        if "choice" in spec.kinds:
            plain[name] = one_of(choose, spec.choices)
        elif _is_number(choose, name, spec, operation):
            plain[name] = choose(2, 9)
    return plain


def _is_number(choose: Choose, name: str, spec: ArgumentSpec, operation: Operation) -> bool:
    """Whether an argument is a number that nothing else decides: now and then, where it may be a tensor too."""
    if "scalar" not in spec.kinds:
        return False
    if name not in layout_of(operation).arguments:
        return True
    return "tensor" in spec.kinds and choose(0, 4) == 4
