"""A worker that is started ahead of time, by a thread."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable

from conformance.targets.errors import TargetBlocked
from conformance.targets.fork_server import ServerEnded
from conformance.targets.process import WorkerProcess


class Spare:
    """The next worker of a target, which is initialized while the current one computes."""

    def __init__(self, launch: Callable[[], WorkerProcess], initialize: Callable[[WorkerProcess], object]) -> None:
        """Begin to launch and to initialize it."""
        self._launch = launch
        self._initialize = initialize
        self._worker: WorkerProcess | None = None
        self._is_ready = False
        self._is_closed = False
        self._thread = threading.Thread(target=self._start, daemon=True)
        self._thread.start()

    def _start(self) -> None:
        with contextlib.suppress(
            TargetBlocked, ServerEnded, OSError
        ):  # whoever needs a worker launches it, and reports
            self._worker = self._launch()
            if not self._is_closed:
                self._initialize(self._worker)
                self._is_ready = True

    def take(self) -> WorkerProcess | None:
        """The worker, once it is initialized; None if that failed, or if it has ended since."""
        self._thread.join()
        if self._is_ready and self._worker is not None and self._worker.is_running:
            return self._worker
        self.close()
        return None

    def kill(self) -> None:
        """Kill the worker from another thread."""
        self._is_closed = True
        worker = self._worker
        if worker is not None:
            worker.kill()

    def close(self) -> None:
        """End the worker."""
        self.kill()
        self._thread.join()
        if self._worker is not None:
            self._worker.close()
