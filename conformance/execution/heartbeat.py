"""Reports every second that a run goes on, and what its targets wait for."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from conformance.cases.model import ApiCall
from conformance.events import StillRunning, Waiting
from conformance.execution.plan import Job

SECONDS_BETWEEN = 1.0
"""Seconds between two reports."""


class Caller(Protocol):
    """Makes the calls of a target."""

    @property
    def job(self) -> Job: ...
    @property
    def current_call(self) -> ApiCall | None:
        """The call that it makes, or made last."""


class Heartbeat:
    """Compares the current call of each target with the one a second before."""

    def __init__(self, callers: Sequence[Caller], clock: Callable[[], float] = time.monotonic) -> None:
        self._callers = callers
        self._clock = clock
        self._last = clock()
        self._since: list[tuple[ApiCall | None, float]] = [(None, self._last)] * len(callers)
        """The current call of each at the last report, and when it was first seen."""

    def due(self) -> Iterator[StillRunning]:
        """A report, if the last one is long enough ago."""
        now = self._clock()
        if now - self._last < SECONDS_BETWEEN:
            return
        self._last = now
        before, calls = self._since, [caller.current_call for caller in self._callers]
        self._since = [(call, since if call is was else now) for call, (was, since) in zip(calls, before, strict=True)]
        yield StillRunning(
            tuple(
                Waiting(caller.job.target.asked, call.api, call.case, now - since)
                for caller, (call, since) in zip(self._callers, self._since, strict=True)
                if call is not None and since < now
            )
        )
