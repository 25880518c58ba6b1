"""Changes from version to version as text, for a terminal of any width."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from conformance.findings.timeline import Step, Timeline, Version, VersionChange
from conformance.reports.difference import reasons_text
from conformance.reports.text import counted, one_line, wrapped
from conformance.results.file import Results
from conformance.results.records import ResultRecord

_MOST_CLAUSES = 6
"""Clauses listed per change."""

_Lookup = Mapping[tuple[str, str, str], ResultRecord]
"""Target, API and case to their result."""


def lines(timelines: Sequence[Timeline], results: Results, width: int) -> Iterator[str]:
    """Every timeline, the oldest version first; a sentence if there is none."""
    if not timelines:
        yield "No framework has results for two versions, so there is nothing to compare."
    lookup = {(result.target, result.api, result.case): result for result in results.results}
    for timeline in timelines:
        yield from _timeline(timeline, lookup, width)


def _timeline(timeline: Timeline, lookup: _Lookup, width: int) -> Iterator[str]:
    versions = {version.target: _text(version) for version in timeline.versions}
    where = f"{one_line(timeline.title)}, {one_line(timeline.mode)}, {one_line(timeline.device)}"
    yield from wrapped(f"{where}: {', '.join(versions.values())}", width)
    for version in timeline.versions:
        if version.blocked is not None:
            yield from wrapped(f"{_text(version)} did not start: {one_line(version.blocked)}", width, 2)
    for step in timeline.steps:
        yield from _step(step, versions, lookup, width)
    yield ""


def _step(step: Step, versions: Mapping[str, str], lookup: _Lookup, width: int) -> Iterator[str]:
    different = counted(len(step.changes), "different change")
    changed = f"{counted(step.changed, 'call')} changed ({different})" if step.changes else "no call changed"
    counts = [changed, f"{step.same} the same", reasons_text(step.not_comparable)]
    yield from wrapped(
        f"{versions[step.first]} -> {versions[step.second]}: {', '.join(filter(None, counts))}", width, 2
    )
    for kind, apis in (("new", step.new), ("gone", step.gone)):
        for mapped in apis:
            yield from wrapped(f"{one_line(mapped.api)} is {kind}, for {one_line(mapped.operation)}", width, 4)
    for change in step.changes:
        yield from _change(change, step, versions, lookup, width)


def _change(
    change: VersionChange, step: Step, versions: Mapping[str, str], lookup: _Lookup, width: int
) -> Iterator[str]:
    calls = counted(len(change.cases), "call")
    after = "" if change.first == step.first else f"; last called in {versions[change.first]}"
    yield from wrapped(f"{one_line(change.api)}: {change.was} -> {change.now}, {calls}{after}", width, 4)
    of_calls = [lookup[change.second, change.api, case] for case in change.cases]
    if change.statuses == ("raised", "raised"):
        return  # one error instead of another needs no example
    example = of_calls[0]
    clauses = [f"{clause} ({count})" for clause, count in Counter(result.clause for result in of_calls).items()]
    more = f", and {counted(len(clauses) - _MOST_CLAUSES, 'more clause')}" if len(clauses) > _MOST_CLAUSES else ""
    yield from wrapped(", ".join(map(one_line, clauses[:_MOST_CLAUSES])) + more, width, 6)
    yield from wrapped(
        f"e.g. {one_line(example.case)}; now: {one_line(example.explanation or change.now, 160)}", width, 6
    )


def _text(version: Version) -> str:
    return one_line(version.version or "unknown version")
