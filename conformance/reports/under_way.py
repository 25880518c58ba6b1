"""What is known of each target while a run is under way, and how it is described."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from conformance.events import (
    Activity,
    Event,
    ResultReady,
    StillRunning,
    TargetActivity,
    TargetBlocked,
    TargetFinished,
    TargetPreparing,
    TargetStarted,
    Waiting,
)
from conformance.reports.statistics import TargetStatistics, counts_text, sort_of
from conformance.reports.text import counted, one_line
from conformance.results.records import TargetRecord

NOTICEABLE = 3.0
"""Seconds after which a call that a target waits for is named."""


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
    """Its results by verdict."""
    activities: dict[tuple[int, Activity], tuple[int, int]] = field(default_factory=dict)
    """How much of each activity each worker has done, and of how much."""
    waiting: Waiting | None = None
    has_ended: bool = False

    @property
    def done(self) -> int:
        """Results, and the parts of activities that are done."""
        return self.counts.total() + sum(done for done, _ in self.activities.values())

    @property
    def total(self) -> int | None:
        """All that is known to be left or done."""
        work = sum(total for _, total in self.activities.values())
        return None if self.expected is None else self.expected + work

    def counts_text(self) -> str:
        """``12 results: 9 conforms, 3 unsupported``."""
        return counts_text(TargetStatistics(TargetRecord(self.name, "", None, "", ""), self.counts, known=0))

    def findings(self) -> str:
        """``diverges: 3 own; 1 died``."""
        diverges = ", ".join(f"{self.counts[sort]} {sort}" for sort in _DIVERGES if self.counts[sort])
        ended = [f"{self.counts[sort]} {sort}" for sort in ("died", "hung") if self.counts[sort]]
        return "; ".join([*([f"diverges: {diverges}"] if diverges else []), *ended])

    def current(self) -> str:
        """``re-checking 12 of 40 in fresh processes; waiting 12 s for torch.gather with ...``."""
        return "; ".join(self._current())

    def _current(self) -> Iterator[str]:
        for activity in dict.fromkeys(activity for _, activity in self.activities):
            parts = [part for (_, name), part in self.activities.items() if name == activity]
            done, total = sum(done for done, _ in parts), sum(total for _, total in parts)
            if done < total:
                yield _PHRASES[activity](done, total)
        if self.waiting is not None and self.waiting.seconds >= NOTICEABLE:
            yield f"waiting {self.waiting.seconds:.0f} s for {self.waiting.api} with {self.waiting.case}"

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
        self.blocked: set[str] = set()

    def target(self, name: str) -> TargetUnderWay:
        return self.targets.setdefault(name, TargetUnderWay(name))

    def handle(self, event: Event) -> None:
        """Note what an event says."""
        match event:
            case StillRunning(waiting):
                calls = {each.target: each for each in waiting}
                for name, target in self.targets.items():
                    target.waiting = calls.get(name)
            case TargetPreparing(name, message):
                self.target(name).preparing, self.target(name).since = one_line(message), self._clock()
            case TargetStarted(name, _, results):
                self.target(name).expected = results
            case ResultReady(name, result):
                self.target(name).counts[sort_of(result)] += 1
            case TargetActivity(name, worker, activity, done, total):
                self.target(name).activities[worker, activity] = done, total
            case TargetFinished(name):
                self.target(name).has_ended = True
            case TargetBlocked(name):
                self.blocked.add(name)
            case _:
                pass
