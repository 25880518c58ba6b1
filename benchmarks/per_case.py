"""Overhead of the suite per case, compared with the bare call: `python -m benchmarks.per_case [TARGET]... [--draws N] [--rounds N]`.

For each target and the valid draws of some operations: the suite's time per call without imports; the time of a bare loop
in the target's interpreter that makes the same calls on the same arrays and only converts their results; the difference and
whether it meets the goal. The calls of divergences are included, but not their report, and they are not confirmed in new
processes. The CPU times of the suite and of the worker say more than the elapsed time if the machine is busy. A part of the
worker's is that for creating the arguments and for reading them again, which is measured in the bare loop too.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.processes import cpu_of_descendants
from conformance.app.loading import digest_of_draws
from conformance.cases.build import build_cases
from conformance.cases.draws.source import DrawSource
from conformance.cases.expectations import Returning
from conformance.cases.model import ApiCall, Case
from conformance.cases.reference import load_reference
from conformance.cases.variation import Drawn
from conformance.cases.wire import cast_indices
from conformance.data_folders import adapters_folder
from conformance.environments.prepared_target import Prepared
from conformance.environments.stored import home_folder
from conformance.events import Event, ResultReady, TargetStarted
from conformance.execution import confirm, minimize
from conformance.execution.client import frame_of
from conformance.execution.plan import Interpreters, Job, Plan, jobs
from conformance.execution.runner import run
from conformance.processes.worker_code import staged_worker
from conformance.results.file import FILE_NAME, read_results
from conformance.results.records import ResultRecord, RunRecord
from conformance.specification.loader import load_specs

GOALS = {"torch": 60.0}
OTHER_GOAL = 100.0
"""Microseconds of overhead per call."""
OPERATIONS = ("gather_elements", "scatter_elements")
HEADER = (
    f"{'target':<12}{'suite us':>10}{'bare us':>10}{'overhead':>10}{'goal':>7}{'':9}"
    f"{'suite CPU':>11}{'worker CPU':>12}{'create':>8}{'read':>6}"
)


SAMPLING = 1000
"""Number of results between two readings of CPU times, each of which takes as long as a result."""


@dataclass(frozen=True)
class Bare:
    """Microseconds per call without the suite: to create the arguments, to call, and to read the arguments again."""

    creating: float
    calling: float
    reading: float


@dataclass(frozen=True)
class Times:
    """Microseconds per call: elapsed, of CPU time of the suite and of the worker, and without the suite."""

    elapsed: float
    suite: float
    worker: float
    bare: Bare

    @property
    def overhead(self) -> float:
        return self.elapsed - self.bare.calling


class Clock:
    """Measures the time from a target's start to its last result that is not a divergence: all calls are made by then."""

    def __init__(self) -> None:
        self._calls = self._others = self._sampled = 0
        """Number of results, of those that are not divergences, and of those at the last reading of CPU times."""
        self._begun = self._last = 0.0
        self._cpu_begun = self._cpu_last = (0.0, 0.0)

    def handle(self, event: Event) -> None:
        """Handle an event."""
        if isinstance(event, TargetStarted):
            self._cpu_begun = _cpu_times()
            self._begun = time.perf_counter()
        elif isinstance(event, ResultReady):
            self._calls += 1
            if event.result.verdict not in ("conforms", "observed", "unsupported"):
                return
            self._last = time.perf_counter()
            self._others += 1
            if self._others % SAMPLING == 0:
                self._sampled, self._cpu_last = self._others, _cpu_times()

    def times(self, bare: Bare) -> Times:
        """The times per call; ``bare`` are those without the suite."""
        calls = self._calls * self._sampled / self._others
        suite, worker = (
            1e6 * (last - first) / calls for first, last in zip(self._cpu_begun, self._cpu_last, strict=True)
        )
        return Times(1e6 * (self._last - self._begun) / self._calls, suite, worker, bare)


def _cpu_times() -> tuple[float, float]:
    """Seconds of CPU time of the suite and of its living workers."""
    return time.process_time(), sum(cpu_of_descendants().values())


def drawn_cases(count: int, operations: Sequence[str]) -> list[Case]:
    """The valid draws of these operations, with their expectations."""
    catalogue = load_specs()
    drawing = DrawSource(count, 0, digest_of_draws(catalogue), home_folder() / "draws", only=frozenset(operations))
    reference = load_reference(adapters_folder() / "reference" / "adapter.py")
    cases = build_cases(catalogue, reference, [drawing.cases])
    return [case for case in cases if isinstance(case.variation, Drawn) and isinstance(case.expectation, Returning)]


def suite(job: Job, cases: Sequence[Case], folder: Path) -> tuple[Clock, list[ApiCall]]:
    """Return the times, and the calls that were made, in the order of the cases."""
    clock = Clock()
    record = RunRecord("", "benchmark", 0, "", "")
    run(Plan(record, [job], cases, 60.0, 1), folder / FILE_NAME, [clock])
    results: dict[str, list[ResultRecord]] = {}
    for result in read_results(folder).results:
        results.setdefault(result.case, []).append(result)
    return clock, [_made(case, result) for case in cases for result in results[case.id]]


def _made(case: Case, result: ResultRecord) -> ApiCall:
    """The call of a result, with its indices in the dtype that they had."""
    call, _ = cast_indices(case.call, list(result.cast.values()))
    return ApiCall(call, result.api, case.id)


def bare(prepared: Prepared, calls_made: Sequence[ApiCall], folder: Path) -> Bare:
    """Measure the same calls without the suite."""
    calls = folder / "calls"
    with calls.open("wb") as stream:
        stream.writelines(map(frame_of, calls_made))
    with staged_worker() as script:
        loop = script.with_name("bare_loop.py")
        loop.write_text(Path(__file__).with_name("bare_loop.py").read_text())
        target = prepared.target
        command = [str(prepared.python), str(loop), str(target.adapter), target.device, target.mode, str(calls)]
        process = subprocess.run(command, check=True, capture_output=True, text=True)
    return Bare(*map(float, process.stdout.splitlines()[-1].split()))


def main() -> None:
    """Print a line for each target."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("targets", nargs="*", default=["torch", "tensorflow", "mindspore"])
    parser.add_argument("--draws", type=int, default=5000)
    parser.add_argument(
        "--rounds", type=int, default=3, help="rounds, of which the one with the median overhead is printed"
    )
    parser.add_argument("--operations", nargs="+", default=OPERATIONS)
    options = parser.parse_args()
    cases = drawn_cases(options.draws, options.operations)
    confirm.PROCESSES = confirm.EXPENSIVE_PROCESSES = 0
    minimize.SECONDS_IN_ALL = minimize.SECONDS_OF_ENDINGS = 0.0
    print(f"{len(cases)} cases; load of the machine {os.getloadavg()[0]:.1f}\n{HEADER}", flush=True)
    for job in jobs(options.targets, Interpreters()):
        rounds = [_measured(job, cases) for _ in range(options.rounds)]
        median = sorted(rounds, key=lambda times: times.overhead)[len(rounds) // 2]
        goal = GOALS.get(job.target.framework, OTHER_GOAL)
        verdict = "met" if median.overhead <= goal else "not met"
        without = median.bare
        times = f"{median.elapsed:>10.1f}{without.calling:>10.1f}{median.overhead:>10.1f}{goal:>7.0f}  {verdict:<7}"
        parts = f"{median.suite:>11.1f}{median.worker:>12.1f}{without.creating:>8.1f}{without.reading:>6.1f}"
        print(f"{job.target.asked:<12}{times}{parts}", flush=True)


def _measured(job: Job, cases: Sequence[Case]) -> Times:
    with tempfile.TemporaryDirectory() as folder:
        clock, calls = suite(job, cases, Path(folder))
        return clock.times(bare(job.prepare(print), calls, Path(folder)))


if __name__ == "__main__":
    main()
