"""What the porting view needs: every outcome as a letter, and for each two APIs the conditions that are not safe."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from typing import Any

from conformance.findings.agreement import unsafe
from conformance.findings.conditions import CALLS_OF, INDICES_IN, QUESTIONS
from conformance.findings.evidence import Evidence, evidence, natural
from conformance.findings.newest import newest
from conformance.reports.html.string_table import Table, deltas
from conformance.reports.text import visible
from conformance.results.file import Results


def porting_payload(results: Results) -> dict[str, Any]:
    """Conditions by number, each with the number of its question, and for each operation what ``porting.js`` reads.

    ``first`` are the targets that are beside each other where the address names none.

    ``cases`` and ``profile`` are columns of differences; a case has the conditions of its profile. ``outcomes`` has a text
    for each implementation with a letter for each case; ``unsafe`` the numbers of two implementations, then of conditions.
    """
    found = evidence(results)
    questions = {condition: question for one in found for condition, question in one.questions.items()}
    conditions: Table[str] = Table()
    for condition in sorted(questions, key=lambda one: (QUESTIONS.index(questions[one]), natural(one))):
        conditions.of(condition)
    numbers = {case: number for number, case in enumerate(results.cases)}
    return {
        "first": [visible(one.id) for name, one in newest(results.targets).items() if name != "reference"],
        "operations": [_operation(one, numbers, conditions) for one in found],
        "conditions": [visible(text) for text in conditions.values],
        "questions": QUESTIONS,
        "question": [QUESTIONS.index(questions[one]) for one in conditions.values],
        "dtypes": _starting(conditions.values, INDICES_IN),
        "clauses": _starting(conditions.values, CALLS_OF),
    }


def _operation(found: Evidence, numbers: dict[str, int], conditions: Table[str]) -> dict[str, Any]:
    implementations = list(found.outcomes)
    profiles: Table[tuple[int, ...]] = Table()
    profile = [profiles.of(tuple(map(conditions.of, some))) for some in found.conditions]
    pairs = combinations(range(len(implementations)), 2)
    return {
        "name": visible(found.operation),
        "implementations": [(visible(one.target), visible(one.api)) for one in implementations],
        "outcomes": list(found.outcomes.values()),
        "cases": deltas(numbers[case] for case in found.cases),
        "profile": deltas(profile),
        "profiles": profiles.values,
        "unsafe": [
            [one, other, *map(conditions.of, unsafe(found, implementations[one], implementations[other]))]
            for one, other in pairs
        ],
    }


def _starting(texts: Iterable[str], beginning: str) -> list[int]:
    return [number for number, text in enumerate(texts) if text.startswith(beginning)]
