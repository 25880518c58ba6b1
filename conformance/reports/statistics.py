"""What is counted and grouped across results, for every report alike; derived, never stored."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from conformance.reports.text import counted, visible
from conformance.results.file import Results
from conformance.results.records import KnownRecord, ResultRecord, TargetRecord

SORTS = ("died", "hung", "own", "portability", "blocked", "observed", "unsupported", "conforms")
"""Verdicts, worst first, with a divergence told apart by its standing."""

ORDER = {"own": 0, "died": 1, "hung": 1, "portability": 2}


COUNT_WORDS = {"own": "diverges (own)", "portability": "diverges (portability)"}


def sort_of(result: ResultRecord) -> str:
    """The verdict, or the standing of a divergence."""
    return result.standing if result.verdict == "diverges" else result.verdict


def word_of(result: ResultRecord) -> str:
    """What happened in a word or few: ``value``, ``accepted``, ``raises``, ``conforms``."""
    if result.verdict == "diverges":
        return ", ".join(result.divergence) or "diverges"
    if result.verdict == "observed":
        return result.behaviour or "observed"
    return result.verdict


def operation_of(results: Results, result: ResultRecord) -> str:
    """The operation that a result is about; "" where the file has a record of neither its clause nor its case."""
    record = results.clauses.get(result.clause) or results.cases.get(result.case)
    return record.operation if record else ""


@dataclass(frozen=True)
class TargetFigures:
    """The results of one target by what they came to."""

    target: TargetRecord
    counts: Counter[str]
    known: int

    @property
    def results(self) -> int:
        return sum(self.counts.values())

    def remark(self, *, complete: bool) -> str | None:
        """What the numbers alone would hide: a target that did not start, gave up or has no results."""
        if self.target.blocked is not None:
            how = "gave up" if self.results else "did not start"
            return f"{how}: {visible(self.target.blocked)}"
        if self.results:
            return None
        return "no results" if complete else "no results when the run broke off"


def target_figures(results: Results) -> list[TargetFigures]:
    """One entry a target, in the order of the file; a target that is named only by results comes last."""
    counts: dict[str, Counter[str]] = {}
    known: Counter[str] = Counter()
    for result in results.results:
        counts.setdefault(result.target, Counter())[sort_of(result)] += 1
        known[result.target] += result.known is not None
    return [
        TargetFigures(target, counts.get(target.id, Counter()), known[target.id]) for target in all_targets(results)
    ]


def counts_text(figures: TargetFigures) -> str:
    """``12 results: 9 conforms, 1 diverges (own), 2 unsupported``."""
    counts = figures.counts
    parts = (f"{counts[sort]} {COUNT_WORDS.get(sort, sort)}" for sort in reversed(SORTS) if counts[sort])
    return f"{counted(figures.results, 'result')}: {', '.join(parts)}"


def all_targets(results: Results) -> list[TargetRecord]:
    """The targets, each once, with the last word on it; one without a record is made up from its name."""
    targets = {target.id: target for target in results.targets}
    for result in results.results:
        if result.target not in targets:
            targets[result.target] = TargetRecord(result.target, result.target, None, "unknown", "unknown")
    return list(targets.values())


@dataclass(frozen=True)
class Group:
    """The results of one API that break one clause in the same way."""

    results: tuple[ResultRecord, ...]
    of: int
    """Results of this API for this clause, whatever they came to."""

    @property
    def first(self) -> ResultRecord:
        return self.results[0]

    @property
    def sort(self) -> str:
        return sort_of(self.first)

    @property
    def count(self) -> str:
        """``2 of 3 cases``."""
        cases = "case" if self.of == 1 else "cases"
        return f"{len(self.results)} of {self.of} {cases}"


def groups(results: Results) -> list[Group]:
    """Divergences, deaths and hangs by target, API, clause and kind: own, then deaths, then portability."""
    found: dict[tuple[str, ...], list[ResultRecord]] = {}
    totals: Counter[tuple[str, str, str]] = Counter()
    for result in results.results:
        totals[result.target, result.api, result.clause] += 1
        if sort_of(result) in ORDER:
            key = (
                sort_of(result),
                result.target,
                result.api,
                result.clause,
                word_of(result),
                str(result.known),
            )
            found.setdefault(key, []).append(result)
    made = [Group(tuple(some), totals[key[1], key[2], key[3]]) for key, some in found.items()]
    targets = {target.id: place for place, target in enumerate(all_targets(results))}
    apis = {key: place for place, key in enumerate(dict.fromkeys((one[0], one[1]) for one in totals))}
    return sorted(
        made,
        key=lambda group: (
            ORDER[group.sort],
            targets[group.first.target],
            apis[group.first.target, group.first.api],
        ),
    )


def known_entries(results: Results) -> list[KnownRecord]:
    """The entries of ledgers that results of the file refer to, each once."""
    frameworks = {target.id: target.framework for target in all_targets(results)}
    met = dict.fromkeys((frameworks[one.target], one.known) for one in results.results if one.known)
    return [results.known[framework, name] for framework, name in met if (framework, name) in results.known]


def unexpected_texts(results: Results) -> list[str]:
    """A sentence for each entry of a ledger that does not say what happened."""
    return [visible(record.says) for record in results.end.unexpected] if results.end else []


def incomplete_text(results: Results) -> str | None:
    """What to say of a file whose run did not reach its end, else None."""
    if results.complete:
        return None
    if results.end is None:
        return f"This run is incomplete: its file has no end. It holds {len(results.results)} results."
    reason = visible(results.end.reason or "no reason is given")
    return f"This run is incomplete: {reason}. It holds {len(results.results)} results."
