"""What failing calls have in common and right calls of their APIs do not: a view, a dtype, the value of an argument."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import comb

from conformance.findings.conditions import (
    CLAUSES,
    EMPTINESS,
    FORMS,
    INDEX_DTYPES,
    RULES,
    Forms,
    conditions_of,
    points_of,
    usual_forms,
)
from conformance.findings.recorded_call import Points
from conformance.results.records import CaseRecord, ResultRecord
from conformance.results.table import Table
from conformance.results.variations import TransformedRecord

MOST_CHANCE = 0.01
"""The most likely that calls share any of the conditions by chance, and it is still said that they share one."""
MOST_SHARE = 0.5
"""The part of all calls that may have a condition which tells something."""
_LEFT_OUT = ("arguments", RULES, CLAUSES)
"""What is said of arguments has their values here; the clause is named beside what is shared."""
ARGUMENTS = "values of arguments"
_VIEW = "a view: "
_FIRST = ("data dtypes", "views", ARGUMENTS, INDEX_DTYPES, FORMS, "index range", EMPTINESS, "values", "duplicates")
"""Of conditions that tell failing calls from right ones equally well, those that answer the first question are named."""


@dataclass(frozen=True)
class Shared:
    """What is true of all failing calls."""

    conditions: tuple[str, ...]
    """One or two."""
    failing: int
    """The number of the failing calls."""
    right: int
    """That of the right calls of which it is true, too."""
    of: int
    """That of all right calls."""


class SharedConditions:
    """The conditions of the calls of a results file, each determined once, when it is first asked for."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._conditions: dict[tuple[str, str | None], Mapping[str, str]] = {}

    def of(self, failing: Sequence[ResultRecord]) -> Shared | None:
        """What failing results share; None if they are too few to tell, or share nothing that tells."""
        # What is refused without a reason is compared with what is rightly taken, and what is taken with what is refused.
        accepted = all("accepted" in result.divergence for result in failing)
        groups = dict.fromkeys(map(self._group, failing))
        right = [one for group in groups for one in self._right.get(group, ()) if self._should_raise(one) == accepted]
        if len(failing) < 2 or not right:
            return None
        return _shared([self._of(result) for result in failing], [self._of(result) for result in right])

    def _group(self, result: ResultRecord) -> tuple[str, str, str]:
        return result.target, result.api, self._table.operation(result)

    @cached_property
    def _right(self) -> Mapping[tuple[str, str, str], Sequence[ResultRecord]]:
        """The right results by target, API and operation."""
        right: dict[tuple[str, str, str], list[ResultRecord]] = {}
        for result in self._table.results.results:
            if result.verdict == "conforms":
                right.setdefault(self._group(result), []).append(result)
        return right

    def _should_raise(self, result: ResultRecord) -> bool:
        case = self._table.results.cases.get(result.case)
        return case is not None and "raises" in case.expectation

    def _of(self, result: ResultRecord) -> Mapping[str, str]:
        """The conditions of a call, each with its question."""
        case = self._table.results.cases.get(result.case)
        if case is None:
            return {}
        # Of what is around a call, its conditions here name the transform and whether there is a program.
        kind = case.variation.kind if isinstance(case.variation, TransformedRecord) else None
        key = self._table.alike.first(case).id, kind
        if key not in self._conditions:
            usual, points = self._usual[case.operation]
            self._conditions[key] = dict(_conditions(case, usual, points))
        return self._conditions[key]

    @cached_property
    def _usual(self) -> Mapping[str, tuple[Forms, Points]]:
        """By operation, the usual form of its arguments, and those that are indices."""
        return {
            operation: (usual_forms(self._table.alike.counted(cases)), points_of(cases))
            for operation, cases in self._table.of_operation.items()
        }


def _conditions(case: CaseRecord, usual: Forms, points: Points) -> Iterator[tuple[str, str]]:
    for condition, question in conditions_of(case, None, usual, points).items():
        if condition.startswith(_VIEW):
            yield f"a view that is {condition.removeprefix(_VIEW)}", question
            yield "a view", question
        elif question not in _LEFT_OUT:
            yield condition, question
    for name, value in case.call.items():
        if isinstance(value, dict) and "scalar" in value:
            yield f"{name}={value['scalar']}", ARGUMENTS
        elif isinstance(value, str | int):
            yield f"{name}={value!r}", ARGUMENTS


def _shared(failing: Sequence[Mapping[str, str]], right: Sequence[Mapping[str, str]]) -> Shared | None:
    questions = failing[0]
    common = [condition for condition in questions if all(condition in call for call in failing)]

    def having(conditions: Collection[str]) -> int:
        return sum(all(condition in call for condition in conditions) for call in right)

    def place(condition: str) -> int:
        question = questions[condition]
        return _FIRST.index(question) if question in _FIRST else len(_FIRST)

    if not common:
        return None
    best = [min(common, key=lambda condition: (having([condition]), place(condition)))]
    pair = min(([*best, other] for other in sorted(common, key=place) if other not in best), key=having, default=best)
    chosen = pair if having(best) and not having(pair) else best
    share = (len(failing) + having(chosen)) / (len(failing) + len(right))
    chance = comb(len(failing) + having(chosen), len(failing)) / comb(len(failing) + len(right), len(failing))
    if share > MOST_SHARE or chance * _tried(failing, right, len(chosen)) > MOST_CHANCE:
        return None
    return Shared(tuple(chosen), len(failing), having(chosen), len(right))


def _tried(failing: Sequence[Mapping[str, str]], right: Sequence[Mapping[str, str]], together: int) -> int:
    """How many conditions, or pairs of them, enough calls have that as many could have shared them by chance."""
    having = Counter(condition for call in (*failing, *right) for condition in call)
    return comb(sum(number >= len(failing) for number in having.values()), together)
