"""Where one framework differs from all others, which agree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from conformance.findings.behaviour import varies
from conformance.findings.newest import newest
from conformance.outcomes.equivalence import key
from conformance.outcomes.model import Abstract, Outcome, Returned
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

    Each framework is represented by its newest version that started, in its first mode and on its first device, with the
    APIs that are not compositions. A target is an outlier in a case if at least two other targets have the same outcome
    on all their APIs, and none of its own APIs has that outcome. Results that are unsupported, blocked, without values or
    flaky are ignored, as are metamorphic relations and cases about dtypes.
    """
    grouped: dict[tuple[str, str, str, tuple[str, ...]], list[ResultRecord]] = {}
    for by_target in _by_case(results).values():
        for target, result, difference in _outliers(by_target):
            others = tuple(name for name in by_target if name != target)
            grouped.setdefault((target, result.clause, difference, others), []).append(result)
    result_outliers = [
        Outlier(target, clause, difference, tuple(members), others)
        for (target, clause, difference, others), members in grouped.items()
    ]
    return sorted(result_outliers, key=lambda outlier: -len(outlier.results))


def _by_case(results: Results) -> dict[str, dict[str, list[ResultRecord]]]:
    """Comparable results by case and target."""
    representatives = {target.id for target in newest(results.targets).values()}
    composed = {(mapping.target, mapping.api) for mapping in results.mappings if mapping.composed}
    by_case: dict[str, dict[str, list[ResultRecord]]] = {}
    for result in results.results:
        if _is_comparable(result) and result.target in representatives and (result.target, result.api) not in composed:
            by_case.setdefault(result.case, {}).setdefault(result.target, []).append(result)
    return by_case


def _is_comparable(result: ResultRecord) -> bool:
    """Whether it has a stable outcome of a single call."""
    if result.verdict in ("unsupported", "blocked") or isinstance(result.outcome, Abstract) or varies(result):
        return False
    return not (result.relation or result.dtype_claim)


def _outliers(by_target: Mapping[str, list[ResultRecord]]) -> Iterator[tuple[str, ResultRecord, str]]:
    if len(by_target) <= FEWEST_OTHERS:
        return
    outcomes = {
        target: {key(result.outcome, "status"): result for result in results} for target, results in by_target.items()
    }
    for target, own in outcomes.items():
        others = {
            outcome: result
            for another, theirs in outcomes.items()
            if another != target
            for outcome, result in theirs.items()
        }
        if len(others) == 1 and not others.keys() & own.keys():
            result = next(iter(own.values()))
            yield target, result, _difference(result.outcome, next(iter(others.values())).outcome)


def _difference(outcome: Outcome, common: Outcome) -> str:
    if outcome.status != common.status:
        return f"{outcome.status}; others: {common.status}"
    assert isinstance(outcome, Returned)
    assert isinstance(common, Returned)
    if outcome.dtype != common.dtype:
        return "different dtype"
    return "different shape" if outcome.shape != common.shape else "different elements"
