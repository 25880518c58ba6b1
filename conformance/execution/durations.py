"""How long the cases of a target took in earlier runs."""

from __future__ import annotations

import contextlib
import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from conformance.files import replace_text
from conformance.results.file import Results
from conformance.results.records import TargetRecord
from conformance.targets.prepared import mode_of
from conformance.targets.resolve import Target

FILE = "durations.json"
"""In the suite's home folder: seconds per case of each framework, mode and device in the last run."""
UNKNOWN = 0.002
"""Seconds assumed for a case of a target without a measurement, if its mode does not compile."""


def seconds_per_case(target: Target, durations: Mapping[str, float]) -> float:
    """An estimate for all APIs of a case together; durations: as returned by ``remembered``."""
    return durations.get(_key(target), max(UNKNOWN, mode_of(target).shape))


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
