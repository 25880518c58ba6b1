"""How much memory there is for a worker, and how much one has: what Linux tells, and None elsewhere."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

SHARE = 0.8
"""Part of the machine's memory that one worker may have before it is ended: without a limit the system would end others."""
_CGROUP_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")


@cache
def most_memory() -> int | None:
    """Bytes that a worker may have; None where it is not known how many there are."""
    known = [bytes_ for bytes_ in (_machine(), *map(_number, _CGROUP_LIMITS)) if bytes_]
    return int(SHARE * min(known)) if known else None


def free_memory() -> int | None:
    """Bytes that are free for new processes; None where the system does not tell."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    except (OSError, UnicodeDecodeError):
        return None
    known = [int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:")]
    # What a group of processes uses counts its files in memory too, which make room when it is needed.
    known += [limit for limit in map(_number, _CGROUP_LIMITS) if limit]
    return min(known, default=None)


def memory_of(process: int) -> int | None:
    """Bytes that a process has now; None where the system does not tell."""
    try:
        resident = Path(f"/proc/{process}/statm").read_text(encoding="ascii").split()[1]
    except (OSError, IndexError):
        return None
    return int(resident) * os.sysconf("SC_PAGE_SIZE")


def _machine() -> int | None:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError):
        return None


def _number(file: str) -> int | None:
    try:
        return int(Path(file).read_text(encoding="ascii"))
    except (OSError, ValueError):
        return None  # no such file, or "max"
