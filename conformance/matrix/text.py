"""Changes from version to version as text, for a terminal of any width."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from conformance.findings.timeline import BehaviourChange, Step, Timeline, written_version
from conformance.reports.text import counted, one_line
from conformance.results.records import TargetRecord

_MOST_CLAUSES = 6
"""Clauses listed per cause."""
_DIFFERENT_ERROR = 3
"""The rank of a cause that replaces an error by another, for which one line is enough."""


@dataclass(frozen=True)
class Cause:
    """Changes of one API with the same behaviour before and after, in any clause."""

    api: str
    was: str
    now: str
    changes: tuple[BehaviourChange, ...]

    @property
    def calls(self) -> int:
        return sum(len(change.cases) for change in self.changes)


def lines(timelines: Sequence[Timeline], width: int) -> Iterator[str]:
    """Every timeline, the oldest version first; a sentence if there is none."""
    if not timelines:
        yield "No framework has results for two versions, so there is nothing to compare."
    for timeline in timelines:
        yield from _timeline(timeline, width)


def causes(step: Step) -> list[Cause]:
    """Group the changes of behaviour by API, before and after; those that change whether a call returns come first."""
    grouped: dict[tuple[str, str, str], list[BehaviourChange]] = {}
    for change in step.changes:
        if change.kind == "behaviour":
            grouped.setdefault((change.api, change.was, change.now), []).append(change)
    return sorted((Cause(*key, tuple(changes)) for key, changes in grouped.items()), key=_rank)


def _rank(cause: Cause) -> int:
    """Deaths and hangs first, then calls that return in one of the versions, then different errors."""
    before, after = cause.changes[0].cases[0]
    statuses = {before.outcome.status, after.outcome.status}
    if statuses & {"died", "hung"}:
        return 0
    return 1 if statuses == {"returned", "raised"} else 2 if "returned" in statuses else _DIFFERENT_ERROR


def _timeline(timeline: Timeline, width: int) -> Iterator[str]:
    title = next((target.title for target in timeline.targets if target.title), timeline.framework)
    yield f"{one_line(title)}, {one_line(timeline.mode)}, {one_line(timeline.device)}: " + ", ".join(
        map(_version, timeline.targets)
    )
    for target in timeline.targets:
        if target.blocked is not None:
            yield from _wrapped(f"{_version(target)} did not start: {one_line(target.blocked)}", width, 2)
    for step in timeline.steps:
        yield from _step(step, width)
    yield ""


def _step(step: Step, width: int) -> Iterator[str]:
    step_causes = causes(step)
    calls = counted(sum(cause.calls for cause in step_causes), "call")
    changed = f"{calls} changed ({counted(len(step_causes), 'cause')})" if step_causes else "no call changed"
    rest = f"{step.same} the same" + (f", {step.not_comparable} not comparable" if step.not_comparable else "")
    yield from _wrapped(f"{_version(step.before)} -> {_version(step.after)}: {changed}, {rest}", width, 2)
    for change in step.changes:
        if change.kind != "behaviour":
            yield from _wrapped(f"{one_line(change.api)} is {change.kind}, for {one_line(change.operation)}", width, 4)
    for cause in step_causes:
        yield from _cause(cause, width)


def _cause(cause: Cause, width: int) -> Iterator[str]:
    yield from _wrapped(f"{one_line(cause.api)}: {cause.was} -> {cause.now}, {counted(cause.calls, 'call')}", width, 4)
    if _rank(cause) == _DIFFERENT_ERROR:
        return
    clauses = [f"{change.clause} ({len(change.cases)})" for change in cause.changes]
    more = f", and {counted(len(clauses) - _MOST_CLAUSES, 'more clause')}" if len(clauses) > _MOST_CLAUSES else ""
    yield from _wrapped(", ".join(map(one_line, clauses[:_MOST_CLAUSES])) + more, width, 6)
    before, after = cause.changes[0].cases[0]
    example = before.case.removeprefix(before.clause + "/")
    yield from _wrapped(f"e.g. {one_line(example)}; now: {one_line(after.explanation or cause.now, 160)}", width, 6)


def _version(target: TargetRecord) -> str:
    return one_line(written_version(target) or "unknown version")


def _wrapped(text: str, width: int, columns: int) -> Iterator[str]:
    indent = " " * columns
    yield from textwrap.wrap(
        text, width, initial_indent=indent, subsequent_indent=indent + "  ", break_on_hyphens=False
    ) or [indent]
