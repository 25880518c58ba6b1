"""What changed from version to version as text, for a terminal of any width."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from conformance.findings.timeline import Change, Step, Timeline, written_version
from conformance.reports.text import counted, one_line
from conformance.results.records import TargetRecord

_MOST = 6
"""Clauses that are named of one cause."""
_OTHER_ERROR = 3
"""The weight of a cause that is one error in place of another, which a line tells."""


@dataclass(frozen=True)
class Cause:
    """Changes of one API from the same to the same, whatever the clause."""

    api: str
    was: str
    now: str
    changes: tuple[Change, ...]

    @property
    def calls(self) -> int:
        return sum(len(change.cases) for change in self.changes)


def lines(timelines: Sequence[Timeline], width: int) -> Iterator[str]:
    """Every timeline, the oldest version first; a sentence where there is none."""
    if not timelines:
        yield "No framework is there in two versions, so that nothing can be told of changes between them."
    for timeline in timelines:
        yield from _timeline(timeline, width)


def causes(step: Step) -> list[Cause]:
    """The changes of behaviour by API and by what changed into what: those first that change whether a call returns."""
    found: dict[tuple[str, str, str], list[Change]] = {}
    for change in step.changes:
        if change.kind == "behaviour":
            found.setdefault((change.api, change.was, change.now), []).append(change)
    return sorted((Cause(*key, tuple(some)) for key, some in found.items()), key=_weight)


def _weight(cause: Cause) -> int:
    """From a death or a hang, over a call that returns in one of the two, to errors that are others."""
    before, after = cause.changes[0].cases[0]
    statuses = {before.outcome.status, after.outcome.status}
    if statuses & {"died", "hung"}:
        return 0
    return 1 if statuses == {"returned", "raised"} else 2 if "returned" in statuses else _OTHER_ERROR


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
    found = causes(step)
    calls = counted(sum(cause.calls for cause in found), "call")
    told = f"{step.same} the same"
    told += f", {step.untold} that one of the two tells nothing of" if step.untold else ""
    head = f"{calls} changed ({counted(len(found), 'cause')})" if found else "no call changed"
    yield from _wrapped(f"{_version(step.before)} -> {_version(step.after)}: {head}, {told}", width, 2)
    for change in step.changes:
        if change.kind != "behaviour":
            yield from _wrapped(f"{one_line(change.api)} is {change.kind}, for {one_line(change.operation)}", width, 4)
    for cause in found:
        yield from _cause(cause, width)


def _cause(cause: Cause, width: int) -> Iterator[str]:
    yield from _wrapped(f"{one_line(cause.api)}: {cause.was} -> {cause.now}, {counted(cause.calls, 'call')}", width, 4)
    if _weight(cause) == _OTHER_ERROR:
        return
    clauses = [f"{change.clause} ({len(change.cases)})" for change in cause.changes]
    more = f", and {counted(len(clauses) - _MOST, 'more clause')}" if len(clauses) > _MOST else ""
    yield from _wrapped(", ".join(map(one_line, clauses[:_MOST])) + more, width, 6)
    before, after = cause.changes[0].cases[0]
    example = before.case.removeprefix(before.clause + "/")
    yield from _wrapped(f"e.g. {one_line(example)}; now: {one_line(after.explanation or cause.now, 160)}", width, 6)


def _version(target: TargetRecord) -> str:
    return one_line(written_version(target) or "of unknown version")


def _wrapped(text: str, width: int, columns: int) -> Iterator[str]:
    indent = " " * columns
    yield from textwrap.wrap(
        text, width, initial_indent=indent, subsequent_indent=indent + "  ", break_on_hyphens=False
    ) or [indent]
