"""The default run of an earlier commit and of this one, alternating: `python -m benchmarks.main_job [COMMIT] [--rounds N]`.

The earlier commit (by default the parent) is checked out in a temporary worktree. Both use the same warm environments. Prints
the times, their ratio, the processes started by import and by fork, and each cell, a case on an API of a target, whose verdict
differs. It needs no more than the interpreter that has the suite's dependencies.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from conformance.results.file import FILE_NAME

ROOT = Path(__file__).parents[1]
GOAL = 1 / 3
"""Of the time of the earlier commit."""
MOST_SHOWN = 20
Cell = tuple[str, str, str]
"""Target, case and API."""
Verdict = tuple[str, tuple[str, ...]]


@contextlib.contextmanager
def worktree(commit: str) -> Iterator[Path]:
    """A temporary worktree of a commit."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "earlier"
        _git("worktree", "add", "--quiet", "--detach", str(path), commit)
        try:
            yield path
        finally:
            _git("worktree", "remove", "--force", str(path))


def _git(*arguments: str) -> None:
    subprocess.run(["git", *arguments], check=True, cwd=ROOT)  # noqa: S607 # the user's git


def timed(tree: Path, arguments: Sequence[str], output: Path) -> float:
    """Seconds that ``conformance run`` of a tree takes."""
    command = [sys.executable, "-m", "conformance", "run", "-q", "--output", str(output), *arguments]
    environment = {**os.environ, "PYTHONPATH": str(tree)}
    started = time.perf_counter()
    subprocess.run(command, check=False, cwd=tree, env=environment, stdout=subprocess.DEVNULL)
    return time.perf_counter() - started


def processes(output: Path) -> dict[str, int]:
    """The number of processes of all targets by how they were started, as the results file has it."""
    counts = {"imports": 0, "forks": 0}
    with (output / FILE_NAME).open(encoding="utf-8") as lines:
        for record in map(json.loads, lines):
            if record["kind"] == "target":
                counts = {name: number + (record.get(name) or 0) for name, number in counts.items()}
    return counts


def verdicts(output: Path) -> dict[Cell, Verdict]:
    """The verdict and the kinds of divergence of each cell. Counterexamples are left out, as they depend on the time."""
    cells: dict[Cell, Verdict] = {}
    with (output / FILE_NAME).open(encoding="utf-8") as lines:
        for record in map(json.loads, lines):
            if record["kind"] == "result" and "/found." not in record["case"]:
                cell = record["target"], record["case"], record["api"]
                cells[cell] = record["verdict"], tuple(record["divergence"])
    return cells


def show_differences(before: Mapping[Cell, Verdict], after: Mapping[Cell, Verdict]) -> int:
    """Print the cells of both that differ, and return their number. Changes of the specs add and remove cells."""
    different = sorted(cell for cell in before.keys() & after.keys() if before[cell] != after[cell])
    added, removed = len(after.keys() - before.keys()), len(before.keys() - after.keys())
    print(f"{len(after)} cells, {len(different)} with another verdict; {added} only now, {removed} only before")
    for cell in different[:MOST_SHOWN]:
        print(f"  {' '.join(cell)}: {before[cell]} -> {after[cell]}")
    return len(different)


def main() -> int:
    """Return 1 if a verdict differs."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("commit", nargs="?", default="HEAD~1")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--run", nargs=argparse.REMAINDER, default=[], help="targets and options of `conformance run`")
    options = parser.parse_args()
    times: dict[str, list[float]] = {"earlier": [], "this": []}
    with worktree(options.commit) as earlier, tempfile.TemporaryDirectory() as folder:
        trees = {"earlier": earlier, "this": ROOT}
        for number in range(options.rounds):
            for name, tree in trees.items():
                output = Path(folder) / name
                seconds = timed(tree, options.run, output)
                times[name].append(seconds)
                counts = processes(output)
                how = f"{counts['imports']:>4} by import, {counts['forks']:>5} by fork"
                print(f"round {number + 1}, {name:<8}{seconds:>8.1f} s, processes: {how}", flush=True)
        medians = {name: statistics.median(seconds) for name, seconds in times.items()}
        ratio = medians["this"] / medians["earlier"]
        print(
            f"medians: {medians['this']:.1f} s and {medians['earlier']:.1f} s before; ratio {ratio:.2f}, goal {GOAL:.2f}: "
            f"{'met' if ratio <= GOAL else 'not met'}"
        )
        return int(show_differences(verdicts(Path(folder) / "earlier"), verdicts(Path(folder) / "this")) > 0)


if __name__ == "__main__":
    sys.exit(main())
