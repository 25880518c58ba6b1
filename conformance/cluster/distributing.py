"""The process that the user started: gives attempts to an engine, and writes the results that come back."""

from __future__ import annotations

import contextlib
import queue
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from conformance.cluster.attempts import UnderWay, fatal_call
from conformance.cluster.gathering import DifferentTarget, Gathering
from conformance.cluster.intake import DifferentRun, Intake, TooManyFailures
from conformance.cluster.journal import CompleteUnit, Journal
from conformance.cluster.messages import Begun, Blocked, Emit, Ended, Engine, EngineLost, Lost, Message, Output, Refused
from conformance.cluster.unit import Attempt, Needs, Unit
from conformance.events import (
    Event,
    Listener,
    RunFinished,
    RunStarted,
    StillRunning,
    TargetBlocked,
    TargetFinished,
    TargetNotice,
    TargetPreparing,
)
from conformance.execution.measurements import seconds_per_case
from conformance.execution.plan import Plan
from conformance.execution.resume import checkpoint_of
from conformance.execution.runner import interrupts, new_results, rare_garbage_collection
from conformance.known.counts import unexpected
from conformance.results.exit_status import STOPPED
from conformance.results.file import ResultsWriter
from conformance.results.records import EndRecord, TargetRecord

MOST_ATTEMPTS = 6
"""Attempts of a unit, after which its shard is missing in the results."""
_TICK = 1.0


@dataclass(frozen=True)
class Distribution:
    """The units of a run, by the target requested."""

    units: Mapping[str, Sequence[Unit]]
    needs: Mapping[str, Needs]
    limits: tuple[str, ...] = ()
    """Words of the command line that may end a unit early."""
    complete: Sequence[CompleteUnit] = ()
    """The complete units of the interrupted run that is resumed."""


class _Interrupted:
    """The user interrupted the run."""


class _Stop(Exception):
    """Ends the run; the message is the reason."""


def distribute(
    plan: Plan,
    distribution: Distribution,
    engine: Callable[[Emit], contextlib.AbstractContextManager[Engine]],
    results_file: Path,
    listeners: Sequence[Listener],
) -> EndRecord:
    """Run a plan on the machines of an engine, as ``execution.runner.run`` does on one."""
    messages: queue.SimpleQueue[Message | _Interrupted] = queue.SimpleQueue()
    with (
        interrupts(lambda: messages.put(_Interrupted())),
        new_results(plan, results_file) as (writer, write_first),
        engine(messages.put) as started,
        rare_garbage_collection(),
    ):
        journal = Journal(results_file.parent)
        if plan.checkpoint is None:
            journal.clear()  # of an earlier run in the folder
        return _Run(plan, distribution, started, messages, writer, journal, listeners).run(write_first)


class _Run:
    def __init__(
        self,
        plan: Plan,
        distribution: Distribution,
        engine: Engine,
        messages: queue.SimpleQueue[Message | _Interrupted],
        writer: ResultsWriter,
        journal: Journal,
        listeners: Sequence[Listener],
    ) -> None:
        self._plan = plan
        self._distribution = distribution
        self._engine = engine
        self._messages = messages
        self._writer = writer
        self._journal = journal
        self._listeners = listeners
        self._intake = Intake(plan, self._notify)
        self._gatherings = [Gathering(plan, job, writer.write) for job in plan.jobs]
        self._under: dict[str, UnderWay] = {}
        """By the name of the attempt."""
        self._begun = time.monotonic()
        self._missing: dict[str, list[str]] = {}
        """By target, what is missing and the reason."""
        self._refused: set[str] = set()
        self._last_tick = time.monotonic()

    def run(self, write_first: Callable[[], None]) -> EndRecord:
        cases = self._plan.cases
        targets = tuple(gathering.asked for gathering in self._gatherings)
        self._notify(RunStarted(targets, len(cases), Counter(case.provenance for case in cases)))
        reason = None
        try:
            complete = self._start_all()
            write_first()  # takes as long as units take to start
            for gathering in complete:
                self._finish_target(gathering)
            while self._under:
                self._handle_next()
        except TooManyFailures:
            reason = STOPPED
        except _Stop as stop:
            reason = str(stop)
        counts = [count for gathering in self._gatherings for count in gathering.pattern_counts()]
        reason = reason or "; ".join(text for texts in self._missing.values() for text in texts) or None
        whole = self._plan.record.shard is None
        end = self._writer.end(
            complete=reason is None,
            reason=reason,
            unexpected=unexpected(counts) if whole else (),
            pattern_counts=() if whole else counts,
        )
        if end.complete:
            self._journal.clear()
        self._notify(RunFinished(end))
        return end

    # Units

    def _start_all(self) -> list[Gathering]:
        """Start the units that are not complete: those of the slowest target first; the targets whose units all are."""
        without_units = []
        complete = {unit.key: unit for unit in self._distribution.complete}
        durations = self._plan.durations
        for gathering in sorted(self._gatherings, key=lambda one: -seconds_per_case(one.job.target, durations)):
            self._restore(gathering)
            if gathering.record is not None and gathering.record.seconds is not None:
                self._notify(TargetPreparing(gathering.asked, "already complete"))
                self._notify(TargetFinished(gathering.asked, 0.0))
                continue
            if not self._start_target(gathering, complete):
                without_units.append(gathering)
        return without_units

    def _start_target(self, gathering: Gathering, complete: Mapping[str, CompleteUnit]) -> bool:
        """Whether any of its units remained to be started."""
        units = self._distribution.units[gathering.asked]
        for unit in (unit for unit in units if unit.key in complete):
            gathering.restore_unit(complete[unit.key])
        remaining = [unit for unit in units if unit.key not in complete]
        if not remaining:
            return False
        text = f"{len(remaining)} unit" if len(remaining) == 1 else f"{len(remaining)} units"
        self._notify(TargetPreparing(gathering.asked, f"waiting for a machine, in {text}"))
        needs = self._distribution.needs[gathering.asked]
        for unit in remaining:
            self._start(UnderWay(Attempt(unit, limits=self._distribution.limits, needs=needs), gathering))
        return True

    def _restore(self, gathering: Gathering) -> None:
        existing = self._plan.checkpoint
        checkpoint = checkpoint_of(existing, gathering.asked) if existing is not None else None
        if checkpoint is not None:
            gathering.restore(checkpoint)

    def _start(self, under: UnderWay) -> None:
        under.attempt = replace(under.attempt, avoid=under.attempt.avoid | self._refused)
        self._under[under.attempt.name] = under
        self._engine.start(under.attempt)

    def _again(self, under: UnderWay, reason: str) -> None:
        """Make another attempt of a unit that has lost its machine."""
        del self._under[under.attempt.name]
        attempt = replace(under.attempt, number=under.attempt.number + 1)
        if under.machine is None:  # it had not begun
            self._start(UnderWay(attempt, under.gathering, under.past))
            return
        under.past.attempts += 1
        if under.past.attempts == MOST_ATTEMPTS:
            text = f"missing shard {attempt.unit.shard} ({reason}, in {MOST_ATTEMPTS} attempts)"
            self._missing.setdefault(under.gathering.asked, []).append(f"{under.gathering.asked}: {text}")
            self._end_target_if_over(under.gathering)
            return
        self._notice(under.gathering, f"shard {attempt.unit.shard} is done again: {reason}")
        fatal = fatal_call(under)
        attempt = replace(attempt, one_by_one=True, fatal=(*attempt.fatal, *([fatal] if fatal else [])))
        self._start(UnderWay(attempt, under.gathering, under.past))

    # Messages

    def _handle_next(self) -> None:
        try:
            message = self._messages.get(timeout=_TICK)
        except queue.Empty:
            self._tick()
            return
        if isinstance(message, _Interrupted):
            raise _Stop("interrupted")
        self._handle(message)
        if self._messages.empty():
            self._writer.flush()
        self._tick()

    def _handle(self, message: Message) -> None:
        if isinstance(message, EngineLost):
            raise _Stop(message.reason)
        if isinstance(message, Refused):
            self._refuse(message)
            return
        under = self._under.get(message.attempt)
        if under is None:
            return  # of an attempt that was given up, such as by a machine that was thought to be lost
        match message:
            case Begun(machine=machine):
                self._begin(under, machine)
            case Output(lines=lines):
                self._take(under, lines)
            case Ended():
                self._ended(under, message)
            case Lost(reason=reason):
                self._again(under, reason)
            case Blocked(reason=reason):
                self._block(under.gathering, under.gathering.refusal or reason)

    def _begin(self, under: UnderWay, machine: str) -> None:
        under.machine = machine
        if under.gathering.record is None:
            self._notify(TargetPreparing(under.gathering.asked, f"shard {under.attempt.unit.shard} on {machine}"))

    def _refuse(self, message: Refused) -> None:
        if message.machine not in self._refused:
            self._refused.add(message.machine)
            self._notice(self._gatherings[0], f"{message.machine} is not used: {message.reason}")
        if message.attempt in self._under:
            self._elsewhere(self._under.pop(message.attempt), message.machine)

    def _elsewhere(self, under: UnderWay, machine: str) -> None:
        """Make the same attempt on another machine."""
        attempt = under.attempt
        attempt = replace(attempt, number=attempt.number + 1, avoid=attempt.avoid | {machine})
        self._start(UnderWay(attempt, under.gathering, under.past))

    def _take(self, under: UnderWay, lines: Iterable[str]) -> None:
        try:
            self._intake.take(under, lines)
        except (DifferentTarget, DifferentRun) as error:
            self._refuse(Refused(under.machine or "", str(error), under.attempt.name))

    # Ends

    def _ended(self, under: UnderWay, message: Ended) -> None:
        complete = under.end is not None and under.end.complete
        stopped = under.end is not None and under.end.reason == STOPPED
        if under.blocked is not None:
            self._not_started(under, message.problem or under.blocked)
        elif (complete or stopped) and under.record is not None:
            self._complete(under, under.record)
        elif message.problem is not None:
            self._refuse(Refused(under.machine or "", message.problem, under.attempt.name))
        else:
            said = message.errors.strip().rpartition("\n")[2] or "no message"
            self._again(under, f"its process ended with exit status {message.status} on {under.machine}: {said}")

    def _not_started(self, under: UnderWay, reason: str) -> None:
        """Try a target that could not be started on one other machine, since the reason may be the machine."""
        gathering, machine = under.gathering, under.machine or ""
        gathering.refusal = gathering.refusal or reason
        del self._under[under.attempt.name]
        if under.attempt.avoid - self._refused or self._engine.machines < 2:
            self._block(gathering, gathering.refusal)
        else:
            self._notice(gathering, f"could not be started on {machine}: {reason}; trying another machine")
            self._elsewhere(under, machine)

    def _complete(self, under: UnderWay, record: TargetRecord) -> None:
        gathering = under.gathering
        examples = self._intake.complete(under)
        self._writer.flush()
        gathering.finish_unit(record, examples)
        self._journal.add(under.attempt.unit, gathering.asked, record, examples)
        del self._under[under.attempt.name]
        self._end_target_if_over(gathering)

    def _end_target_if_over(self, gathering: Gathering) -> None:
        if any(under.gathering is gathering for under in self._under.values()):
            return
        if gathering.blocked is not None:
            self._notify(TargetFinished(gathering.asked, time.monotonic() - self._begun))
        elif gathering.asked not in self._missing:
            self._finish_target(gathering)

    def _finish_target(self, gathering: Gathering) -> None:
        record = gathering.finish()
        self._notify(TargetFinished(gathering.asked, time.monotonic() - self._begun, record))

    def _block(self, gathering: Gathering, reason: str) -> None:
        """Give up a target, and the attempts of its other units."""
        if gathering.blocked is None:
            gathering.block(reason)
            self._notify(TargetBlocked(gathering.asked, reason))
        for name in [name for name, under in self._under.items() if under.gathering is gathering]:
            del self._under[name]
        self._end_target_if_over(gathering)

    # Listeners

    def _tick(self) -> None:
        now = time.monotonic()
        if now - self._last_tick >= _TICK:
            self._last_tick = now
            waiting = {under.gathering.asked: under.waiting for under in self._under.values() if under.waiting}
            self._notify(StillRunning(tuple(waiting.values())))

    def _notice(self, gathering: Gathering, message: str) -> None:
        self._notify(TargetNotice(gathering.asked, message))

    def _notify(self, event: Event) -> None:
        for listener in self._listeners:
            listener.handle(event)
