"""The questions that readers ask most, each with the findings that answer it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from conformance.findings.behaviour import contrasted
from conformance.findings.disagreements import Disagreement, Kind, disagreements
from conformance.findings.outliers import outliers
from conformance.findings.timeline import Timeline
from conformance.judging.vocabulary import Determinism
from conformance.reports.details import determinism_text
from conformance.reports.html.labels import ALARMING
from conformance.reports.html.versions import alike_changes
from conformance.reports.statistics import Group, groups, sort_of, word_of
from conformance.reports.text import counted
from conformance.results.file import Results
from conformance.results.records import ResultRecord


@dataclass(frozen=True)
class Finding:
    """Results of one API under one clause that came to the same, with the first of them as the example."""

    first: ResultRecord
    sort: str
    word: str
    count: str
    why: str | None


@dataclass(frozen=True)
class Question:
    """A question in few words, what it means, and its answer."""

    name: str
    title: str
    means: str
    findings: Sequence[Finding]


@dataclass(frozen=True)
class _Facts:
    """What several answers need of a file, worked out once."""

    results: Results
    groups: Sequence[Group]
    timelines: Sequence[Timeline]
    disagreements: Sequence[Disagreement]


def questions(results: Results, lines: Sequence[Timeline]) -> list[Question]:
    """Every question, those without an answer in this file among them; ``lines`` are its timelines."""
    facts = _Facts(results, groups(results), lines, disagreements(results))
    return [Question(name, title, means, list(answer(facts))) for name, title, means, answer in _QUESTIONS]


def _of_group(group: Group) -> Finding:
    return Finding(group.first, group.sort, word_of(group.first), group.count, group.first.explanation)


def _own(facts: _Facts) -> Iterator[Finding]:
    return (_of_group(group) for group in facts.groups if group.sort == "own")


def _ended(facts: _Facts) -> Iterator[Finding]:
    return (_of_group(group) for group in facts.groups if group.sort in ("died", "hung"))


def _new(facts: _Facts) -> Iterator[Finding]:
    return (_of_group(group) for group in facts.groups if group.sort in ALARMING and group.first.known is None)


def _alone(facts: _Facts) -> Iterator[Finding]:
    for one in outliers(facts.results):
        first = one.results[0]
        count = counted(len(one.results), "case")
        yield Finding(first, sort_of(first), one.difference, count, f"The others: {', '.join(one.others)}")


def _disagreeing(kind: Kind) -> Callable[[_Facts], Iterator[Finding]]:
    def answer(facts: _Facts) -> Iterator[Finding]:
        for one in facts.disagreements:
            if one.kind == kind:
                first, other = one.example
                count = f"{len(one.cases)} of {counted(one.of, 'case')}"
                yield Finding(
                    other, sort_of(other), " ↔ ".join(contrasted(first, other)), count, " ↔ ".join(one.targets)
                )

    return answer


def _changed(facts: _Facts) -> Iterator[Finding]:
    for line in facts.timelines:
        for step in line.steps[-1:]:
            for one in alike_changes(step.changes):
                change = one.changes[0]
                count = f"{counted(one.count, 'case')}, {counted(len(one.changes), 'clause')}"
                why = f"From {step.before.id} to {step.after.id}"
                after = change.cases[0][1]
                yield Finding(after, sort_of(after), f"{change.was} → {change.now}", count, why)


def _varies(facts: _Facts) -> Iterator[Finding]:
    varying: dict[tuple[str, str, str], list[ResultRecord]] = {}
    for result in facts.results.results:
        if "unstable" in result.divergence or (result.determinism and _is_in_doubt(result.determinism)):
            varying.setdefault((result.target, result.api, result.clause), []).append(result)
    for first, *more in varying.values():
        why = determinism_text(first.determinism) if first.determinism else first.explanation
        yield Finding(first, sort_of(first), word_of(first), counted(1 + len(more), "case"), why)


def _is_in_doubt(determinism: Determinism) -> bool:
    return determinism.grade == "varies" or determinism.permitted is False


_QUESTIONS: list[tuple[str, str, str, Callable[[_Facts], Iterator[Finding]]]] = [
    ("own", "Breaks its own documentation",
     "An API does not do what an official document says of it: somebody's bug, in the code or in the text.", _own),
    ("ends", "Dies or hangs", "A call ended its process, or gave no answer within the time limit.", _ended),
    ("new", "New", "Against its own documentation, died or hung, and in no ledger of known divergences.", _new),
    ("alone", "Only one framework differs",
     "At least two others came to the same outcome on all their APIs, and this one to another on all of its own.", _alone),
    ("modes", "Modes disagree",
     "The same version does something else in another execution mode.", _disagreeing("modes")),
    ("devices", "Devices disagree",
     "The same version does something else on another device.", _disagreeing("devices")),
    ("changed", "Changed since the previous version",
     "In its newest version here a framework does something else with the same call than in the one before.", _changed),
    ("varies", "Not deterministic", "The same call gave different results, or none of those that may come where indices repeat.", _varies),
]  # fmt: skip

TITLES = {name: title for name, title, _, _ in _QUESTIONS}
