"""Changes from version to version as a document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from conformance.findings.timeline import Step, Timeline, Version, VersionChange
from conformance.reports.difference import reasons_text
from conformance.reports.document import Block, Document, Heading, Item, Items, Sentence, code, line
from conformance.reports.text import counted
from conformance.results.table import Table

_MOST_CLAUSES = 6
"""Clauses listed per change."""
_MOST_EXPLANATION = 160


def timelines_document(timelines: Sequence[Timeline], table: Table) -> Document:
    """Every timeline, the oldest version first; a sentence if there is none."""
    if not timelines:
        sentence = "No framework has results for two versions, so there is nothing to compare."
        return Document((Sentence(line(sentence)),))
    return Document.of(*(_timeline(timeline, table) for timeline in timelines))


def _timeline(timeline: Timeline, table: Table) -> Iterator[Block]:
    versions = {version.target: _text(version) for version in timeline.versions}
    where = (code(timeline.title), ", ", code(timeline.mode), ", ", code(timeline.device))
    yield Heading("Changes from version to version")
    yield Sentence(line(*where, ": ", code(", ".join(versions.values()))))
    blocked = [(version, version.blocked) for version in timeline.versions if version.blocked is not None]
    if blocked:
        yield Items([Item(line(code(_text(version)), " did not start: ", code(reason))) for version, reason in blocked])
    for step in timeline.steps:
        yield from _step(step, versions, table)


def _step(step: Step, versions: Mapping[str, str], table: Table) -> Iterator[Block]:
    different = counted(len(step.changes), "different change")
    changed = f"{counted(step.changed, 'call')} changed ({different})" if step.changes else "no call changed"
    counts = [changed, f"{step.same} the same", reasons_text(step.not_comparable)]
    range_ = (code(versions[step.first]), " -> ", code(versions[step.second]))
    yield Sentence(line(*range_, f": {', '.join(filter(None, counts))}"))
    apis = [
        Item(line(code(mapped.api), f" is {kind}, for ", code(mapped.operation)))
        for kind, of_kind in (("new", step.new), ("gone", step.gone))
        for mapped in of_kind
    ]
    items = [*apis, *(_change(change, step, versions, table) for change in step.changes)]
    if items:
        yield Items(items)


def _change(change: VersionChange, step: Step, versions: Mapping[str, str], table: Table) -> Item:
    calls = counted(len(change.cases), "call")
    after = () if change.first == step.first else ("; last called in ", code(versions[change.first]))
    what = line(code(change.api), ": ", code(change.was), " -> ", code(change.now), f", {calls}", *after)
    if change.statuses == ("raised", "raised"):
        return Item(what)  # one error instead of another needs no example
    of_calls = [result for case in change.cases if (result := table.result(change.second, change.api, case))]
    clauses = [f"{clause} ({count})" for clause, count in Counter(result.clause for result in of_calls).items()]
    more = f", and {counted(len(clauses) - _MOST_CLAUSES, 'more clause')}" if len(clauses) > _MOST_CLAUSES else ""
    example = of_calls[0]
    now = code(example.explanation or change.now, _MOST_EXPLANATION)
    return Item(
        what,
        (
            line(code(", ".join(clauses[:_MOST_CLAUSES])), more),
            line("e.g. ", code(example.case), "; now: ", now),
        ),
    )


def _text(version: Version) -> str:
    return version.version or "unknown version"
