"""The process that the user started: gives the units of a run to a cluster, and makes one run of what comes back."""

from __future__ import annotations

import queue
import time
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from conformance.cluster.gathering import Different, Gathering, Planned, UnitFiles, whole
from conformance.cluster.messages import (
    Calling,
    Cluster,
    ClusterLost,
    Emit,
    Ended,
    Lost,
    Message,
    Progress,
    Refused,
)
from conformance.cluster.unit import Attempt, Needs, Unit
from conformance.events import (
    Event,
    Listener,
    PartUnderWay,
    ResultReady,
    RunFinished,
    RunStarted,
    StillRunning,
    TargetBlocked,
    TargetFinished,
    TargetNotice,
    TargetPreparing,
    TargetStarted,
    Waiting,
)
from conformance.execution.measurements import seconds_per_case
from conformance.execution.plan import Plan
from conformance.execution.resume import checkpoint_of
from conformance.execution.runner import interrupts, new_results, rare_garbage_collection
from conformance.results.exit_status import STOPPED
from conformance.results.file import Results
from conformance.results.records import TargetRecord

MOST_ATTEMPTS = 6
"""Attempts of a unit, after which its shard is missing in the results."""
MOST_TRIES = 2
"""Machines that one call may take down."""
_TICK = 1.0
_GRACE = 30.0
"""Seconds in which attempts are to end that were asked to."""


@dataclass(frozen=True)
class Distribution:
    """The units of a run, by the target requested."""

    units: Mapping[str, Sequence[Unit]]
    needs: Mapping[str, Needs]
    limits: tuple[str, ...] = ()
    """Words of the command line that may end a unit early."""


@dataclass
class _UnderWay:
    """A unit that is not complete, and what its earlier attempts have shown."""

    attempt: Attempt
    gathering: Gathering
    progress: Progress | None = None
    begun: int = 0
    """Attempts that had begun."""
    suspects: Counter[tuple[str, str]] = field(default_factory=Counter)
    """How many machines were lost during each call."""
    unannounced: list[int] = field(default_factory=list)
    """For each machine that was lost while calls were not announced, the number of results that it had, or a few less."""

    @property
    def fails(self) -> int:
        return self.progress.failures if self.progress is not None else 0

    def fatal_call(self, calling: Calling | None) -> tuple[str, str] | None:
        """The call during which a second machine was lost; notes the loss if there is none."""
        if calling is None:
            self.unannounced.append(self.progress.results if self.progress is not None else 0)
            return None
        call = calling.case, calling.api
        self.suspects[call] += 1
        # A machine that was lost before may have been lost during this call, unless it had come further.
        perhaps_before = any(results <= calling.results for results in self.unannounced)
        if self.suspects[call] + perhaps_before < MOST_TRIES:
            return None
        self.unannounced.clear()
        return call


class _Interrupted:
    """The user interrupted the run."""


class _Stop(Exception):
    """Ends the run; the message is the reason."""


class _Lost(_Stop):
    """The cluster is gone, so that there is nothing to wait for."""


def distribute(
    plan: Plan,
    distribution: Distribution,
    start: Callable[[Emit], AbstractContextManager[Cluster]],
    results_file: Path,
    listeners: Sequence[Listener],
) -> Results:
    """Run a plan on a cluster, as ``execution.runner.run`` does on one machine; the results, in the order of a file."""
    messages: queue.SimpleQueue[Message | _Interrupted] = queue.SimpleQueue()
    files = UnitFiles(results_file.parent)
    if plan.checkpoint is None:
        files.clear()  # of an earlier run in the folder
        with new_results(plan, results_file) as (_, write_first):
            write_first()
    with interrupts(lambda: messages.put(_Interrupted())), rare_garbage_collection():
        run = _Run(plan, distribution, messages, files, listeners)
        reason = run.carry_out(start)
        results = whole(run.planned, run.gatherings, reason)
    assert results.end is not None, "the whole has one"
    if results.complete:
        files.clear()
    run.notify(RunFinished(results.end))
    return results


class _Run:
    def __init__(
        self,
        plan: Plan,
        distribution: Distribution,
        messages: queue.SimpleQueue[Message | _Interrupted],
        files: UnitFiles,
        listeners: Sequence[Listener],
    ) -> None:
        self._plan = plan
        self._distribution = distribution
        self._messages = messages
        self._files = files
        self._listeners = listeners
        durations = plan.durations
        self.planned = Planned(plan)
        units = distribution.units
        self.gatherings = [Gathering(self.planned, job, len(units[job.target.asked])) for job in plan.jobs]
        self._slowest_first = sorted(self.gatherings, key=lambda one: -seconds_per_case(one.job.target, durations))
        self._waiting: deque[_UnderWay] = deque()
        """Those that no machine has a place for."""
        self._under: dict[str, _UnderWay] = {}
        """By the name of the attempt, those that were given to the cluster."""
        self._refused: set[str] = set()
        self._failures = 0
        self._started: set[str] = set()
        self._noticed: set[tuple[str, str]] = set()
        self._stopping = False
        self._is_changed = False
        """Whether there may be places for other attempts."""
        self._begun = self._last_tick = time.monotonic()

    def carry_out(self, start: Callable[[Emit], AbstractContextManager[Cluster]]) -> str | None:
        """Carry out all units; the reason if the run ends before."""
        cases = self._plan.cases
        targets = tuple(gathering.asked for gathering in self.gatherings)
        self.notify(RunStarted(targets, len(cases), Counter(case.variation.kind for case in cases)))
        for gathering in self._slowest_first:
            self._start_target(gathering)
        if not self._waiting:
            return None
        with start(self._messages.put) as cluster:
            self._cluster = cluster
            try:
                while not self._messages.empty():  # such as which machines cannot be used
                    self._handle_next()
                self._submit()
                while self._waiting or self._under:
                    self._handle_next()
            except _Lost as lost:
                return str(lost)
            except _Stop as stop:
                self._let_end()
                return str(stop)
        return None

    def _let_end(self) -> None:
        """Ask the attempts to end, and take what they have."""
        self._stopping = True
        self._cluster.stop()
        deadline = time.monotonic() + _GRACE
        with suppress(_Stop, queue.Empty):
            while self._under:
                message = self._messages.get(timeout=max(0.0, deadline - time.monotonic()))
                if not isinstance(message, _Interrupted):
                    self._handle(message)

    # Units

    def _start_target(self, gathering: Gathering) -> None:
        """Take what is complete, and queue the other units."""
        existing = self._plan.checkpoint
        checkpoint = checkpoint_of(existing, gathering.asked) if existing is not None else None
        if checkpoint is not None and checkpoint.finished:
            gathering.restore(checkpoint)
            self.notify(TargetPreparing(gathering.asked, "already complete"))
            self._finish_if_over(gathering)
            return
        remaining = []
        for unit in self._distribution.units[gathering.asked]:
            results = self._files.read(unit)
            if results is None:
                remaining.append(unit)
            else:
                self._take(gathering, unit, results)
        if remaining:
            text = f"{len(remaining)} unit" if len(remaining) == 1 else f"{len(remaining)} units"
            self.notify(TargetPreparing(gathering.asked, f"waiting for a machine, in {text}"))
        limits, needs = self._distribution.limits, self._distribution.needs[gathering.asked]
        self._waiting.extend(_UnderWay(Attempt(unit, limits=limits, needs=needs), gathering) for unit in remaining)
        self._finish_if_over(gathering)

    def _submit(self) -> None:
        """Give the cluster as many attempts as it has places for, so that a machine that joins late gets some too."""
        for under in list(self._waiting):
            if under not in self._waiting:
                continue  # its target was blocked
            under.attempt = replace(under.attempt, avoid=under.attempt.avoid | self._refused)
            reason = self._cluster.unsuited(under.attempt)
            needs = under.attempt.needs
            used = sum(one.attempt.needs.gpu >= needs.gpu for one in self._under.values())
            if reason is not None:
                if self._messages.empty():  # what is wrong with the machines is said first
                    self._block(under.gathering, under.gathering.refusal or reason)
            elif used < self._cluster.slots(needs):
                self._waiting.remove(under)
                self._under[under.attempt.name] = under
                self._cluster.submit(under.attempt)

    def _again(self, under: _UnderWay, **changes: object) -> None:
        """Make another attempt of a unit, before those that have not begun."""
        del self._under[under.attempt.name]
        under.attempt = replace(under.attempt, number=under.attempt.number + 1, **changes)  # type: ignore[arg-type]
        under.progress = None
        self.notify(PartUnderWay(under.gathering.asked, under.attempt.unit.shard, {}))
        self._waiting.appendleft(under)

    def _repeat(self, under: _UnderWay, reason: str, calling: Calling | None, *, begun: bool) -> None:
        """Make another attempt of a unit that has lost its machine."""
        if self._stopping:
            del self._under[under.attempt.name]
            return
        if not begun:
            self._again(under)
            return
        shard, gathering = under.attempt.unit.shard, under.gathering
        under.begun += 1
        if under.begun == MOST_ATTEMPTS:
            del self._under[under.attempt.name]
            gathering.missing.append(
                f"{gathering.asked}: missing shard {shard} ({reason}, in {MOST_ATTEMPTS} attempts)"
            )
            self._finish_if_over(gathering)
            return
        self._notice(gathering, f"shard {shard} is done again: {reason}")
        fatal = under.fatal_call(calling)
        self._again(under, announces=True, fatal=(*under.attempt.fatal, *([fatal] if fatal else [])))

    # Messages

    def _handle_next(self) -> None:
        message = None
        with suppress(queue.Empty):
            message = self._messages.get(timeout=_TICK)
        if isinstance(message, _Interrupted):
            raise _Stop("interrupted")
        if message is not None:
            self._handle(message)
        has_passed = time.monotonic() - self._last_tick >= _TICK
        if has_passed:
            self._last_tick = time.monotonic()
            self.notify(StillRunning(tuple(filter(None, map(_waiting, self._under.values())))))
        self._is_changed |= has_passed or not isinstance(message, Progress)
        if self._is_changed and (has_passed or self._messages.empty()):
            self._is_changed = False
            self._submit()

    def _handle(self, message: Message) -> None:
        if isinstance(message, ClusterLost):
            raise _Lost(message.reason)
        if isinstance(message, Refused):
            self._refuse(message)
            return
        under = self._under.get(message.attempt)
        if under is None:
            return  # of an attempt that was given up, such as by a machine that was thought to be lost
        match message:
            case Progress():
                self._follow(under, message)
            case Ended():
                self._ended(under, message)
            case Lost(reason=reason, machine=machine, calling=calling):
                reason = f"{machine}: {reason}" if machine is not None else reason
                self._repeat(under, reason, calling, begun=machine is not None)

    def _follow(self, under: _UnderWay, progress: Progress) -> None:
        under.progress = progress
        gathering, machine = under.gathering, progress.machine
        shard = under.attempt.unit.shard
        for notice in progress.notices:
            if (gathering.asked, notice) not in self._noticed:
                self._noticed.add((gathering.asked, notice))
                self._notice(gathering, f"{notice} ({machine})")
        if progress.started is not None:
            target = gathering.job.target
            record = TargetRecord(target.asked, target.framework, None, target.device, target.mode)
            self._start(under.gathering, under.attempt.unit, replace(record, **progress.started), progress.expected)
            self.notify(PartUnderWay(gathering.asked, shard, progress.counts))
        elif gathering.asked not in self._started and progress.preparing:
            self.notify(TargetPreparing(gathering.asked, f"{progress.preparing} ({machine}, shard {shard})"))
        self._check_limit()

    def _start(self, gathering: Gathering, unit: Unit, record: TargetRecord, results: int) -> None:
        """Report that a target has started, with the number of results that those of one unit suggest."""
        if gathering.asked not in self._started:
            self._started.add(gathering.asked)
            cases = len(self.planned.digests(unit.shard))
            expected = round(results * len(self._plan.cases) / cases) if cases else results
            self.notify(TargetStarted(gathering.asked, record, expected))

    def _refuse(self, message: Refused) -> None:
        if message.machine not in self._refused:
            self._refused.add(message.machine)
            self._notice(self.gatherings[0], f"{message.machine} is not used: {message.reason}")
        if message.attempt in self._under:
            self._elsewhere(self._under[message.attempt], message.machine)

    def _elsewhere(self, under: _UnderWay, machine: str) -> None:
        """Make the same attempt on another machine."""
        self._again(under, avoid=under.attempt.avoid | {machine})

    # Ends

    def _ended(self, under: _UnderWay, message: Ended) -> None:
        unit = under.attempt.unit
        results = self._files.add(unit, message.results) if message.results is not None else None
        blocked = next((one.blocked for one in results.targets if one.blocked), None) if results is not None else None
        if blocked is not None:
            self._files.remove(unit)
            self._not_started(under, message.problem or blocked, message.machine)
        elif results is not None and results.end is not None and results.targets and self._is_wanted(results):
            try:
                self._take(under.gathering, unit, results)
            except Different as error:
                self._files.remove(unit)
                self._refuse(Refused(message.machine, str(error), under.attempt.name))
                return
            del self._under[under.attempt.name]
            self._finish_if_over(under.gathering)
            self._check_limit()
        elif message.problem is not None:
            self._refuse(Refused(message.machine, message.problem, under.attempt.name))
        else:
            reason = f"its process ended with exit status {message.status} on {message.machine}: {message.errors}"
            self._repeat(under, reason, message.calling, begun=True)

    def _is_wanted(self, results: Results) -> bool:
        """Whether results of a unit are whole, or as whole as they will be."""
        return results.complete or self._stopping or (results.end is not None and results.end.reason == STOPPED)

    def _take(self, gathering: Gathering, unit: Unit, results: Results) -> None:
        part = gathering.add(unit, results)
        [record] = part.targets
        planned = sum(not results.cases[result.case].is_counterexample for result in part.results)
        self._start(gathering, unit, record, planned)
        self.notify(PartUnderWay(gathering.asked, unit.shard, {}))
        limit = self._plan.failure_limit
        for result in part.results:
            self.notify(ResultReady(gathering.asked, result))
            self._failures += limit is not None and limit.fails(result)

    def _check_limit(self) -> None:
        limit = self._plan.failure_limit
        if limit is None or self._stopping:
            return
        if limit.is_reached(self._failures + sum(under.fails for under in self._under.values())):
            raise _Stop(STOPPED)

    def _not_started(self, under: _UnderWay, reason: str, machine: str) -> None:
        """Try a target that could not be started on one other machine, since the reason may be the machine."""
        gathering = under.gathering
        gathering.refusal = gathering.refusal or reason
        if under.attempt.avoid - self._refused or self._cluster.machines < MOST_TRIES:
            self._block(gathering, gathering.refusal)
        else:
            self._notice(gathering, f"could not be started on {machine}: {reason}; trying another machine")
            self._elsewhere(under, machine)

    def _block(self, gathering: Gathering, reason: str) -> None:
        """Give up a target, and its other units."""
        gathering.blocked = reason
        self.notify(TargetBlocked(gathering.asked, reason))
        self._under = {name: under for name, under in self._under.items() if under.gathering is not gathering}
        self._waiting = deque(under for under in self._waiting if under.gathering is not gathering)
        self._finish_if_over(gathering)

    def _finish_if_over(self, gathering: Gathering) -> None:
        if any(under.gathering is gathering for under in (*self._under.values(), *self._waiting)):
            return
        seconds = time.monotonic() - self._begun
        if gathering.blocked is None and gathering.is_whole:
            self.notify(TargetFinished(gathering.asked, seconds, gathering.total))
        else:
            self.notify(TargetFinished(gathering.asked, seconds))

    # Listeners

    def _notice(self, gathering: Gathering, message: str) -> None:
        self.notify(TargetNotice(gathering.asked, message))

    def notify(self, event: Event) -> None:
        for listener in self._listeners:
            listener.handle(event)


def _waiting(under: _UnderWay) -> Waiting | None:
    if under.progress is None or under.progress.waiting is None:
        return None
    return Waiting(under.gathering.asked, *under.progress.waiting)
