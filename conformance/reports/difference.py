"""The difference between two results files as a document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from conformance.findings.compare import Why
from conformance.findings.difference import Difference, EditedCase, ResultChange, SpecCase
from conformance.judging.vocabulary import BINDING, FailOn
from conformance.reports.document import Block, Document, Heading, Item, Items, Line, Sentence, code, line
from conformance.reports.statistics import incomplete_text
from conformance.reports.text import counted, one_line
from conformance.results.exit_status import OK
from conformance.results.file import Results

_MOST = 8
"""Clauses per list of cases."""
_MOST_GROUPS = 12
"""Groups of changes per section without findings."""
_MOST_EXPLANATION = 160
_FINDINGS = ("diverges", "died", "hung")
_SECTIONS = (
    "Conformed, now dies or hangs",
    "Conformed, now breaks its own documentation",
    "Conformed, now differs from another API's documentation",
    "Was supported, now is not",
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
        """Whether the new result is a divergence, a death or a hang, or the call is no longer supported."""
        return self.first.is_lost or self.first.second.verdict in _FINDINGS

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
        key=lambda group: (group.section, group.first.pair.text, group.first.second.api),
    )


def _section_of(change: ResultChange) -> int:
    before, after = change.first.verdict, change.second.verdict
    if change.is_lost:
        return 3
    if before == "conforms" and after != "conforms":
        if after in ("died", "hung"):
            return 0
        if after == "diverges":
            return 1 if change.second.standing in BINDING else 2
        return 4
    if after in _FINDINGS:
        return 6 if before in _FINDINGS else 5
    if after == "conforms" and before != "conforms":
        return 7
    return 8 if before in _FINDINGS else 9


def difference_document(
    difference: Difference, names: tuple[str, str], files: tuple[Results, Results], fail_on: FailOn
) -> Document:
    """What was compared, then everything that changed: behaviour, worst first, targets and APIs, and the specs.

    names: the paths of the files, as given.
    """
    return Document.of(
        _compared(names, files),
        _behaviour(difference),
        _targets(difference),
        _specs(difference),
        _verdict(difference, fail_on),
    )


def _compared(names: tuple[str, str], files: tuple[Results, Results]) -> Iterator[Block]:
    """What identifies each run, and whether it is incomplete or restricted to a selection."""
    items = []
    for position, name, results in zip(("first", "second"), names, files, strict=True):
        run = results.run
        cases, targets = counted(len(results.cases), "case"), counted(len(results.targets), "target")
        below: list[Line] = []
        if incomplete := incomplete_text(results):
            below.append(line(code(incomplete), " What is missing in it is not listed as new or removed."))
        selection = [f"shard {run.shard}" if run.shard else "", one_line(run.selection or "", 60)]
        if any(selection):
            below.append(line("Selection: ", code(", ".join(filter(None, selection)))))
        about = (": ", code(run.started), ", suite ", code(run.suite_version), f", {cases}, {targets}")
        items.append(Item(line(f"{position} ", code(name), *about), tuple(below)))
    yield Items(items)


def _behaviour(difference: Difference) -> Iterator[Block]:
    groups = grouped(difference.changes)
    yield Heading(_behaviour_text(difference, len(groups)))
    if difference.missing:
        verb = "exists" if difference.missing == 1 else "exist"
        yield Sentence(line(f"{counted(difference.missing, 'result')} {verb} in only one of the files."))
    if difference.not_comparable:
        yield Sentence(line(f"{reasons_text(difference.not_comparable)}."))
    for section, of_section in groupby(groups, lambda group: group.section):
        members = list(of_section)
        yield Heading(f"{_SECTIONS[section]}: {counted(sum(len(each.changes) for each in members), 'result')}", level=3)
        yield Items(_items(members, several=len(difference.pairs) > 1))


def _behaviour_text(difference: Difference, groups: int) -> str:
    if not difference.compared:
        return "Behaviour: no result was compared"
    if not groups:
        return f"Behaviour: the same in {counted(difference.same, 'result')}"
    changed, different = counted(len(difference.changes), "result"), counted(groups, "different change")
    return f"Behaviour: {changed} changed ({different}), {difference.same} the same"


def _items(groups: Sequence[ChangeGroup], *, several: bool) -> list[Item]:
    """An item for each group; several: with its targets, since there are others."""
    most = len(groups) if groups[0].is_finding else _MOST_GROUPS
    items = [_item(group, several=several) for group in groups[:most]]
    if len(groups) > most:
        items.append(Item(line(f"and {len(groups) - most} more; --json lists every change")))
    return items


def _item(group: ChangeGroup, *, several: bool) -> Item:
    first, second = group.first, group.first.second
    what = (code(second.api), ", ", code(second.clause), f", {counted(len(group.changes), 'case')}: ")
    below = [line(code(first.pair.text))] if several or first.pair.first != first.pair.second else []
    explanation = second.explanation or first.first.explanation
    side = "now" if second.explanation else "before"
    remark = (f"; {side}: ", code(explanation, _MOST_EXPLANATION)) if explanation else ()
    below.append(line("e.g. " if len(group.changes) > 1 else "", code(second.case), *remark))
    return Item(line(*what, code(first.was), " -> ", code(first.now)), tuple(below))


def _targets(difference: Difference) -> Iterator[Block]:
    facts: list[Line] = [
        *(
            line("no longer starts: ", code(stopped.pair.text), ": ", code(stopped.reason))
            for stopped in difference.stopped
        ),
        *(line("starts now: ", code(pair.text)) for pair in difference.started),
        *(line("removed: ", code(target)) for target in difference.gone_targets),
        *(line("new: ", code(target)) for target in difference.new_targets),
        *(line(code(gone.pair.text), " no longer has ", code(gone.api)) for gone in difference.gone_apis),
        *(line(code(new.pair.text), " now has ", code(new.api)) for new in difference.new_apis),
    ]
    if facts:
        yield Heading("Targets and APIs")
        yield Items([Item(fact) for fact in facts])


def _specs(difference: Difference) -> Iterator[Block]:
    new, gone, edited = difference.new_cases, difference.gone_cases, difference.edited
    if new or gone or edited:
        yield Heading(f"Specs: {counted(len(new), 'new case')}, {len(gone)} removed, {len(edited)} edited")
    else:
        partial = difference.selected or difference.incomplete
        yield Heading("Specs: no case edited" if partial else "Specs: the same cases")
    if difference.selected:
        yield Sentence(line("Cases excluded by a selection or shard are not listed as new or removed."))
    items = [*_cases("new", new), *_cases("removed", gone), *_cases("edited", edited)]
    if items:
        yield Items(items)


def _cases(status: str, cases: Sequence[SpecCase]) -> Iterator[Item]:
    """A line for each clause: its only case, or the number of cases and an example."""
    clauses = [(clause, list(group)) for clause, group in groupby(cases, lambda case: case.clause)]
    for clause, group in clauses[:_MOST]:
        first = group[0]
        if len(group) > 1:
            yield Item(line(f"{status} ", code(clause), f", {len(group)} cases, e.g. ", code(first.case)))
        else:
            changed = f": {first.changed} of {first.results} results changed" if isinstance(first, EditedCase) else ""
            yield Item(line(f"{status} ", code(first.case), changed))
    if len(clauses) > _MOST:
        yield Item(line(f"{status} cases of {counted(len(clauses) - _MOST, 'more clause')}; --json lists every case"))


def _verdict(difference: Difference, fail_on: FailOn) -> Iterator[Block]:
    passed = difference.exit_status(fail_on) == OK
    yield Sentence(line(_verdict_text(difference, fail_on)), "good" if passed else "alarm")


def _verdict_text(difference: Difference, fail_on: FailOn) -> str:
    status = f"exit status {difference.exit_status(fail_on)}"
    if not difference.compared and not difference.stopped:
        return f"Nothing could be compared, since {_without(difference)} ({status})."
    left_out = difference.missing or difference.incomplete or difference.not_comparable.keys() - {"varies"}
    if difference.is_empty and not left_out:
        return "Nothing changed."
    counts = {standing: len(difference.regressions(standing)) for standing in ("own", "any")}
    text = f"{counted(counts['any'], 'regression')}, of which {counts['own']} from the API's own documentation, "
    text += "deaths, hangs or calls that are no longer supported"
    if difference.gone_apis:
        text += f"; {counted(len(difference.gone_apis), 'API')} removed"
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
