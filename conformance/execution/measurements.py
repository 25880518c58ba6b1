"""What earlier runs measured of targets, and what follows: the order of targets, and how many run at the same time.

The measurements are files in the suite's home folder with a number by framework, mode and device.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.environments.prepared_target import mode_of
from conformance.files import replace_text

if TYPE_CHECKING:
    from conformance.environments.resolve import Target
    from conformance.results.file import Results
    from conformance.results.records import TargetRecord

DURATIONS = "durations.json"
"""Seconds per case of each target in the last run."""
PEAKS = "memory.json"
"""Peak memory in bytes of each target in the last run."""
UNKNOWN_SECONDS = 0.002
"""Seconds assumed for a case of a target without a measurement, if its mode does not compile."""
UNKNOWN_MEMORY = 2 * 2**30
"""Bytes assumed for a target without a measurement."""
USABLE = 0.8
"""Fraction of the free memory that workers may use."""


def key_of(target: Target | TargetRecord) -> str:
    """The key of a target in these files; all its versions share one."""
    return f"{target.framework}[{target.mode}]@{target.device.partition(':')[0]}"


def remembered(home: Path, file: str) -> dict[str, float]:
    """The numbers of a file; empty if there is no readable one."""
    try:
        content = json.loads((home / file).read_text(encoding="utf-8"))
        numbers = {str(name): float(number) for name, number in content.items()}
    except (OSError, ValueError, TypeError, AttributeError, RecursionError, OverflowError):
        return {}
    return {name: number for name, number in numbers.items() if math.isfinite(number) and number >= 0}


def remember(home: Path, file: str, numbers: Mapping[str, float]) -> None:
    """Store the numbers of a run for the next one, beside those of other targets; errors are ignored."""
    if numbers:
        with contextlib.suppress(OSError):
            home.mkdir(parents=True, exist_ok=True)
            replace_text(home / file, json.dumps({**remembered(home, file), **numbers}, indent=1))


def remember_all(home: Path, results: Results) -> None:
    """Store what a run has measured for the next one."""
    remember(home, PEAKS, peaks_of(results.targets))
    remember(home, DURATIONS, durations_of(results))


def durations_of(results: Results) -> dict[str, float]:
    """Seconds per case of the targets of a run."""
    cases = Counter(target for target, _ in {(result.target, result.case) for result in results.results})
    return {
        key_of(target): target.seconds / cases[target.id]
        for target in results.targets
        if target.seconds is not None and cases[target.id]
    }


def peaks_of(targets: Iterable[TargetRecord]) -> dict[str, float]:
    """Peak memory in bytes of the targets of a run."""
    peaks: dict[str, float] = {}
    for target in targets:
        if target.memory is not None:
            peaks[key_of(target)] = max(target.memory, peaks.get(key_of(target), 0))
    return peaks


def seconds_per_case(target: Target, durations: Mapping[str, float]) -> float:
    """An estimate for all APIs of a case together; durations: as remembered."""
    return durations.get(key_of(target), max(UNKNOWN_SECONDS, mode_of(target).shape))


def memory_of(target: Target, peaks: Mapping[str, float]) -> int | None:
    """The peak memory of a target in bytes, if it is known; peaks: as remembered."""
    peak = peaks.get(key_of(target))
    return None if peak is None else int(peak)


def concurrency(targets: Sequence[Target], free: int | None, peaks: Mapping[str, float], cores: int) -> int:
    """How many of these targets may run at the same time, in any combination; at least 1.

    This is one more than there are cores, since each target often waits for a starting process or a sleeping kernel.

    free: bytes of memory, None if the system does not report it; peaks: as remembered.
    """
    needed = sorted((peaks.get(key_of(target), UNKNOWN_MEMORY) for target in targets), reverse=True)
    fitting = [total for total in accumulate(needed) if free is None or total <= USABLE * free]
    return max(1, min(cores + 1, len(fitting)))


def cores() -> int:
    """Number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
