"""Reports every second that a run goes on, and what its targets wait for."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from conformance.events import StillRunning, Waiting
from conformance.execution.client import CurrentCall
from conformance.execution.plan import Job

SECONDS_BETWEEN = 1.0
"""Seconds between two reports."""


class Caller(Protocol):
    """Makes the calls of a target."""

    @property
    def job(self) -> Job: ...
    @property
    def current_call(self) -> CurrentCall | None:
        """The call that it waits for."""


class Heartbeat:
    """Asks each target once a second which call it waits for."""

    def __init__(self, callers: Sequence[Caller], clock: Callable[[], float] = time.monotonic) -> None:
        self._callers = callers
        self._clock = clock
        self._last = clock()

    def due(self) -> Iterator[StillRunning]:
        """A report, if the last one is long enough ago."""
        now = self._clock()
        if now - self._last < SECONDS_BETWEEN:
            return
        self._last = now
        current = ((caller.job.target.asked, caller.current_call) for caller in self._callers)
        yield StillRunning(
            tuple(
                Waiting(target, waited.call.api, waited.call.case, now - waited.since)
                for target, waited in current
                if waited is not None
            )
        )
