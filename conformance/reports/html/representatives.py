"""Which targets a matrix shows at first: all where they are few, else one for each framework."""

from __future__ import annotations

from collections.abc import Sequence

from conformance.findings.newest import newest
from conformance.results.records import TargetRecord

FEW = 6


def representatives(targets: Sequence[TargetRecord]) -> set[str]:
    """The ids of the targets to show."""
    return {target.id for target in (targets if len(targets) <= FEW else newest(targets).values())}
