"""Work that threads do for somebody who may wait for it, and the time that it takes."""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from conformance.execution.client import Stopped

T = TypeVar("T")
_GRACE = 5.0
"""Seconds to wait for the work under way when a thread is left."""


@dataclass(eq=False)
class Work(Generic[T]):
    """A piece of work, and what it comes to."""

    do: Callable[[], T]
    future: Future[T] = field(default_factory=Future)

    def run(self) -> None:
        """Do it."""
        try:
            self.future.set_result(self.do())
        except BaseException as error:  # raised again by ``result``
            self.future.set_exception(error)


class Thread:
    """Does one piece of work after the other: first what is waited for, then what was begun, in this order."""

    def __init__(self) -> None:
        self._waiting: deque[Work[Any]] = deque()
        self._changed = threading.Condition()
        self._is_left = False
        self._under_way: Work[Any] | None = None
        self._process = os.getpid()
        # A daemon, so that work that cannot be ended does not keep the interpreter from exiting.
        self._thread = threading.Thread(target=self._run, daemon=True)

    def begin(self, do: Callable[[], T]) -> Work[T]:
        """Do it after everything that was begun before. RuntimeError in a forked process."""
        self._check_process()
        work = Work(do)
        with self._changed:
            if self._is_left:
                raise Stopped
            self._waiting.append(work)
            self._changed.notify()
            if self._thread.ident is None:
                self._thread.start()
        return work

    def result(self, work: Work[T]) -> T:
        """The result of a work, which is done next unless it is under way; raises what it raises."""
        self._check_process()
        with self._changed:
            if work in self._waiting:
                self._waiting.remove(work)
                self._waiting.appendleft(work)
        return work.future.result()

    def leave(self) -> bool:
        """Leave undone what was begun, and begin nothing more; whether a work is under way."""
        with self._changed:
            self._is_left = True
            for work in self._waiting:
                work.future.set_exception(Stopped())
            self._waiting.clear()
            self._changed.notify()
            return self._under_way is not None and not self._under_way.future.done()

    def join(self) -> None:
        """Wait for the work under way, for a limited time."""
        if self._thread.ident is not None and self._process == os.getpid():
            self._thread.join(_GRACE)

    def _check_process(self) -> None:
        if os.getpid() != self._process:
            raise RuntimeError("a started target cannot be used in a forked process; do not use pytest-forked with it")

    def _run(self) -> None:
        while True:
            with self._changed:
                while not self._waiting:
                    if self._is_left:
                        return
                    self._changed.wait()
                work = self._waiting.popleft()
                self._under_way = work
            work.run()


class Clock:
    """Measures the time in which anything is done, by however many threads."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._lock = threading.Lock()
        self._number = 0
        self._since = 0.0

    def __enter__(self) -> None:
        with self._lock:
            if not self._number:
                self._since = time.monotonic()
            self._number += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._number -= 1
            if not self._number:
                self.seconds += time.monotonic() - self._since
