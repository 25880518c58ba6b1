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

from conformance.findings.conditions import CALLS_OF, INDICES_IN
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
class Agreement:
    """What two implementations did with the cases of an operation; a set of cases is the bits of a number."""

    same: int
    """They agree."""
    wrong: int
    """They do not, though both say something."""
    cast: int
    """One of them had its indices cast to another dtype."""


def agreement(evidence: Evidence, one: Implementation, other: Implementation) -> Agreement:
    """Case by case, whether two implementations did the same."""
    mine, others = evidence.cases_by_letter[one], evidence.cases_by_letter[other]
    told = evidence.all_cases & ~(mine.get(NOTHING, 0) | others.get(NOTHING, 0))
    same = sum(cases & others.get(letter, 0) for letter, cases in mine.items() if letter not in (*FAILED, NOTHING))
    return Agreement(same, told & ~same, evidence.cast[one] | evidence.cast[other])


def unsafe(evidence: Evidence, one: Implementation, other: Implementation) -> tuple[str, ...]:
    """The conditions that are not safe for two implementations, the most telling first."""
    return _left_out(evidence, agreement(evidence, one, other))


def porting(evidence: Evidence, chosen: Sequence[Implementation]) -> Porting:
    """What two or more implementations of an operation have in common."""
    pairs = [agreement(evidence, *pair) for pair in combinations(chosen, 2)]
    all_of = Agreement(evidence.all_cases, 0, 0)
    for found in pairs:
        all_of = Agreement(all_of.same & found.same, all_of.wrong | found.wrong, all_of.cast | found.cast)
    left_out = list(dict.fromkeys(condition for found in pairs for condition in _left_out(evidence, found)))
    clean = all_of.same & ~_any(evidence.having, left_out)
    rest = [one for one in evidence.all_conditions if one not in left_out and not one.startswith(CALLS_OF)]
    proofs = {one: _shown(one, evidence.having[one], all_of) & clean for one in rest}
    return Porting(
        tuple(chosen),
        {one: evidence.named(cases) for one, cases in proofs.items() if cases},
        {one: evidence.named(_contradictions(evidence, pairs, one)) for one in left_out},
        tuple(one for one, cases in proofs.items() if not cases),
        evidence.named(all_of.same),
        evidence.named(all_of.wrong),
    )


@cache
def _left_out(evidence: Evidence, found: Agreement) -> tuple[str, ...]:
    having = {one: _shown(one, cases, found) for one, cases in evidence.having.items()}
    tried = found.same | found.wrong
    left_out: list[str] = []
    while (blamed := _most_blamed(having, tried & ~_any(having, left_out), found.wrong)) is not None:
        left_out.append(blamed)
    for condition in left_out.copy():
        others = [one for one in left_out if one != condition]
        if not found.wrong & ~_any(having, others):
            left_out = others
    return tuple(left_out)


def _most_blamed(having: Mapping[str, int], inside: int, wrong: int) -> str | None:
    """The condition with the greatest share of disagreement, then with most of it; None where all agree.

    A clause is blamed only where its share is more than twice that of every condition that has a name.
    """
    differing = {one: (cases & inside & wrong).bit_count() for one, cases in having.items()}

    def blame(one: str) -> tuple[float, int, str]:
        share = differing[one] / (having[one] & inside).bit_count()
        return share / 2 if one.startswith(CALLS_OF) else share, differing[one], one

    return max((one for one, count in differing.items() if count), key=blame, default=None)


def _contradictions(evidence: Evidence, pairs: Sequence[Agreement], condition: str) -> int:
    against = 0
    for found in pairs:
        left_out = _left_out(evidence, found)
        if condition in left_out:
            others = [one for one in left_out if one != condition]
            against |= found.wrong & evidence.having[condition] & ~_any(evidence.having, others)
    return against


def _shown(condition: str, having: int, found: Agreement) -> int:
    """The cases that say something of a condition: agreement on cast indices says nothing of the dtype they had."""
    return having & ~(found.same & found.cast) if condition.startswith(INDICES_IN) else having


def _any(having: Mapping[str, int], conditions: Collection[str]) -> int:
    """The cases that have any of some conditions."""
    cases = 0
    for one in conditions:
        cases |= having[one]
    return cases
