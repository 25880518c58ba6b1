"""Overhead of the suite per case, compared with the bare call: `python -m benchmarks.per_case [TARGET]... [--draws N]`.

For each target and the valid draws of all operations: the suite's time per result without imports; the time of a bare loop
in the target's interpreter that makes the same calls on the same arrays and only converts their results; the difference and
the ratio. Divergences are excluded from the suite's time: they are repeated in fresh processes, which import again.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from conformance.cases.build import build_cases
from conformance.cases.draws.source import DrawSource
from conformance.cases.model import ApiCall, Case, Returns
from conformance.cases.reference import load_reference
from conformance.data_folders import adapters_folder
from conformance.events import Event, ResultReady, TargetStarted
from conformance.execution.client import frame_of
from conformance.execution.plan import Plan
from conformance.execution.preparing import Interpreters, Job, jobs
from conformance.execution.runner import run
from conformance.results.file import FILE_NAME, read_results
from conformance.results.records import MappingRecord, RunRecord
from conformance.specification.loader import load_specs
from conformance.targets.home import home_folder
from conformance.targets.prepared import Prepared
from conformance.targets.staging import staged_worker

GOAL = 60.0
"""Microseconds of overhead per call."""


class Clock:
    """Measures the time from a target's start to its last result that is not a divergence."""

    def __init__(self) -> None:
        self.started = self.last = 0.0
        self.results = 0

    def handle(self, event: Event) -> None:
        """Handle an event."""
        if isinstance(event, TargetStarted):
            self.started = time.perf_counter()
        elif isinstance(event, ResultReady) and event.result.verdict in ("conforms", "observed", "unsupported"):
            self.last = time.perf_counter()
            self.results += 1


def drawn_cases(count: int) -> list[Case]:
    """The valid draws of every operation, with their expectations."""
    catalogue = load_specs()
    drawing = DrawSource(count, 0, catalogue.digest, home_folder() / "draws")
    reference = load_reference(adapters_folder() / "reference" / "adapter.py")
    cases = build_cases(catalogue, reference, [drawing.cases])
    return [case for case in cases if case.provenance == "generated" and isinstance(case.expectation, Returns)]


def suite(job: Job, cases: Sequence[Case], folder: Path) -> tuple[float, list[MappingRecord]]:
    """Return microseconds per result, and the APIs that were called."""
    clock = Clock()
    record = RunRecord("", "benchmark", 0, "", "")
    run(Plan(record, [job], cases, 60.0, 1), folder / FILE_NAME, [clock])
    return (clock.last - clock.started) / clock.results * 1e6, read_results(folder).mappings


def bare(prepared: Prepared, cases: Sequence[Case], mappings: Sequence[MappingRecord], folder: Path) -> float:
    """Return microseconds per bare call."""
    calls = folder / "calls"
    with calls.open("wb") as stream:
        for case in cases:
            for mapping in mappings:
                if mapping.operation == case.operation.name:
                    stream.write(frame_of(ApiCall(mapping.operation, case.call, mapping.api, case.id)))
    with staged_worker() as script:
        loop = script.with_name("bare_loop.py")
        loop.write_text(Path(__file__).with_name("bare_loop.py").read_text())
        target = prepared.target
        command = [prepared.python, loop, target.adapter, target.device, target.mode, calls]
        process = subprocess.run(command, check=True, capture_output=True, text=True)
    return float(process.stdout.splitlines()[-1])


def main() -> None:
    """Print a line for each target."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("targets", nargs="*", default=["torch", "tensorflow", "mindspore"])
    parser.add_argument("--draws", type=int, default=5000)
    options = parser.parse_args()
    cases = drawn_cases(options.draws)
    print(
        f"{len(cases)} cases\n{'target':<12}{'suite us':>10}{'bare us':>10}{'overhead':>10}{'ratio':>8}   goal: {GOAL:g} us"
    )
    for job in jobs(options.targets, Interpreters()):
        with tempfile.TemporaryDirectory() as folder:
            suite_time, mappings = suite(job, cases, Path(folder))
            bare_time = bare(job.prepare(print), cases, mappings, Path(folder))
        overhead = suite_time - bare_time
        verdict = "met" if overhead <= GOAL else "MISSED"
        times = f"{suite_time:>10.1f}{bare_time:>10.1f}{overhead:>10.1f}{suite_time / bare_time:>8.1f}"
        print(f"{job.target.asked:<12}{times}   {verdict}")


if __name__ == "__main__":
    main()
