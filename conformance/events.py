"""What a run tells whoever shows it: nothing here knows a process, nothing that listens knows a target."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from conformance.results.records import EndRecord, ResultRecord, TargetRecord


@dataclass(frozen=True)
class RunStarted:
    """The plan is made: these targets (as asked for) meet this many cases."""

    targets: tuple[str, ...]
    cases: int


@dataclass(frozen=True)
class TargetPreparing:
    """A target's environment is being made or its process started; ``message`` says what happens now."""

    target: str
    message: str


@dataclass(frozen=True)
class TargetStarted:
    """A target is up and has this many results to give."""

    target: str
    record: TargetRecord
    results: int


@dataclass(frozen=True)
class TargetBlocked:
    """A target could not be started, or gave up; the others go on."""

    target: str
    reason: str


@dataclass(frozen=True)
class ResultReady:
    """One more result."""

    target: str
    result: ResultRecord


@dataclass(frozen=True)
class TargetFinished:
    """A target's part of the run is over."""

    target: str
    seconds: float
    record: TargetRecord | None = None
    """With what it took; None where it did not give all its results."""


@dataclass(frozen=True)
class RunFinished:
    """The results file is closed."""

    end: EndRecord


Event = RunStarted | TargetPreparing | TargetStarted | TargetBlocked | ResultReady | TargetFinished | RunFinished


class Listener(Protocol):
    """Anything that follows a run."""

    def handle(self, event: Event) -> None:
        """Take one event; called from the main thread, in order."""
