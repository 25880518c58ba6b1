"""Confirms the findings of some results while other calls are made."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from functools import partial

from conformance.execution.ahead import Ahead
from conformance.execution.attempt import AttemptResult
from conformance.execution.client import Client
from conformance.execution.worker_calls import Output, WorkerCalls


@dataclass(frozen=True)
class Confirmation:
    """Findings that are being confirmed."""

    result: Callable[[], list[Output]]
    """Waits for their results."""


class Confirmer:
    """A thread that confirms findings, with workers of its own; ``close`` ends them."""

    def __init__(self, calls: WorkerCalls, client: Client, repeating: Client) -> None:
        """calls: those that give the findings. client, repeating: used by this thread alone, as in ``WorkerCalls``."""
        self._calls = replace(calls, client=client, repeating=repeating)
        self._ahead = Ahead()

    def begin(self, findings: Sequence[AttemptResult]) -> Confirmation:
        """Begin to confirm them, after those that were begun before."""
        work = partial(self._confirmed, findings)
        begun: Future[list[Output]] = self._ahead.begin(work)
        return Confirmation(partial(self._ahead.result, work, begun))

    def _confirmed(self, findings: Sequence[AttemptResult]) -> list[Output]:
        count_endings_anew((self._calls.client, self._calls.repeating))
        return list(self._calls.confirmed(findings))

    def stop(self) -> None:
        """Leave undone what was begun."""
        self._ahead.stop(self._stop_clients)

    def close(self) -> None:
        """End its workers."""
        self._calls.close()

    def _stop_clients(self) -> None:
        self._calls.client.stop()
        self._calls.repeating.stop()


def count_endings_anew(clients: Iterable[Client]) -> None:
    """Forget how many workers in a row ended, since the next calls are unrelated."""
    for client in clients:
        if client.current_call is None:
            client.forget()
