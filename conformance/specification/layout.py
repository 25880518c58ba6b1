"""How valid calls are laid out: groups of axes, what each argument is made of, and which indices are drawn."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

from conformance.specification.expressions import Expression, ExpressionError, compile_expression
from conformance.specification.file_format import SpecFile
from conformance.specification.indexing import Indexing
from conformance.specification.problems import Path_, nearest

MOST_AXES = 8
"""Axes that a group may have."""

Comparison = Literal["at most", "at least"]


class LayoutError(Exception):
    """An axes, layout or distinct entry that cannot be read; the message says what is allowed."""


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
class Indices:
    """What a drawn index argument holds: any indices within their bounds."""

    indexing: Indexing
    distinct: Expression | None
    """Where it is true there are no duplicates."""


@dataclass(frozen=True)
class Layout:
    """What calls of an operation look like."""

    groups: Mapping[str, Group]
    arguments: Mapping[str, tuple[Part, ...]]
    indices: Mapping[str, Indices]
    drawn: str
    """The clause that drawn valid calls are cases of, by its name in the spec."""

    def root(self, group: str) -> str:
        """The group that says how many axes this one has."""
        return root(self.groups, group)


def root(groups: Mapping[str, Group], name: str) -> str:
    """The group that says how many axes another one has."""
    other = groups[name].other
    return name if other is None else root(groups, other)


Report = Callable[[Path_, str], None]


def build_layout(content: SpecFile, indices: Mapping[str, Indexing | None], report: Report) -> Layout | None:
    """The layout of a spec that has one, whose index arguments are these; what is wrong with it goes to ``report``."""
    if not (content.axes or content.layout or content.distinct or content.drawn):
        return None
    wrong: list[Path_] = []

    def problem(path: Path_, message: str) -> None:
        wrong.append(path)
        report(path, message)

    layout = _Builder(content, indices, problem).layout()
    return None if wrong else layout


class _Builder:
    def __init__(self, content: SpecFile, indices: Mapping[str, Indexing | None], problem: Report) -> None:
        self.content = content
        self.declared = indices
        self.problem = problem
        self.groups: dict[str, Group] = {}

    def layout(self) -> Layout:
        content = self.content
        arguments: dict[str, tuple[Part, ...]] = {}
        for name, count in content.axes.items():
            with self._at("axes", name):
                self.groups[name] = _group(name, count, self.groups)
        for name, text in content.layout.items():
            self._known(("layout", name), name, content.arguments, "argument")
            with self._at("layout", name):
                arguments[name] = _parts(text, self.groups)
        for name, part in content.arguments.items():
            if (part.tensor or part.vector) and name not in content.layout:
                self.problem(("layout",), f"says nothing of argument {name!r}")
        for name in content.distinct:
            self._known(("distinct", name), name, self.declared, "index argument")
        indices = self._indices(arguments)
        self._check_drawn()
        return Layout(self.groups, arguments, indices, content.drawn or "")

    def _indices(self, arguments: Mapping[str, tuple[Part, ...]]) -> dict[str, Indices]:
        content = self.content
        indices = {}
        for name, indexing in self.declared.items():
            if indexing is None:
                text = "holds indices; say under into which argument's, or none can be drawn"
                self.problem(("arguments", name), text)
                continue
            with self._at("layout", name):
                # A layout that cannot be read is reported already.
                if arguments.keys() == content.layout.keys():
                    _Agreement(arguments, self.groups).check(name, indexing)
            with self._at("distinct", name):
                written = content.distinct.get(name)
                distinct = compile_expression(str(written), content.arguments) if written else None
                indices[name] = Indices(indexing, distinct)
        return indices

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


@dataclass(frozen=True)
class _Agreement:
    """Whether a layout gives an index argument the axes that its declaration needs."""

    arguments: Mapping[str, tuple[Part, ...]]
    groups: Mapping[str, Group]

    def check(self, name: str, indexing: Indexing) -> None:
        """LayoutError where it does not; nothing where the layout does not know the arguments, which is reported."""
        index, target = self.arguments.get(name), self.arguments.get(indexing.into)
        if index is None or target is None:
            return
        if indexing.by_vectors:
            self._vectors(name, index, indexing.into, target)
            return
        self._along(str(indexing.along), indexing.into, target)
        if any(part.rank for part in index):
            raise LayoutError(f"has rank(GROUP), but by its along {name} holds single indices and no vectors")
        if indexing.selects == "elements" and not self._has_an_element_for(index, target):
            raise LayoutError(
                f"by its along each element of {name} is at its own position on the other axes of {indexing.into}, so "
                f"{name} has as many axes, there the same groups or such that are at most as long; where each index "
                "selects a whole slice, say selects: slices under arguments"
            )

    def _vectors(self, name: str, index: tuple[Part, ...], into: str, target: tuple[Part, ...]) -> None:
        last = index[-1] if index else None
        if last is None or not last.rank or any(part.rank for part in index[:-1]):
            raise LayoutError(
                f"by its into the last axis of {name} holds vectors, so it ends in rank(GROUP), where {into} begins "
                f"with GROUP...; where all of {name} points along one axis, say under arguments along which"
            )
        if target[:1] != (Part(last.group, rank=False),):
            raise LayoutError(
                f"by its into column k of {name} points along axis k of {into}, so {into} begins with {last.group}..."
            )

    def _along(self, along: str, into: str, target: tuple[Part, ...]) -> None:
        number = self.arguments.get(along, ())
        if len(number) != 1 or not number[0].rank:
            raise LayoutError(f"points along {along}, of which the layout says nothing; write {along}: rank(GROUP)")
        first, pointed = (*target, None, None)[:2]
        if first is None or pointed is None or first.rank or self._count(first) != self._count(number[0]):
            raise LayoutError(f"points along {along}, so {into} begins with as many axes as {along} says, and another")
        if pointed.rank or self._count(pointed) != 1:
            raise LayoutError(
                f"points along {along}, so {into} has one axis after {first.group}..., and not more or less"
            )

    def _count(self, part: Part) -> int | str:
        """How many axes a group has, or the group that says it."""
        name = root(self.groups, part.group)
        group = self.groups[name]
        return group.low if group.low == group.high else name

    def _has_an_element_for(self, index: tuple[Part, ...], target: tuple[Part, ...]) -> bool:
        pairs = list(zip(index, target, strict=False))
        beside = [pair for number, pair in enumerate(pairs) if number != 1]
        return (
            len(index) == len(target)
            and self._count(index[1]) == 1
            and all(its.rank is False and self._is_within(mine.group, its.group) for mine, its in beside)
        )

    def _is_within(self, group: str | None, other: str) -> bool:
        """Whether no axis of a group is longer than that of the other."""
        while group is not None and group != other:
            group = self.groups[group].other if self.groups[group].comparison == "at most" else None
        return group is not None
