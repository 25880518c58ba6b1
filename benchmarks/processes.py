"""CPU time of this process's descendants, from /proc."""

from __future__ import annotations

import os
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")


def cpu_of_descendants() -> dict[int, float]:
    """Seconds of CPU time of each process that this one has started, directly or not."""
    children: dict[int, list[tuple[int, float]]] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue  # it has ended
        children.setdefault(int(fields[1]), []).append((int(folder.name), (int(fields[11]) + int(fields[12])) / _TICKS))
    seconds: dict[int, float] = {}
    parents = [os.getpid()]
    while parents:
        for child, time in children.get(parents.pop(), []):
            seconds[child] = time
            parents.append(child)
    return seconds
