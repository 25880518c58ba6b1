"""The data of the porting view: for each pair of implementations, where they agree and which conditions are not safe."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any

from conformance.findings.agreement import PairFacts, pair_facts
from conformance.findings.conditions import CLAUSES, EMPTINESS, INDEX_DTYPES, QUESTIONS, cast_condition
from conformance.findings.evidence import NOTHING, RAISED, Evidence, in_order
from conformance.findings.newest import newest
from conformance.reports.html.string_table import Table, deltas
from conformance.reports.porting import WORDS
from conformance.reports.text import visible
from conformance.results.file import Results

Row = tuple[Any, ...]


def porting_payload(results: Results, operations: Sequence[Evidence]) -> dict[str, Any]:
    """``Porting`` of ``payload.d.ts``.

    A set of cases is a hexadecimal number, whose lowest bit is for the operation's first case.
    """
    questions = {condition: question for operation in operations for condition, question in operation.questions.items()}
    ordered = in_order(questions)
    numbers = {case: number for number, case in enumerate(results.cases)}
    return {
        "first": [visible(target.id) for name, target in newest(results.targets).items() if name != "reference"],
        "words": WORDS,
        "letters": {"nothing": NOTHING, "raised": RAISED},
        "conditions": [visible(condition) for condition in ordered],
        "questions": QUESTIONS,
        "question": [QUESTIONS.index(questions[condition]) for condition in ordered],
        "index_dtypes": _index_dtypes(ordered, questions),
        "emptiness": [number for number, condition in enumerate(ordered) if questions[condition] == EMPTINESS],
        "clauses": [number for number, condition in enumerate(ordered) if questions[condition] == CLAUSES],
        "operations": [_operation(operation, numbers, ordered) for operation in operations],
    }


def _index_dtypes(ordered: Sequence[str], questions: Mapping[str, str]) -> list[tuple[int, int]]:
    """Each dtype of indices, and the condition that such indices were cast for some, or -1 if they never were."""
    numbers = {condition: number for number, condition in enumerate(ordered)}
    dtypes = [condition for condition in ordered if questions[condition] == INDEX_DTYPES]
    casts = {cast_condition(condition) for condition in dtypes}
    return [
        (numbers[condition], numbers.get(cast_condition(condition), -1))
        for condition in dtypes
        if condition not in casts
    ]


def _operation(operation: Evidence, numbers: dict[str, int], ordered: Iterable[str]) -> dict[str, Any]:
    condition_numbers = {condition: number for number, condition in enumerate(ordered)}
    facts: Table[Row] = Table()
    pairs = [
        (left, right, facts.index(_facts_row(pair_facts(operation, first, second), condition_numbers)))
        for (left, first), (right, second) in combinations(enumerate(operation.outcomes), 2)
    ]
    return {
        "name": visible(operation.operation),
        "implementations": [(visible(api.target), visible(api.api)) for api in operation.outcomes],
        "preferred": _preferred(operation),
        "outcomes": [letters.lower() for letters in operation.outcomes.values()],
        "cast": [_hexadecimal(operation.cast[api]) for api in operation.outcomes],
        "cast_to": [
            [(condition_numbers[name], _hexadecimal(cases)) for name, cases in operation.cast_to.get(api, {}).items()]
            for api in operation.outcomes
        ],
        "empty": [_hexadecimal(operation.empty.get(api, 0)) for api in operation.outcomes],
        "cases": deltas(numbers[case] for case in operation.cases),
        "having": [
            (condition_numbers[condition], _hexadecimal(cases)) for condition, cases in operation.having.items()
        ],
        "pairs": pairs,
        "facts": facts.values,
    }


def _preferred(operation: Evidence) -> dict[str, int]:
    """For each target, the number of the implementation that supports most calls."""
    numbers = {api: number for number, api in enumerate(operation.outcomes)}
    targets = dict.fromkeys(api.target for api in operation.outcomes)
    return {visible(target): numbers[operation.implementations_of(target)[0]] for target in targets}


def _facts_row(facts: PairFacts, condition_numbers: dict[str, int]) -> Row:
    """The cases where a pair agrees, where it does not, and each unsafe condition with the cases that contradict it."""
    against = ((condition_numbers[condition], _hexadecimal(cases)) for condition, cases in facts.against.items())
    return _hexadecimal(facts.same), _hexadecimal(facts.wrong), tuple(against)


def _hexadecimal(cases: int) -> str:
    return f"0x{cases:x}"
