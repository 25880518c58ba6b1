"""Geometries in which chosen groups of axes have a chosen length, and all others ordinary lengths."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from conformance.cases.draws.geometry import Profile, profiles
from conformance.specification.layout import Layout

MOST_AXES = 4
"""The maximum number of axes of all free groups of a profile, unless the layout has more groups or none of so few."""
_LENGTHS = (4, 5, 2, 6)
"""The lengths of the axes of a target, in turn; they differ, so that axes cannot be confused."""
_INDEX_LENGTHS = ((), (3,), (2, 2))
"""The lengths of the axes that only indices have, by their number: no more positions than an axis of a target has. More axes
than these have length one."""

Lengths = Mapping[str, tuple[int, ...]]
"""The lengths of the axes of each group."""


def index_groups(layout: Layout) -> list[str]:
    """The groups of the axes of index arguments; without those that count axes."""
    return list(
        dict.fromkeys(part.group for name in layout.indices for part in layout.arguments[name] if not part.rank)
    )


def indexed_groups(layout: Layout) -> list[str]:
    """The groups of the axes that indices point along."""
    return [layout.indexed_group(name) for name in layout.indices]


def usual_profiles(layout: Layout, *groups: str) -> list[Profile]:
    """The profiles of a few axes in which these groups have axes; those in which most groups have axes come first.

    Axes that only indices have are not left out: that an index has none is a form of its own.
    """
    counts = _usual_counts(layout)
    most_axes = max(MOST_AXES, len(counts), sum(count.start for count in counts.values()))
    usual = [
        profile
        for profile in profiles(layout)
        if sum(profile.values()) <= most_axes
        and all(profile[layout.root(group)] for group in groups)
        and all(profile[group] in count for group, count in counts.items())
    ]
    return sorted(usual, key=lambda profile: (list(profile.values()).count(0), sum(profile.values())))


def _usual_counts(layout: Layout) -> Mapping[str, range]:
    """By free group, how many axes it usually has."""
    only_indices = only_in_indices(layout)
    counts = {}
    for group in layout.groups.values():
        if group.other is None:
            low, high = group.low, group.high
            if group.name in only_indices:
                low, high = max(low, min(1, high)), max(low, min(high, len(_INDEX_LENGTHS) - 1))
            counts[group.name] = range(low, high + 1)
    return counts


def usual_lengths(layout: Layout, profile: Profile, *, shorter: bool = False) -> dict[str, tuple[int, ...]]:
    """Ordinary lengths for all groups; if ``shorter``, indices are shorter than what they may be at most."""
    only_indices = only_in_indices(layout)
    lengths: dict[str, tuple[int, ...]] = {}
    used = 0
    for group in layout.groups.values():
        if group.other is not None:
            cut = 1 if shorter and group.comparison == "at most" else 0
            lengths[group.name] = tuple(length - cut for length in lengths[group.other])
        elif group.name in only_indices:
            lengths[group.name] = _index_lengths(profile[group.name])
        else:
            lengths[group.name] = tuple(_LENGTHS[(used + axis) % len(_LENGTHS)] for axis in range(profile[group.name]))
            used += profile[group.name]
    return lengths


def _index_lengths(axes: int) -> tuple[int, ...]:
    most = len(_INDEX_LENGTHS) - 1
    return (*_INDEX_LENGTHS[min(axes, most)], *(1 for _ in range(axes - most)))


def changed(layout: Layout, lengths: Lengths, group: str, length: int, axes: Sequence[int] | None = None) -> Lengths:
    """The lengths with those of a group changed, on some of its axes or all, and as few others as the layout requires."""
    result = dict(lengths)
    result[group] = _replaced(lengths[group], length, axes)
    # What a group is at least as long as is shortened with it, and what is at most as long as one that was shortened.
    name = group
    while layout.groups[name].comparison == "at least":
        other = str(layout.groups[name].other)
        result[other] = tuple(map(min, result[other], result[name]))
        name = other
    for following in layout.groups.values():
        if following.comparison == "at most":
            result[following.name] = tuple(map(min, result[following.name], result[str(following.other)]))
    return result


def _replaced(lengths: Sequence[int], length: int, axes: Sequence[int] | None) -> tuple[int, ...]:
    return tuple(length if axes is None or axis in axes else old for axis, old in enumerate(lengths))


def only_in_indices(layout: Layout) -> set[str]:
    """The free groups of axes that no target of indices has."""
    targets = {part.group for name in layout.indices for part in layout.target(name)}
    return {group for group in index_groups(layout) if group not in targets and layout.groups[group].other is None}
