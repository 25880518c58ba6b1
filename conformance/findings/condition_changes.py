"""Under which conditions an API does something else than in the version before: "indices in int32: raised, now returns".

Two versions are compared as two implementations are for porting, so that a change is blamed on as few conditions as
possible. An error of another type is no change here, and neither is a call that one of them does not support.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from conformance.findings.agreement import pair_facts
from conformance.findings.behaviour import contrasted
from conformance.findings.evidence import UNSUPPORTED, Evidence, Implementation
from conformance.findings.timeline import Step
from conformance.results.records import ResultRecord

Lookup = Mapping[tuple[str, str, str], ResultRecord]
"""Target, API and case to their result."""


@dataclass(frozen=True)
class ConditionChange:
    """What an API did and does under a condition."""

    operation: str
    api: str
    condition: str
    was: str
    now: str
    """The most frequent texts of the behaviour before and after."""
    cases: tuple[tuple[ResultRecord, ResultRecord], ...]
    """The results before and after; first one that the texts are about."""


def condition_changes(operations: Iterable[Evidence], lookup: Lookup, step: Step) -> list[ConditionChange]:
    """The changes of all APIs from one version to the next, in the order of the operations."""
    return [
        change
        for evidence in operations
        for before, after in _in_both(evidence, step)
        for change in _of_api(evidence, lookup, before, after)
    ]


def _in_both(evidence: Evidence, step: Step) -> Iterator[tuple[Implementation, Implementation]]:
    for implementation in evidence.outcomes:
        after = Implementation(step.after.id, implementation.api)
        if implementation.target == step.before.id and after in evidence.outcomes:
            yield implementation, after


def _of_api(
    evidence: Evidence, lookup: Lookup, before: Implementation, after: Implementation
) -> Iterator[ConditionChange]:
    unsupported = _unsupported(evidence, before) | _unsupported(evidence, after)
    for condition, against in pair_facts(evidence, before, after).against.items():
        pairs = [
            (lookup[before.target, before.api, case], lookup[after.target, after.api, case])
            for case in evidence.case_ids(against & ~unsupported)
        ]
        if pairs:
            yield _change(evidence.operation, before.api, condition, pairs)


def _unsupported(evidence: Evidence, implementation: Implementation) -> int:
    return evidence.cases_by_letter[implementation].get(UNSUPPORTED, 0)


def _change(
    operation: str, api: str, condition: str, pairs: Sequence[tuple[ResultRecord, ResultRecord]]
) -> ConditionChange:
    texts = [contrasted(before, after) for before, after in pairs]
    [(usual, _)] = Counter(texts).most_common(1)
    first = texts.index(usual)
    ordered = (pairs[first], *pairs[:first], *pairs[first + 1 :])
    return ConditionChange(operation, api, condition, *usual, ordered)
