"""Frequent questions about results, each with its answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from conformance.findings.compare import sides
from conformance.findings.conclusions import Conclusions
from conformance.findings.disagreements import Disagreement, Kind, disagreements
from conformance.findings.findings import Finding
from conformance.findings.outliers import outliers
from conformance.findings.timeline import Timeline
from conformance.judging.vocabulary import Determinism
from conformance.reports.details import determinism_text
from conformance.reports.html.labels import ALARMING
from conformance.reports.html.versions import by_size
from conformance.reports.text import counted
from conformance.reports.wording import extent, word_of
from conformance.results.file import Results
from conformance.results.records import ResultRecord
from conformance.results.table import sort_of


@dataclass(frozen=True)
class Answer:
    """Results of one API under one clause that came out in the same way, represented by the first of them."""

    first: ResultRecord
    sort: str
    word: str
    count: str
    reason: str | None


@dataclass(frozen=True)
class Question:
    """A short question, its explanation, and its answer."""

    name: str
    title: str
    means: str
    answers: Sequence[Answer]


@dataclass(frozen=True)
class _Facts:
    """Data of a file that several answers need, computed once."""

    results: Results
    findings: Sequence[Finding]
    timelines: Sequence[Timeline]
    disagreements: Sequence[Disagreement]


def questions(conclusions: Conclusions, lines: Sequence[Timeline]) -> list[Question]:
    """All questions, including those without answers; ``lines`` are the timelines of the file."""
    results = conclusions.results
    facts = _Facts(results, conclusions.findings, lines, disagreements(results))
    return [Question(name, title, means, list(answer(facts))) for name, title, means, answer in _QUESTIONS]


def _of_finding(finding: Finding) -> Answer:
    return Answer(finding.first, finding.sort, word_of(finding.first), extent(finding), finding.first.explanation)


def _own(facts: _Facts) -> Iterator[Answer]:
    return (_of_finding(finding) for finding in facts.findings if finding.sort == "own")


def _examples(facts: _Facts) -> Iterator[Answer]:
    return (_of_finding(finding) for finding in facts.findings if finding.sort == "printed")


def _ended(facts: _Facts) -> Iterator[Answer]:
    return (_of_finding(finding) for finding in facts.findings if finding.sort in ("died", "hung"))


def _new(facts: _Facts) -> Iterator[Answer]:
    return (_of_finding(finding) for finding in facts.findings if finding.sort in ALARMING and finding.known is None)


def _outliers(facts: _Facts) -> Iterator[Answer]:
    for outlier in outliers(facts.results):
        first = outlier.results[0]
        count = counted(len(outlier.results), "case")
        yield Answer(first, sort_of(first), outlier.difference, count, f"Others: {', '.join(outlier.others)}")


def _disagreeing(kind: Kind) -> Callable[[_Facts], Iterator[Answer]]:
    def answer(facts: _Facts) -> Iterator[Answer]:
        for disagreement in facts.disagreements:
            if disagreement.kind == kind:
                example = disagreement.example
                word = f"{example.was} ↔ {example.now}"
                count = f"{len(disagreement.cases)} of {counted(disagreement.of, 'case')}"
                yield Answer(example.second, sort_of(example.second), word, count, " ↔ ".join(disagreement.targets))

    return answer


def _changed(facts: _Facts) -> Iterator[Answer]:
    of_targets = sides(facts.results)
    for line in facts.timelines:
        for step in line.steps[-1:]:
            for change in by_size(step.changes):
                after = of_targets[change.second].results[change.cases[0], change.api]
                reason = f"From {change.first} to {change.second}"
                count = counted(len(change.cases), "case")
                yield Answer(after, sort_of(after), f"{change.was} → {change.now}", count, reason)


def _varies(facts: _Facts) -> Iterator[Answer]:
    varying: dict[tuple[str, str, str], list[ResultRecord]] = {}
    for result in facts.results.results:
        if "unstable" in result.divergence or (result.determinism and _varies_or_is_not_permitted(result.determinism)):
            varying.setdefault((result.target, result.api, result.clause), []).append(result)
    for first, *more in varying.values():
        reason = determinism_text(first.determinism) if first.determinism else first.explanation
        yield Answer(first, sort_of(first), word_of(first), counted(1 + len(more), "case"), reason)


def _varies_or_is_not_permitted(determinism: Determinism) -> bool:
    return determinism.grade == "varies" or determinism.permitted is False


_QUESTIONS: list[tuple[str, str, str, Callable[[_Facts], Iterator[Answer]]]] = [
    ("own", "Breaks its own documentation",
     "An API does not do what its official documentation says: a bug in the code or in the text.", _own),
    ("printed", "Does not give the result of a worked example about it",
     "An API does not give what a document about it prints, which is not official.", _examples),
    ("ends", "Dies or hangs", "A call ended its process, or gave no answer within the time limit.", _ended),
    ("new", "New", "Breaks its own documentation or an example about it, died or hung, and is not a known divergence.", _new),
    ("outliers", "Outliers",
     "At least two other frameworks agree on all their APIs, and all APIs of this one differ.", _outliers),
    ("modes", "Modes disagree",
     "The same version behaves differently in another mode.", _disagreeing("modes")),
    ("devices", "Devices disagree",
     "The same version behaves differently on another device.", _disagreeing("devices")),
    ("changed", "Changed since the previous version",
     "The newest version behaves differently from the previous one.", _changed),
    ("varies", "Not deterministic", "The same call gave different results, or a result that duplicate indices do not permit.", _varies),
]  # fmt: skip

TITLES = {name: title for name, title, _, _ in _QUESTIONS}
