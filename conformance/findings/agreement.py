"""Where implementations agree: for each operation the conditions under which they do, and the cases that show it.

Two implementations, each an API of a target, agree on a case if both raise, or if both return the same dtype, shape and
elements. They disagree if only one returns, if they return different results, or if one dies or hangs. A call that one of
them has no form for is no disagreement: what it lacks is listed separately. So is a result that depends on earlier calls. A case that was not run or is blocked shows
nothing. Relations involve several calls and are left out.

A set of conditions is safe for two implementations if they agree on every case that has no other conditions, and no
condition can be added to it: for each unsafe condition there is a case on which they disagree although all its other
conditions are safe. If several sets qualify, the conditions with the greatest share of disagreement are unsafe. For more
than two implementations a condition is safe if it is safe for every pair.

A call whose indices were cast counts for the dtype that they were cast to. Only a case in which all return elements
proves a condition safe, unless the condition is about emptiness; if all they do under it is raise, it is raising.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, reduce
from itertools import combinations
from operator import and_

from conformance.findings.conditions import CLAUSES, EMPTINESS, RULES, cast_condition
from conformance.findings.evidence import (
    DEPENDS,
    FAILED,
    NOT_EXPORTED,
    NOTHING,
    RAISED,
    UNSUPPORTED,
    Evidence,
    Implementation,
    union,
)


@dataclass(frozen=True)
class Porting:
    """What several implementations of an operation have in common."""

    implementations: tuple[Implementation, ...]
    safe: Mapping[str, tuple[str, ...]]
    """Condition to the cases that prove it: all return the same elements, and the other conditions of the case are safe."""
    raising: Mapping[str, tuple[str, ...]]
    """Condition to its cases if no case proves it but there are some in which all raise, without unsafe conditions."""
    unsafe: Mapping[str, tuple[str, ...]]
    """Condition to the cases that contradict it: two disagree, and the other conditions are safe for the two."""
    unproven: tuple[str, ...]
    """Conditions that occur only together with unsafe ones."""
    agreeing: tuple[str, ...]
    """All cases on which they agree."""
    differing: tuple[str, ...]
    """All cases on which two of them disagree."""
    lacking: Mapping[Implementation, tuple[str, ...]]
    """For each that lacks any, the cases that it has no form for, or that cannot be exported, and another takes."""


@dataclass(frozen=True)
class PairFacts:
    """How two implementations compare on the cases of an operation. A set of cases is the bits of an integer."""

    same: int
    """Cases on which they agree."""
    wrong: int
    """Cases on which they disagree; both take them."""
    against: Mapping[str, int]
    """Each condition that is unsafe for the two, with the cases that contradict it; the greatest share of disagreement first."""


@dataclass(frozen=True)
class _Agreement:
    same: int
    wrong: int
    having: tuple[tuple[str, int], ...]
    """Condition to the cases in which both were called under it."""


@cache
def pair_facts(evidence: Evidence, first: Implementation, second: Implementation) -> PairFacts:
    """Compare two implementations of an operation."""
    agreement = _agreement(evidence, first, second)
    having = dict(agreement.having)
    unsafe = _unsafe_conditions(evidence, agreement)
    against = {}
    for condition in unsafe:
        rest = [another for another in unsafe if another != condition]
        against[condition] = agreement.wrong & having[condition] & ~_any(having, rest)
    return PairFacts(agreement.same, agreement.wrong, against)


def porting(evidence: Evidence, chosen: Sequence[Implementation]) -> Porting:
    """Return what two or more implementations of an operation have in common."""
    same, wrong = evidence.all_cases, 0
    against: dict[str, int] = {}
    havings = []
    for first, second in combinations(chosen, 2):
        facts = pair_facts(evidence, first, second)
        havings.append(evidence.having_for(first, second))
        same, wrong = same & facts.same, wrong | facts.wrong
        for condition, cases in facts.against.items():
            against[condition] = against.get(condition, 0) | cases
    clean = same & ~union(having[condition] for having in havings for condition in against)
    cast = {cast_condition(condition) for condition in evidence.questions}
    agreeing = {
        condition: clean & (union if condition in cast else _intersection)([having[condition] for having in havings])
        for condition in evidence.all_conditions
        if condition not in against and evidence.questions[condition] != CLAUSES
    }
    safe = {condition: cases & telling_cases(evidence, chosen[0], condition) for condition, cases in agreeing.items()}
    raised = evidence.cases_by_letter[chosen[0]].get(RAISED, 0)
    raising = {condition: 0 if safe[condition] else cases & raised for condition, cases in agreeing.items()}
    return Porting(
        tuple(chosen),
        _case_ids(evidence, safe),
        _case_ids(evidence, raising),
        _case_ids(evidence, against),
        tuple(
            condition for condition in agreeing if condition not in cast and not (safe[condition] or raising[condition])
        ),
        evidence.case_ids(same),
        evidence.case_ids(wrong),
        _lacking(evidence, chosen),
    )


def _lacking(evidence: Evidence, chosen: Sequence[Implementation]) -> dict[Implementation, tuple[str, ...]]:
    without = {each: _without_form(evidence, each) for each in chosen}
    nothing = {each: evidence.cases_by_letter[each].get(NOTHING, 0) for each in chosen}
    taken = union(evidence.all_cases & ~(without[each] | nothing[each]) for each in chosen)
    return {each: evidence.case_ids(cases & taken) for each, cases in without.items() if cases & taken}


def _without_form(evidence: Evidence, implementation: Implementation) -> int:
    cases = evidence.cases_by_letter[implementation]
    return cases.get(UNSUPPORTED, 0) | cases.get(NOT_EXPORTED, 0)


def telling_cases(evidence: Evidence, implementation: Implementation, condition: str) -> int:
    """The cases whose result would show a difference: those that return elements, or anything if it is about emptiness."""
    returned = evidence.returned(implementation)
    return returned if evidence.questions[condition] == EMPTINESS else returned & ~evidence.empty.get(implementation, 0)


def _case_ids(evidence: Evidence, cases: Mapping[str, int]) -> dict[str, tuple[str, ...]]:
    return {condition: evidence.case_ids(of_condition) for condition, of_condition in cases.items() if of_condition}


def _agreement(evidence: Evidence, first: Implementation, second: Implementation) -> _Agreement:
    """Compare two implementations case by case."""
    same, wrong = taken_by_both(evidence, first, second)
    return _Agreement(same, wrong, tuple(evidence.having_for(first, second).items()))


def taken_by_both(evidence: Evidence, first: Implementation, second: Implementation) -> tuple[int, int]:
    """Of the cases that both take, those on which they agree, and those on which they do not."""
    first_cases, second_cases = evidence.cases_by_letter[first], evidence.cases_by_letter[second]
    without = _without_form(evidence, first) | _without_form(evidence, second)
    silent = union(cases.get(letter, 0) for cases in (first_cases, second_cases) for letter in (NOTHING, DEPENDS))
    informative = evidence.all_cases & ~(silent | without)
    comparable = (letter for letter in first_cases if letter not in (*FAILED, NOTHING, DEPENDS))
    same = sum(first_cases[letter] & second_cases.get(letter, 0) for letter in comparable)
    return same, informative & ~same


@dataclass(frozen=True)
class Takes:
    """What two implementations do with the calls that both have a form for. A set of cases is the bits of an integer."""

    same: int
    """Both take the call, and return the same."""
    different: int
    """Both take it, and do not return the same each time."""
    refused: int
    """Only the first takes it: the second raises."""
    accepted: int
    """Only the second takes it: the first raises."""
    both_refuse: int
    """Both raise."""
    ended: int
    """One of them ends the process, or does not return, which is neither to take a call nor to refuse it."""

    @property
    def both(self) -> int:
        """The calls that both take."""
        return self.same | self.different


def takes(evidence: Evidence, first: Implementation, second: Implementation, cases: int = -1) -> Takes:
    """Who takes which of these cases, a set of bits; by default of all."""
    same, wrong = (of_both & cases for of_both in taken_by_both(evidence, first, second))
    raised, other_raised = (evidence.cases_by_letter[one].get(RAISED, 0) for one in (first, second))
    taken, other_taken = (evidence.taken(one) for one in (first, second))
    return Takes(
        same & taken,
        wrong & taken & other_taken,
        wrong & taken & other_raised,
        wrong & raised & other_taken,
        same & raised,
        wrong & (evidence.ended(first) | evidence.ended(second)),
    )


@cache
def _unsafe_conditions(evidence: Evidence, agreement: _Agreement) -> tuple[str, ...]:
    having = dict(agreement.having)
    informative = agreement.same | agreement.wrong
    unsafe: list[str] = []
    while condition := _most_blamed(evidence, having, informative & ~_any(having, unsafe), agreement.wrong):
        unsafe.append(condition)
    for condition in unsafe.copy():
        rest = [another for another in unsafe if another != condition]
        if not agreement.wrong & ~_any(having, rest):
            unsafe = rest
    return tuple(unsafe)


def _most_blamed(evidence: Evidence, having: Mapping[str, int], inside: int, wrong: int) -> str | None:
    """The condition with the greatest share of disagreement, then with most of it; None if all agree.

    A rule or a clause, which says nothing of the arguments, is blamed only if its share is more than twice that of every other
    condition.
    """
    differing = {condition: (cases & inside & wrong).bit_count() for condition, cases in having.items()}

    def blame(condition: str) -> tuple[float, int, str]:
        share = differing[condition] / (having[condition] & inside).bit_count()
        return (
            share / 2 if evidence.questions[condition] in (RULES, CLAUSES) else share,
            differing[condition],
            condition,
        )

    return max((condition for condition, count in differing.items() if count), key=blame, default=None)


def _any(having: Mapping[str, int], conditions: Collection[str]) -> int:
    """The cases that have any of these conditions."""
    return union(having[condition] for condition in conditions)


def _intersection(sets: Iterable[int]) -> int:
    return reduce(and_, sets)
