"""The events of a run. They contain only records, so that listeners are independent of targets and processes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from conformance.results.records import EndRecord, ResultRecord, TargetRecord


@dataclass(frozen=True)
class RunStarted:
    """The run starts with these targets (as requested) and this many cases."""

    targets: tuple[str, ...]
    cases: int


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
    | TargetFinished
    | RunFinished
)


class Listener(Protocol):
    """An object that is notified of the events of a run."""

    def handle(self, event: Event) -> None:
        """Handle an event; called from the main thread, in order."""
