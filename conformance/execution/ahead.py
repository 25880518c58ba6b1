"""Work that a thread of its own does ahead of time, while the main thread does something else."""

from __future__ import annotations

import itertools
import os
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

T = TypeVar("T")
_GRACE = 5.0
"""Seconds to wait for the work under way when the thread is stopped."""
_NOW, _LATER = range(2)
"""Order of work that is waited for, and of other work."""


@dataclass(frozen=True, order=True)
class _Task(Generic[T]):
    rank: int
    number: int
    work: Callable[[], T] = field(compare=False)
    future: Future[T] = field(compare=False)

    def run(self) -> None:
        if not self.future.set_running_or_notify_cancel():
            return
        try:
            self.future.set_result(self.work())
        except BaseException as error:  # raised again by ``result``
            self.future.set_exception(error)


class Ahead:
    """Does one piece of work after the other: first what is waited for, then what was begun, in this order."""

    def __init__(self) -> None:
        self._tasks: queue.PriorityQueue[_Task[Any]] = queue.PriorityQueue()
        self._numbers = itertools.count()
        self._is_stopped = False
        self._process = os.getpid()
        # A daemon, so that work that cannot be ended does not keep the interpreter from exiting.
        self._thread = threading.Thread(target=self._run, name="ahead", daemon=True)

    def begin(self, work: Callable[[], T]) -> Future[T]:
        """Do it after everything that was begun before."""
        return self._put(_LATER, work)

    def result(self, work: Callable[[], T], begun: Future[T] | None = None) -> T:
        """The result of work, which is done next unless it was begun and is under way; raises what it raises.

        RuntimeError in a forked process, which does not have the thread.
        """
        if os.getpid() != self._process:
            raise RuntimeError("a started target cannot be used in a forked process; do not use pytest-forked with it")
        if begun is None or begun.cancel():
            begun = self._put(_NOW, work)
        return begun.result()

    def stop(self, end_work: Callable[[], None]) -> None:
        """Leave undone what was begun. end_work: makes the work under way end soon; called from this thread."""
        self._is_stopped = True
        if self._thread.is_alive():
            self._put(_NOW, lambda: None)  # wakes the thread
            end_work()
            self._thread.join(_GRACE)

    def _put(self, rank: int, work: Callable[[], T]) -> Future[T]:
        future: Future[T] = Future()
        self._tasks.put(_Task(rank, next(self._numbers), work, future))
        if self._thread.ident is None:
            self._thread.start()
        return future

    def _run(self) -> None:
        while not self._is_stopped:
            self._tasks.get().run()
