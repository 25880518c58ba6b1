"""What a port from one API to another meets, in terms of the calls that both have a form for, and which API to take."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from conformance.findings.agreement import pair_facts, porting, taken_by_both, takes
from conformance.findings.evidence import Evidence, Implementation
from conformance.findings.sentences import newest
from conformance.results.records import TargetRecord

NEARLY = 0.95
"""Of APIs that do the same at least so often as the best one, the plainest takes an API's place: which of them is best
depends on a few rare calls."""


@dataclass(frozen=True)
class Port:
    """Two APIs that implement one operation, on targets of two frameworks."""

    operation: str
    first: Implementation
    second: Implementation
    same: tuple[str, ...]
    """The ids of the calls that both have a form for, and in which both raise, or return the same dtype, shape and elements."""
    different: tuple[str, ...]
    """The ids of the calls that both have a form for, and in which they do not do the same."""
    conditions: Mapping[str, tuple[str, ...]]
    """Under what conditions they differ, with those of ``different`` that show it: all else about these calls is safe."""
    first_lacks: tuple[str, ...]
    """The ids of the calls that ``first`` has no form for, or cannot export, and that ``second`` was called with."""
    second_lacks: tuple[str, ...]
    """The ids of the calls that only ``first`` was called with."""


def port(evidence: Evidence, first: Implementation, second: Implementation) -> Port:
    """Compare two implementations of the operation of the evidence. The way back is the same with sides exchanged."""
    common, facts = porting(evidence, [first, second]), pair_facts(evidence, first, second)
    return Port(
        evidence.operation,
        first,
        second,
        common.agreeing,
        common.differing,
        {condition: evidence.case_ids(cases) for condition, cases in facts.against.items()},
        common.lacking.get(first, ()),
        common.lacking.get(second, ()),
    )


def nearest(
    evidence: Evidence, first: Implementation, others: Collection[Implementation], cases: int = -1
) -> list[Implementation]:
    """Those of other implementations that do the same in most calls, or nearly so, the plainest first; none if none returns the same.

    cases: the calls that count, as a set of bits.
    """
    if first not in evidence.outcomes:
        return []
    # An API that only refuses what the first refuses, too, takes no place.
    plainest = [one for one in evidence.outcomes if one in others and takes(evidence, first, one, cases).same]
    same = {one: (taken_by_both(evidence, first, one)[0] & cases).bit_count() for one in plainest}
    most = max(same.values(), default=0)
    return [one for one in plainest if same[one] and same[one] >= NEARLY * most]


def ports(operations: Sequence[Evidence], targets: Sequence[TargetRecord], reference: str) -> Iterator[Port]:
    """For each operation and two frameworks, in the newest version of each: an API of the first, and what takes its place.

    As ``report --porting`` chooses them: the API that supports most calls, and the nearest of the other framework.
    """
    chosen = [target.id for name, target in newest(targets).items() if name != reference and target.blocked is None]
    for operation in operations:
        implementations = [found for target in chosen if (found := operation.implementations_of(target))]
        for (first, *_), others in combinations(implementations, 2):
            yield port(operation, first, next(iter((*nearest(operation, first, others), *others))))
