"""How valid calls are laid out: groups of axes, what each argument is made of, and which values indices have."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

from conformance.specification.expressions import Expression, ExpressionError, compile_expression
from conformance.specification.file_format import SpecFile
from conformance.specification.problems import Path_, nearest

MOST_AXES = 8
"""Axes that a group may have."""

Comparison = Literal["at most", "at least"]


class LayoutError(Exception):
    """An axes, layout or values entry that cannot be read; the message says what is allowed."""


@dataclass(frozen=True)
class Group:
    """Some neighbouring axes: of any lengths, or each at most or at least as long as that of another group."""

    name: str
    low: int
    high: int
    """How many axes it may have, both ends included; those of the other group where it has a comparison."""
    comparison: Comparison | None = None
    other: str | None = None


@dataclass(frozen=True)
class Part:
    """A piece of an argument: a group's axes, or a number or a single axis as long as a group has axes."""

    group: str
    rank: bool


@dataclass(frozen=True)
class Range:
    """Indices from 0 to less than the lengths of a group's axes."""

    argument: str
    group: str
    columns: bool
    """Column k of the last axis is for axis k of the group; else every element is for its only axis."""
    distinct: Expression | None
    """Where it is true no index stands twice: no vector, or none along the axis."""


@dataclass(frozen=True)
class Layout:
    """What calls of an operation look like."""

    groups: Mapping[str, Group]
    arguments: Mapping[str, tuple[Part, ...]]
    ranges: Mapping[str, Range]
    drawn: str
    """The clause that drawn valid calls are cases of, by its name in the spec."""

    def position(self, group: str) -> tuple[str, int]:
        """The first argument that has the axes of a group, and how many parts stand before them."""
        for name, parts in self.arguments.items():
            for number, part in enumerate(parts):
                if part == Part(group, rank=False):
                    return name, number
        raise LookupError(group)


Report = Callable[[Path_, str], None]


def build_layout(content: SpecFile, report: Report) -> Layout | None:
    """The layout of a spec that has one; what is wrong with it goes to ``report``."""
    if not (content.axes or content.layout or content.values or content.drawn):
        return None
    wrong: list[Path_] = []

    def problem(path: Path_, message: str) -> None:
        wrong.append(path)
        report(path, message)

    builder = _Builder(content, problem)
    layout = builder.layout()
    return None if wrong else layout


class _Builder:
    def __init__(self, content: SpecFile, problem: Report) -> None:
        self.content = content
        self.problem = problem
        self.groups: dict[str, Group] = {}

    def layout(self) -> Layout:
        content = self.content
        arguments: dict[str, tuple[Part, ...]] = {}
        ranges: dict[str, Range] = {}
        for name, count in content.axes.items():
            with self._at("axes", name):
                self.groups[name] = _group(name, count, self.groups)
        for name, text in content.layout.items():
            self._known(("layout", name), name, content.arguments, "argument")
            with self._at("layout", name):
                arguments[name] = _parts(text, self.groups)
        for name, part in content.arguments.items():
            if (part.tensor or part.vector) and name not in arguments:
                self.problem(("layout",), f"says nothing of argument {name!r}")
        for name, text in content.values.items():
            self._known(("values", name), name, arguments, "argument of the layout")
            with self._at("values", name):
                ranges[name] = self._range(name, text, arguments)
        self._check_drawn()
        return Layout(self.groups, arguments, ranges, content.drawn or "")

    @contextmanager
    def _at(self, *path: str) -> Iterator[None]:
        """Report what cannot be read, and go on."""
        try:
            yield
        except (LayoutError, ExpressionError) as error:
            self.problem(path, str(error))

    def _known(self, path: Path_, name: str, allowed: Iterable[str], what: str) -> None:
        if name not in allowed:
            self.problem(path, f"undefined {what} {name!r}{nearest(name, allowed)}")

    def _range(self, name: str, text: str, arguments: Mapping[str, tuple[Part, ...]]) -> Range:
        found = _range(name, text, self.groups, self.content.arguments)
        if not any(Part(found.group, rank=False) in parts for parts in arguments.values()):
            raise LayoutError(f"no argument of the layout has the axes of {found.group!r}")
        return found

    def _check_drawn(self) -> None:
        content = self.content
        results = [name for name, rule in content.rules.items() if rule.ensure]
        if content.drawn is None:
            self.problem(("layout",), "the spec does not say under drawn which clause drawn valid calls are cases of")
        else:
            self._known(("drawn",), content.drawn, [*results, *content.behaviours], "behaviour or ensure rule")


def _group(name: str, written: int | str, known: Mapping[str, Group]) -> Group:
    related = re.fullmatch(r"(at most|at least) ([a-z][a-z0-9_]*)", str(written).strip())
    if related:
        comparison, other = related.groups()
        if other not in known:
            raise LayoutError(f"undefined group {other!r}{nearest(other, known)}; a group comes after the one it names")
        of = known[other]
        return Group(name, of.low, of.high, "at most" if comparison == "at most" else "at least", other)
    counts = re.fullmatch(r"(\d+)(?:\.\.(\d+))?", str(written).strip())
    if not counts:
        raise LayoutError(f"not a group of axes: {written!r}; allowed: 1, 1..3, at most GROUP, at least GROUP")
    low, high = int(counts[1]), int(counts[2] or counts[1])
    if not low <= high <= MOST_AXES:
        raise LayoutError(f"from {low} to {high} axes; a group has at most {MOST_AXES}, the smaller number first")
    return Group(name, low, high)


def _parts(text: str, groups: Mapping[str, Group]) -> tuple[Part, ...]:
    parts = []
    for word in text.split():
        found = re.fullmatch(r"rank\(([a-z][a-z0-9_]*)\)|([a-z][a-z0-9_]*)\.\.\.", word)
        if not found:
            raise LayoutError(f"{word!r} is no part of a layout; allowed: GROUP... and rank(GROUP)")
        name = found[1] or found[2]
        if name not in groups:
            raise LayoutError(f"undefined group {name!r}{nearest(name, groups)}")
        parts.append(Part(name, rank=found[1] is not None))
    return tuple(parts)


def _range(name: str, text: str, groups: Mapping[str, Group], arguments: Iterable[str]) -> Range:
    form = rf"0 <= {name}(\[\.\.\., k\])? < ([a-z][a-z0-9_]*)(\[k\])?(, distinct(?: where (.+))?)?"
    found = re.fullmatch(form, text.strip())
    if not found or (found[1] is None) != (found[3] is None):
        raise LayoutError(
            f"not a range of indices: {text!r}; allowed: 0 <= {name}[..., k] < GROUP[k] and 0 <= {name} < GROUP, "
            "followed by ', distinct' or ', distinct where EXPRESSION'"
        )
    group = found[2]
    if group not in groups:
        raise LayoutError(f"undefined group {group!r}{nearest(group, groups)}")
    if found[1] is None and (groups[group].low, groups[group].high) != (1, 1):
        raise LayoutError(f"group {group!r} may have more or less than one axis, so a column is asked: {name}[..., k]")
    distinct = compile_expression(found[5] or "True", arguments) if found[4] else None
    return Range(name, group, found[1] is not None, distinct)
