"""How many units a target is divided into, estimated by what earlier runs took."""

from __future__ import annotations

import contextlib
import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from conformance.files import replace_text
from conformance.results.file import Results
from conformance.results.records import TargetRecord
from conformance.targets.prepared import mode_of
from conformance.targets.resolve import Target

FILE = "durations.json"
"""In the suite's home folder: seconds per case of each framework, mode and device in the last run."""
START = 5.0
"""Seconds assumed for starting a unit: the suite, the framework, the draws."""
STARTS = 10.0
"""The smallest duration of a unit, in starts, so that at most a tenth of the time is spent on them."""
UNITS_PER_SLOT = 3.0
"""The number of units that each slot is to carry out, so that slots end at about the same time."""
UNKNOWN = 0.002
"""Seconds assumed for a case of a target without a measurement, if its mode does not compile."""


def shard_counts(targets: Sequence[Target], cases: int, slots: int, durations: Mapping[str, float]) -> list[int]:
    """The number of shards of each target; durations: as returned by ``remembered``."""
    seconds = [cases * durations.get(_key(target), max(UNKNOWN, mode_of(target).shape)) for target in targets]
    unit = max(START * STARTS, sum(seconds) / (slots * UNITS_PER_SLOT))
    return [max(1, min(cases, math.ceil(target_seconds / unit))) for target_seconds in seconds]


def remembered(home: Path) -> dict[str, float]:
    """Seconds per case by framework, mode and device; empty if there is no readable file."""
    try:
        content = json.loads((home / FILE).read_text(encoding="utf-8"))
        return {str(name): float(seconds) for name, seconds in content.items()}
    except (OSError, ValueError, TypeError, AttributeError, RecursionError):
        return {}


def remember(home: Path, results: Results) -> None:
    """Store what the results of a run took, for the next one; errors are ignored."""
    cases = Counter(target for target, _ in {(result.target, result.case) for result in results.results})
    durations = {
        _key(target): target.seconds / cases[target.id]
        for target in results.targets
        if target.seconds is not None and cases[target.id]
    }
    if durations:
        with contextlib.suppress(OSError):
            home.mkdir(parents=True, exist_ok=True)
            replace_text(home / FILE, json.dumps(remembered(home) | durations, indent=1))


def _key(target: Target | TargetRecord) -> str:
    return f"{target.framework}[{target.mode}]@{target.device.partition(':')[0]}"
