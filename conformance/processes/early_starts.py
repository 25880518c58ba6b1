"""Starts to import the frameworks of a run while the suite still reads its specs."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from conformance.environments.errors import TargetBlocked, TargetError
from conformance.environments.prepared_target import Prepared
from conformance.environments.resolve import Target
from conformance.environments.stored import existing_environment
from conformance.processes.worker_code import staged_worker
from conformance.processes.worker_starter import Starting, WorkerStarter


class EarlyStarts:
    """Targets whose environments exist, with the starters of their workers, some of which are importing already."""

    def __init__(self, targets: Sequence[Target], imports: int, script: Path, starting: Starting) -> None:
        """imports: how many of them import their frameworks at once. script: the program of a worker."""
        self._script = script
        self._starting = starting
        pool = ThreadPoolExecutor(max(1, len(targets)))  # a user's interpreter takes a moment to list its packages
        self._starters: list[tuple[Target, Future[WorkerStarter | None]]] = [
            (target, pool.submit(self._begun, target, imports=number < imports))
            for number, target in enumerate(targets)
        ]
        pool.shutdown(wait=False)

    def take(self, target: Target) -> WorkerStarter | None:
        """The starter of a target, which the caller then closes; None if there is none any more."""
        for number, (started, starter) in enumerate(self._starters):
            if started == target:
                del self._starters[number]
                return starter.result()
        return None

    def close(self) -> None:
        """End what nobody took."""
        while self._starters:
            starter = self._starters.pop()[1].result()
            if starter is not None:
                starter.stop()
                starter.close()

    def _begun(self, target: Target, *, imports: bool) -> WorkerStarter | None:
        try:
            environment = existing_environment(target)
            if environment is None:
                return None
            starting = self._starting
            starter = WorkerStarter(
                Prepared(target, environment),
                self._script,
                starting.method,
                starting.limit,
                fresh_compile=starting.fresh_compile,
                memcheck=starting.memcheck,
            )
        except (TargetBlocked, TargetError):
            return None  # preparing it again reports the reason
        if imports:
            starter.begin()
        return starter


@contextlib.contextmanager
def early_starts(targets: Sequence[Target], imports: int, starting: Starting) -> Iterator[EarlyStarts]:
    """Start targets; those that nobody took end with the context."""
    with staged_worker() as script:
        started = EarlyStarts(targets, imports, script, starting)
        try:
            yield started
        finally:
            started.close()
