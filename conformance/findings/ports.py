"""What a port from one API to another meets, in terms of the calls that both take."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from conformance.findings.agreement import pair_facts, porting
from conformance.findings.evidence import Evidence, Implementation
from conformance.findings.sentences import newest
from conformance.results.records import TargetRecord


@dataclass(frozen=True)
class Port:
    """Two APIs that implement one operation, on targets of two frameworks."""

    operation: str
    first: Implementation
    second: Implementation
    same: tuple[str, ...]
    """The ids of the calls that both take, and in which both raise, or return the same dtype, shape and elements."""
    different: tuple[str, ...]
    """The ids of the calls that both take, and in which they do not do the same."""
    conditions: Mapping[str, tuple[str, ...]]
    """Under what conditions they differ, with those of ``different`` that show it: all else about these calls is safe."""
    first_lacks: tuple[str, ...]
    """The ids of the calls that only ``second`` takes: ``first`` has no form for them, or cannot export them."""
    second_lacks: tuple[str, ...]
    """The ids of the calls that only ``first`` takes."""


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


def ports(operations: Sequence[Evidence], targets: Sequence[TargetRecord], reference: str) -> Iterator[Port]:
    """For each operation and two frameworks: the API of the newest target of each that supports most calls."""
    chosen = [target.id for name, target in newest(targets).items() if name != reference and target.blocked is None]
    for operation in operations:
        preferred = [found[0] for target in chosen if (found := operation.implementations_of(target))]
        yield from (port(operation, first, second) for first, second in combinations(preferred, 2))
