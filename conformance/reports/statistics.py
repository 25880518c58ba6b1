"""Counts of results that all reports share."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import get_args

from conformance.judging.vocabulary import Standing
from conformance.reports.text import counted, visible
from conformance.reports.wording import COUNT_WORDS
from conformance.results.file import Results
from conformance.results.records import TargetRecord
from conformance.results.table import Table

STANDINGS: tuple[Standing, ...] = get_args(Standing)
SORTS = ("died", "hung", "own", "printed", "portability", "blocked", "observed", "unsupported", "conforms")
"""Verdicts, worst first; a divergence by its standing."""
NOT_JUDGED = ("blocked", "observed", "unsupported")
"""Verdicts without a judgement."""
ADAPTER_NEEDED = "Run an adapter that does; docs/adapters.md shows how to write one"
"""What a run of operations needs that the adapter of the target does not map."""


@dataclass(frozen=True)
class TargetStatistics:
    """The number of results of one target by verdict."""

    target: TargetRecord
    counts: Counter[str]
    judged: frozenset[str] = frozenset()
    """The standings in which any of its results was judged."""
    known: int = 0
    """The number of its results that are known divergences."""
    unmapped: tuple[str, ...] = ()
    """The operations of the run, if its adapter maps none of them."""

    def could_have(self, sort: str) -> bool:
        """Whether its count of a sort means something: a divergence has a standing in which a result was judged."""
        return sort not in STANDINGS or sort in self.judged

    @property
    def results(self) -> int:
        return sum(self.counts.values())

    @property
    def judgements(self) -> int:
        """The number of its results that were judged."""
        return self.results - sum(self.counts[sort] for sort in NOT_JUDGED)

    @property
    def unjudged(self) -> int:
        """The number of its calls that were made or tried and not judged."""
        return self.counts["blocked"] + self.counts["observed"]

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
        if self.target.blocked is not None:
            return f"{problem}: {visible(self.target.blocked)}"
        if problem is not None and complete and self.unmapped:
            return f"{problem}: its adapter maps no API to {', '.join(self.unmapped)}. {ADAPTER_NEEDED}"
        return problem


def target_statistics(table: Table) -> list[TargetStatistics]:
    """The statistics of each target."""
    known = Counter(result.target for result in table.results.results if result.known is not None)
    judged: dict[str, set[str]] = {}
    for result in table.results.results:
        if result.verdict not in NOT_JUDGED:
            judged.setdefault(result.target, set()).add(result.standing)
    operations = dict.fromkeys(clause.operation for clause in table.results.clauses.values())
    mapped: dict[str, set[str]] = {}
    for mapping in table.results.mappings:
        mapped.setdefault(mapping.target, set()).add(mapping.operation)
    return [
        TargetStatistics(
            target,
            table.counts[name],
            frozenset(judged.get(name, ())),
            known[name],
            tuple(operations) if name in mapped and mapped[name].isdisjoint(operations) else (),
        )
        for name, target in table.targets.items()
    ]


def counts_text(statistics: TargetStatistics) -> str:
    """``10 results: 9 conforms, 1 diverges (own); 2 calls of forms that the API does not have``, or ``no results``."""
    counts = statistics.counts
    shown = (sort for sort in reversed(SORTS) if sort != "unsupported" and counts[sort])
    parts = ", ".join(f"{counts[sort]} {COUNT_WORDS.get(sort, sort)}" for sort in shown)
    called = statistics.results - counts["unsupported"]
    missing = (
        f"{counted(counts['unsupported'], 'call')} of forms that the API does not have" if counts["unsupported"] else ""
    )
    return "; ".join(filter(None, [f"{counted(called, 'result')}: {parts}" if called else "", missing])) or "no results"


def judged_text(results: Results) -> str:
    """``29812 of 48532 results judged``, or ``12 results`` if all were; the others are open, blocked, or calls of forms that an API does not have."""
    judged = sum(result.verdict not in NOT_JUDGED for result in results.results)
    every = counted(len(results.results), "result")
    return every if judged == len(results.results) else f"{judged} of {every} judged"


def unexpected_texts(results: Results) -> list[str]:
    """A sentence for each unexpected pass."""
    return [visible(record.says) for record in results.end.unexpected] if results.end else []


def incomplete_text(results: Results) -> str | None:
    """A sentence if the run is incomplete, else None."""
    reason = incomplete_reason(results)
    return f"Incomplete run: {reason} ({counted(len(results.results), 'result')})." if reason else None


def incomplete_reason(results: Results) -> str | None:
    """Why the run is incomplete; None if it is not."""
    if results.complete:
        return None
    return visible(
        "the results file is truncated" if results.end is None else results.end.reason or "no reason recorded"
    )
