"""What every implementation of an operation did with every case, short enough to be compared."""

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
"""Outcomes that are no value, or another one each time."""
VALUES = "abcefgijklmnopqstwxyz"
"""Letters of values, in the order in which a case met them."""
FAILED = (UNSUPPORTED, DIED, HUNG, VARIES)
STATUSES = {"raised": RAISED, "died": DIED, "hung": HUNG, "unsupported": UNSUPPORTED}


@dataclass(frozen=True)
class Implementation:
    """An API of a target that stands for an operation."""

    target: str
    api: str


@dataclass(frozen=True, eq=False)
class Evidence:
    """All that a run says of one operation. A set of cases is the bits of a number, for the first case the lowest."""

    operation: str
    cases: tuple[str, ...]
    conditions: tuple[tuple[str, ...], ...]
    """Of each case."""
    questions: Mapping[str, str]
    """Condition to the question that it answers."""
    outcomes: Mapping[Implementation, str]
    """A letter for each case, in capitals where the indices were cast to a dtype that the API takes."""

    @cached_property
    def all_conditions(self) -> tuple[str, ...]:
        """Each once, by the question that it answers."""
        return tuple(sorted(self.questions, key=lambda one: (QUESTIONS.index(self.questions[one]), natural(one))))

    @property
    def all_cases(self) -> int:
        """The set of all cases."""
        return (1 << len(self.cases)) - 1

    @cached_property
    def having(self) -> Mapping[str, int]:
        """The cases that have a condition."""
        found = dict.fromkeys(self.questions, 0)
        for at, some in enumerate(self.conditions):
            for condition in some:
                found[condition] |= 1 << at
        return found

    @cached_property
    def cases_by_letter(self) -> Mapping[Implementation, Mapping[str, int]]:
        """For each implementation the cases that came to each outcome."""
        return {
            one: {letter: _where(other == letter for other in letters) for letter in set(letters)}
            for one, letters in ((one, outcomes.lower()) for one, outcomes in self.outcomes.items())
        }

    @cached_property
    def cast(self) -> Mapping[Implementation, int]:
        """For each implementation the cases whose indices were cast."""
        return {one: _where(letter.isupper() for letter in outcomes) for one, outcomes in self.outcomes.items()}

    def named(self, cases: int) -> tuple[str, ...]:
        """The ids of a set of cases."""
        return tuple(case for at, case in enumerate(self.cases) if cases >> at & 1)

    def place(self, case: str) -> int:
        """The place of a case among all."""
        return self._places[case]

    @cached_property
    def _places(self) -> Mapping[str, int]:
        return {case: at for at, case in enumerate(self.cases)}

    def standing_for(self, target: str) -> tuple[Implementation, ...]:
        """The APIs of a target, the one that has a form for most calls first."""
        mine = [one for one in self.outcomes if one.target == target]
        return tuple(sorted(mine, key=lambda one: self.outcomes[one].count(UNSUPPORTED)))


def _where(held: Iterable[bool]) -> int:
    """The set of the cases at the places where something holds."""
    return int("".join("1" if one else "0" for one in held)[::-1] or "0", 2)


def natural(text: str) -> list[tuple[int, str]]:
    """A text as it sorts with its numbers by size: int8 before int16."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", text)]


def evidence(results: Results) -> list[Evidence]:
    """What a run says of each operation, in the order of the file; relations, which are about several calls, left out."""
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
    found: dict[Implementation, list[str]] = {
        Implementation(one.target, one.api): [] for one in results.mappings if one.operation == operation
    }
    for number, case in enumerate(cases):
        for implementation, letter in letters_of(by_case.get(case.id, ())).items():
            letters = found.setdefault(implementation, [])
            letters += [NOTHING] * (number - len(letters)) + [letter]
    return Evidence(
        operation,
        tuple(case.id for case in cases),
        conditions=tuple(map(tuple, conditions)),
        questions={one: question for some in conditions for one, question in some.items()},
        outcomes={one: "".join(letters).ljust(len(cases), NOTHING) for one, letters in found.items()},
    )


def letters_of(some: Sequence[ResultRecord]) -> dict[Implementation, str]:
    """The outcomes of one case: the same letter for the same."""
    values: dict[Hashable, str] = {}
    letters = {}
    for result in some:
        letter = _letter(result, values)
        letters[Implementation(result.target, result.api)] = letter.upper() if result.cast else letter
    return letters


def _letter(result: ResultRecord, values: dict[Hashable, str]) -> str:
    # A result without values agrees with no one and contradicts no one.
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
