"""How soon the command line answers: medians of several runs, compared with a bare Python or with importing torch.

Run it with an interpreter that has the suite installed, on warm environments: python -m benchmarks.startup [--runs N]

Other load on the machine affects all commands alike, since they take turns; compare the ratios rather than the times.
With --cpu, the processor time of the processes is measured instead, which other load hardly affects.
"""

from __future__ import annotations

import argparse
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from conformance.environments.stored import home_folder, stored_environments

Command = Sequence[str]
SUITE = (sys.executable, "-m", "conformance")
BARE = (sys.executable, "-c", "pass")


@dataclass(frozen=True)
class Measurement:
    """A command, the one that it is compared with, and the goal."""

    name: str
    command: Command
    baseline: Command
    until_first_result: bool = False
    """Whether the time ends with the first result in the results file instead of the end of the command."""
    extra: float | None = None
    """The goal: at most this many seconds more than the baseline."""
    factor: float | None = None
    """The goal: at most this many times the baseline."""

    def text(self, seconds: float, baseline: float) -> str:
        """The times, their ratio, and whether the goal is met."""
        goal = f"+{self.extra:g} s" if self.extra is not None else f"{self.factor:g} x"
        most = baseline + self.extra if self.extra is not None else baseline * (self.factor or 0)
        verdict = "met" if seconds <= most else "MISSED"
        return f"{self.name:<42} {seconds:6.2f} s  {baseline:6.2f} s  {seconds / baseline:6.1f} x  {goal:>8}  {verdict}"


def processor_time(command: Command) -> float:
    """The processor time of a process and those that it waited for."""
    before = os.times()
    until_end(command)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def until_end(command: Command) -> float:
    """The duration of a process."""
    started = time.perf_counter()
    subprocess.run(command, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - started


def until_first_result(command: Command) -> float:
    """The time until a run writes its first result; it is then interrupted."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "results.jsonl"
        started = time.perf_counter()
        process = subprocess.Popen([*command, "--output", folder], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while process.poll() is None and not (file.exists() and b'"kind":"result"' in file.read_bytes()):
            time.sleep(0.01)
        seconds = time.perf_counter() - started
        process.send_signal(signal.SIGINT)
        process.wait()
    return seconds


def measurements(folder: str) -> list[Measurement]:
    """Help, lists and mistakes; then the first result of the reference and of each framework with an environment."""
    rows = [
        Measurement("conformance --help", (*SUITE, "--help"), BARE, extra=0.15),
        Measurement("conformance list", (*SUITE, "list"), BARE, extra=0.4),
        *(
            Measurement(f"conformance {words}", (*SUITE, *words.split()), BARE, extra=0.3)
            for words in ("rnu", "run --darws 3", "run tocrh", "run torch[compil]")
        ),
        Measurement("reference: first result", (*SUITE, "run", "reference"), BARE, until_first_result=True, extra=2.0),
    ]
    for name, python in _frameworks():
        bare_import = (str(python), "-c", f"import {name}")
        run = (*SUITE, "run", name)
        rows.append(Measurement(f"{name}: first result", run, bare_import, until_first_result=True, factor=1.0))
        if name == "torch":
            whole = (*run, "-k", "gather", "--output", folder)
            rows.append(Measurement("conformance run torch -k gather", whole, bare_import, factor=1.5))
    return rows


def _frameworks() -> list[tuple[str, Path]]:
    """The frameworks with an environment of the tested version, with its interpreter."""
    from conformance.data_folders import adapters_folder
    from conformance.environments.definition import find_definitions

    tested = {f"{name}-{each.tested}-cpu": name for name, each in find_definitions(adapters_folder()).items()}
    stored = stored_environments(home_folder())
    return [(tested[each.name], each.environment.python) for each in stored if each.name in tested and each.environment]


def main() -> None:
    """Run all commands in turns and print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--cpu", action="store_true", help="processor time, without the first results of runs")
    parser.add_argument("-k", dest="word", default="", help="only measurements whose name contains this")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        rows = [
            row
            for row in measurements(folder)
            if options.word in row.name and not (options.cpu and row.until_first_result)
        ]
        to_end = processor_time if options.cpu else until_end
        times: dict[tuple[bool, Command], list[float]] = {}
        for _ in range(options.runs):
            for key in dict.fromkeys(key for row in rows for key in ((False, row.baseline), _key(row))):
                measure: Callable[[Command], float] = until_first_result if key[0] else to_end
                times.setdefault(key, []).append(measure(key[1]))
    medians = {key: statistics.median(values) for key, values in times.items()}
    print(f"{'':42} {'median':>8}  {'baseline':>8}  {'ratio':>8}  {'goal':>8}")
    for row in rows:
        print(row.text(medians[_key(row)], medians[False, row.baseline]))


def _key(row: Measurement) -> tuple[bool, Command]:
    return row.until_first_result, row.command


if __name__ == "__main__":
    main()
