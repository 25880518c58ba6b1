"""The layout of valid calls: groups of axes, the parts of each argument, and the indices to draw."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from conformance.specification.expressions import Expression, ExpressionError, compile_expression
from conformance.specification.file_format import SpecFile
from conformance.specification.groups import Group, Groups, LayoutError, Part, Parts
from conformance.specification.indices.keys import key_of
from conformance.specification.indices.kinds import (
    RESULT,
    Along,
    Elements,
    Flat,
    Indexing,
    InKey,
    Labels,
    Mask,
    Vectors,
)
from conformance.specification.problems import Path_, nearest

MOST_AXES = 8
"""The maximum number of axes of a group."""
OF_KEY = "selected"
"""The layout of an argument that has the shape of what a key selects."""


@dataclass(frozen=True)
class Indices:
    """The indices of a drawn argument, which may be any within their bounds."""

    indexing: Indexing
    distinct: Expression | None
    """If it is true, there are no duplicates."""


@dataclass(frozen=True)
class Layout(Groups):
    """The shapes of the arguments of valid calls."""

    indices: Mapping[str, Indices]
    drawn: str
    """The name of the clause that drawn valid calls belong to."""
    selected: frozenset[str] = frozenset()
    """The arguments that have the shape of what a key selects."""

    def has(self, argument: str) -> bool:
        """Whether it gives the shape or the number of an argument."""
        return argument in self.arguments or argument in self.selected

    @property
    def in_key(self) -> InKey | None:
        """The first of the indices that stand in a key."""
        kinds = (indices.indexing for indices in self.indices.values())
        return next((indexing for indexing in kinds if isinstance(indexing, InKey)), None)

    @property
    def keys(self) -> Mapping[str, str]:
        """The arguments that are keys, with what each is applied to."""
        kinds = (indices.indexing for indices in self.indices.values())
        return {indexing.key: indexing.into for indexing in kinds if isinstance(indexing, InKey)}

    def indexed_group(self, name: str) -> str:
        """The group of the axes that an index argument points along."""
        indexing = self.indices[name].indexing
        index, target = self.arguments[name], self.target(name)
        match indexing:
            case Vectors() | Mask():
                return index[-1].group
            case Elements() | Along():
                return target[1 if indexing.paired_by is None else 2].group
            case Flat() | Labels():
                return target[0].group
            case InKey():  # by the first key that names it, applied to as few axes as possible
                axes = [part.group for part in target for _ in range(self.groups[self.root(part.group)].low)]
                key = next(key for key in map(key_of, indexing.words) if name in key.names)
                return axes[key.axes(len(axes))[name]]

    def target(self, index: str) -> Parts:
        """The parts of what an index argument points into, which may be the result."""
        indexing = self.indices[index].indexing
        into = self.arguments[indexing.into]
        if not isinstance(indexing, Labels) or indexing.into == RESULT:
            return into
        return (*into, *self.arguments[indexing.data][len(self.arguments[index]) :])


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
        arguments: dict[str, Parts] = {}
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
        has_key = any(isinstance(indexing, InKey) for indexing in self.declared.values())
        for name in sorted(selected) if not has_key else ():
            self.problem(("layout", name), f"is {OF_KEY}, and no index stands in a key; write the groups of its axes")
        indexed = {each.into for each in self.declared.values() if each is not None}
        for name in sorted(selected & {*self.declared, *indexed}):
            self.problem(
                ("layout", name), f"is {OF_KEY}, but {name} decides what a key selects; write the groups of its axes"
            )
        indices = self._indices(arguments, selected)
        self._check_drawn()
        return Layout(self.groups, arguments, indices, content.drawn or "", frozenset(selected))

    def _indices(self, arguments: Mapping[str, Parts], selected: Collection[str]) -> dict[str, Indices]:
        content = self.content
        indices = {}
        for name, indexing in self.declared.items():
            if indexing is None:
                message = "holds indices; add into with the argument that they index, so that they can be drawn"
                self.problem(("arguments", name), message)
                continue
            with self._at("layout", name):
                # What is missing or cannot be read is already reported.
                is_read = {*arguments, *selected} == content.layout.keys()
                if is_read and {name, indexing.into} <= arguments.keys():
                    indexing.agree(name, Groups(self.groups, arguments))
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


def _parts(text: str, groups: Mapping[str, Group]) -> Parts:
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
