"""What is known of each target while a run is under way, and how it is described."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from conformance.events import (
    Activity,
    Event,
    PartUnderWay,
    ResultReady,
    RunFinished,
    RunStarted,
    StillRunning,
    TargetActivity,
    TargetBlocked,
    TargetFinished,
    TargetNotice,
    TargetPreparing,
    TargetStarted,
    Waiting,
)
from conformance.reports.statistics import TargetStatistics, counts_text
from conformance.reports.text import counted, one_line, one_line_with_end
from conformance.reports.wording import origins_text
from conformance.results.records import TargetRecord
from conformance.results.table import sort_of

NOTICEABLE = 3.0
"""Seconds after which a call that a target waits for is named."""
State = Literal["waiting", "preparing", "calling", "repeating", "re-checking", "minimizing", "done", "blocked"]
STATES: tuple[State, ...] = get_args(State)


@dataclass
class TargetUnderWay:
    """One target of a run."""

    name: str
    preparing: str | None = None
    """The current step before it starts."""
    since: float = 0.0
    """When that step began."""
    expected: int | None = None
    """The number of results; None until it has started."""
    counts: Counter[str] = field(default_factory=Counter)
    """Its results by verdict, those of parts that run elsewhere included."""
    parts: dict[str, Counter[str]] = field(default_factory=dict)
    """What is counted of each part that runs elsewhere."""
    activities: dict[tuple[int, Activity], tuple[int, int]] = field(default_factory=dict)
    """How much of each activity each worker has done, and of how much."""
    waiting: Waiting | None = None
    is_blocked: bool = False
    has_ended: bool = False

    @property
    def state(self) -> State:
        """What it does, in a word."""
        if self.is_blocked:
            return "blocked"
        if self.has_ended:
            return "done"
        if self.expected is None:
            return "preparing" if self.preparing else "waiting"
        return next((activity for activity, _ in self._unfinished()), "calling")

    def message(self) -> str:
        """What it does at the moment, and what was found; nothing once it has ended."""
        if self.is_blocked or self.has_ended:
            return ""
        if self.expected is None:
            return self.preparing or ""
        return "; ".join(filter(None, [*self._current(), self.findings()]))

    @property
    def done(self) -> int:
        """Results, and the parts of activities that are done."""
        return self.counts.total() + sum(done for done, _ in self.activities.values())

    @property
    def total(self) -> int | None:
        """All that is known to be left or done."""
        work = sum(total for _, total in self.activities.values())
        return None if self.expected is None else self.expected + work

    def count_part(self, part: str, counts: Mapping[str, int]) -> None:
        """Count the results of a part instead of those that it had before."""
        self.counts -= self.parts.get(part, Counter())
        self.parts[part] = Counter(counts)
        self.counts += self.parts[part]

    def counts_text(self) -> str:
        """``12 results: 9 conforms, 3 unsupported``."""
        return counts_text(TargetStatistics(TargetRecord(self.name, "", None, "", ""), self.counts))

    def findings(self) -> str:
        """``diverges: 3 own; 1 died``."""
        diverges = ", ".join(f"{self.counts[sort]} {sort}" for sort in _DIVERGES if self.counts[sort])
        ended = [f"{self.counts[sort]} {sort}" for sort in ("died", "hung") if self.counts[sort]]
        return "; ".join([*([f"diverges: {diverges}"] if diverges else []), *ended])

    def current(self) -> str:
        """``re-checking 12 of 40 in fresh processes; waiting 12 s for torch.gather with ...``."""
        return "; ".join(self._current())

    def _current(self) -> Iterator[str]:
        for activity, (done, total) in self._unfinished():
            yield _PHRASES[activity](done, total)
        if self.waiting is not None and self.waiting.seconds >= NOTICEABLE:
            yield f"waiting {self.waiting.seconds:.0f} s for {self.waiting.api} with {self.waiting.case}"

    def _unfinished(self) -> Iterator[tuple[Activity, tuple[int, int]]]:
        """The activities of all its workers that are not done, with what is done of each and of how much."""
        for activity in dict.fromkeys(activity for _, activity in self.activities):
            parts = [part for (_, name), part in self.activities.items() if name == activity]
            done, total = sum(done for done, _ in parts), sum(total for _, total in parts)
            if done < total:
                yield activity, (done, total)

    def line(self, now: float) -> str:
        """What it does at the moment, for a terminal without bars."""
        if self.expected is None:
            return f"{self.preparing or 'waiting'} ({now - self.since:.0f} s)"
        results = f"{self.counts.total()} of {counted(self.expected, 'result')}"
        return "; ".join(filter(None, [results, self.current(), self.findings()]))


_DIVERGES = ("own", "printed", "portability")
_PHRASES: Mapping[Activity, Callable[[int, int], str]] = {
    "repeating": lambda _, total: f"repeating {counted(total, 'call')} with duplicate indices",
    "re-checking": lambda done, total: f"re-checking {done} of {total} in fresh processes",
    "minimizing": lambda done, total: f"making draws smaller, {done} of {total}",
}


class UnderWay:
    """All targets of a run, by name."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self.targets: dict[str, TargetUnderWay] = {}

    def target(self, name: str) -> TargetUnderWay:
        return self.targets.setdefault(name, TargetUnderWay(name))

    def handle(self, event: Event) -> None:
        """Note what an event says."""
        match event:
            case StillRunning(waiting):
                calls = {each.target: each for each in waiting}
                for name, target in self.targets.items():
                    target.waiting = None if target.has_ended else calls.get(name)
            case TargetPreparing(name, message):
                self.target(name).preparing, self.target(name).since = one_line(message), self._clock()
            case TargetStarted(name, _, results):
                self.target(name).expected = results
            case ResultReady(name, result):
                self.target(name).counts[sort_of(result)] += 1
            case TargetActivity(name, worker, activity, done, total):
                self.target(name).activities[worker, activity] = done, total
            case PartUnderWay(name, part, counts):
                self.target(name).count_part(part, counts)
            case TargetFinished(name):
                self.target(name).has_ended, self.target(name).waiting = True, None
            case TargetBlocked(name):
                self.target(name).is_blocked = True
            case _:
                pass


def event_line(event: Event, state: UnderWay) -> str | None:
    """The line for an event; None for events without one."""
    line: str | None = None
    match event:
        case RunStarted(targets, cases, origins):
            names = ", ".join(targets)
            line = f"{counted(cases, 'case')}{origins_text(origins)} for {counted(len(targets), 'target')}: {names}"
        case TargetPreparing(target, message) | TargetNotice(target, message):
            line = f"{target}: {message}"
        case TargetStarted(target, record, results):
            line = f"{target}: started, {started_text(record)}; {counted(results, 'result')} expected, one per case and API"
        case TargetBlocked(target, reason):
            line = f"{target}: blocked: {reason}"
        case TargetFinished(target, seconds) if not state.target(target).is_blocked:
            line = f"{target}: finished in {seconds:.1f} s, {state.target(target).counts_text()}"
        case RunFinished(end) if not end.complete:
            line = f"incomplete run: {end.reason or 'no reason recorded'}"
    return one_line_with_end(line, 1000) if line else None


def started_text(record: TargetRecord) -> str:
    """``torch 2.13.0, Python 3.11.9, NumPy 2.4.6``."""
    parts = [f"{record.framework} {record.version or 'unknown version'}"]
    parts += [f"Python {record.python}"] if record.python else []
    parts += [f"NumPy {record.numpy}"] if record.numpy else []
    return ", ".join(parts)
