"""Workers without processes: the clients of a session call adapters in the process of the test, which takes milliseconds.

Each worker loads the adapter's file anew, so that its module has a state of its own, as in a process. What would end or delay
a process (``os.abort``, ``os._exit``, ``os.kill``, ``sys.exit``, ``time.sleep``) ends the worker.
"""

from __future__ import annotations

import io
import itertools
import os
import signal
import threading
import time
import warnings
from collections import deque
from collections.abc import Callable
from types import ModuleType
from typing import Any, TypeVar, cast

from conformance.cases.model import ApiCall
from conformance.environments.errors import TargetBlocked
from conformance.execution.client import Client
from conformance.outcomes.model import Died, Hung
from conformance.processes.adapter_description import check_description
from conformance.processes.process import WorkerEnded
from conformance.processes.worker_starter import WorkerStarter
from conformance.worker import adapters, frames
from conformance.worker.frames import Message
from conformance.worker.session import serve

Reply = TypeVar("Reply")
_NUMBERS = itertools.count(1000)
_ONE_AT_A_TIME = threading.RLock()
"""Recording warnings changes the whole process."""


def in_process(starter: WorkerStarter, limit: float, before_call: Callable[[ApiCall], None] | None = None) -> Client:
    """A client of such workers, which are as quickly replaced as forked ones."""
    return Client(cast("WorkerStarter", _Starter(starter, forks=True)), limit, before_call)


def in_process_slowly(
    starter: WorkerStarter, limit: float, before_call: Callable[[ApiCall], None] | None = None
) -> Client:
    """The same with workers that cost an import, like those that are not forked."""
    return Client(cast("WorkerStarter", _Starter(starter, forks=False)), limit, before_call)


class _Ends(BaseException):
    """The process of a worker would end."""

    def __init__(self, outcome: Died | Hung) -> None:
        self.outcome = outcome


class _Starter:
    """In place of a ``WorkerStarter``."""

    def __init__(self, real: WorkerStarter, *, forks: bool) -> None:
        self.prepared = real.prepared
        self.script = real.script
        self.forks = forks
        self._real = real

    def launch(self) -> InProcessWorker:
        if self.forks:
            self._real.forked += 1
        else:
            self._real.imported += 1
        return InProcessWorker()

    def initialize(self, worker: InProcessWorker) -> Message:
        target = self.prepared.target
        with _ONE_AT_A_TIME:
            worker.load(str(target.adapter), target.mode, target.device)
        start = {"type": "start", "adapter": str(target.adapter), "mode": target.mode, "device": target.device}
        ready = worker.request(start, 1.0)
        if ready["type"] == "failed":
            raise TargetBlocked(ready["error"])
        ready["modules"] = {}  # those of the tests
        return check_description(ready, str(target.adapter))

    def begin_next(self) -> None:
        """Nothing: a worker takes no time to start."""

    def starts_another(self, worker: InProcessWorker, failure: str) -> bool:
        return False


class InProcessWorker:
    """In place of a ``WorkerProcess``."""

    peak_memory = 1 << 20
    slowness = 1.0
    """How many times its limit a call that hangs takes; more than one on a busy machine."""

    def __init__(self) -> None:
        self._adapter: adapters.Adapter | None = None
        self._requests: deque[bytes] = deque()
        self._is_killed = False
        self.number = next(_NUMBERS)

    def load(self, path: str, mode: str, device: str) -> None:
        self._adapter = adapters.load(path, mode).on(device)
        namespace = cast("dict[str, Any]", self._adapter.namespace)
        for name, module in {"os": os, "time": time}.items():
            if name in namespace:
                namespace[name] = _Harmless(module, self)
        self.limit = self.slept = 0.0

    def request(self, message: Message, limit: float) -> Message:
        self.send(frames.request(frames.text(message).encode(), b""), limit)
        return self.receive(limit, lambda header, _: frames.parse(header))

    def send(self, requests: bytes, limit: float) -> None:
        stream = io.BytesIO(requests)
        while prefix := stream.read(frames.PREFIX.size):
            _, header, body = frames.PREFIX.unpack(prefix)
            self._requests.append(prefix + stream.read(header + body))

    def receive(self, limit: float, decode: Callable[[bytes, bytes], Reply], pause: float = 0.0) -> Reply:
        self.limit, self.slept = limit, 0.0
        replies = io.BytesIO()
        if self._is_killed:
            raise WorkerEnded(Died(signal="SIGKILL"))
        try:
            with _ONE_AT_A_TIME, warnings.catch_warnings():
                serve(io.BytesIO(self._requests.popleft()), replies, self._adapter)
        except _Ends as ended:
            raise WorkerEnded(ended.outcome, self.limit * self.slowness) from None
        except SystemExit as error:
            raise WorkerEnded(Died(exit_code=error.code if isinstance(error.code, int) else 1)) from None
        _, header_length, _ = frames.PREFIX.unpack(replies.getvalue()[: frames.PREFIX.size])
        data = replies.getvalue()[frames.PREFIX.size :]
        return decode(data[:header_length], data[header_length:])

    def close(self) -> None:
        """Nothing to end."""

    def kill(self) -> None:
        self._is_killed = True


class _Harmless(ModuleType):
    """The module ``os`` or ``time`` of an adapter, without what ends or delays the process."""

    def __init__(self, module: ModuleType, worker: InProcessWorker) -> None:
        super().__init__(module.__name__)
        self._module = module
        self._worker = worker

    def __getattr__(self, name: str) -> Any:
        return getattr(self._module, name)

    def getpid(self) -> int:
        return self._worker.number

    def abort(self) -> None:
        raise _Ends(Died(signal="SIGABRT"))

    def _exit(self, code: int) -> None:
        raise _Ends(Died(exit_code=code))

    def kill(self, process: int, number: int) -> None:
        raise _Ends(Died(signal=signal.Signals(number).name))

    def sleep(self, seconds: float) -> None:
        self._worker.slept += seconds
        if self._worker.slept >= self._worker.limit:
            raise _Ends(Hung(self._worker.limit))
