"""The layout of valid calls: groups of axes, the parts of each argument, and the indices to draw."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

from conformance.specification.expressions import Expression, ExpressionError, compile_expression
from conformance.specification.file_format import SpecFile
from conformance.specification.indexing import RESULT, Indexing
from conformance.specification.keys import key_of
from conformance.specification.problems import Path_, nearest

MOST_AXES = 8
"""The maximum number of axes of a group."""
OF_KEY = "selected"
"""The layout of an argument that has the shape of what a key selects."""

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


@dataclass(frozen=True)
class Indices:
    """The indices of a drawn argument, which may be any within their bounds."""

    indexing: Indexing
    distinct: Expression | None
    """If it is true, there are no duplicates."""


@dataclass(frozen=True)
class Layout:
    """The shapes of the arguments of valid calls."""

    groups: Mapping[str, Group]
    arguments: Mapping[str, tuple[Part, ...]]
    """With ``RESULT``, if indices point into the result."""
    indices: Mapping[str, Indices]
    drawn: str
    """The name of the clause that drawn valid calls belong to."""
    words: tuple[str, ...] = ()
    """The keys in which indices may stand; none without a key."""
    selected: frozenset[str] = frozenset()
    """The arguments that have the shape of what a key selects."""

    def has(self, argument: str) -> bool:
        """Whether it gives the shape or the number of an argument."""
        return argument in self.arguments or argument in self.selected

    def root(self, group: str) -> str:
        """The group that determines how many axes this one has."""
        return root(self.groups, group)

    def indexed_group(self, name: str) -> str:
        """The group of the axes that an index argument points along."""
        indexing = self.indices[name].indexing
        if indexing.by_vectors or indexing.mask:
            return self.arguments[name][-1].group
        if self.words:  # by the first key, applied to as few axes as possible
            axes = [part.group for part in self.target(name) for _ in range(self.groups[self.root(part.group)].low)]
            return axes[key_of(self.words[0]).axes(len(axes))[name]]
        first = 0 if indexing.flat or indexing.labels else 1
        return self.arguments[indexing.into][first + (indexing.batched is not None)].group

    def paired_group(self, name: str) -> str | None:
        """The group of the axes that an index argument and its target share; None if none pair."""
        batched = self.indices[name].indexing.batched
        return None if batched is None else self.arguments[batched][0].group

    def target(self, index: str) -> tuple[Part, ...]:
        """The parts of what an index argument points into, which may be the result."""
        indexing = self.indices[index].indexing
        into = self.arguments[indexing.into]
        if indexing.labels is None or indexing.into == RESULT:
            return into
        return (*into, *self.arguments[indexing.labels][len(self.arguments[index]) :])


def root(groups: Mapping[str, Group], name: str) -> str:
    """The group that determines how many axes another one has."""
    other = groups[name].other
    return name if other is None else root(groups, other)


Report = Callable[[Path_, str], None]


def build_layout(content: SpecFile, indices: Mapping[str, Indexing | None], report: Report) -> Layout | None:
    """The layout of a spec, None if it has none or an invalid one; problems go to ``report``.

    indices: the index arguments of the spec.
    """
    if not (content.axes or content.layout or content.distinct or content.drawn):
        return None
    invalid: list[Path_] = []

    def problem(path: Path_, message: str) -> None:
        invalid.append(path)
        report(path, message)

    layout = _Builder(content, indices, problem).layout()
    return None if invalid else layout


class _Builder:
    def __init__(self, content: SpecFile, indices: Mapping[str, Indexing | None], problem: Report) -> None:
        self.content = content
        self.declared = indices
        self.problem = problem
        self.groups: dict[str, Group] = {}

    def layout(self) -> Layout:
        content = self.content
        arguments: dict[str, tuple[Part, ...]] = {}
        selected: set[str] = set()
        into_result = any(indexing is not None and indexing.into == RESULT for indexing in self.declared.values())
        allowed = [*content.arguments, *([RESULT] if into_result else ())]
        if into_result and RESULT not in content.layout:
            self.problem(("layout",), f"is missing {RESULT!r}, which indices point into")
        for name, count in content.axes.items():
            with self._at("axes", name):
                self.groups[name] = _group(name, count, self.groups)
        for name, text in content.layout.items():
            self._known(("layout", name), name, allowed, "argument")
            if text == OF_KEY:
                selected.add(name)
                continue
            with self._at("layout", name):
                arguments[name] = _parts(text, self.groups)
        for name, part in content.arguments.items():
            if (part.tensor or part.vector) and not part.scalar and name not in content.layout:
                self.problem(("layout",), f"is missing argument {name!r}")
        for name in content.distinct:
            self._known(("distinct", name), name, self.declared, "index argument")
        words = {word: None for indexing in self.declared.values() for word in self._words(indexing)}
        for name in sorted(selected) if not words else ():
            self.problem(("layout", name), f"is {OF_KEY}, and no index stands in a key; write the groups of its axes")
        indexed = {each.into for each in self.declared.values() if each is not None}
        for name in sorted(selected & {*self.declared, *indexed}):
            self.problem(
                ("layout", name), f"is {OF_KEY}, but {name} decides what a key selects; write the groups of its axes"
            )
        indices = self._indices(arguments, selected, has_key=bool(words))
        self._check_drawn()
        return Layout(self.groups, arguments, indices, content.drawn or "", tuple(words), frozenset(selected))

    def _words(self, indexing: Indexing | None) -> list[str]:
        """The keys in which an index may stand."""
        along = self.content.arguments.get((indexing and indexing.along) or "")
        return along.choice if along is not None else []

    def _indices(
        self, arguments: Mapping[str, tuple[Part, ...]], selected: Collection[str], *, has_key: bool
    ) -> dict[str, Indices]:
        content = self.content
        indices = {}
        for name, indexing in self.declared.items():
            if indexing is None:
                message = "holds indices; add into with the argument that they index, so that they can be drawn"
                self.problem(("arguments", name), message)
                continue
            with self._at("layout", name):
                # An unreadable layout is already reported.
                if {*arguments, *selected} == content.layout.keys():
                    _Agreement(arguments, self.groups, has_key).check(name, indexing)
            with self._at("distinct", name):
                text = content.distinct.get(name)
                distinct = compile_expression(str(text), content.arguments) if text else None
                indices[name] = Indices(indexing, distinct)
        return indices

    @contextmanager
    def _at(self, *path: str) -> Iterator[None]:
        """Report invalid entries and continue."""
        try:
            yield
        except (LayoutError, ExpressionError) as error:
            self.problem(path, str(error))

    def _known(self, path: Path_, name: str, allowed: Iterable[str], kind: str) -> None:
        if name not in allowed:
            self.problem(path, f"undefined {kind} {name!r}{nearest(name, allowed)}")

    def _check_drawn(self) -> None:
        content = self.content
        results = [name for name, rule in content.rules.items() if rule.ensure]
        if content.drawn is None:
            self.problem(("layout",), "drawn is missing; name the clause that drawn valid calls belong to")
        else:
            self._known(("drawn",), content.drawn, [*results, *content.behaviours], "behaviour or ensure rule")


def _group(name: str, written: int | str, known: Mapping[str, Group]) -> Group:
    related = re.fullmatch(r"(at most|at least) ([a-z][a-z0-9_]*)", str(written).strip())
    if related:
        comparison, other = related.groups()
        if other not in known:
            raise LayoutError(f"undefined group {other!r}{nearest(other, known)}; define it before {name}")
        base = known[other]
        return Group(name, base.low, base.high, "at most" if comparison == "at most" else "at least", other)
    counts = re.fullmatch(r"(\d+)(?:\.\.(\d+))?", str(written).strip())
    if not counts:
        raise LayoutError(f"not a group of axes: {written!r}; allowed: 1, 1..3, at most GROUP, at least GROUP")
    low, high = int(counts[1]), int(counts[2] or counts[1])
    if not low <= high <= MOST_AXES:
        raise LayoutError(
            f"invalid range of {low} to {high} axes; write the smaller number first, and at most {MOST_AXES}"
        )
    return Group(name, low, high)


def _parts(text: str, groups: Mapping[str, Group]) -> tuple[Part, ...]:
    parts = []
    for word in text.split():
        match = re.fullmatch(r"rank\(([a-z][a-z0-9_]*)\)|([a-z][a-z0-9_]*)\.\.\.", word)
        if not match:
            raise LayoutError(f"invalid part {word!r} of a layout; expected GROUP... or rank(GROUP)")
        name = match[1] or match[2]
        if name not in groups:
            raise LayoutError(f"undefined group {name!r}{nearest(name, groups)}")
        parts.append(Part(name, rank=match[1] is not None))
    return tuple(parts)


@dataclass(frozen=True)
class _Agreement:
    """Checks a layout against the declarations of index arguments."""

    arguments: Mapping[str, tuple[Part, ...]]
    groups: Mapping[str, Group]
    has_key: bool
    """Whether indices stand in a key."""

    def check(self, name: str, indexing: Indexing) -> None:
        """LayoutError for a contradiction; arguments missing in the layout are already reported."""
        index, target = self.arguments.get(name), self.arguments.get(indexing.into)
        if index is None or target is None:
            return
        pairs: tuple[Part, ...] = ()
        if indexing.batched is not None:
            pairs = self._pairs(name, index, target, indexing)
            index, target = index[1:], target[1:]
        if indexing.by_vectors:
            self._vectors(name, index, indexing.into, target)
        elif indexing.flat:
            self._flat(name, index, indexing.into, target)
        elif indexing.mask:
            self._mask(name, index, indexing.into, target)
        elif indexing.labels is not None:
            data = self.arguments.get(indexing.labels)
            if indexing.into == RESULT:
                self._into_result(index, target, data)
                target = target[:1]
            self._labels(index, indexing.into, target, indexing.labels)
        else:
            self._single(name, index, target, pairs, indexing)

    def _single(
        self, name: str, index: tuple[Part, ...], target: tuple[Part, ...], pairs: tuple[Part, ...], indexing: Indexing
    ) -> None:
        """An index along a single axis."""
        if not self.has_key:
            self._along(str(indexing.along), indexing.into, target, pairs)
        if any(part.rank for part in index):
            raise LayoutError(f"has rank(GROUP), but {name} has along, so it holds single indices and not vectors")
        if indexing.selects == "elements" and not self._has_an_element_for(index, target):
            raise LayoutError(
                f"{name} has along and selects elements, so it needs as many axes as {indexing.into}, and on the other "
                "axes the same groups or groups that are at most as long; if each index selects a whole slice, add "
                "selects: slices under arguments"
            )

    def _vectors(self, name: str, index: tuple[Part, ...], into: str, target: tuple[Part, ...]) -> None:
        last = index[-1] if index else None
        if last is None or not last.rank or any(part.rank for part in index[:-1]):
            raise LayoutError(
                f"{name} has into, so its last axis holds vectors: it must end in rank(GROUP), and {into} must begin with "
                f"GROUP...; if {name} indexes a single axis, add along under arguments, and if it counts all elements, selects: flat"
            )
        if target[:1] != (Part(last.group, rank=False),):
            raise LayoutError(f"column k of {name} indexes axis k of {into}, so {into} must begin with {last.group}...")

    def _flat(self, name: str, index: tuple[Part, ...], into: str, target: tuple[Part, ...]) -> None:
        if any(part.rank for part in index):
            raise LayoutError(f"has rank(GROUP), but {name} selects flat, so it holds single indices and not vectors")
        if len(target) != 1 or target[0].rank:
            raise LayoutError(
                f"{name} selects flat, so its indices number all elements of {into}, which must be GROUP..."
            )

    def _mask(self, name: str, mask: tuple[Part, ...], into: str, target: tuple[Part, ...]) -> None:
        if len(mask) != 1 or mask[0].rank or target[:1] != mask:
            raise LayoutError(
                f"{name} is a mask of the first axes of {into}, so it must be GROUP..., and {into} must begin with it"
            )

    def _labels(self, index: tuple[Part, ...], into: str, target: tuple[Part, ...], labels: str) -> None:
        if len(target) != 1 or target[0].rank or self._count(target[0]) != 1:
            raise LayoutError(f"has labels, so {into} is the length of one axis; write {into}: GROUP... of one axis")
        data = self.arguments.get(labels)
        if data is not None and (data[: len(index)] != index or any(part.rank for part in data)):
            raise LayoutError(f"labels slices of {labels}, so {labels} must begin with the groups of the index")

    def _into_result(self, index: tuple[Part, ...], result: tuple[Part, ...], data: tuple[Part, ...] | None) -> None:
        if data is not None and result[1:] != data[len(index) :]:
            raise LayoutError(
                f"points into {RESULT}, which must have one group of its own, and then the groups of the data behind those of the index"
            )

    def _pairs(
        self, name: str, index: tuple[Part, ...], target: tuple[Part, ...], indexing: Indexing
    ) -> tuple[Part, ...]:
        """The part of the number of axes that pair, with whose group the index and its target must begin."""
        batched = str(indexing.batched)
        number = self.arguments.get(batched, ())
        if len(number) != 1 or not number[0].rank:
            raise LayoutError(f"is batched by {batched}, which is missing in the layout; write {batched}: rank(GROUP)")
        shared = (Part(number[0].group, rank=False),)
        if index[:1] != shared or target[:1] != shared:
            raise LayoutError(
                f"is batched by {batched}, so {name} and {indexing.into} must begin with {number[0].group}..."
            )
        return number

    def _along(self, along: str, into: str, target: tuple[Part, ...], pairs: tuple[Part, ...]) -> None:
        number = self.arguments.get(along, ())
        if number[: len(pairs)] != pairs or len(number) != len(pairs) + 1 or not number[-1].rank:
            written = " ".join([*(f"rank({part.group})" for part in pairs), "rank(GROUP)"])
            raise LayoutError(f"indexes along {along}, which is missing in the layout; write {along}: {written}")
        first, indexed = (*target, None, None)[:2]
        if first is None or indexed is None or first.rank or self._count(first) != self._count(number[-1]):
            raise LayoutError(
                f"indexes along {along}, so {into} must begin with the group of {along}, followed by the indexed axis"
            )
        if indexed.rank or self._count(indexed) != 1:
            raise LayoutError(f"indexes along {along}, so {into} must have exactly one axis after {first.group}...")

    def _count(self, part: Part) -> int | str:
        """The number of axes of a group, or the group that determines it."""
        name = root(self.groups, part.group)
        group = self.groups[name]
        return group.low if group.low == group.high else name

    def _has_an_element_for(self, index: tuple[Part, ...], target: tuple[Part, ...]) -> bool:
        pairs = list(zip(index, target, strict=False))
        parallel = [pair for axis, pair in enumerate(pairs) if axis != 1]
        return (
            len(index) == len(target)
            and self._count(index[1]) == 1
            and all(not full.rank and self._is_within(part.group, full.group) for part, full in parallel)
        )

    def _is_within(self, group: str | None, other: str) -> bool:
        """Whether no axis of a group is longer than the axis of another group."""
        while group is not None and group != other:
            group = self.groups[group].other if self.groups[group].comparison == "at most" else None
        return group is not None
