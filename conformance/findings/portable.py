"""Where implementations agree: for each operation the conditions under which they do, and the cases that show it.

Two implementations, each an API of a target, agree on a case where both raise, or both return the same dtype, shape and
elements. They do not where one returns and the other raises or returns otherwise, where one dies or hangs, and where one
has no form for the call. A case that was not run or was blocked says nothing. Laws are about several calls and are left out.

A set of conditions is safe for two implementations where they agree on every case that has no other conditions, and no
condition could be added to it: with each that is left out there is a case on which they do not agree although all else
about it is safe. Where several sets are, the conditions with the greatest share of disagreement are left out. For more
than two implementations a condition is safe where it is for each two of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations

from conformance.findings.conditions import CALLS_OF, INDICES_IN
from conformance.findings.evidence import FAILED, NOTHING, Evidence, Implementation

Tried = frozenset[tuple[frozenset[str], bool]]
"""The conditions of every case that says something, and whether two implementations agree on it."""


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
    differing: tuple[str, ...]
    """All cases on which they do not agree."""


def porting(evidence: Evidence, chosen: Sequence[Implementation]) -> Porting:
    """What two or more implementations of an operation have in common."""
    pairs = {pair: unsafe(evidence, *pair) for pair in combinations(chosen, 2)}
    left_out = list(dict.fromkeys(condition for some in pairs.values() for condition in some))
    proofs = _proofs(evidence, chosen, left_out)
    rest = [one for one in evidence.all_conditions if one not in left_out and not one.startswith(CALLS_OF)]
    return Porting(
        tuple(chosen),
        {one: tuple(proofs[one]) for one in rest if one in proofs},
        {one: _contradictions(evidence, pairs, one) for one in left_out},
        tuple(one for one in rest if one not in proofs),
        tuple(evidence.cases[at] for at in range(len(evidence.cases)) if _differs(evidence, chosen, at)),
    )


def agree(one: str, other: str) -> bool | None:
    """Whether two outcomes of a case are the same; None where one of them says nothing."""
    one, other = one.lower(), other.lower()
    if NOTHING in (one, other):
        return None
    return one == other and one not in FAILED


def as_made(conditions: Iterable[str], outcomes: Iterable[str]) -> frozenset[str]:
    """The conditions that agreement on a case speaks for: not the dtype of indices where one API had them in another."""
    cast = any(outcome.isupper() for outcome in outcomes)
    return frozenset(one for one in conditions if not (cast and one.startswith(INDICES_IN)))


def unsafe(evidence: Evidence, one: Implementation, other: Implementation) -> tuple[str, ...]:
    """The conditions that are not safe for two implementations, the most telling first."""
    seen = set(zip(evidence.profile, evidence.outcomes[one], evidence.outcomes[other], strict=True))
    tried = {
        (as_made(conditions, outcomes) if same else frozenset(conditions), same)
        for conditions, outcomes in ((evidence.profiles[profile], outcomes) for profile, *outcomes in seen)
        if (same := agree(*outcomes)) is not None
    }
    return _left_out(frozenset(tried))


@cache
def _left_out(tried: Tried) -> tuple[str, ...]:
    left_out: list[str] = []
    while (blamed := _most_blamed(_inside(tried, left_out))) is not None:
        left_out.append(blamed)
    common = Counter(condition for conditions, _ in tried for condition in conditions)
    for condition in sorted(left_out, key=lambda one: (not one.startswith(CALLS_OF), -common[one])):
        others = [one for one in left_out if one != condition]
        if all(same for _, same in _inside(tried, others)):
            left_out = others
    return tuple(left_out)


def _inside(tried: Tried, left_out: Collection[str]) -> list[tuple[frozenset[str], bool]]:
    return [(conditions, same) for conditions, same in tried if conditions.isdisjoint(left_out)]


def _most_blamed(tried: Iterable[tuple[frozenset[str], bool]]) -> str | None:
    """The condition with the greatest share of disagreement, then with most of it; None where all agree.

    Cases with the same conditions count once, so that no spec decides by how often it tries the same.
    A clause is blamed only where its share is more than twice that of every condition that has a name.
    """
    cases, wrong = Counter[str](), Counter[str]()
    for conditions, same in tried:
        cases.update(conditions)
        wrong.update(() if same else conditions)

    def blame(one: str) -> tuple[float, int, str]:
        share = wrong[one] / cases[one]
        return share / 2 if one.startswith(CALLS_OF) else share, wrong[one], one

    return max(wrong, key=blame, default=None)


def _proofs(evidence: Evidence, chosen: Sequence[Implementation], left_out: Collection[str]) -> dict[str, list[str]]:
    proofs: dict[str, list[str]] = {}
    for at, case in enumerate(evidence.cases):
        outcomes = [evidence.outcomes[one][at] for one in chosen]
        made = as_made(evidence.conditions(at), outcomes)
        if made.isdisjoint(left_out) and all(agree(outcomes[0], outcome) for outcome in outcomes):
            for condition in made:
                proofs.setdefault(condition, []).append(case)
    return proofs


def _contradictions(
    evidence: Evidence, pairs: Mapping[tuple[Implementation, Implementation], Collection[str]], condition: str
) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for pair, left_out in pairs.items():
        others = [one for one in left_out if one != condition]
        for at, case in enumerate(evidence.cases if condition in left_out else ()):
            outcomes = [evidence.outcomes[one][at] for one in pair]
            if agree(*outcomes) is False and set(evidence.conditions(at)).isdisjoint(others):
                found[case] = None
    return tuple(found)


def _differs(evidence: Evidence, chosen: Sequence[Implementation], at: int) -> bool:
    return any(
        agree(evidence.outcomes[one][at], evidence.outcomes[other][at]) is False
        for one, other in combinations(chosen, 2)
    )
