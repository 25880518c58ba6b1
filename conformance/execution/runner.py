"""A run: targets side by side, results streamed to disk as they come, events to whoever listens."""

from __future__ import annotations

import contextlib
import gc
import queue
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from conformance.cases.model import Case
from conformance.events import (
    Event,
    Listener,
    ResultReady,
    RunFinished,
    RunStarted,
    TargetBlocked,
    TargetFinished,
    TargetStarted,
)
from conformance.execution.checkpoint import earlier_of
from conformance.execution.failure_limit import STOPPED, Patience
from conformance.execution.target_run import Say, TargetRun
from conformance.known.counts import stale
from conformance.known.model import CaseFacts, Ledger, facts
from conformance.results.describe import case_record, clause_record, known_records
from conformance.results.file import Results, ResultsWriter
from conformance.results.records import (
    CaseRecord,
    ClaimRecord,
    EndRecord,
    MappingRecord,
    Record,
    RunRecord,
    TargetRecord,
)
from conformance.targets.prepared import Prepared
from conformance.targets.staging import staged_worker


@dataclass(frozen=True)
class _Interrupted:
    """The user asked to stop."""


Emitted = Event | MappingRecord | CaseRecord | _Interrupted

_GATHERING = 0.02
"""Seconds in which events are left to gather before they are taken together."""
_PATIENCE = 5.0
"""Seconds that a target has to hand over what it found when a run is stopped."""


@dataclass(frozen=True)
class Job:
    """A target as asked for, and how to make it ready to start."""

    asked: str
    framework: str
    device: str
    mode: str
    prepare: Callable[[Say], Prepared]
    ledger: Ledger = field(default_factory=Ledger)
    """What is known to diverge."""
    cost: tuple[int, float] = (1, 0.0)
    """The workers that its mode is given and the seconds of a call of a new shape: those that take longest start first."""


@dataclass(frozen=True)
class Plan:
    """What a run is to do, and when it is to stop."""

    record: RunRecord
    jobs: Sequence[Job]
    cases: Sequence[Case]
    limit: float
    """Seconds for one call."""
    side_by_side: int
    """Targets that run at the same time."""
    patience: Patience | None = None
    """None goes on to the end, whatever fails."""
    claims: Sequence[ClaimRecord] = ()
    """All that the documents say."""
    everything: Sequence[CaseFacts] = ()
    """All cases that there are, of which ``cases`` may be a selection: entries of ledgers are about these."""
    earlier: Results | None = None
    """What is there already of a run that is resumed."""


def run(plan: Plan, results_file: Path, listeners: Sequence[Listener]) -> EndRecord:
    """Run a plan to its end, or to an interruption; the file then says that it is incomplete.

    The file of a run that is resumed is replaced as soon as the new one has all that is kept of it.
    """
    begun = results_file if plan.earlier is None else results_file.with_name(f".{results_file.name}.new")
    with ResultsWriter(begun) as writer, staged_worker() as script:
        for record in _begin(plan):
            writer.write(record)
        writer.flush()
        begun.replace(results_file)
        with _cases_left_to_themselves():
            return _Run(plan, writer, listeners, script).run()


@contextlib.contextmanager
def _cases_left_to_themselves() -> Iterator[None]:
    """Keep the collector of cycles off what is there already: looking through all cases would cost as much as running them."""
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def _begin(plan: Plan) -> Iterator[Record]:
    """What a file has before the first target starts."""
    yield plan.record
    yield from known_records({job.framework: job.ledger for job in plan.jobs})
    yield from plan.claims
    for clause in {case.clause.id: case.clause for case in plan.cases}.values():
        yield clause_record(clause)
    numbers = {case.id: number for number, case in enumerate(plan.everything or facts(plan.cases))}
    for case in plan.cases:
        yield case_record(case, numbers[case.id])
    if plan.earlier is not None:
        yield from plan.earlier.cases.values()
        yield from plan.earlier.targets
        yield from plan.earlier.mappings
        yield from plan.earlier.results


class _Run:
    def __init__(self, plan: Plan, writer: ResultsWriter, listeners: Sequence[Listener], script: Path) -> None:
        self._plan = plan
        self._writer = writer
        self._listeners = listeners
        self._events: queue.SimpleQueue[Emitted] = queue.SimpleQueue()
        self._runs = [self._target_run(job, script) for job in plan.jobs]
        self._left = len(self._runs)

    def _target_run(self, job: Job, script: Path) -> TargetRun:
        plan = self._plan
        return TargetRun(
            job.asked,
            job.prepare,
            plan.cases,
            ledger=job.ledger,
            everything=plan.everything or facts(plan.cases),
            script=script,
            limit=plan.limit,
            patience=plan.patience,
            earlier=earlier_of(plan.earlier, job.asked) if plan.earlier is not None else None,
            emit=self._events.put,
        )

    def run(self) -> EndRecord:
        self._tell(RunStarted(tuple(job.asked for job in self._plan.jobs), len(self._plan.cases)))
        places = threading.Semaphore(self._plan.side_by_side)
        longest_first = sorted(
            zip(self._plan.jobs, self._runs, strict=True), key=lambda pair: pair[0].cost, reverse=True
        )
        threads = [threading.Thread(target=_in_turn, args=(one, places), daemon=True) for _, one in longest_first]
        for thread in threads:
            thread.start()
        try:
            with _interrupts_told_to(self._events.put):
                reason = self._follow()
        except KeyboardInterrupt:
            reason = "interrupted"
        if reason is not None:
            self._stop(threads)
        faults = [one.error for one in self._runs if one.error is not None]
        reason = reason or ("internal error" if faults else None)
        tallies = [tally for one in self._runs for tally in one.tallies]
        # Whether an entry is stale is seen in all shards together.
        alone = self._plan.record.shard is None
        end = self._writer.end(
            complete=reason is None,
            reason=reason,
            stale=stale(tallies) if alone else (),
            tallies=() if alone else tallies,
        )
        self._tell(RunFinished(end))
        if faults:
            raise faults[0]
        return end

    def _follow(self) -> str | None:
        """Take events until every target has finished; why, where it ends before that."""
        failures = 0
        patience = self._plan.patience
        while self._left:
            for event in self._arrived():
                if isinstance(event, _Interrupted):
                    return "interrupted"
                self._take(event)
                if patience is not None and isinstance(event, ResultReady):
                    failures += patience.fails(event.result)
                    if patience.is_over(failures):
                        return STOPPED
            self._writer.flush()
        return None

    def _arrived(self) -> Iterator[Emitted]:
        """What has come since the last time, and at least one event.

        Taken at once it would cost a change of threads for each result, as much as all else that is done with it.
        """
        yield self._events.get()
        time.sleep(_GATHERING)
        while not self._events.empty():
            yield self._events.get()

    def _stop(self, threads: Sequence[threading.Thread]) -> None:
        """End every target, and keep what each still has to tell."""
        for one in self._runs:
            one.stop()
        for thread in threads:
            thread.join(_PATIENCE)
        while not self._events.empty():
            self._take(self._events.get())

    def _take(self, event: Emitted) -> None:
        if isinstance(event, MappingRecord | CaseRecord):
            self._writer.write(event)
        elif not isinstance(event, _Interrupted):
            self._record(event)
            self._tell(event)

    def _record(self, event: Event) -> None:
        if isinstance(event, ResultReady):
            self._writer.write(event.result)
        elif isinstance(event, TargetStarted):
            self._writer.write(event.record)
        elif isinstance(event, TargetBlocked):
            self._writer.write(self._blocked(event))
        elif isinstance(event, TargetFinished):
            self._left -= 1
            if event.record is not None:
                self._writer.write(event.record)

    def _blocked(self, event: TargetBlocked) -> TargetRecord:
        job = next(job for job in self._plan.jobs if job.asked == event.target)
        return TargetRecord(
            event.target, job.framework, None, job.device, job.mode, blocked=event.reason, asked=event.target
        )

    def _tell(self, event: Event) -> None:
        for listener in self._listeners:
            listener.handle(event)


def _in_turn(target_run: TargetRun, places: threading.Semaphore) -> None:
    with places:
        target_run.run()


@contextlib.contextmanager
def _interrupts_told_to(tell: Callable[[_Interrupted], None]) -> Iterator[None]:
    """The first SIGINT as an event, as the exception is lost where it hits a finalizer; the second raises as ever."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    usual = signal.getsignal(signal.SIGINT) or signal.default_int_handler

    def handle(*_: object) -> None:
        signal.signal(signal.SIGINT, usual)
        tell(_Interrupted())

    signal.signal(signal.SIGINT, handle)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, usual)
