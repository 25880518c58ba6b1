"""Counts and groups of results that all reports share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import get_args

from conformance.judging.vocabulary import Standing
from conformance.reports.text import counted, visible
from conformance.results.file import Results
from conformance.results.records import KnownRecord, ResultRecord, TargetRecord

STANDINGS: tuple[Standing, ...] = get_args(Standing)
SORTS = ("died", "hung", "own", "printed", "portability", "blocked", "observed", "unsupported", "conforms")
"""Verdicts, worst first; a divergence by its standing."""
CELL_ORDER = ("died", "hung", "own", "printed", "portability", "blocked", "conforms", "observed", "unsupported")
"""The order in which a cell picks the sort that it shows: the worst that could be judged, then what could not."""
ORDER = {"own": 0, "printed": 0, "died": 1, "hung": 1, "portability": 2}
"""The order of findings."""
ALWAYS_SHOWN = frozenset({"conforms", "own", "portability"})
"""Columns of a table of counts that are shown even if all counts are zero."""
NOT_JUDGED = ("blocked", "observed", "unsupported")
"""Verdicts without a judgement."""
COUNT_WORDS = {"own": "diverges (own)", "printed": "diverges (printed)", "portability": "diverges (portability)"}


ORIGINS = {
    "written": "written",
    "derived": "derived from them",
    "found": "found on targets",
    "generated": "drawn",
}
"""How the provenances of calls are called."""


def origins_text(origins: Mapping[str, int]) -> str:
    """`` (664 written, 1197 derived from them)``; empty if all are written."""
    if not origins.keys() - {"written"}:
        return ""
    return f" ({', '.join(f'{origins[name]} {text}' for name, text in ORIGINS.items() if origins.get(name))})"


def sort_of(result: ResultRecord) -> str:
    """The verdict, or the standing of a divergence."""
    return result.standing if result.verdict == "diverges" else result.verdict


def word_of(result: ResultRecord) -> str:
    """What happened in a few words: ``value``, ``accepted``, ``raises``, ``conforms``."""
    if not result.confirmed:
        return f"{_kinds_text(result)} (not confirmed)"
    if result.verdict == "diverges":
        return _kinds_text(result)
    if result.verdict == "observed":
        return result.behaviour or "observed"
    return result.verdict


def _kinds_text(result: ResultRecord) -> str:
    return ", ".join(result.divergence) or result.verdict


def operation_of(results: Results, result: ResultRecord) -> str:
    """The operation of a result; "" if the file has neither its clause nor its case."""
    record = results.clauses.get(result.clause) or results.cases.get(result.case)
    return record.operation if record else ""


@dataclass(frozen=True)
class TargetStatistics:
    """The number of results of one target by verdict."""

    target: TargetRecord
    counts: Counter[str]
    known: int
    """Number of results that are known divergences."""
    judged: frozenset[str] = frozenset()
    """The standings in which any of its results was judged."""

    def could_have(self, sort: str) -> bool:
        """Whether its count of a sort means something: a divergence has a standing in which a result was judged."""
        return sort not in STANDINGS or sort in self.judged

    @property
    def results(self) -> int:
        return sum(self.counts.values())

    def problem(self, *, complete: bool) -> str | None:
        """A few words if the target did not start, gave up or has no results; complete: whether the run is."""
        if self.target.blocked is not None:
            return "gave up" if self.results else "did not start"
        if self.results:
            return None
        return "no results" if complete else "no results when the run was interrupted"

    def remark(self, *, complete: bool) -> str | None:
        """The problem with its reason."""
        problem = self.problem(complete=complete)
        return problem if self.target.blocked is None else f"{problem}: {visible(self.target.blocked)}"


def target_statistics(results: Results) -> list[TargetStatistics]:
    """The statistics of each target in the order of the file; targets without a record come last."""
    counts: dict[str, Counter[str]] = {}
    known: Counter[str] = Counter()
    judged: dict[str, set[str]] = {}
    for result in results.results:
        if result.verdict not in NOT_JUDGED:
            judged.setdefault(result.target, set()).add(result.standing)
        counts.setdefault(result.target, Counter())[sort_of(result)] += 1
        known[result.target] += result.known is not None
    return [
        TargetStatistics(
            target, counts.get(target.id, Counter()), known[target.id], frozenset(judged.get(target.id, ()))
        )
        for target in all_targets(results)
    ]


def counts_text(statistics: TargetStatistics) -> str:
    """``12 results: 9 conforms, 1 diverges (own), 2 unsupported``."""
    counts = statistics.counts
    parts = (f"{counts[sort]} {COUNT_WORDS.get(sort, sort)}" for sort in reversed(SORTS) if counts[sort])
    return f"{counted(statistics.results, 'result')}: {', '.join(parts)}"


def all_targets(results: Results) -> list[TargetRecord]:
    """The last record of each target; a target without a record gets one with its id."""
    targets = {target.id: target for target in results.targets}
    for result in results.results:
        if result.target not in targets:
            targets[result.target] = TargetRecord(result.target, result.target, None, "unknown", "unknown")
    return list(targets.values())


@dataclass(frozen=True)
class Group:
    """The results of one API that diverge from one clause in the same way."""

    results: tuple[ResultRecord, ...]
    of: int
    """Number of all results of this API for this clause."""

    @property
    def first(self) -> ResultRecord:
        return self.results[0]

    @property
    def sort(self) -> str:
        return sort_of(self.first)

    @property
    def count(self) -> str:
        """``2 of 3 cases``."""
        return f"{len(self.results)} of {counted(self.of, 'case')}"


def groups(results: Results) -> list[Group]:
    """Group divergences, deaths and hangs by target, API, clause and kind: own, then deaths and hangs, then portability."""
    grouped: dict[tuple[str, ...], list[ResultRecord]] = {}
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
            grouped.setdefault(key, []).append(result)
    targets = {target.id: index for index, target in enumerate(all_targets(results))}
    apis = {key: index for index, key in enumerate(dict.fromkeys((target, api) for target, api, _ in totals))}
    return sorted(
        (Group(tuple(members), totals[key[1], key[2], key[3]]) for key, members in grouped.items()),
        key=lambda group: (
            ORDER[group.sort],
            targets[group.first.target],
            apis[group.first.target, group.first.api],
        ),
    )


def known_entries(results: Results) -> list[KnownRecord]:
    """The known divergences that results of the file refer to, each once."""
    frameworks = {target.id: target.framework for target in all_targets(results)}
    keys = dict.fromkeys((frameworks[result.target], result.known) for result in results.results if result.known)
    return [results.known[framework, name] for framework, name in keys if (framework, name) in results.known]


def unexpected_texts(results: Results) -> list[str]:
    """A sentence for each unexpected pass."""
    return [visible(record.says) for record in results.end.unexpected] if results.end else []


def incomplete_text(results: Results) -> str | None:
    """A sentence if the run is incomplete, else None."""
    if results.complete:
        return None
    reason = "the results file is truncated" if results.end is None else results.end.reason or "no reason recorded"
    return f"Incomplete run: {visible(reason)} ({counted(len(results.results), 'result')})."
