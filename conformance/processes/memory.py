"""Available memory and the memory of a process, on Linux; None elsewhere."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

LIMIT_FRACTION = 0.8
"""Fraction of the machine's memory for a worker; without a limit the system might end other processes."""
_CGROUP_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")


@cache
def worker_memory_limit() -> int | None:
    """Bytes of memory that a worker may use; None if the machine's memory is unknown."""
    totals = [total for total in (_physical_memory(), *map(_number, _CGROUP_LIMITS)) if total]
    return int(LIMIT_FRACTION * min(totals)) if totals else None


def free_memory() -> int | None:
    """Bytes of memory available to new processes; None if unknown."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    except (OSError, UnicodeDecodeError):
        return None
    available = [int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:")]
    # The usage of a cgroup includes its page cache, which is freed when needed, so its limit counts.
    available += [limit for limit in map(_number, _CGROUP_LIMITS) if limit]
    return min(available, default=None)


def memory_of(process: int) -> int | None:
    """Bytes of memory that a process uses now; None if unknown."""
    try:
        resident = Path(f"/proc/{process}/statm").read_text(encoding="ascii").split()[1]
    except (OSError, IndexError):
        return None
    return int(resident) * os.sysconf("SC_PAGE_SIZE")


def _physical_memory() -> int | None:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError):
        return None


def _number(file: str) -> int | None:
    try:
        return int(Path(file).read_text(encoding="ascii"))
    except (OSError, ValueError):
        return None  # no such file, or "max"
