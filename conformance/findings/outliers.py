"""Where one framework differs from all others, which agree."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from conformance.findings.behaviour import varies
from conformance.findings.compare import outcome_aspects, uninformative
from conformance.findings.newest import newest
from conformance.outcomes.equivalence import key
from conformance.outcomes.model import Abstract
from conformance.results.file import Results
from conformance.results.records import ResultRecord

FEWEST_OTHERS = 2


@dataclass(frozen=True)
class Outlier:
    """The cases of one clause in which one target differs in the same way from all others."""

    target: str
    clause: str
    difference: str
    """``raised; others: returned``, ``different elements``."""
    results: tuple[ResultRecord, ...]
    """The first result of each case."""
    others: tuple[str, ...]
    """At least two targets that agree."""


def outliers(results: Results) -> list[Outlier]:
    """Return the outliers by target, clause and difference, those with the most cases first.

    Each framework is represented by its newest version that started, in its first mode and on its first device, with all
    its APIs, compositions included. A target is an outlier of a clause if in every comparable case at least two other
    targets have the same outcome on all their APIs; its cases are those in which none of its own APIs has that outcome.
    A flaky result agrees with nothing. Results that are unsupported, blocked or without values are ignored, as are
    metamorphic relations and cases about dtypes.
    """
    found = [outlier for clause, cases in _by_clause(results).items() for outlier in _outliers(clause, cases)]
    return sorted(found, key=lambda outlier: -len(outlier.results))


Outcomes = Mapping[str, Mapping[Hashable, ResultRecord]]
"""By target, its distinct outcomes in one case, each with its first result."""


def _by_clause(results: Results) -> dict[str, list[Outcomes]]:
    """Comparable outcomes by clause and case."""
    representatives = {target.id for target in newest(results.targets).values()}
    clauses: dict[str, dict[str, dict[str, dict[Hashable, ResultRecord]]]] = {}
    for result in results.results:
        if _is_comparable(result) and result.target in representatives:
            targets = clauses.setdefault(result.clause, {}).setdefault(result.case, {})
            targets.setdefault(result.target, {}).setdefault(_outcome_key(result), result)
    return {clause: list(cases.values()) for clause, cases in clauses.items()}


def _is_comparable(result: ResultRecord) -> bool:
    """Whether it has the outcome of a single call, which may be flaky."""
    if isinstance(result.outcome, Abstract) or result.relation or result.dtype_claim:
        return False
    return uninformative(result, "status") in (None, "varies")


def _outcome_key(result: ResultRecord) -> Hashable:
    return (result.target, result.api) if _is_flaky(result) else key(result.outcome, "status")


def _is_flaky(result: ResultRecord) -> bool:
    return varies(result) or uninformative(result, "status") == "varies"


def _outliers(clause: str, cases: Sequence[Outcomes]) -> Iterator[Outlier]:
    for target in dict.fromkeys(target for outcomes in cases for target in outcomes):
        compared = [(outcomes, _others(outcomes, target)) for outcomes in cases]
        if any(len(common) > 1 for _, (_, common) in compared):
            continue  # the others differ from each other too
        grouped: dict[tuple[str, tuple[str, ...]], list[ResultRecord]] = {}
        for outcomes, (names, common) in compared:
            own = outcomes.get(target, {})
            if own and common and not common.keys() & own.keys():
                result = next(iter(own.values()))
                difference = _difference(result, next(iter(common.values())))
                grouped.setdefault((difference, names), []).append(result)
        for (difference, names), members in grouped.items():
            yield Outlier(target, clause, difference, tuple(members), names)


def _others(outcomes: Outcomes, target: str) -> tuple[tuple[str, ...], Mapping[Hashable, ResultRecord]]:
    """The other targets and their distinct outcomes; none if they are too few."""
    others = {name: theirs for name, theirs in outcomes.items() if name != target}
    if len(others) < FEWEST_OTHERS:
        return (), {}
    return tuple(others), {outcome: result for theirs in others.values() for outcome, result in theirs.items()}


def _difference(result: ResultRecord, common: ResultRecord) -> str:
    if _is_flaky(result):
        return "flaky"
    aspects = outcome_aspects(common.outcome, result.outcome, "status")
    if "status" in aspects:
        return f"{result.outcome.status}; others: {common.outcome.status}"
    return next(f"different {word}" for aspect, word in _WORDS.items() if aspect in aspects)


_WORDS = {"dtype": "dtype", "shape": "shape", "value": "elements"}
