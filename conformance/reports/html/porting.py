"""What the porting view needs: for each two implementations where they agree and which conditions are not safe."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from typing import Any

from conformance.findings.agreement import PairFacts, pair_facts
from conformance.findings.conditions import CLAUSES, INDEX_DTYPES, QUESTIONS
from conformance.findings.evidence import NOTHING, RAISED, Evidence, evidence, in_order
from conformance.findings.newest import newest
from conformance.reports.html.string_table import Table, deltas
from conformance.reports.porting import WORDS
from conformance.reports.text import visible
from conformance.results.file import Results

Row = tuple[Any, ...]


def porting_payload(results: Results) -> dict[str, Any]:
    """``Porting`` of ``payload.d.ts``: conditions by number, and what is known of each operation.

    A set of cases is a number in hexadecimal digits, with the lowest bit for the operation's first case.
    """
    operations = evidence(results)
    questions = {condition: question for one in operations for condition, question in one.questions.items()}
    ordered = in_order(questions)
    numbers = {case: number for number, case in enumerate(results.cases)}
    return {
        "first": [visible(target.id) for name, target in newest(results.targets).items() if name != "reference"],
        "words": WORDS,
        "letters": {"nothing": NOTHING, "raised": RAISED},
        "conditions": [visible(condition) for condition in ordered],
        "questions": QUESTIONS,
        "question": [QUESTIONS.index(questions[condition]) for condition in ordered],
        "index_dtypes": [number for number, condition in enumerate(ordered) if questions[condition] == INDEX_DTYPES],
        "clauses": [number for number, condition in enumerate(ordered) if questions[condition] == CLAUSES],
        "operations": [_operation(one, numbers, ordered) for one in operations],
    }


def _operation(known: Evidence, numbers: dict[str, int], ordered: Iterable[str]) -> dict[str, Any]:
    condition_numbers = {condition: number for number, condition in enumerate(ordered)}
    facts: Table[Row] = Table()
    pairs = [
        (one, other, facts.index(_facts_row(pair_facts(known, first, second), condition_numbers)))
        for (one, first), (other, second) in combinations(enumerate(known.outcomes), 2)
    ]
    return {
        "name": visible(known.operation),
        "implementations": [(visible(one.target), visible(one.api)) for one in known.outcomes],
        "preferred": _preferred(known),
        "outcomes": [letters.lower() for letters in known.outcomes.values()],
        "cast": [_hexadecimal(known.cast[one]) for one in known.outcomes],
        "cases": deltas(numbers[case] for case in known.cases),
        "having": [(condition_numbers[one], _hexadecimal(cases)) for one, cases in known.having.items()],
        "pairs": pairs,
        "facts": facts.values,
    }


def _preferred(known: Evidence) -> dict[str, int]:
    """For each target the number of the implementation that has a form for most calls."""
    numbers = {one: number for number, one in enumerate(known.outcomes)}
    targets = dict.fromkeys(one.target for one in known.outcomes)
    return {visible(target): numbers[known.implementations_of(target)[0]] for target in targets}


def _facts_row(facts: PairFacts, condition_numbers: dict[str, int]) -> Row:
    """Where they agree, where they do not, and each condition that is not safe with the cases that contradict it."""
    against = ((condition_numbers[one], _hexadecimal(cases)) for one, cases in facts.against.items())
    return _hexadecimal(facts.same), _hexadecimal(facts.wrong), tuple(against)


def _hexadecimal(cases: int) -> str:
    return f"0x{cases:x}"
