"""What distributing a run costs and saves: `python -m benchmarks.scale_out [--targets N] [--seconds S] [--real T...]`.

Ten simulated targets, an adapter on NumPy arrays that sleeps in each call, and the real ones that are named, each run plainly
with one and two targets at a time and on a Dask cluster of one and two worker processes, in turn.
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


def elapsed(words: Sequence[str], folder: Path) -> float:
    """Seconds of one run."""
    command = [sys.executable, "-m", "conformance", "run", *words, "--quiet", "--fail-on", "never"]
    begun = time.perf_counter()
    subprocess.run(
        [*command, "--output", str(folder / "report")],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        stdout=subprocess.DEVNULL,
        check=True,
    )
    return time.perf_counter() - begun


def measure(name: str, words: Sequence[str], rounds: int, folder: Path) -> None:
    """Print the times of all ways, measured in turn, and how they compare."""
    times: dict[str, list[float]] = {way: [] for way in WAYS}
    for _ in range(rounds):
        for way, options in WAYS.items():
            times[way].append(elapsed([*words, *options], folder))
            print(f"{name:<12}{way:<24}{times[way][-1]:>8.1f} s   load {os.getloadavg()[0]:.1f}", flush=True)
    medians = {way: statistics.median(seconds) for way, seconds in times.items()}
    gain = medians["local:1"] / medians["local:2"]
    overhead = medians["local:1"] / medians["plain, one at a time"]
    two = medians["local:2"] / medians["plain, two at a time"]
    print(f"{name}: two workers are {gain:.2f} times as fast as one; goal {LEAST_GAIN:g} for simulated targets")
    print(
        f"{name}: one worker takes {overhead:.2f} times as long as a plain run, two {two:.2f}; goal {MOST_OVERHEAD:g}"
    )


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
