"""What distributing a run costs and saves: `python -m benchmarks.scale_out [--targets N] [--seconds S] [--real T...]`.

Ten simulated targets, an adapter on NumPy arrays that sleeps in each call, and the real ones that are named, each run plainly
with one and two targets at a time and on a Dask cluster of one and two worker processes, in turn. On a machine that does other
things too, compare the CPU time of all processes rather than the time that passes.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

REPOSITORY = Path(__file__).parent.parent
SPECS = REPOSITORY / "tests" / "fakes" / "specs"
CALLS = 80
"""About the number of calls that a target makes of these specs."""
LEAST_GAIN = 1.8
"""How many times as fast two workers are as one."""
MOST_OVERHEAD = 1.1
"""How many times as long one worker may take as a plain run of one target after the other."""
ADAPTER = """
import time
import numpy as np
from conformance.adapter import api

@api("fake.gather", operation="gather_elements")
def gather(input, dim, index):
    time.sleep({seconds})
    return np.take_along_axis(input, index, dim)
"""
WAYS = {
    "plain, one at a time": ("--jobs", "1"),
    "local:1": ("--on", "local:1"),
    "plain, two at a time": ("--jobs", "2"),
    "local:2": ("--on", "local:2"),
}


class Cost(NamedTuple):
    """Seconds of one run."""

    elapsed: float
    cpu: float
    """Of all its processes."""


def cost_of(words: Sequence[str], folder: Path) -> Cost:
    """Run the command, and measure it."""
    command = [sys.executable, "-m", "conformance", "run", *words, "--quiet", "--fail-on", "never"]
    begun, cpu_before = time.perf_counter(), _cpu_of_children()
    subprocess.run(
        [*command, "--output", str(folder / "report")],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        stdout=subprocess.DEVNULL,
        check=True,
    )
    return Cost(time.perf_counter() - begun, _cpu_of_children() - cpu_before)


def _cpu_of_children() -> float:
    times = os.times()
    return times.children_user + times.children_system


def measure(name: str, words: Sequence[str], rounds: int, folder: Path) -> None:
    """Print the times of all ways, measured in turn, and how they compare."""
    costs: dict[str, list[Cost]] = {way: [] for way in WAYS}
    for _ in range(rounds):
        for way, options in WAYS.items():
            cost = cost_of([*words, *options], folder)
            costs[way].append(cost)
            load = os.getloadavg()[0]
            print(f"{name:<12}{way:<24}{cost.elapsed:>8.1f} s {cost.cpu:>8.1f} s CPU   load {load:.1f}", flush=True)
    medians = {way: Cost(*map(statistics.median, zip(*measured, strict=True))) for way, measured in costs.items()}
    gain = medians["local:1"].elapsed / medians["local:2"].elapsed
    one, one_cpu = _ratios(medians["local:1"], medians["plain, one at a time"])
    two, two_cpu = _ratios(medians["local:2"], medians["plain, two at a time"])
    print(f"{name}: two workers are {gain:.2f} times as fast as one; goal {LEAST_GAIN:g} for simulated targets")
    print(f"{name}: one worker takes {one:.2f} times as long as a plain run, two {two:.2f}; goal {MOST_OVERHEAD:g}")
    print(f"{name}: one worker takes {one_cpu:.2f} times as much CPU time as a plain run, two {two_cpu:.2f}")


def _ratios(cost: Cost, plain: Cost) -> tuple[float, float]:
    return cost.elapsed / plain.elapsed, cost.cpu / plain.cpu


def main() -> None:
    """Measure simulated and real targets."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("--targets", type=int, default=10, help="number of simulated targets")
    parser.add_argument("--seconds", type=float, default=30.0, help="about the seconds that each takes")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--real", nargs="*", default=[], help="real targets")
    parser.add_argument("--draws", type=int, default=200, help="draws for real targets")
    parser.add_argument("--keyword", default="", help="only cases of real targets whose ids match")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        names = [f"./sleeps{number}.py" for number in range(options.targets)]
        for name in names:
            (folder / name).write_text(ADAPTER.format(seconds=options.seconds / CALLS))
        if names:
            measure("simulated", [*names, "--here", "--specs", str(SPECS)], options.rounds, folder)
        if options.real:
            chosen = ["-k", options.keyword] if options.keyword else []
            measure("real", [*options.real, "--draws", str(options.draws), *chosen], options.rounds, folder)


if __name__ == "__main__":
    main()
