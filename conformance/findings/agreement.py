"""Where implementations agree: for each operation the conditions under which they do, and the cases that show it.

Two implementations, each an API of a target, agree on a case if both raise, or if both return the same dtype, shape and
elements. They disagree if only one returns, if they return different results, or if one dies, hangs or does not support
the call. A case that was not run or is blocked shows nothing. Relations involve several calls and are left out.

A set of conditions is safe for two implementations if they agree on every case that has no other conditions, and no
condition can be added to it: for each unsafe condition there is a case on which they disagree although all its other
conditions are safe. If several sets qualify, the conditions with the greatest share of disagreement are unsafe. For more
than two implementations a condition is safe if it is safe for every pair.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations

from conformance.findings.conditions import CLAUSES, INDEX_DTYPES
from conformance.findings.evidence import FAILED, NOTHING, Evidence, Implementation


@dataclass(frozen=True)
class Porting:
    """What several implementations of an operation have in common."""

    implementations: tuple[Implementation, ...]
    safe: Mapping[str, tuple[str, ...]]
    """Condition to the cases that prove it: all agree, and the other conditions of the case are safe."""
    unsafe: Mapping[str, tuple[str, ...]]
    """Condition to the cases that contradict it: two disagree, and the other conditions are safe for the two."""
    unproven: tuple[str, ...]
    """Conditions that occur only together with unsafe ones."""
    agreeing: tuple[str, ...]
    """All cases on which they agree."""
    differing: tuple[str, ...]
    """All cases on which two of them disagree."""


@dataclass(frozen=True)
class PairFacts:
    """How two implementations compare on the cases of an operation. A set of cases is the bits of an integer."""

    same: int
    """Cases on which they agree."""
    wrong: int
    """Cases on which they disagree."""
    against: Mapping[str, int]
    """Each condition that is unsafe for the two, with the cases that contradict it; the greatest share of disagreement first."""


@dataclass(frozen=True)
class _Agreement:
    same: int
    wrong: int
    cast: int
    """Cases in which the indices of one of the two were cast to another dtype."""


@cache
def pair_facts(evidence: Evidence, first: Implementation, second: Implementation) -> PairFacts:
    """Compare two implementations of an operation."""
    agreement = _agreement(evidence, first, second)
    unsafe = _unsafe_conditions(evidence, agreement)
    against = {}
    for condition in unsafe:
        rest = [another for another in unsafe if another != condition]
        against[condition] = agreement.wrong & evidence.having[condition] & ~_any(evidence.having, rest)
    return PairFacts(agreement.same, agreement.wrong, against)


def porting(evidence: Evidence, chosen: Sequence[Implementation]) -> Porting:
    """Return what two or more implementations of an operation have in common."""
    same, wrong, cast = evidence.all_cases, 0, 0
    against: dict[str, int] = {}
    for first, second in combinations(chosen, 2):
        facts = pair_facts(evidence, first, second)
        same, wrong, cast = same & facts.same, wrong | facts.wrong, cast | evidence.cast[first] | evidence.cast[second]
        for condition, cases in facts.against.items():
            against[condition] = against.get(condition, 0) | cases
    clean = same & ~_any(evidence.having, against)
    proofs = {
        condition: _relevant(evidence, condition, same & cast) & clean
        for condition in evidence.all_conditions
        if condition not in against and evidence.questions[condition] != CLAUSES
    }
    return Porting(
        tuple(chosen),
        {condition: evidence.case_ids(cases) for condition, cases in proofs.items() if cases},
        {condition: evidence.case_ids(cases) for condition, cases in against.items()},
        tuple(condition for condition, cases in proofs.items() if not cases),
        evidence.case_ids(same),
        evidence.case_ids(wrong),
    )


def _agreement(evidence: Evidence, first: Implementation, second: Implementation) -> _Agreement:
    """Compare two implementations case by case."""
    first_cases, second_cases = evidence.cases_by_letter[first], evidence.cases_by_letter[second]
    informative = evidence.all_cases & ~(first_cases.get(NOTHING, 0) | second_cases.get(NOTHING, 0))
    comparable = (letter for letter in first_cases if letter not in (*FAILED, NOTHING))
    same = sum(first_cases[letter] & second_cases.get(letter, 0) for letter in comparable)
    return _Agreement(same, informative & ~same, evidence.cast[first] | evidence.cast[second])


@cache
def _unsafe_conditions(evidence: Evidence, agreement: _Agreement) -> tuple[str, ...]:
    same_by_cast = agreement.same & agreement.cast
    having = {condition: _relevant(evidence, condition, same_by_cast) for condition in evidence.having}
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

    A clause is blamed only if its share is more than twice that of every other condition.
    """
    differing = {condition: (cases & inside & wrong).bit_count() for condition, cases in having.items()}

    def blame(condition: str) -> tuple[float, int, str]:
        share = differing[condition] / (having[condition] & inside).bit_count()
        return share / 2 if evidence.questions[condition] == CLAUSES else share, differing[condition], condition

    return max((condition for condition, count in differing.items() if count), key=blame, default=None)


def _relevant(evidence: Evidence, condition: str, same_by_cast: int) -> int:
    """The cases that show something about a condition: agreement on cast indices shows nothing about their dtype."""
    having = evidence.having[condition]
    return having & ~same_by_cast if evidence.questions[condition] == INDEX_DTYPES else having


def _any(having: Mapping[str, int], conditions: Collection[str]) -> int:
    """The cases that have any of these conditions."""
    cases = 0
    for condition in conditions:
        cases |= having[condition]
    return cases
