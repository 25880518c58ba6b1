"""Groups of neighbouring axes, and of which of them each argument of an operation is made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Comparison = Literal["at most", "at least"]


class LayoutError(Exception):
    """An invalid axes, layout or distinct entry; the message says what is allowed."""


@dataclass(frozen=True)
class Group:
    """Adjacent axes: of any lengths, or each at most or at least as long as the axis of another group."""

    name: str
    low: int
    high: int
    """The maximum number of axes, and ``low`` the minimum; with a comparison, those of the other group."""
    comparison: Comparison | None = None
    other: str | None = None


@dataclass(frozen=True)
class Part:
    """A part of an argument: the axes of a group or, if ``rank``, a number or axis length equal to their count."""

    group: str
    rank: bool


Parts = tuple[Part, ...]


@dataclass(frozen=True)
class Groups:
    """The groups of an operation, and the parts of its arguments."""

    groups: Mapping[str, Group]
    arguments: Mapping[str, Parts]
    """With ``result``, if indices point into the result."""

    def root(self, group: str) -> str:
        """The group that determines how many axes this one has."""
        other = self.groups[group].other
        return group if other is None else self.root(other)

    def count(self, part: Part) -> int | str:
        """The number of axes of a group, or the group that determines it."""
        name = self.root(part.group)
        group = self.groups[name]
        return group.low if group.low == group.high else name

    def is_one_axis(self, part: Part) -> bool:
        """Whether a part is a single axis of any length."""
        return not part.rank and self.count(part) == 1

    def is_within(self, group: str | None, other: str) -> bool:
        """Whether no axis of a group is longer than the axis of another group."""
        while group is not None and group != other:
            group = self.groups[group].other if self.groups[group].comparison == "at most" else None
        return group is not None
