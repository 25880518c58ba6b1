"""Time per case and peak memory for many results: `python -m benchmarks.scale [--counts N...] [--dying N] [--faulty N]`.

An adapter on NumPy arrays with five APIs is run on draws in a process for each number of results, reports included. With
--dying, also with an adapter that dies in one call of a hundred; with --faulty, with one that besides hangs in one of a
thousand and replies garbage in another one. Each result is compared with what the adapter did in that call. The draws are
repeated, each with arrays of its own, so that they need as much memory as different draws.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import cycle, islice
from pathlib import Path
from typing import Literal

from benchmarks.toy_adapter import ALL_FAULTS, DEATHS, fault_of
from conformance.cases.build import build_cases
from conformance.cases.draws.source import DrawSource
from conformance.cases.expectations import Returning
from conformance.cases.model import Case
from conformance.cases.reference import load_reference
from conformance.cases.variation import Drawn
from conformance.data_folders import adapters_folder
from conformance.events import Event, ResultReady, TargetStarted
from conformance.execution.plan import Plan
from conformance.execution.runner import run
from conformance.outcomes.model import Died, Hung, Outcome
from conformance.reports.write import write_reports
from conformance.results.file import FILE_NAME, read_results
from conformance.results.records import ResultRecord, RunRecord
from conformance.specification.literals import Tensor, frozen
from conformance.specification.loader import load_specs
from tests.execution.harness import job

COUNTS = (1_000, 10_000, 100_000, 300_000)
BRIEF = 10_000
"""A measurement of at most this many results takes less than a second, and is repeated more often."""
MORE_OFTEN = 5
"""How many times as often."""
DRAWS = 2000
NAMES = ("first", "second", "third", "fourth", "fifth")
APIS = len(NAMES)
FEWEST = APIS
"""Number of results of the run whose time is subtracted: the first call, and waiting until several results are handled."""
LIMIT = 1.0
"""Seconds for a call."""
Faults = Literal["none", "deaths", "all"]
FAULTS: Mapping[Faults, tuple[str, ...]] = {"none": (), "deaths": DEATHS, "all": ALL_FAULTS}
ADAPTER = Path(__file__).with_name("toy_adapter.py")
MOST_MEMORY = 300.0
"""MB of the parent process at 100,000 results."""
MOST_GROWTH = 1.2
"""Of the time per result, from the smallest to the largest."""
MOST_FOR_DEATHS = 2.0
"""How many times as long a run with deaths may take."""


class Clock:
    """Measures the time from the first call to the last planned result, which are handled several at once."""

    def __init__(self) -> None:
        self.elapsed = self.cpu = 0.0
        self._begun = 0.0, 0.0

    def handle(self, event: Event) -> None:
        """Handle an event."""
        if isinstance(event, TargetStarted):
            self._begun = time.perf_counter(), time.process_time()
        if isinstance(event, ResultReady):
            now = time.perf_counter(), time.process_time()
            self.elapsed, self.cpu = (last - first for first, last in zip(self._begun, now, strict=True))


def repeated_draws(count: int) -> Iterator[Case]:
    catalogue = load_specs()
    drawing = DrawSource(DRAWS, 0, catalogue.digest, None, only=frozenset({"gather_elements"}))
    reference = load_reference(adapters_folder() / "reference" / "adapter.py")
    cases = build_cases(catalogue, reference, [drawing.cases])
    valid = [case for case in cases if isinstance(case.variation, Drawn) and isinstance(case.expectation, Returning)]
    for number, case in enumerate(islice(cycle(valid), count), start=1):
        tensors = {
            name: replace(value, array=frozen(value.array.copy()))
            for name, value in case.call.arguments.items()
            if isinstance(value, Tensor)
        }
        assert isinstance(case.variation, Drawn)
        yield replace(
            case,
            id=f"{case.clause.id}/draw.{number}",
            call=case.call.with_arguments(tensors),
            variation=replace(case.variation, number=number),
        )


def measure(results: int, faults: Faults) -> dict[str, float]:
    """Run and report in this process, and return what it took."""
    clock = Clock()
    cases = list(repeated_draws(results // APIS))
    before = _peak()
    with tempfile.TemporaryDirectory() as folder:
        adapter = Path(folder) / "toy.py"
        adapter.write_text(ADAPTER.read_text().replace("FAULTS = ()", f"FAULTS = {FAULTS[faults]}"))
        begun = time.perf_counter()
        run(
            Plan(RunRecord("", "benchmark", 0, "", ""), [job(adapter)], cases, LIMIT, 1),
            Path(folder) / FILE_NAME,
            [clock],
        )
        seconds = time.perf_counter() - begun
        after = _peak()
        read = read_results(Path(folder))
        write_reports(read, Path(folder))
    planned = [result for result in read.results if "/draw." in result.case]
    verdicts = Counter(result.verdict for result in planned)
    return {
        "results": len({(result.case, result.api) for result in planned}),
        "wrong": _wrong(cases, planned, FAULTS[faults]),
        "not run": verdicts["blocked"],
        "died": verdicts["died"],
        "hung": verdicts["hung"],
        "seconds": seconds,
        "elapsed": clock.elapsed,
        "cpu": clock.cpu,
        "cases MB": before,
        "run MB": after,
        "MB": _peak(),
    }


def _wrong(cases: Sequence[Case], results: Sequence[ResultRecord], faults: Sequence[str]) -> int:
    """The number of results, among those of calls that were made, that are not what the adapter did."""
    expected = {}
    for case in cases:
        data, index = (case.call.tensors[name].array for name in ("input", "index"))
        for name in NAMES:
            expected[case.id, f"toy.{name}"] = fault_of(name, data, index, faults)
    made = [result for result in results if result.verdict != "blocked"]
    return sum(_fault(result.outcome) != expected[result.case, result.api] for result in made)


def _fault(outcome: Outcome) -> str | None:
    if isinstance(outcome, Died) and outcome.garbled:
        return "garbled"
    return outcome.status if isinstance(outcome, Died | Hung) else None


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measured(results: int, faults: Faults = "none") -> dict[str, float]:
    """The same in a process of its own, whose peak memory is that of this measurement."""
    command = [sys.executable, "-m", "benchmarks.scale", "--measure", str(results), "--faults", faults]
    output = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    values: dict[str, float] = json.loads(output.splitlines()[-1])
    return values


def medians(rounds: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """The median of each measurement."""
    return {name: statistics.median(one[name] for one in rounds) for name in rounds[0]}


def main() -> None:
    """Print a line for each number of results, and the goals."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("--counts", nargs="+", type=int, default=COUNTS)
    parser.add_argument(
        "--rounds",
        type=int,
        default=3,
        help=f"measurements of each number, of which the median counts; {MORE_OFTEN} times as many up to {BRIEF} results",
    )
    parser.add_argument("--dying", type=int, default=100_000, help="number of results with deaths; 0 for none")
    parser.add_argument("--faulty", type=int, default=100_000, help="number of results with all faults; 0 for none")
    parser.add_argument("--measure", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--faults", choices=FAULTS, default="none", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure is not None:
        print(json.dumps(measure(options.measure, options.faults)))
        return
    if min(options.counts) <= FEWEST:
        parser.error(f"--counts: expected more than {FEWEST} results, whose time is subtracted")
    print(f"load of the machine {os.getloadavg()[0]:.1f}", flush=True)
    runs: list[tuple[int, Faults]] = [
        (count, "none") for count in sorted({FEWEST, *options.counts, options.dying} - {0})
    ]
    runs += [(options.dying, "deaths")] if options.dying else []
    lines = _in_turn(runs, options.rounds)
    _show_counts({count: lines[count, "none"] for count in options.counts}, lines[FEWEST, "none"])
    if options.dying:
        _show_deaths(lines[options.dying, "none"], lines[options.dying, "deaths"])
    if options.faulty:
        _show_faults(measured(options.faulty, "all"))


def _in_turn(runs: Sequence[tuple[int, Faults]], rounds: int) -> dict[tuple[int, Faults], dict[str, float]]:
    """The medians of each run, measured in turn since a machine's speed varies."""
    measurements: dict[tuple[int, Faults], list[dict[str, float]]] = {run: [] for run in runs}
    for number in range(1, rounds + 1):
        print(f"round {number} of {rounds}", file=sys.stderr)
        for results, faults in runs:
            times = MORE_OFTEN if results <= BRIEF else 1
            measurements[results, faults] += [measured(results, faults) for _ in range(times)]
    return {run: medians(lines) for run, lines in measurements.items()}


def _show_counts(lines: Mapping[int, Mapping[str, float]], fewest: Mapping[str, float]) -> None:
    print(f"{FEWEST} results take {1000 * fewest['elapsed']:.0f} ms, which is not in the time per result")
    print(f"{'results':>9}{'us/result':>11}{'suite CPU us':>14}{'cases MB':>10}{'run MB':>8}{'reports MB':>12}")
    microseconds = []
    for count, line in lines.items():
        elapsed, cpu = (1e6 * (line[name] - fewest[name]) / (count - FEWEST) for name in ("elapsed", "cpu"))
        microseconds.append(elapsed)
        print(
            f"{count:>9}{elapsed:>11.1f}{cpu:>14.1f}{line['cases MB']:>10.0f}{line['run MB']:>8.0f}{line['MB']:>12.0f}"
        )
    if 100_000 in lines:
        memory = lines[100_000]["MB"]
        print(f"memory at 100,000 results: {memory:.0f} MB; goal {MOST_MEMORY:g} MB: {_verdict(memory <= MOST_MEMORY)}")
    growth = max(microseconds) / min(microseconds)
    verdict = _verdict(growth <= MOST_GROWTH)
    print(f"time per result, largest by smallest: {growth:.2f}; goal {MOST_GROWTH:g}: {verdict}", flush=True)


def _show_faults(line: dict[str, float]) -> None:
    print(
        f"{line['died']:.0f} deaths and garbage replies and {line['hung']:.0f} hangs in {line['results']:.0f} results, of "
        f"which {line['not run']:.0f} were not run and {line['wrong']:.0f} are wrong: {line['seconds']:.1f} s, "
        f"{line['run MB']:.0f} MB, {line['MB']:.0f} MB with reports",
        flush=True,
    )


def _show_deaths(without: dict[str, float], dying: dict[str, float]) -> None:
    _show_faults(dying)
    ratio = dying["seconds"] / without["seconds"]
    print(
        f"{dying['seconds']:.1f} s with deaths, {without['seconds']:.1f} s without: {ratio:.2f} times; "
        f"goal {MOST_FOR_DEATHS:g}: {_verdict(ratio <= MOST_FOR_DEATHS)}"
    )


def _verdict(met: bool) -> str:
    return "met" if met else "not met"


if __name__ == "__main__":
    main()
