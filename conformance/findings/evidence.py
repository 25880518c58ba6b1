"""The outcomes of every implementation of an operation in every case, encoded so that they can be compared quickly."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, reduce
from operator import or_

from conformance.findings.behaviour import depends_on_other_calls, varies
from conformance.findings.conditions import (
    INDEX_DTYPES,
    QUESTIONS,
    cast_condition,
    conditions_beside,
    conditions_of_call,
    index_dtype_condition,
    points_of,
    usual_forms,
)
from conformance.outcomes.equivalence import key
from conformance.outcomes.model import Abstract, Raised, Returned
from conformance.results.records import CaseRecord, MappingRecord, ResultRecord
from conformance.results.table import Table
from conformance.specification.dtypes import NAMES

NOTHING, UNSUPPORTED, NOT_EXPORTED, DIED, HUNG, VARIES, RAISED = ".", "u", "n", "d", "h", "v", "r"
"""Letters of outcomes without a value, or with values that vary from call to call."""
DEPENDS = "~"
"""The letter of a result that depends on earlier calls: no condition of the call itself decides it, so it proves nothing."""
VALUES = "abcefgijklmopqstwxyz"
"""Letters of values; in each case the first value is ``a``."""
FAILED = (UNSUPPORTED, NOT_EXPORTED, DIED, HUNG, VARIES)
STATUSES = {"raised": RAISED, "died": DIED, "hung": HUNG, "unsupported": UNSUPPORTED, "not-exported": NOT_EXPORTED}


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
    """A letter for each case, upper case if the indices were cast to a dtype that the API accepts. Of a target the plain APIs
    come first; see ``plainest_first``."""
    cast_to: Mapping[Implementation, Mapping[str, int]] = field(default_factory=dict)
    """For each implementation that casts, the condition of the dtype that indices have after a cast of some, to those cases."""
    about: Mapping[str, str] = field(default_factory=dict)
    """Condition about the dtype of indices to the index argument."""
    empty: Mapping[Implementation, int] = field(default_factory=dict)
    """For each implementation, the cases in which it returned no elements."""

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

    def having_for(self, first: Implementation, second: Implementation) -> Mapping[str, int]:
        """Condition to the cases in which both were called under it; after a cast, indices have the dtype of the cast."""
        dtypes = [condition for condition, question in self.questions.items() if question == INDEX_DTYPES]
        equal = {condition: self._called(first, condition) & self._called(second, condition) for condition in dtypes}
        of_argument: dict[str | None, int] = {}
        for condition, cases in equal.items():
            name = self.about.get(condition)
            of_argument[name] = of_argument.get(name, 0) | cases
        cast = self.cast[first] | self.cast[second]
        casts = {
            cast_condition(condition): self.having[condition] & cast & ~of_argument[self.about.get(condition)]
            for condition in dtypes
        }
        return {**self.having, **equal, **{name: cases for name, cases in casts.items() if name in self.questions}}

    def _called(self, implementation: Implementation, condition: str) -> int:
        cast_to = self.cast_to.get(implementation, {}).get(condition, 0)
        return self.having[condition] & ~self.cast[implementation] | cast_to

    def cast_from(self, implementation: Implementation, condition: str) -> int:
        """The cases whose indices have the dtype that a condition is about, and were cast to another."""
        return self.having[condition] & ~self._called(implementation, condition)

    def returned(self, implementation: Implementation) -> int:
        """The cases in which it returned."""
        letters = self.cases_by_letter[implementation].items()
        return sum(cases for letter, cases in letters if letter in VALUES)

    def taken(self, implementation: Implementation) -> int:
        """The cases that it takes: those in which it returned, the same each time or not."""
        letters = self.cases_by_letter[implementation]
        return self.returned(implementation) | letters.get(VARIES, 0) | letters.get(DEPENDS, 0)

    def ended(self, implementation: Implementation) -> int:
        """The cases in which it ended the process, or did not return."""
        letters = self.cases_by_letter[implementation]
        return letters.get(DIED, 0) | letters.get(HUNG, 0)

    def case_ids(self, cases: int) -> tuple[str, ...]:
        """The ids of a set of cases."""
        return tuple(case for index, case in enumerate(self.cases) if cases >> index & 1)

    def case_set(self, ids: Iterable[str]) -> int:
        """The set of cases with these ids."""
        return sum(1 << self._indices[case] for case in ids)

    def letter(self, implementation: Implementation, case: str) -> str:
        """The outcome of an implementation in a case, in lower case."""
        return self.outcomes[implementation][self._indices[case]].lower()

    @cached_property
    def _indices(self) -> Mapping[str, int]:
        return {case: index for index, case in enumerate(self.cases)}

    def implementations_of(self, target: str) -> tuple[Implementation, ...]:
        """The APIs of a target, the one that supports most calls first, and of equal ones the plain one."""
        apis = [implementation for implementation in self.outcomes if implementation.target == target]
        return tuple(sorted(apis, key=self._lacking))

    def _lacking(self, implementation: Implementation) -> int:
        letters = self.outcomes[implementation].lower()
        return letters.count(UNSUPPORTED) + letters.count(NOT_EXPORTED)


def union(sets: Iterable[int]) -> int:
    """The cases of any of the sets."""
    return reduce(or_, sets, 0)


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


def evidence(table: Table) -> list[Evidence]:
    """The evidence for each operation, in the order of the file. Relations involve several calls and are left out."""
    results = table.results
    operations: dict[str, list[CaseRecord]] = {}
    for case in results.cases.values():
        clause = results.clauses.get(case.clause)
        if clause is None or clause.family != "relation":
            operations.setdefault(case.operation, []).append(case)
    return [_evidence(table, name, cases) for name, cases in operations.items()]


def _evidence(table: Table, operation: str, cases: Sequence[CaseRecord]) -> Evidence:
    results = table.results
    usual, points = usual_forms(table.alike.counted(cases)), points_of(cases)
    of_calls: dict[str, dict[str, str]] = {}
    questions: dict[str, str] = {}
    conditions: list[tuple[str, ...]] = []
    equal: dict[tuple[str, ...], tuple[str, ...]] = {}
    for case in cases:
        first = table.alike.first(case)
        if first.id not in of_calls:
            of_calls[first.id] = conditions_of_call(first, usual, points)
        of_case = {**of_calls[first.id], **conditions_beside(case, results.clauses.get(case.clause))}
        questions |= of_case
        conditions.append(equal.setdefault(tuple(of_case), tuple(of_case)))
    outcomes: dict[Implementation, list[str]] = {
        Implementation(mapping.target, mapping.api): []
        for mapping in plainest_first(one for one in results.mappings if one.operation == operation)
    }
    cast_to: dict[Implementation, dict[str, int]] = {}
    empty: dict[Implementation, int] = {}
    about = {index_dtype_condition(points, name, dtype): name for name in points for dtype in NAMES}
    for index, case in enumerate(cases):
        results_of_case = table.of_case.get(case.id, ())
        for implementation, letter in letters_of(results_of_case).items():
            letters = outcomes.setdefault(implementation, [])
            letters += [NOTHING] * (index - len(letters)) + [letter]
        for result in results_of_case:
            implementation = Implementation(result.target, result.api)
            called = {**case.dtypes, **result.cast} if result.cast else {}
            for condition in (index_dtype_condition(points, name, called[name]) for name in points if name in called):
                casts = cast_to.setdefault(implementation, {})
                casts[condition] = casts.get(condition, 0) | 1 << index
            if isinstance(result.outcome, Returned) and 0 in result.outcome.shape:
                empty[implementation] = empty.get(implementation, 0) | 1 << index
    if cast_to:
        questions |= dict.fromkeys((condition for casts in cast_to.values() for condition in casts), INDEX_DTYPES)
        questions |= {
            cast_condition(name): question for name, question in questions.items() if question == INDEX_DTYPES
        }
    return Evidence(
        operation,
        tuple(case.id for case in cases),
        conditions=tuple(conditions),
        questions=questions,
        outcomes={key: "".join(letters).ljust(len(cases), NOTHING) for key, letters in outcomes.items()},
        cast_to=cast_to,
        about=about,
        empty=empty,
    )


def plainest_first(mappings: Iterable[MappingRecord]) -> list[MappingRecord]:
    """The mappings of one operation, the plain functions before other forms of them.

    Adapters begin with what users write, so their order is kept, with two exceptions.
    An API that follows the documentation of one mapped before it is another form of that one, such as ``torch.gather(out=)``,
    and comes after all that are not. An API that changes an argument comes after all that do not.
    """
    in_order = list(mappings)
    before: set[tuple[str, str]] = set()
    forms: set[tuple[str, str]] = set()
    for mapping in in_order:
        if mapping.follows and (mapping.target, mapping.follows) in before:
            forms.add((mapping.target, mapping.api))
        before.add((mapping.target, mapping.api))
    return sorted(in_order, key=lambda one: (one.in_place is not None, (one.target, one.api) in forms))


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
    is_alive = isinstance(result.outcome, Returned | Raised)
    if is_alive and depends_on_other_calls(result):  # what ends the process after other calls ends it all the same
        return DEPENDS
    if not isinstance(result.outcome, Returned):
        return STATUSES[result.outcome.status]
    if varies(result):
        return VARIES
    value = key(result.outcome, "status")
    if value not in values and len(values) == len(VALUES):
        return NOTHING
    return values.setdefault(value, VALUES[min(len(values), len(VALUES) - 1)])
