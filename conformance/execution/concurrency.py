"""How many targets run in parallel: one more than there are cores, if there is enough memory."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING

from conformance.execution.measurements import key_of

if TYPE_CHECKING:
    from conformance.results.records import TargetRecord
    from conformance.targets.resolve import Target

UNKNOWN = 2 * 2**30
"""Bytes assumed for a target without a measurement."""
USABLE = 0.8
"""Fraction of the free memory that workers may use."""


def concurrency(targets: Sequence[Target], free: int | None, peaks: Mapping[str, float], cores: int) -> int:
    """How many of these targets may run at the same time, in any combination; at least 1.

    This is one more than there are cores, since each target often waits for a starting process or a sleeping kernel.

    free: bytes of memory, None if the system does not report it; peaks: as remembered.
    """
    needed = sorted((peaks.get(key_of(target), UNKNOWN) for target in targets), reverse=True)
    fitting = [total for total in accumulate(needed) if free is None or total <= USABLE * free]
    return max(1, min(cores + 1, len(fitting)))


def cores() -> int:
    """Number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def memory_of(target: Target, peaks: Mapping[str, float]) -> int | None:
    """The peak memory of a target in bytes, if it is known; peaks: as remembered."""
    peak = peaks.get(key_of(target))
    return None if peak is None else int(peak)


def peaks_of(targets: Iterable[TargetRecord]) -> dict[str, float]:
    """Peak memory in bytes of the targets of a run."""
    peaks: dict[str, float] = {}
    for target in targets:
        if target.memory is not None:
            peaks[key_of(target)] = max(target.memory, peaks.get(key_of(target), 0))
    return peaks
