"""How many units a target is divided into, estimated by what earlier runs took."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from conformance.environments.resolve import Target
from conformance.execution.measurements import seconds_per_case

START = 5.0
"""Seconds assumed for starting a unit: the suite, the framework, the draws."""
STARTS = 10.0
"""The smallest duration of a unit, in starts, so that about a tenth of the time is spent on them."""
UNITS_PER_SLOT = 3.0
"""The number of units that each slot is to carry out, so that slots end at about the same time."""


def shard_counts(
    targets: Sequence[Target], cases: int, slots: int, durations: Mapping[str, float], *, grows: bool
) -> list[int]:
    """The number of shards of each target.

    durations: as remembered. grows: whether there may be more slots later. A single slot that nothing
    joins has nothing to share, and would only start a target several times.
    """
    if slots == 1 and not grows:
        return [1] * len(targets)
    seconds = [cases * seconds_per_case(target, durations) for target in targets]
    balanced = sum(seconds) / (slots * UNITS_PER_SLOT)
    return [
        max(1, min(cases, math.ceil(target_seconds / balanced), round(target_seconds / (START * STARTS))))
        for target_seconds in seconds
    ]
