"""The difference between two results files as text, for a terminal of any width."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from conformance.findings.compare import Why
from conformance.findings.difference import Difference, EditedCase, ResultChange, SpecCase
from conformance.judging.vocabulary import BINDING
from conformance.reports.statistics import incomplete_text
from conformance.reports.text import counted, one_line, visible, wrapped
from conformance.results.exit_status import FailOn
from conformance.results.file import Results

_MOST = 8
"""Clauses per list of cases."""
_MOST_GROUPS = 12
"""Groups of changes per section without findings."""
_FINDINGS = ("diverges", "died", "hung")
_SECTIONS = (
    "Conformed, now dies or hangs",
    "Conformed, now breaks its own documentation",
    "Conformed, now differs from another API's documentation",
    "Conformed, now not judged",
    "Not judged before, now a finding",
    "Still a finding, but different",
    "Conforms now",
    "No longer a finding",
    "Changed, never a finding",
)
"""Transitions, worst first."""
WHY_TEXTS: Mapping[Why, str] = {
    "one only": "made by only one of them",
    "unconfirmed": "not confirmed, since a run ended before",
    "blocked": "blocked",
    "unsupported": "unsupported",
    "arguments": "without arguments, which could not be created",
    "cast": "with indices cast to different dtypes",
    "abstract": "without elements",
    "varies": "varying by themselves",
}
"""Why calls are not comparable, after their number."""


def reasons_text(not_comparable: Mapping[Why, int]) -> str:
    """``12 not comparable (10 unsupported, 2 varying by themselves)``; empty if there are none."""
    if not not_comparable:
        return ""
    reasons = ", ".join(f"{count} {WHY_TEXTS[why]}" for why, count in not_comparable.items())
    return f"{sum(not_comparable.values())} not comparable ({reasons})"


@dataclass(frozen=True)
class ChangeGroup:
    """Changes of one API under one clause from the same to the same."""

    section: int
    changes: tuple[ResultChange, ...]

    @property
    def is_finding(self) -> bool:
        """Whether the new result is a divergence, a death or a hang."""
        return self.first.second.verdict in _FINDINGS

    @property
    def first(self) -> ResultChange:
        return self.changes[0]


def grouped(changes: Sequence[ResultChange]) -> list[ChangeGroup]:
    """The groups of changes, the worst transitions first."""
    groups: dict[tuple[object, ...], list[ResultChange]] = {}
    for change in changes:
        key = (change.pair, change.second.api, change.second.clause, change.was, change.now)
        groups.setdefault((_section_of(change), *key), []).append(change)
    return sorted(
        (ChangeGroup(_section_of(members[0]), tuple(members)) for members in groups.values()),
        key=lambda group: group.section,
    )


def _section_of(change: ResultChange) -> int:
    before, after = change.first.verdict, change.second.verdict
    if before == "conforms" and after != "conforms":
        if after in ("died", "hung"):
            return 0
        if after == "diverges":
            return 1 if change.second.standing in BINDING else 2
        return 3
    if after in _FINDINGS:
        return 5 if before in _FINDINGS else 4
    if after == "conforms" and before != "conforms":
        return 6
    return 7 if before in _FINDINGS else 8


def heading(name: str, file: str, results: Results) -> Iterator[str]:
    """The lines that identify a run, and state whether it is incomplete or restricted to a selection."""
    run = results.run
    cases, targets = counted(len(results.cases), "case"), counted(len(results.targets), "target")
    yield f"{name:<7}{file}: {visible(run.started)}, suite {visible(run.suite_version)}, {cases}, {targets}"
    incomplete = incomplete_text(results)
    if incomplete:
        yield f"       {incomplete} What is missing in it is not listed as new or removed."
    selection = [f"shard {visible(run.shard)}" if run.shard else "", one_line(run.selection or "", 60)]
    if any(selection):
        yield f"       Selection: {', '.join(filter(None, selection))}"


def lines(difference: Difference, fail_on: FailOn, width: int) -> Iterator[str]:
    """Everything that changed: behaviour, worst first, then targets and APIs, then the specs."""
    yield ""
    yield from _behaviour(difference, width)
    yield from _targets(difference, width)
    yield from _specs(difference, width)
    yield ""
    yield from wrapped(_verdict(difference, fail_on), width)


def _behaviour(difference: Difference, width: int) -> Iterator[str]:
    groups = grouped(difference.changes)
    if not difference.compared:
        yield "Behaviour: no result was compared"
    elif not groups:
        yield f"Behaviour: the same in {counted(difference.same, 'result')}"
    else:
        different = counted(len(groups), "different change")
        changed = counted(len(difference.changes), "result")
        yield from wrapped(f"Behaviour: {changed} changed ({different}), {difference.same} the same", width)
    if difference.missing:
        verb = "exists" if difference.missing == 1 else "exist"
        yield f"  {counted(difference.missing, 'result')} {verb} in only one of the files"
    if difference.not_comparable:
        yield from wrapped(reasons_text(difference.not_comparable), width, 2)
    for section, members in groupby(groups, lambda group: group.section):
        yield from _section(section, list(members), width)


def _section(section: int, groups: Sequence[ChangeGroup], width: int) -> Iterator[str]:
    yield ""
    yield f"{_SECTIONS[section]} ({counted(sum(len(group.changes) for group in groups), 'result')})"
    heading = None
    most = len(groups) if groups[0].is_finding else _MOST_GROUPS
    for group in sorted(groups, key=lambda group: (group.first.pair.text, group.first.second.api))[:most]:
        name = (group.first.pair.text, group.first.second.api)
        if name != heading:
            heading = name
            yield from wrapped("  ".join(map(one_line, name)), width, 2)
        yield from _group(group, width)
    if len(groups) > most:
        yield f"  {counted(len(groups) - most, 'more')}; --json lists every change"


def _group(group: ChangeGroup, width: int) -> Iterator[str]:
    first = group.first
    cases = counted(len(group.changes), "case")
    yield from wrapped(f"{first.second.clause}, {cases}: {first.was} -> {first.now}", width, 4)
    explanation = first.second.explanation or first.first.explanation
    side = "now" if first.second.explanation else "before"
    remark = f"; {side}: {one_line(explanation, 160)}" if explanation else ""
    yield from wrapped(f"{'e.g. ' if len(group.changes) > 1 else ''}{first.second.case}{remark}", width, 6)


def _targets(difference: Difference, width: int) -> Iterator[str]:
    facts = [
        *(f"no longer starts: {stopped.pair.text}: {visible(stopped.reason)}" for stopped in difference.stopped),
        *(f"starts now: {pair.text}" for pair in difference.started),
        *(f"removed: {target}" for target in difference.gone_targets),
        *(f"new: {target}" for target in difference.new_targets),
        *(f"{gone.pair.text} no longer has {gone.api}" for gone in difference.gone_apis),
        *(f"{new.pair.text} now has {new.api}" for new in difference.new_apis),
    ]
    if facts:
        yield ""
        yield "Targets and APIs"
    for fact in facts:
        yield from wrapped(one_line(fact, 400), width, 2)


def _specs(difference: Difference, width: int) -> Iterator[str]:
    new, gone, edited = difference.new_cases, difference.gone_cases, difference.edited
    yield ""
    if difference.selected:
        yield from wrapped("Cases excluded by a selection or shard are not listed as new or removed.", width)
    if not (new or gone or edited):
        yield "Specs: no case edited" if difference.selected or difference.incomplete else "Specs: the same cases"
        return
    yield f"Specs: {counted(len(new), 'new case')}, {len(gone)} removed, {len(edited)} edited"
    yield from _cases("new", new, width)
    yield from _cases("removed", gone, width)
    yield from _cases("edited", edited, width)


def _cases(status: str, cases: Sequence[SpecCase], width: int) -> Iterator[str]:
    """A line for each clause: its only case, or the number of cases and an example."""
    clauses = [(clause, list(group)) for clause, group in groupby(cases, lambda case: case.clause)]
    for clause, group in clauses[:_MOST]:
        first = group[0]
        remark = f": {first.changed} of {first.results} results changed" if isinstance(first, EditedCase) else ""
        one = first.case + remark
        several = f"{clause}, {len(group)} cases, e.g. {first.case}"
        yield from wrapped(f"{status:<8}{one_line(one if len(group) == 1 else several)}", width, 2)
    if len(clauses) > _MOST:
        yield f"  {status:<8}{counted(len(clauses) - _MOST, 'more clause')}; --json lists every case"


def _verdict(difference: Difference, fail_on: FailOn) -> str:
    status = f"exit status {difference.exit_status(fail_on)}"
    if not difference.compared and not difference.stopped:
        return f"Nothing could be compared, since {_without(difference)} ({status})."
    if difference.is_empty and not (difference.missing or difference.not_comparable or difference.incomplete):
        return "Nothing changed."
    counts = {standing: len(difference.regressions(standing)) for standing in ("own", "any")}
    text = f"{counted(counts['any'], 'regression')}, of which {counts['own']} from the API's own documentation, "
    text += "deaths or hangs"
    if difference.stopped:
        verb = "starts" if len(difference.stopped) == 1 else "start"
        text += f"; {counted(len(difference.stopped), 'target')} no longer {verb}"
    reason = ", since a file is incomplete" if difference.incomplete else f" with --fail-on {fail_on}"
    return f"{text} ({status}{reason})"


def _without(difference: Difference) -> str:
    if not difference.pairs:
        return "no target is in both files"
    if difference.edited:
        return "every case of both files was edited"
    return (
        "no result in both files is comparable" if difference.not_comparable else "no case on an API is in both files"
    )
