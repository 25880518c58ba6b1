"""How long the cases of a target took in earlier runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from conformance.execution.measurements import key_of
from conformance.results.file import Results
from conformance.targets.prepared import mode_of
from conformance.targets.resolve import Target

UNKNOWN = 0.002
"""Seconds assumed for a case of a target without a measurement, if its mode does not compile."""


def seconds_per_case(target: Target, durations: Mapping[str, float]) -> float:
    """An estimate for all APIs of a case together; durations: as remembered."""
    return durations.get(key_of(target), max(UNKNOWN, mode_of(target).shape))


def durations_of(results: Results) -> dict[str, float]:
    """Seconds per case of the targets of a run."""
    cases = Counter(target for target, _ in {(result.target, result.case) for result in results.results})
    return {
        key_of(target): target.seconds / cases[target.id]
        for target in results.targets
        if target.seconds is not None and cases[target.id]
    }
