"""Where one framework does otherwise than all the others, which agree."""

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
    """The cases of one clause on which one target stands alone in the same way."""

    target: str
    clause: str
    how: str
    """``raised; the others returned``, ``other elements than the others``."""
    results: tuple[ResultRecord, ...]
    """One for each case, of an API that differs."""
    others: tuple[str, ...]
    """The targets that agree, at least two."""


def outliers(results: Results) -> list[Outlier]:
    """Each way in which one target stands alone on the cases of a clause, most cases first.

    A framework is represented by the newest version that started, in its first mode and on its first device, and there
    by the APIs that are no composition. A target stands alone on a case where at least two others came to one and
    the same outcome on all their APIs, and none of its own did. What is unsupported or blocked, has no result or no
    values, or varies from call to call neither agrees nor differs. Relations, which compare a target with itself, and cases about dtypes are left out.
    """
    found: dict[tuple[str, str, str, tuple[str, ...]], list[ResultRecord]] = {}
    for some in _by_case(results).values():
        for target, result, how in _outliers(some):
            others = tuple(name for name in some if name != target)
            found.setdefault((target, result.clause, how, others), []).append(result)
    made = [Outlier(target, clause, how, tuple(some), others) for (target, clause, how, others), some in found.items()]
    return sorted(made, key=lambda one: -len(one.results))


def _by_case(results: Results) -> dict[str, dict[str, list[ResultRecord]]]:
    """Comparable results by case and target."""
    chosen = {target.id for target in newest(results.targets).values()}
    composed = {(one.target, one.api) for one in results.mappings if one.composed}
    found: dict[str, dict[str, list[ResultRecord]]] = {}
    for result in results.results:
        if _is_comparable(result) and result.target in chosen and (result.target, result.api) not in composed:
            found.setdefault(result.case, {}).setdefault(result.target, []).append(result)
    return found


def _is_comparable(result: ResultRecord) -> bool:
    """Whether it has one outcome, of a single call, that others can be compared with."""
    if result.verdict in ("unsupported", "blocked") or isinstance(result.outcome, Abstract) or varies(result):
        return False
    return not (result.relation or result.dtype_claim)


def _outliers(by_target: Mapping[str, list[ResultRecord]]) -> Iterator[tuple[str, ResultRecord, str]]:
    if len(by_target) <= FEWEST_OTHERS:
        return
    outcomes = {
        target: {key(result.outcome, "status"): result for result in results} for target, results in by_target.items()
    }
    for target, mine in outcomes.items():
        others = {
            outcome: result for name, theirs in outcomes.items() if name != target for outcome, result in theirs.items()
        }
        if len(others) == 1 and not others.keys() & mine.keys():
            result = next(iter(mine.values()))
            yield target, result, _how(result.outcome, next(iter(others.values())).outcome)


def _how(mine: Outcome, theirs: Outcome) -> str:
    if mine.status != theirs.status:
        return f"{mine.status}; the others {theirs.status}"
    assert isinstance(mine, Returned)
    assert isinstance(theirs, Returned)
    if mine.dtype != theirs.dtype:
        return "another dtype than the others"
    return "another shape than the others" if mine.shape != theirs.shape else "other elements than the others"
