"""Calls to a target, over as many workers as it takes: one that ends is replaced at the next call."""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from conformance.cases.model import ApiCall
from conformance.cases.wire import to_wire, views_of
from conformance.execution.paths import without_paths
from conformance.outcomes.model import Raised
from conformance.outcomes.observation import Observation
from conformance.outcomes.reply import outcome_of, tensor_of
from conformance.specification.model import Call
from conformance.targets.errors import TargetBlocked
from conformance.targets.memory import worker_memory_limit
from conformance.targets.prepared import START_LIMIT, Prepared
from conformance.targets.process import WorkerEnded, WorkerProcess
from conformance.worker import arguments, arrays, frames
from conformance.worker.frames import Message

_AHEAD = 32_768
"""Bytes of requests that a worker may be given ahead: less than any pipe holds, so that handing over never waits."""
MOST_ENDINGS = 5
"""Workers that may end one after the other without answering a single call."""


class GaveUp(Exception):
    """Too many workers ended one after the other."""


class Stopped(Exception):
    """The run was stopped from another thread."""


class Client:
    """One target's worker, alive over many calls."""

    def __init__(self, prepared: Prepared, script: Path, limit: float) -> None:
        """limit: seconds that a call may take."""
        self._memory_limit = prepared.memory_limit or worker_memory_limit()
        self._prepared = prepared
        self._script = script
        environment, adapter = prepared.python.parent.parent, prepared.target.adapter.parent
        self._clean = without_paths(worker=script.parent, environment=environment, adapter=adapter)
        self._limit = limit
        self._worker: WorkerProcess | None = None
        self._endings = 0
        self._stopped = False
        self._announced: deque[tuple[ApiCall, int]] = deque()
        """Calls that were not made yet, with the bytes of their frames."""
        self._ahead = 0
        """The sum of those bytes."""
        self._unsent = bytearray()
        """Frames of announced calls that the worker has not got yet."""
        self._lost_in: tuple[str, str] | None = None
        """The case and API that lost the worker its device: what else belongs to them runs there, and nothing after it."""
        self.memory: int | None = None
        """Bytes that the largest worker that was ended so far took at most, where the system tells."""
        self.made: list[ApiCall] = []
        """The calls of the worker that is up, or of the last one; each worker has a list of its own."""

    def start(self) -> Message:
        """A fresh worker, and what it says of itself; TargetBlocked where the adapter does not start."""
        if self._stopped:
            raise Stopped
        if self._endings >= MOST_ENDINGS:
            raise GaveUp(f"not tried: {self._endings} workers in a row ended without answering a call")
        prepared = self._prepared
        command = [str(prepared.python), str(self._script)]
        self.made = []
        variables, folder = prepared.process_variables(), self._script.parent
        worker = self._worker = WorkerProcess(command, variables, folder, self._memory_limit)
        if self._stopped:  # since it was looked at, from another thread that saw no worker to end
            self.close()
            raise Stopped
        target = prepared.target
        message = {"type": "start", "adapter": str(target.adapter), "device": target.device, "mode": target.mode}
        try:
            ready, _ = worker.request(message, [], START_LIMIT + prepared.mode.first)
        except WorkerEnded as ended:
            if self._stopped:
                raise Stopped from None
            self._lose_worker()
            raise _blocked(f"its worker {ended.outcome.how} while starting", worker.error_tail) from None
        if ready["type"] == "failed":
            raise _blocked(ready["error"], ready["traceback"])
        return ready

    def call(self, made: ApiCall) -> Observation:
        """What an API did with a call; how the worker ended is an outcome too. GaveUp when too many did."""
        if self._lost_in not in (None, (made.case, made.api)):
            self.close()
        announced = self._is_next(made)
        if not announced:
            self._drop_announced()
        if self._worker is None:
            self.start()
        assert self._worker is not None
        self.made.append(made)
        try:
            self._send(b"" if announced else frame_of(made))
            reply, body = self._worker.receive(self._limit)
        except WorkerEnded as ended:
            if self._stopped:
                raise Stopped from None
            self._lose_worker()
            self._endings += 1
            return Observation(replace(ended.outcome, stderr=self._clean(ended.outcome.stderr)))
        self._endings = 0
        result = tensor_of(*arrays.from_bytes(reply["result"], body, 0)) if "result" in reply else None
        outcome = outcome_of(reply["outcome"], result, self._clean)
        if isinstance(outcome, Raised) and outcome.lost:
            self._lost_in = made.case, made.api
        return Observation(outcome, result, float(reply["outcome"].get("seconds", 0.0)))

    def recompile(self) -> bool:
        """Have the worker compile again what it has compiled; False where that is nothing.

        An error may spoil what is compiled and nothing else, and a new worker takes many times as long.
        """
        self._drop_announced()
        if self._worker is None:
            return False
        try:
            reply, _ = self._worker.request({"type": "recompile"}, [], self._limit)
        except WorkerEnded:
            self._lose_worker()
            return False
        self.made = []
        return bool(reply["compiled"])

    def announce(self, made: ApiCall) -> bool:
        """Hand a call to the worker ahead of time, so that it need not wait for the next; False where there is no room.

        Announced calls must then be made in the order of their announcement. Whether one was announced changes nothing
        but the time that it takes: where another call comes in between, the worker's answers to the announced ones are
        thrown away.
        """
        if self._worker is None:
            return False
        frame = frame_of(made)
        if self._ahead + len(frame) > _AHEAD:
            return False
        self._announced.append((made, len(frame)))
        self._ahead += len(frame)
        self._unsent += frame
        return True

    @property
    def announced(self) -> int:
        """How many announced calls were not made yet."""
        return len(self._announced)

    def _is_next(self, made: ApiCall) -> bool:
        if self._announced and self._announced[0][0] is made:
            self._ahead -= self._announced.popleft()[1]
            return True
        return False

    def _send(self, frame: bytes = b"") -> None:
        """Hand over what was announced, in one piece, and then this frame."""
        assert self._worker is not None
        data = bytes(self._unsent) + frame
        self._unsent.clear()
        if data:
            self._worker.send(data, self._limit)

    def _drop_announced(self) -> None:
        """Throw away what announced calls gave; one that ends the worker will do so again when it is made."""
        try:
            while self._announced and self._worker is not None:
                self._send()
                dropped, size = self._announced.popleft()
                self._ahead -= size
                self.made.append(dropped)
                self._worker.receive(self._limit)
        except WorkerEnded:
            self._lose_worker()

    def _lose_worker(self) -> None:
        self._worker = None
        self._lost_in = None
        self._announced.clear()
        self._unsent.clear()
        self._ahead = 0

    def forget(self) -> None:
        """End the worker, and count the endings anew: what comes next is tried on its own account."""
        self.close()
        self._endings = 0

    def close(self) -> None:
        """End the worker; the next call starts another."""
        if self._worker is not None:
            self.memory = max(filter(None, (self.memory, self._worker.peak_memory)), default=None)
            self._worker.close()
            self._lose_worker()

    def stop(self) -> None:
        """End the worker for good, from another thread: the call under way, and any later one, raises Stopped."""
        self._stopped = True
        worker = self._worker
        if worker is not None:
            worker.kill()


def frame_of(made: ApiCall) -> bytes:
    """The request for a call."""
    arguments, body = _encoded(made.call)
    header = f'{{"type":"call","api":{_quoted(made.api)},"operation":{_quoted(made.operation)},{arguments}}}'
    return frames.frame(header.encode(), body)


@lru_cache(maxsize=16)
def _encoded(call: Call) -> tuple[str, bytes]:
    """The part of a request's header that is about the arguments, and their bytes: the same for API after API."""
    entries, parts = arguments.encode(to_wire(call))
    views = views_of(call)
    header = f'"arguments":{frames.text(entries)}' + (f',"views":{frames.text(views)}' if views else "")
    return header, b"".join(parts)


_quoted = lru_cache(maxsize=256)(frames.text)


def _blocked(reason: str, details: str) -> TargetBlocked:
    return TargetBlocked(f"{reason}\n{details.strip()[-1500:]}" if details.strip() else reason)
