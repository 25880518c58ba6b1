"""How many targets run side by side: one more than there are cores, as far as the machine has memory for them."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from pathlib import Path

from conformance.execution.preparing import Job
from conformance.files import replace_text
from conformance.results.records import TargetRecord
from conformance.targets.resolve import Target

FILE = "memory.json"
"""In the folder of the suite's own: bytes that a worker of each framework, mode and device took the last time."""
UNKNOWN = 2 * 2**30
"""Bytes that a worker is taken to need of which nothing is known yet."""
SHARE = 0.8
"""Part of the free memory that workers are given."""


def concurrency(jobs: Sequence[Job], free: int | None, taken: Mapping[str, int], cores: int) -> int:
    """How many of these jobs may run at the same time, whichever they are; one at least.

    One more than there are cores, as each waits a good part of its time, for a process that starts or a kernel that sleeps.

    free: bytes of memory, None where the system does not tell; taken: what ``remembered`` gave.
    """
    needed = sorted((taken.get(_key(job.target), UNKNOWN) for job in jobs), reverse=True)
    fitting = [total for total in accumulate(needed) if free is None or total <= SHARE * free]
    return max(1, min(cores + 1, len(fitting)))


def cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def remembered(home: Path) -> dict[str, int]:
    """Bytes by framework, mode and device; nothing where no run was made, or its file cannot be read."""
    try:
        content = json.loads((home / FILE).read_text(encoding="utf-8"))
        return {str(name): int(count) for name, count in content.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}


def remember(home: Path, targets: Iterable[TargetRecord]) -> None:
    """Keep what the workers of a run took, for the next one; a folder that cannot be written is left as it is."""
    took: dict[str, int] = {}
    for target in targets:
        if target.memory is not None:
            took[_key(target)] = max(target.memory, took.get(_key(target), 0))
    if not took:
        return
    with contextlib.suppress(OSError):
        home.mkdir(parents=True, exist_ok=True)
        replace_text(home / FILE, json.dumps(remembered(home) | took, indent=1))


def _key(target: Target | TargetRecord) -> str:
    return f"{target.framework}[{target.mode}]@{target.device.partition(':')[0]}"
