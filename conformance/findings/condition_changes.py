"""Under which conditions an API does something else than in another version: "indices in int32: raised, now returns".

Two versions are compared as two implementations are for porting, so that a change is blamed on as few conditions as
possible. An error of another type is no change here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from conformance.findings.agreement import pair_facts
from conformance.findings.compare import Change, Key, Side, compare
from conformance.findings.evidence import Evidence, Implementation


@dataclass(frozen=True)
class ConditionChange:
    """What an API did and does under a condition."""

    operation: str
    api: str
    condition: str
    was: str
    now: str
    """The most frequent texts of the behaviour before and after."""
    changes: tuple[Change, ...]
    """First one that the texts are about."""


def condition_changes(operations: Iterable[Evidence], first: Side, second: Side) -> list[ConditionChange]:
    """The changes of all APIs from one version to another, in the order of the operations."""
    changes = {change.key: change for change in compare(first, second, "status").changes}
    return [
        change
        for evidence in operations
        for implementation in evidence.implementations_of(first.target.id)
        if (other := Implementation(second.target.id, implementation.api)) in evidence.outcomes
        for change in _of_api(evidence, changes, implementation, other)
    ]


def _of_api(
    evidence: Evidence, changes: Mapping[Key, Change], first: Implementation, second: Implementation
) -> Iterator[ConditionChange]:
    for condition, against in pair_facts(evidence, first, second).against.items():
        of_api = [changes.get((case, first.api)) for case in evidence.case_ids(against)]
        of_condition = [change for change in of_api if change is not None]
        if of_condition:
            yield _change(evidence.operation, first.api, condition, of_condition)


def _change(operation: str, api: str, condition: str, changes: Sequence[Change]) -> ConditionChange:
    texts = [(change.was, change.now) for change in changes]
    [(usual, _)] = Counter(texts).most_common(1)
    first = texts.index(usual)
    return ConditionChange(operation, api, condition, *usual, (changes[first], *changes[:first], *changes[first + 1 :]))
