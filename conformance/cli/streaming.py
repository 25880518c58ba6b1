"""``conformance run --output -``: results.jsonl on standard output, as the results are made."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, BinaryIO, TextIO, cast

from conformance.app.errors import ConformanceError
from conformance.app.loading import kept_to_the_end
from conformance.app.options import OUTPUT, QUICK_TARGETS, STREAM, RunOptions
from conformance.app.project import default_targets
from conformance.app.run import load_inputs, plan
from conformance.cases.model import ApiCall
from conformance.cli.streams import for_commands
from conformance.cluster.notes import Calling, Cases, LongCall, Note, Notice, Preparing, StillWaiting
from conformance.environments.stored import home_folder
from conformance.events import (
    Event,
    Listener,
    ResultReady,
    StillRunning,
    TargetBlocked,
    TargetFinished,
    TargetNotice,
    TargetPreparing,
    TargetStarted,
)
from conformance.execution.client import Stopped
from conformance.execution.measurements import PEAKS, peaks_of, remember, remember_all
from conformance.execution.plan import Plan
from conformance.execution.runner import first_records, stream
from conformance.execution.target import unstarted_record
from conformance.processes.early_starts import EarlyStarts
from conformance.reports.progress import progress
from conformance.results.describe import cases_digest
from conformance.results.exit_status import exit_status
from conformance.results.file import Results, ResultsWriter
from conformance.results.records import TargetRecord


def stream_command(
    early: EarlyStarts, unit: str | None, *, output: Path, resume: Path | None, **parameters: Any
) -> int:
    """Run cases on targets, print the records, and return the exit status; unit: what another machine asks for."""
    for option in ("last_failed", "gzip", "on"):
        if parameters[option]:
            raise ConformanceError(f"--output {output} cannot be combined with --{option.replace('last_failed', 'lf')}")
    if resume is not None:
        raise ConformanceError(f"--output {output} cannot be combined with --resume")
    for name in ("on", "insecure"):
        del parameters[name]
    settings: dict[str, Any] = json.loads(unit) if unit is not None else {}
    options = RunOptions(output=OUTPUT, **parameters)
    with kept_to_the_end():
        inputs = load_inputs(options)
    run_plan = plan(options, inputs, inputs.words or (QUICK_TARGETS if options.quick else default_targets()), early)
    lines = Lines(for_commands().buffer)
    if unit is not None:
        fatal = frozenset((case, api) for case, api in settings["fatal"])
        # A call that is only tried would take a machine down without an account of it.
        run_plan = replace(run_plan, fatal=fatal, tries=False)
        if settings["one_by_one"]:
            run_plan = replace(run_plan, before_call=_Announcing(lines, sys.stdin))
    with progress(sys.stderr, quiet=options.quiet) as listener:
        results = stream_unit(run_plan, lines) if unit is not None else _streamed(run_plan, lines, [listener])
    if unit is None:
        remember_all(home_folder(), results)
    else:
        remember(home_folder(), PEAKS, peaks_of(results.targets))
    return exit_status(results, options.fail_on)


def stream_unit(run_plan: Plan, lines: Lines) -> Results:
    """Run a unit for another machine, which knows its cases, and wants to know of its progress."""
    writer = _writer(lines)
    writer.write(run_plan.record)
    lines.note(Cases(cases_digest(run_plan.cases)))
    return _collected(run_plan, writer, [_Notes(lines)])


def _streamed(run_plan: Plan, lines: Lines, listeners: Sequence[Listener]) -> Results:
    writer = _writer(lines)
    for record in first_records(run_plan):
        writer.write(record)
    return _collected(run_plan, writer, listeners)


def _writer(lines: Lines) -> ResultsWriter:
    return ResultsWriter(STREAM, stream=cast("TextIO", lines))


def _collected(run_plan: Plan, writer: ResultsWriter, listeners: Sequence[Listener]) -> Results:
    collected = _Collected(run_plan)
    end = stream(run_plan, writer, [*listeners, collected])
    return replace(collected.results, end=end)


class Lines:
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

    def note(self, note: Note) -> None:
        """Print a line that is no record."""
        self.write(json.dumps(asdict(note), ensure_ascii=False) + "\n")
        self.flush()


class _Announcing:
    """Announces each call; before the first of a case and API it waits until the announcement cannot be lost any more.

    Repetitions do not wait: there are many times as many, and they are of calls that have returned.
    """

    def __init__(self, lines: Lines, answers: TextIO) -> None:
        self._lines = lines
        self._answers = answers
        self._lock = threading.Lock()
        self._announced: set[tuple[str, str]] = set()

    def __call__(self, call: ApiCall) -> None:
        with self._lock:
            waits = (call.case, call.api) not in self._announced
            self._announced.add((call.case, call.api))
            self._lines.note(Calling(call.case, call.api, waits))
            if waits and not self._answers.readline():
                raise Stopped


class _Notes:
    """Prints what another machine shows of the progress."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines

    def handle(self, event: Event) -> None:
        """Print a line for the event, if it has one."""
        match event:
            case TargetPreparing(_, message):
                self._lines.note(Preparing(message))
            case TargetNotice(_, message):
                self._lines.note(Notice(message))
            case StillRunning(waiting):
                call = next(iter(waiting), None)
                self._lines.note(
                    StillWaiting(LongCall(call.case, call.api, call.seconds) if call is not None else None)
                )
            case _:
                pass


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
