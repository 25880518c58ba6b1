"""The outcomes of every implementation of an operation in every case, encoded so that they can be compared quickly."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from conformance.findings.behaviour import varies
from conformance.findings.conditions import QUESTIONS, conditions_of, usual_forms
from conformance.outcomes.equivalence import key
from conformance.outcomes.model import Abstract, Returned
from conformance.results.file import Results
from conformance.results.records import CaseRecord, ResultRecord

NOTHING, UNSUPPORTED, DIED, HUNG, VARIES, RAISED = ".", "u", "d", "h", "v", "r"
"""Letters of outcomes without a value, or with values that vary from call to call."""
VALUES = "abcefgijklmnopqstwxyz"
"""Letters of values; in each case the first value is ``a``."""
FAILED = (UNSUPPORTED, DIED, HUNG, VARIES)
STATUSES = {"raised": RAISED, "died": DIED, "hung": HUNG, "unsupported": UNSUPPORTED}


@dataclass(frozen=True)
class Implementation:
    """An API of a target that implements an operation."""

    target: str
    api: str


@dataclass(frozen=True, eq=False)
class Evidence:
    """The outcomes of one operation in a run. A set of cases is the bits of an integer, the lowest bit for the first case."""

    operation: str
    cases: tuple[str, ...]
    conditions: tuple[tuple[str, ...], ...]
    """The conditions of each case."""
    questions: Mapping[str, str]
    """Condition to its question."""
    outcomes: Mapping[Implementation, str]
    """A letter for each case, upper case if the indices were cast to a dtype that the API accepts."""

    @cached_property
    def all_conditions(self) -> tuple[str, ...]:
        """Every condition, in the order of questions."""
        return tuple(in_order(self.questions))

    @property
    def all_cases(self) -> int:
        """The set of all cases."""
        return (1 << len(self.cases)) - 1

    @cached_property
    def having(self) -> Mapping[str, int]:
        """Condition to the cases that have it."""
        having = dict.fromkeys(self.questions, 0)
        for index, conditions in enumerate(self.conditions):
            for condition in conditions:
                having[condition] |= 1 << index
        return having

    @cached_property
    def cases_by_letter(self) -> Mapping[Implementation, Mapping[str, int]]:
        """For each implementation, letter to the cases with this outcome."""
        return {implementation: _by_letter(outcomes.lower()) for implementation, outcomes in self.outcomes.items()}

    @cached_property
    def cast(self) -> Mapping[Implementation, int]:
        """For each implementation, the cases whose indices were cast."""
        return {
            implementation: _case_set(letter.isupper() for letter in outcomes)
            for implementation, outcomes in self.outcomes.items()
        }

    def case_ids(self, cases: int) -> tuple[str, ...]:
        """The ids of a set of cases."""
        return tuple(case for index, case in enumerate(self.cases) if cases >> index & 1)

    def letter(self, implementation: Implementation, case: str) -> str:
        """The outcome of an implementation in a case, in lower case."""
        return self.outcomes[implementation][self._indices[case]].lower()

    @cached_property
    def _indices(self) -> Mapping[str, int]:
        return {case: index for index, case in enumerate(self.cases)}

    def implementations_of(self, target: str) -> tuple[Implementation, ...]:
        """The APIs of a target, the one that supports most calls first."""
        apis = [implementation for implementation in self.outcomes if implementation.target == target]
        return tuple(sorted(apis, key=lambda implementation: self.outcomes[implementation].count(UNSUPPORTED)))


def _by_letter(letters: str) -> Mapping[str, int]:
    return {letter: _case_set(another == letter for another in letters) for letter in set(letters)}


def _case_set(members: Iterable[bool]) -> int:
    """The set of cases from a truth value for each case."""
    return int("".join("1" if member else "0" for member in members)[::-1] or "0", 2)


def in_order(questions: Mapping[str, str]) -> list[str]:
    """Conditions in the order of their questions, then by text; ``questions`` has the question of each condition."""
    return sorted(questions, key=lambda condition: (QUESTIONS.index(questions[condition]), _natural(condition)))


def _natural(text: str) -> list[tuple[int, str]]:
    """A sort key that orders numbers in a text by size: int8 before int16."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", text)]


def evidence(results: Results) -> list[Evidence]:
    """The evidence for each operation, in the order of the file. Relations involve several calls and are left out."""
    by_case: dict[str, list[ResultRecord]] = {}
    for result in results.results:
        by_case.setdefault(result.case, []).append(result)
    operations: dict[str, list[CaseRecord]] = {}
    for case in results.cases.values():
        clause = results.clauses.get(case.clause)
        if clause is None or clause.family != "relation":
            operations.setdefault(case.operation, []).append(case)
    return [_evidence(results, name, cases, by_case) for name, cases in operations.items()]


def _evidence(
    results: Results, operation: str, cases: Sequence[CaseRecord], by_case: Mapping[str, Sequence[ResultRecord]]
) -> Evidence:
    usual = usual_forms(cases)
    conditions = [conditions_of(case, results.clauses.get(case.clause), usual) for case in cases]
    outcomes: dict[Implementation, list[str]] = {
        Implementation(mapping.target, mapping.api): []
        for mapping in results.mappings
        if mapping.operation == operation
    }
    for index, case in enumerate(cases):
        for implementation, letter in letters_of(by_case.get(case.id, ())).items():
            letters = outcomes.setdefault(implementation, [])
            letters += [NOTHING] * (index - len(letters)) + [letter]
    return Evidence(
        operation,
        tuple(case.id for case in cases),
        conditions=tuple(map(tuple, conditions)),
        questions={name: question for of_case in conditions for name, question in of_case.items()},
        outcomes={key: "".join(letters).ljust(len(cases), NOTHING) for key, letters in outcomes.items()},
    )


def letters_of(results: Sequence[ResultRecord]) -> dict[Implementation, str]:
    """The outcomes of one case: equal letters for equal outcomes."""
    values: dict[Hashable, str] = {}
    letters = {}
    for result in results:
        letter = _letter(result, values)
        letters[Implementation(result.target, result.api)] = letter.upper() if result.cast else letter
    return letters


def _letter(result: ResultRecord, values: dict[Hashable, str]) -> str:
    # a result without values neither agrees nor disagrees with any other
    if result.verdict == "blocked" or isinstance(result.outcome, Abstract):
        return NOTHING
    if not isinstance(result.outcome, Returned):
        return STATUSES[result.outcome.status]
    if varies(result):
        return VARIES
    value = key(result.outcome, "status")
    if value not in values and len(values) == len(VALUES):
        return NOTHING
    return values.setdefault(value, VALUES[min(len(values), len(VALUES) - 1)])
