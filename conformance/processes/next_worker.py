"""A worker that is started ahead of time, while the current one computes."""

from __future__ import annotations

from collections.abc import Callable

from conformance.environments.errors import TargetBlocked
from conformance.processes.fork_server import ServerEnded, ServerTooSlow
from conformance.processes.process import WorkerProcess


class Spare:
    """The next worker of a target, which was asked to set up the framework; nobody has waited for it yet."""

    def __init__(self, worker: WorkerProcess, initialize: Callable[[WorkerProcess], object], limit: float) -> None:
        """limit: seconds for its process to start."""
        self._worker = worker
        self._initialize = initialize
        self._limit = limit

    def take(self) -> WorkerProcess | None:
        """The worker, once it is initialized; None if that failed, or if it has ended since."""
        try:
            self._worker.await_start(self._limit)
            self._initialize(self._worker)
        except (TargetBlocked, ServerEnded, ServerTooSlow):
            pass  # whoever needs a worker starts another, and reports
        else:
            if self._worker.is_running:
                return self._worker
        self.close()
        return None

    def kill(self) -> None:
        """Kill the worker from another thread."""
        self._worker.kill()

    def close(self) -> None:
        """End the worker."""
        self._worker.close()
