"""Where implementations agree: for each operation the conditions under which they do, and the cases that show it.

Two implementations, each an API of a target, agree on a case where both raise, or both return the same dtype, shape and
elements. They do not where one returns and the other raises or returns otherwise, where one dies or hangs, and where one
has no form for the call. A case that was not run or was blocked says nothing. Relations are about several calls and are left out.

A set of conditions is safe for two implementations where they agree on every case that has no other conditions, and no
condition could be added to it: with each that is left out there is a case on which they do not agree although all else
about it is safe. Where several sets are, the conditions with the greatest share of disagreement are left out. For more
than two implementations a condition is safe where it is for each two of them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations

from conformance.findings.conditions import CLAUSES, INDICES_IN
from conformance.findings.evidence import FAILED, NOTHING, Evidence, Implementation


@dataclass(frozen=True)
class Porting:
    """What some implementations of an operation have in common."""

    implementations: tuple[Implementation, ...]
    safe: Mapping[str, tuple[str, ...]]
    """Condition to the cases that prove it: all agree, and all else about them is safe."""
    unsafe: Mapping[str, tuple[str, ...]]
    """Condition to the cases that contradict it: two do not agree, and all else about them is safe for the two."""
    unproven: tuple[str, ...]
    """Conditions that no case shows apart from what is unsafe."""
    agreeing: tuple[str, ...]
    """All cases on which they agree."""
    differing: tuple[str, ...]
    """All cases on which two of them do not."""


@dataclass(frozen=True)
class PairFacts:
    """What two implementations did with the cases of an operation; a set of cases is the bits of a number."""

    same: int
    """They agree."""
    wrong: int
    """They do not, though both say something."""
    against: Mapping[str, int]
    """Each condition that is not safe for the two, the most telling first, with the cases that contradict it."""


@dataclass(frozen=True)
class _Agreement:
    same: int
    wrong: int
    cast: int
    """One of the two had its indices cast to another dtype."""


@cache
def pair_facts(evidence: Evidence, one: Implementation, other: Implementation) -> PairFacts:
    """What is known of two implementations of an operation."""
    pair = _agreement(evidence, one, other)
    left_out = _left_out(evidence, pair)
    against = {}
    for condition in left_out:
        others = [other for other in left_out if other != condition]
        against[condition] = pair.wrong & evidence.having[condition] & ~_any(evidence.having, others)
    return PairFacts(pair.same, pair.wrong, against)


def porting(evidence: Evidence, chosen: Sequence[Implementation]) -> Porting:
    """What two or more implementations of an operation have in common."""
    same, wrong, cast = evidence.all_cases, 0, 0
    against: dict[str, int] = {}
    for one, other in combinations(chosen, 2):
        facts = pair_facts(evidence, one, other)
        same, wrong, cast = same & facts.same, wrong | facts.wrong, cast | evidence.cast[one] | evidence.cast[other]
        for condition, cases in facts.against.items():
            against[condition] = against.get(condition, 0) | cases
    clean = same & ~_any(evidence.having, against)
    rest = [one for one in evidence.all_conditions if one not in against and evidence.questions[one] != CLAUSES]
    proofs = {one: _shown(one, evidence.having[one], same & cast) & clean for one in rest}
    return Porting(
        tuple(chosen),
        {one: evidence.named(cases) for one, cases in proofs.items() if cases},
        {one: evidence.named(cases) for one, cases in against.items()},
        tuple(one for one, cases in proofs.items() if not cases),
        evidence.named(same),
        evidence.named(wrong),
    )


def _agreement(evidence: Evidence, one: Implementation, other: Implementation) -> _Agreement:
    """Case by case, whether two implementations did the same."""
    mine, others = evidence.cases_by_letter[one], evidence.cases_by_letter[other]
    told = evidence.all_cases & ~(mine.get(NOTHING, 0) | others.get(NOTHING, 0))
    same = sum(cases & others.get(letter, 0) for letter, cases in mine.items() if letter not in (*FAILED, NOTHING))
    return _Agreement(same, told & ~same, evidence.cast[one] | evidence.cast[other])


@cache
def _left_out(evidence: Evidence, found: _Agreement) -> tuple[str, ...]:
    having = {one: _shown(one, cases, found.same & found.cast) for one, cases in evidence.having.items()}
    tried = found.same | found.wrong
    left_out: list[str] = []
    while (blamed := _most_blamed(evidence, having, tried & ~_any(having, left_out), found.wrong)) is not None:
        left_out.append(blamed)
    for condition in left_out.copy():
        others = [one for one in left_out if one != condition]
        if not found.wrong & ~_any(having, others):
            left_out = others
    return tuple(left_out)


def _most_blamed(evidence: Evidence, having: Mapping[str, int], inside: int, wrong: int) -> str | None:
    """The condition with the greatest share of disagreement, then with most of it; None where all agree.

    A clause is blamed only where its share is more than twice that of every condition that has a name.
    """
    differing = {one: (cases & inside & wrong).bit_count() for one, cases in having.items()}

    def blame(one: str) -> tuple[float, int, str]:
        share = differing[one] / (having[one] & inside).bit_count()
        return share / 2 if evidence.questions[one] == CLAUSES else share, differing[one], one

    return max((one for one, count in differing.items() if count), key=blame, default=None)


def _shown(condition: str, having: int, same_by_cast: int) -> int:
    """The cases that say something of a condition: agreement on cast indices says nothing of the dtype they had."""
    return having & ~same_by_cast if condition.startswith(INDICES_IN) else having


def _any(having: Mapping[str, int], conditions: Collection[str]) -> int:
    """The cases that have any of some conditions."""
    cases = 0
    for one in conditions:
        cases |= having[one]
    return cases
