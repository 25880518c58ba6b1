"""``conformance run --output -``: results.jsonl on standard output, as the results are made."""

from __future__ import annotations

import sys
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO, TextIO, cast

from conformance.app.errors import ConformanceError
from conformance.app.loading import kept_to_the_end
from conformance.app.options import OUTPUT, STREAM, RunOptions
from conformance.app.project import default_targets
from conformance.app.run import load_inputs, plan
from conformance.cli.streams import for_commands
from conformance.environments.stored import home_folder
from conformance.events import Event, ResultReady, TargetBlocked, TargetFinished, TargetStarted
from conformance.execution.measurements import remember_all
from conformance.execution.plan import Plan
from conformance.execution.runner import first_records, stream
from conformance.execution.target import unstarted_record
from conformance.processes.early_starts import EarlyStarts
from conformance.reports.progress import progress
from conformance.results.exit_status import exit_status
from conformance.results.file import Results, ResultsWriter
from conformance.results.records import TargetRecord


def stream_command(early: EarlyStarts, *, output: Path, resume: Path | None, **parameters: Any) -> int:
    """Run cases on targets, print the records, and return the exit status."""
    for option in ("last_failed", "gzip", "on"):
        if parameters[option]:
            raise ConformanceError(f"--output {output} cannot be combined with --{option.replace('last_failed', 'lf')}")
    if resume is not None:
        raise ConformanceError(f"--output {output} cannot be combined with --resume")
    for name in ("on", "insecure"):
        del parameters[name]
    options = RunOptions(output=OUTPUT, **parameters)
    with kept_to_the_end():
        inputs = load_inputs(options, default_targets(quick=options.quick))
    run_plan = plan(options, inputs, inputs.words or default_targets(quick=options.quick), early)
    writer = ResultsWriter(STREAM, stream=cast("TextIO", _Lines(for_commands().buffer)))
    for record in first_records(run_plan):
        writer.write(record)
    collected = _Collected(run_plan)
    with progress(sys.stderr, quiet=options.quiet) as listener:
        end = stream(run_plan, writer, [listener, collected])
    results = replace(collected.results, end=end)
    remember_all(home_folder(), results)
    return exit_status(results, options.fail_on)


class _Lines:
    """A stream of lines, each written as a whole, from several threads."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._lock = threading.Lock()

    def write(self, text: str) -> None:
        with self._lock:
            self._stream.write(text.encode("utf-8", "replace"))

    def flush(self) -> None:
        with self._lock:
            self._stream.flush()


class _Collected:
    """The results that the exit status depends on."""

    def __init__(self, run_plan: Plan) -> None:
        self.results = Results(run_plan.record)
        self._targets = {job.target.asked: job.target for job in run_plan.jobs}

    def handle(self, event: Event) -> None:
        """Note the targets and results of a run."""
        match event:
            case ResultReady(_, result):
                self.results.results.append(result)
            case TargetStarted(_, record, _) | TargetFinished(_, _, TargetRecord() as record):
                self.results.targets[:] = [one for one in self.results.targets if one.id != record.id] + [record]
            case TargetBlocked(target, reason):
                self.results.targets.append(unstarted_record(self._targets[target], reason))
            case _:
                pass
