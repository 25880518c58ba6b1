"""The events of a run. They contain only records, so that listeners are independent of targets and processes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol

from conformance.results.records import EndRecord, ResultRecord, TargetRecord


@dataclass(frozen=True)
class RunStarted:
    """The run starts with these targets (as requested) and this many cases."""

    targets: tuple[str, ...]
    cases: int
    origins: Mapping[str, int] = field(default_factory=dict)
    """The number of cases by how they vary the calls of the specs."""


@dataclass(frozen=True)
class TargetPreparing:
    """A target's environment is being created or its process started; ``message`` describes the current step."""

    target: str
    message: str


@dataclass(frozen=True)
class TargetNotice:
    """Something about a target that the user should know, such as that it takes longer than usual."""

    target: str
    message: str


@dataclass(frozen=True)
class TargetStarted:
    """A target was started; this many results are expected from it."""

    target: str
    record: TargetRecord
    results: int


@dataclass(frozen=True)
class TargetBlocked:
    """A target could not be started, or gave up; the run continues without it."""

    target: str
    reason: str


@dataclass(frozen=True)
class ResultReady:
    """A result is available."""

    target: str
    result: ResultRecord


Activity = Literal["repeating", "re-checking", "minimizing"]
"""What a target does besides making each call once: it repeats calls with duplicate indices, makes the calls of findings
again in fresh processes, and makes draws smaller."""


@dataclass(frozen=True)
class TargetActivity:
    """A worker of a target has done a part of such an activity."""

    target: str
    worker: int
    """A number; the workers of a target share its calls."""
    activity: Activity
    done: int
    total: int


@dataclass(frozen=True)
class Waiting:
    """A target waits for a call."""

    target: str
    api: str
    case: str
    seconds: float
    """The time since the call was made."""


@dataclass(frozen=True)
class StillRunning:
    """A second has passed; these targets wait for a call."""

    waiting: tuple[Waiting, ...]


@dataclass(frozen=True)
class PartUnderWay:
    """A part of a target that another machine runs has this many results so far; none once these are reported themselves."""

    target: str
    part: str
    counts: Mapping[str, int]
    """By verdict, or by standing if they diverge."""


@dataclass(frozen=True)
class TargetFinished:
    """A target's part of the run has ended."""

    target: str
    seconds: float
    record: TargetRecord | None = None
    """With its duration and memory; None if results are missing."""


@dataclass(frozen=True)
class RunFinished:
    """The run has ended, and the results file is complete."""

    end: EndRecord


Event = (
    RunStarted
    | TargetPreparing
    | TargetNotice
    | TargetStarted
    | TargetBlocked
    | ResultReady
    | TargetActivity
    | StillRunning
    | PartUnderWay
    | TargetFinished
    | RunFinished
)


class Listener(Protocol):
    """An object that is notified of the events of a run."""

    def handle(self, event: Event) -> None:
        """Handle an event; called from the main thread, in order."""
