"""Whether what a port calls safe is: no call that has the condition ends otherwise on one side, unless it has another that is not."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from tests.findings.naive.ports import word_of
from tests.findings.naive.received import BELOW, EQUAL, GREATER, NEGATIVE, Ranges
from tests.findings.naive.records import Records


@dataclass(frozen=True)
class Said:
    """What is said of two APIs."""

    operation: str
    sides: Sequence[tuple[str, str]]
    """Target and API."""
    safe: Mapping[str, Collection[str]]
    """Condition to the cases that prove it."""
    having: Mapping[str, Collection[str]]
    """Condition, of those called safe or not, to the cases that have it."""
    unsafe: Collection[str]
    of_clauses: Collection[str]
    """Those of ``unsafe`` that only name a rule or a clause."""


def false_safety(records: Records, said: Sequence[Said]) -> Iterator[str]:
    ranges = Ranges(records)
    results = {(each["target"], each["api"], each["case"]): each for each in records.results}
    found: dict[str, set[str]] = {}
    for port in said:
        cases = [
            name
            for name, case in records.cases.items()
            if case["operation"] == port.operation and records.clauses[case["clause"]]["family"] != "relation"
        ]
        words = {name: [word_of(results.get((*side, name))) for side in port.sides] for name in cases}
        one_raises = [name for name, of_case in words.items() if of_case.count("raised") == 1 and _both_take(of_case)]
        place = f"{port.operation}, {' and '.join(api for _, api in port.sides)}"
        for condition, proofs in port.safe.items():
            is_range = condition.endswith((EQUAL, GREATER, NEGATIVE, BELOW))
            for name in (*one_raises, *(proofs if is_range else ())):
                if name not in found:
                    found[name] = ranges.of(records.cases[name])
            for name in proofs:
                if words[name][0] != words[name][1] or words[name][0] == "raised":
                    yield f"{place}: {name} does not prove {condition}"
                if is_range and condition not in found[name]:
                    yield f"{place}: {name} has not {condition}"
            of_calls = {name for name in one_raises if condition in found[name]} if is_range else port.having[condition]
            # That a call is of some clause says nothing of how far an index is out of bounds.
            others = {*port.unsafe}.difference(port.of_clauses if is_range else ())
            explained = {name for other in others for name in port.having[other]}
            for name in one_raises:
                if name in of_calls and name not in explained:
                    yield f"{place}: {condition} is safe, and {words[name]} in {name}"


def _both_take(words: Sequence[str | None]) -> bool:
    return not {*words} & {None, "lacks", "depends"}
