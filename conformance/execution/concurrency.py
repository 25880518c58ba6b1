"""How many targets run in parallel: one more than there are cores, if there is enough memory."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.files import replace_text

if TYPE_CHECKING:
    from conformance.results.records import TargetRecord
    from conformance.targets.resolve import Target

FILE = "memory.json"
"""In the suite's home folder: peak memory in bytes of each framework, mode and device in the last run."""
UNKNOWN = 2 * 2**30
"""Bytes assumed for a target without a measurement."""
USABLE = 0.8
"""Fraction of the free memory that workers may use."""


def concurrency(targets: Sequence[Target], free: int | None, peaks: Mapping[str, int], cores: int) -> int:
    """How many of these targets may run at the same time, in any combination; at least 1.

    This is one more than there are cores, since each target often waits for a starting process or a sleeping kernel.

    free: bytes of memory, None if the system does not report it; peaks: as returned by ``remembered``.
    """
    needed = sorted((peaks.get(_key(target), UNKNOWN) for target in targets), reverse=True)
    fitting = [total for total in accumulate(needed) if free is None or total <= USABLE * free]
    return max(1, min(cores + 1, len(fitting)))


def cores() -> int:
    """Number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def remembered(home: Path) -> dict[str, int]:
    """Peak memory in bytes by framework, mode and device; empty if there is no readable file."""
    try:
        content = json.loads((home / FILE).read_text(encoding="utf-8"))
        return {str(name): int(count) for name, count in content.items()}
    except (OSError, ValueError, TypeError, AttributeError, RecursionError):
        return {}


def memory_of(target: Target, peaks: Mapping[str, int]) -> int | None:
    """The peak memory of a target in bytes, if it is known; peaks: as returned by ``remembered``."""
    return peaks.get(_key(target))


def remember(home: Path, targets: Iterable[TargetRecord]) -> None:
    """Store the peak memory of the targets of a run for the next one; errors are ignored."""
    peaks: dict[str, int] = {}
    for target in targets:
        if target.memory is not None:
            peaks[_key(target)] = max(target.memory, peaks.get(_key(target), 0))
    if not peaks:
        return
    with contextlib.suppress(OSError):
        home.mkdir(parents=True, exist_ok=True)
        replace_text(home / FILE, json.dumps(remembered(home) | peaks, indent=1))


def _key(target: Target | TargetRecord) -> str:
    return f"{target.framework}[{target.mode}]@{target.device.partition(':')[0]}"
