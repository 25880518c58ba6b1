"""The engine that carries out attempts on this machine, without a cluster."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor

from conformance.cluster import content
from conformance.cluster.machine import perform
from conformance.cluster.messages import Emit, Refused
from conformance.cluster.unit import Attempt

MACHINE = "this machine"


class Processes:
    """Several processes at the same time, each of which carries out one attempt."""

    def __init__(self, slots: int, contents: Mapping[str, bytes], emit: Emit) -> None:
        """contents: the packed contents by digest."""
        self.machines = 1
        self._emit = emit
        self._stopped = threading.Event()
        self._pool = ThreadPoolExecutor(slots)
        for digest in content.missing(list(contents)):
            content.store(digest, contents[digest])

    def start(self, attempt: Attempt) -> None:
        """Carry out an attempt as soon as there is a place for it."""
        self._pool.submit(self._perform, attempt)

    def close(self) -> None:
        """End everything that it carries out."""
        self._stopped.set()
        self._pool.shutdown(cancel_futures=True)

    def _perform(self, attempt: Attempt) -> None:
        try:
            perform(attempt, MACHINE, self._emit, lambda: not self._stopped.is_set())
        except OSError as error:
            self._emit(Refused(MACHINE, str(error), attempt.name))
