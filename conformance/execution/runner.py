"""Runs a plan: targets in parallel, results streamed to disk, and events for listeners."""

from __future__ import annotations

import contextlib
import gc
import queue
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

from conformance.cases.model import drawn_clause
from conformance.cases.variation import DrawnProgram
from conformance.environments import errors
from conformance.events import (
    Event,
    Listener,
    ResultReady,
    RunFinished,
    RunStarted,
    TargetBlocked,
    TargetFinished,
    TargetPreparing,
    TargetStarted,
)
from conformance.execution.calls import Output
from conformance.execution.client import Client, ClientFactory, GaveUp, Stopped
from conformance.execution.heartbeat import SECONDS_BETWEEN, Heartbeat
from conformance.execution.measurements import seconds_per_case
from conformance.execution.plan import Job, Plan
from conformance.execution.resume import checkpoint_of
from conformance.execution.session import Session
from conformance.execution.target import unstarted_record
from conformance.known.counts import unexpected
from conformance.known.ledger import Ledger
from conformance.outcomes.signals import ENDING
from conformance.processes.worker_code import staged_worker
from conformance.results.describe import case_record, clause_record, document_records
from conformance.results.exit_status import STOPPED
from conformance.results.file import GZIPPED, ResultsWriter
from conformance.results.records import (
    CaseRecord,
    EndRecord,
    ExampleRecord,
    MappingRecord,
    PatternCountRecord,
    Record,
    ResultRecord,
    TargetRecord,
)
from conformance.specification.model import Clause


@dataclass(frozen=True)
class _Interrupted:
    """The user interrupted the run."""


Emitted = Event | MappingRecord | CaseRecord | ExampleRecord | _Interrupted
Events = queue.SimpleQueue[Emitted]

_GATHERING = 0.02
"""Seconds to wait for further events before handling them together."""
_INTERRUPTS = [signal.SIGINT, *ENDING]
_ALLOCATIONS = 100_000
"""Objects between two garbage collections."""
_GRACE = 5.0
"""Seconds to wait for the results of a target when a run is stopped."""


def run(plan: Plan, results_file: Path, listeners: Sequence[Listener], client: ClientFactory = Client) -> EndRecord:
    """Run a plan to its end or until it is interrupted, which its end record states."""
    events: Events = queue.SimpleQueue()
    with (
        interrupts(lambda: events.put(_Interrupted())),
        new_results(plan, results_file) as (writer, write_first),
        staged_worker() as script,
        rare_garbage_collection(),
    ):
        write_first()
        return _Run(plan, writer, listeners, script, events, client).run()


def stream(plan: Plan, writer: ResultsWriter, listeners: Sequence[Listener]) -> EndRecord:
    """Run a plan as ``run`` does; ``writer`` has the records that come first."""
    events: Events = queue.SimpleQueue()
    with (
        interrupts(lambda: events.put(_Interrupted())),
        staged_worker() as script,
        rare_garbage_collection(),
    ):
        return _Run(plan, writer, listeners, script, events, Client).run()


@contextlib.contextmanager
def new_results(plan: Plan, results_file: Path) -> Iterator[tuple[ResultsWriter, Callable[[], None]]]:
    """A writer of a results file, and a function that writes the records that come before those of targets.

    The file of a resumed run is replaced once the new file has all the results that are kept.
    """
    new_file = results_file if plan.checkpoint is None else results_file.with_name(f".{results_file.name}.new")
    with ResultsWriter(new_file, gzipped=results_file.suffix == GZIPPED) as writer:

        def write_first() -> None:
            for record in first_records(plan):
                writer.write(record)
            writer.flush()
            new_file.replace(results_file)

        yield writer, write_first


@contextlib.contextmanager
def rare_garbage_collection() -> Iterator[None]:
    """Exclude existing objects from garbage collection: traversing all cases would take as long as running them.

    A run creates hardly any reference cycles, and traversing its results would take a tenth of its time.
    """
    thresholds = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(_ALLOCATIONS, *thresholds[1:])
    try:
        yield
    finally:
        gc.set_threshold(*thresholds)
        gc.unfreeze()


def first_records(plan: Plan) -> Iterator[Record]:
    """The records that are written before the first target starts."""
    yield plan.record
    yield from plan.claims
    yield from plan.errata
    yield from document_records(plan.documents)
    for clause in _clauses(plan).values():
        yield clause_record(clause)
    numbers = {case.id: number for number, case in enumerate(plan.every_case())}
    for case in plan.cases:
        yield case_record(case, numbers[case.id])
    if plan.checkpoint is not None:
        yield from plan.checkpoint.cases.values()
        for target in plan.checkpoint.targets:
            yield from with_known(plan, target)
        yield from plan.checkpoint.mappings
        yield from plan.checkpoint.results
        yield from plan.checkpoint.examples


def _clauses(plan: Plan) -> dict[str, Clause]:
    """The clauses of the cases by id, and those of the cases that may be found from them: of smaller programs."""
    clauses = {case.clause.id: case.clause for case in plan.cases}
    drawn = next((case.variation for case in plan.cases if isinstance(case.variation, DrawnProgram)), None)
    for operation in drawn.operations.values() if drawn is not None else ():
        clause = drawn_clause(operation)
        clauses.setdefault(clause.id, clause)
    return clauses


def with_known(plan: Plan, target: TargetRecord) -> Iterator[Record]:
    """The record of a target after those of its framework's known divergences: the adapter names the framework."""
    for job in plan.jobs:
        if job.target.asked == target.asked:
            yield from job.known.records(target.framework)
    yield target


class _Run:
    def __init__(
        self,
        plan: Plan,
        writer: ResultsWriter,
        listeners: Sequence[Listener],
        script: Path,
        events: Events,
        client: ClientFactory,
    ) -> None:
        self._plan = plan
        self._writer = writer
        self._listeners = listeners
        self._events = events
        self._parts = [_Part(plan, job, script, self._events.put, client) for job in plan.jobs]
        self._running = len(self._parts)
        self._heartbeat = Heartbeat([part.session for part in self._parts])

    def run(self) -> EndRecord:
        targets = tuple(job.target.asked for job in self._plan.jobs)
        cases = self._plan.cases
        self._notify(RunStarted(targets, len(cases), Counter(case.variation.kind for case in cases)))
        slots = threading.Semaphore(self._plan.concurrency)
        durations = self._plan.durations
        slowest_first = sorted(self._parts, key=lambda part: -seconds_per_case(part.job.target, durations))
        threads = [threading.Thread(target=_in_turn, args=(part, slots), daemon=True) for part in slowest_first]
        for thread in threads:
            thread.start()
        try:
            reason = self._follow()
        except BaseException:  # such as a full disk
            self._end(threads)
            raise
        if reason is not None:
            self._stop(threads)
        internal = [part.error for part in self._parts if part.error is not None]
        reason = reason or ("internal error" if internal else None)
        counts = [count for part in self._parts for count in part.pattern_counts]
        # Only all shards together show whether a known divergence passed.
        whole = self._plan.record.shard is None
        end = self._writer.end(
            complete=reason is None,
            reason=reason,
            unexpected=unexpected(counts) if whole else (),
            pattern_counts=() if whole else counts,
        )
        self._notify(RunFinished(end))
        if internal:
            raise internal[0]
        return end

    def _follow(self) -> str | None:
        """Handle events until all targets have finished; returns the reason if the run stops earlier."""
        failures = 0
        failure_limit = self._plan.failure_limit
        while self._running:
            for event in self._next_events():
                if isinstance(event, _Interrupted):
                    return "interrupted"
                self._handle(event)
                if failure_limit is not None and isinstance(event, ResultReady):
                    failures += failure_limit.fails(event.result)
                    if failure_limit.is_reached(failures):
                        return STOPPED
            self._writer.flush()
        return None

    def _next_events(self) -> Iterator[Emitted]:
        """Wait for at least one event or a second, and return all that have arrived.

        Handling each event at once would switch threads for every result, which takes as long as handling it.
        """
        with contextlib.suppress(queue.Empty):
            yield self._events.get(timeout=SECONDS_BETWEEN)
            time.sleep(_GATHERING)
            while not self._events.empty():
                yield self._events.get()
        yield from self._heartbeat.due()

    def _stop(self, threads: Sequence[threading.Thread]) -> None:
        """Stop all targets, and handle their remaining events."""
        self._end(threads)
        while not self._events.empty():
            self._handle(self._events.get())

    def _end(self, threads: Sequence[threading.Thread]) -> None:
        """Stop all targets, and wait for their threads for a limited time."""
        for part in self._parts:
            part.session.stop()
        deadline = time.monotonic() + _GRACE
        for thread in threads:
            thread.join(max(0.0, deadline - time.monotonic()))

    def _handle(self, event: Emitted) -> None:
        if isinstance(event, MappingRecord | CaseRecord | ExampleRecord):
            self._writer.write(event)
        elif not isinstance(event, _Interrupted):
            self._record(event)
            self._notify(event)

    def _record(self, event: Event) -> None:
        if isinstance(event, ResultReady):
            self._writer.write(event.result)
        elif isinstance(event, TargetStarted):
            for record in with_known(self._plan, event.record):
                self._writer.write(record)
        elif isinstance(event, TargetBlocked):
            self._writer.write(self._blocked(event))
        elif isinstance(event, TargetFinished):
            self._running -= 1
            if event.record is not None:
                self._writer.write(event.record)

    def _blocked(self, event: TargetBlocked) -> TargetRecord:
        job = next(job for job in self._plan.jobs if job.target.asked == event.target)
        return unstarted_record(job.target, event.reason)

    def _notify(self, event: Event) -> None:
        for listener in self._listeners:
            listener.handle(event)


class _Part:
    """One target's part of a run, from its preparation to its last result: a session with one batch of all pairs."""

    def __init__(
        self, plan: Plan, job: Job, script: Path, emit: Callable[[Emitted], None], client: ClientFactory
    ) -> None:
        self.job = job
        self._plan = plan
        self._emit = emit
        self._checkpoint = checkpoint_of(plan.checkpoint, job.target.asked) if plan.checkpoint is not None else None
        self.session = Session(plan, job, script, emit, checkpoint=self._checkpoint, client=client)
        self.error: Exception | None = None
        """An internal error, which ended this part."""
        self.pattern_counts: list[PatternCountRecord] = []
        """Counts of known divergences; empty until all results are available."""

    def run(self) -> None:
        """Run it; never raises."""
        begun = time.monotonic()
        record = None
        try:
            record = self._run()
        except Stopped:
            pass
        except (errors.TargetBlocked, GaveUp) as error:
            self._emit(TargetBlocked(self.job.target.asked, str(error)))
        except Exception as error:
            self.error = error  # raised again once all targets have finished
        finally:
            self.session.close()
        self._emit(TargetFinished(self.job.target.asked, time.monotonic() - begun, record))

    def _run(self) -> TargetRecord | None:
        """The record of the target at the end; None if results are missing, or if it was complete before."""
        asked, checkpoint = self.job.target.asked, self._checkpoint
        if checkpoint is not None and checkpoint.finished:
            self._emit(TargetPreparing(asked, "already complete"))
            known, cases = self.job.known, self._plan.every_case()
            ledger = Ledger(known, checkpoint.record, cases, checkpoint.mappings, checkpoint.results)
            self.pattern_counts = ledger.pattern_counts()
            return None
        session = self.session
        session.start()
        self._emit(TargetStarted(asked, session.record, len(session.pairs)))
        for mapping in session.mappings if checkpoint is None else ():
            self._emit(mapping)
        is_complete = session.begin(session.pairs, self._take).wait()
        self.pattern_counts = session.ledger.pattern_counts()
        if not is_complete:
            return None
        for example in session.examples({case.operation.name for case in self._plan.cases}):
            self._emit(example)
        return session.end()

    def _take(self, output: Output) -> None:
        self._emit(ResultReady(self.job.target.asked, output) if isinstance(output, ResultRecord) else output)


def _in_turn(part: _Part, slots: threading.Semaphore) -> None:
    with slots:
        part.run()


@contextlib.contextmanager
def interrupts(interrupted: Callable[[], None]) -> Iterator[None]:
    """Call a function for each signal that would raise KeyboardInterrupt: an exception could be lost in a finalizer.

    Further signals change nothing, since a run ends a few seconds after the first.
    """
    previous: dict[int, Any] = {}

    def handle(number: int, frame: FrameType | None) -> None:
        with contextlib.suppress(KeyboardInterrupt):
            previous[number](number, frame)
        interrupted()

    if threading.current_thread() is threading.main_thread():
        previous = {number: signal.getsignal(number) for number in _INTERRUPTS if callable(signal.getsignal(number))}
        for number in previous:
            signal.signal(number, handle)
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
