"""A difference as text, for a terminal of any width."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from conformance.diff.groups import ChangeGroup, grouped
from conformance.diff.model import Difference
from conformance.reports.statistics import incomplete_text
from conformance.reports.text import counted, one_line, visible
from conformance.results.exit_status import FailOn
from conformance.results.file import Results
from conformance.results.records import CaseRecord

_MOST = 8
"""Clauses per list of cases."""
_MOST_CAUSES = 12
"""Causes per section without findings."""


def heading(name: str, file: str, results: Results) -> Iterator[str]:
    """The lines that identify a run, and state whether it is incomplete or restricted to a selection."""
    run = results.run
    cases, targets = counted(len(results.cases), "case"), counted(len(results.targets), "target")
    yield f"{name:<7}{file}: {run.started}, suite {run.suite_version}, {cases}, {targets}"
    incomplete = incomplete_text(results)
    if incomplete:
        yield f"       {incomplete} What is missing in it is not listed as new or removed."
    selection = [f"shard {run.shard}" if run.shard else "", one_line(run.selection or "", 60)]
    if any(selection):
        yield f"       Selection: {', '.join(filter(None, selection))}"


def lines(difference: Difference, fail_on: FailOn, width: int) -> Iterator[str]:
    """Everything that changed: behaviour, worst first, then targets and APIs, then the specs."""
    yield ""
    yield from _behaviour(difference, width)
    yield from _targets(difference, width)
    yield from _specs(difference, width)
    yield ""
    yield from _wrapped(_verdict(difference, fail_on), width, 0)


def _behaviour(difference: Difference, width: int) -> Iterator[str]:
    groups = grouped(difference.changes)
    if not groups:
        yield f"Behaviour: the same in {counted(difference.same, 'result')}"
    else:
        causes = counted(len(groups), "cause")
        yield f"Behaviour: {counted(len(difference.changes), 'result')} changed ({causes}), {difference.same} the same"
    if difference.missing:
        verb = "exists" if difference.missing == 1 else "exist"
        yield f"  {counted(difference.missing, 'result')} {verb} in only one of the files"
    if difference.unconfirmed:
        yield from _wrapped(f"{_unconfirmed(difference.unconfirmed)}, since a run ended before", width, 2)
    for section, members in groupby(groups, lambda group: group.section):
        yield from _section(section, list(members), width)


def _unconfirmed(count: int) -> str:
    return f"{counted(count, 'result was not confirmed and is', 'results were not confirmed and are')} not compared"


def _section(section: str, groups: Sequence[ChangeGroup], width: int) -> Iterator[str]:
    yield ""
    yield f"{section} ({counted(sum(len(group.changes) for group in groups), 'result')})"
    heading = None
    most = len(groups) if groups[0].is_finding else _MOST_CAUSES
    for group in sorted(groups, key=lambda group: (group.first.pair.text, group.first.after.api))[:most]:
        name = (group.first.pair.text, group.first.after.api)
        if name != heading:
            heading = name
            yield from _wrapped("  ".join(map(one_line, name)), width, 2)
        yield from _group(group, width)
    if len(groups) > most:
        yield f"  {counted(len(groups) - most, 'more cause')}; --json lists every change"


def _group(group: ChangeGroup, width: int) -> Iterator[str]:
    first = group.first
    cases = counted(len(group.changes), "case")
    yield from _wrapped(f"{first.after.clause}, {cases}: {group.before} -> {group.after}", width, 4)
    example = first.after.case.removeprefix(first.after.clause + "/")
    explanation = first.after.explanation or first.before.explanation
    side = "now" if first.after.explanation else "before"
    remark = f"; {side}: {one_line(explanation, 160)}" if explanation else ""
    yield from _wrapped(f"{'e.g. ' if len(group.changes) > 1 else ''}{example}{remark}", width, 6)


def _targets(difference: Difference, width: int) -> Iterator[str]:
    facts = [
        *(f"no longer starts: {pair.text}: {visible(pair.after.blocked or '')}" for pair in difference.stopped),
        *(f"starts now: {pair.text}" for pair in difference.started),
        *(f"removed: {target.id}" for target in difference.gone_targets),
        *(f"new: {target.id}" for target in difference.new_targets),
        *(f"{pair.text} no longer has {api}" for pair, api in difference.gone_apis),
        *(f"{pair.text} now has {api}" for pair, api in difference.new_apis),
    ]
    if facts:
        yield ""
        yield "Targets and APIs"
    for fact in facts:
        yield from _wrapped(one_line(fact, 400), width, 2)


def _specs(difference: Difference, width: int) -> Iterator[str]:
    new, gone, edited = difference.new_cases, difference.gone_cases, difference.edited
    yield ""
    if difference.selected:
        yield from _wrapped("Cases excluded by a selection or shard are not listed as new or removed.", width, 0)
    if not (new or gone or edited):
        yield "Specs: no case edited" if difference.selected or difference.incomplete else "Specs: the same cases"
        return
    yield f"Specs: {counted(len(new), 'new case')}, {len(gone)} removed, {len(edited)} edited"
    yield from _cases("new", new, width)
    yield from _cases("removed", gone, width)
    changed = {edit.case.id: f"{edit.changed} of {edit.results} results changed" for edit in edited}
    yield from _cases("edited", [edit.case for edit in edited], width, changed)


def _cases(
    status: str, cases: Iterable[CaseRecord], width: int, remarks: dict[str, str] | None = None
) -> Iterator[str]:
    """A line for each clause: its only case, or the number of cases and an example."""
    clauses = [(clause, [case.id for case in group]) for clause, group in groupby(cases, lambda case: case.clause)]
    for clause, ids in clauses[:_MOST]:
        remark = f": {remarks[ids[0]]}" if remarks and len(ids) == 1 else ""
        text = ids[0] + remark if len(ids) == 1 else f"{clause}, {len(ids)} cases, e.g. {ids[0][len(clause) + 1 :]}"
        yield from _wrapped(f"{status:<8}{one_line(text)}", width, 2)
    if len(clauses) > _MOST:
        yield f"  {status:<8}{counted(len(clauses) - _MOST, 'more clause')}; --json lists every case"


def _verdict(difference: Difference, fail_on: FailOn) -> str:
    if difference.is_empty and not difference.missing and not difference.unconfirmed:
        return "Nothing changed."
    counts = {standing: len(difference.regressions(standing)) for standing in ("own", "any")}
    text = f"{counted(counts['any'], 'regression')}, of which {counts['own']} from the API's own documentation, "
    text += "deaths or hangs"
    if difference.stopped:
        verb = "starts" if len(difference.stopped) == 1 else "start"
        text += f"; {counted(len(difference.stopped), 'target')} no longer {verb}"
    return f"{text} (exit status {int(difference.fails(fail_on))} with --fail-on {fail_on})"


def _wrapped(text: str, width: int, columns: int) -> Iterator[str]:
    indent = " " * columns
    yield from textwrap.wrap(
        text, width, initial_indent=indent, subsequent_indent=indent + "  ", break_on_hyphens=False
    ) or [indent]
