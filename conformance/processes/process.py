"""A worker's process: send requests, receive replies within a time limit, and describe how it ended."""

from __future__ import annotations

import os
import select
import shutil
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Protocol, TypeVar

from conformance.outcomes.model import Died, Hung
from conformance.outcomes.signals import name_of_signal
from conformance.processes.memory import memory_of
from conformance.processes.patience import Patience, has_ended
from conformance.processes.pipes import ErrorTail, Pipes, is_readable
from conformance.worker import frames
from conformance.worker.frames import Message

_GRACE = 0.5
"""Seconds for a process to exit after its pipe was closed."""
_KILL_LIMIT = 10.0
"""Seconds for the system to end a process that was killed."""
_CHUNK = 1 << 18
"""Bytes to read at once."""
_CHECK_INTERVAL = 0.1
"""Seconds between checks of a busy worker's time and memory."""
_MAX_HEADER_SIZE = 2**24
_MAX_BODY_SIZE = 2**30
"""Bytes in a frame; a larger size means that the worker broke the protocol."""


Reply = TypeVar("Reply")


class _MemoryExceeded(Exception):
    """The worker uses more memory than its limit."""


_ENDINGS = (TimeoutError, _MemoryExceeded, EOFError, ValueError)
"""What reading and writing raise when the worker has ended or must be ended."""


class WorkerEnded(Exception):
    """The worker died, hung or broke the protocol. Its process has ended when this is raised."""

    def __init__(self, outcome: Died | Hung, waited: float = 0.0) -> None:
        super().__init__(outcome.phrase)
        self.outcome = outcome
        self.waited = waited
        """Seconds for which it was waited for before that was known: on a busy machine, many times the limit if it hung."""


class Process(Protocol):
    """A worker's process, in a process group of its own."""

    @property
    def pid(self) -> int:
        """Its id; 0 while that is not known."""

    @property
    def is_forked(self) -> bool:
        """Whether a fork server started it."""

    @property
    def is_running(self) -> bool:
        """Whether it has not ended, as far as is known."""

    def await_start(self, limit: float) -> None:
        """Wait until its id is known. ServerEnded if a fork server cannot start it, ServerTooSlow after ``limit`` seconds."""

    def wait(self, limit: float) -> int | None:
        """Its exit code, negative for a signal, once it has ended; None if not known after ``limit`` seconds."""

    def kill_group(self) -> None:
        """Kill it and the processes that it started."""


class WorkerProcess:
    """A process of a target's interpreter that answers each request with a reply, in order.

    A reply with another number than that of the oldest unanswered request ends it: it would be taken for another call's.
    """

    def __init__(
        self, process: Process, pipes: Pipes, *, memory_limit: int | None = None, temporary: Path | None = None
    ) -> None:
        """memory_limit: bytes; the process is killed if it uses more. temporary: a folder to remove when it ends."""
        self._process = process
        self._pipes = pipes
        self._memory_limit = memory_limit
        self._temporary = temporary
        self._buffer = bytearray()
        self._consumed = 0
        """Number of bytes at the beginning of the buffer that were returned already."""
        self._unanswered: deque[int] = deque()
        """The numbers of the requests that were sent and not answered."""
        self._errors = ErrorTail(pipes.errors)
        self._has_ended = False
        self.is_asked = False
        """Whether it was asked to set up the framework."""
        self.is_initialized = False

    @property
    def is_forked(self) -> bool:
        """Whether a fork server started it."""
        return self._process.is_forked

    @property
    def is_running(self) -> bool:
        """Whether it has not ended."""
        return self._process.wait(0) is None and self._process.is_running

    def await_start(self, limit: float) -> None:
        """Wait until the process is there; raises as that of ``Process``."""
        self._process.await_start(limit)

    def request(self, message: Message, limit: float) -> Message:
        """Send a request and return the reply; raise WorkerEnded after ``limit`` seconds or if the worker ended."""
        self.send(frames.request(frames.text(message).encode(), b""), limit)
        return self.receive(limit, lambda header, _: frames.parse(header))

    def send(self, requests: bytes, limit: float) -> None:
        """Send the frames of requests without waiting for their replies; raise WorkerEnded as for ``request``.

        A worker that has ended is noticed by ``receive``: it may have answered earlier requests before.
        """
        self._unanswered.extend(frames.numbers(requests))
        patience = Patience(self._process.pid, limit)
        try:
            self._write(requests, patience)
        except BrokenPipeError:
            pass
        except _ENDINGS as error:
            raise WorkerEnded(self._ending(error, limit), patience.waited) from None

    def receive(self, limit: float, decode: Callable[[bytes, bytes], Reply], pause: float = 0.0) -> Reply:
        """Return the reply to the oldest unanswered request; raise WorkerEnded as for ``request``.

        decode: takes the header and the body of the reply; raises ValueError if they are invalid.
        pause: seconds in which replies may gather if this one is not there yet.
        """
        if pause and not self._has_reply():
            time.sleep(pause)
        patience = Patience(self._process.pid, limit)
        try:
            number, header_length, body_length = frames.PREFIX.unpack(self._read(frames.PREFIX.size, patience))
            if header_length > _MAX_HEADER_SIZE or body_length > _MAX_BODY_SIZE:
                raise ValueError("invalid frame size")
            data = self._read(header_length + body_length, patience)
        except _ENDINGS as error:
            raise WorkerEnded(self._ending(error, limit), patience.waited) from None
        if number != self._unanswered.popleft():
            raise self._end_for("a reply that answers another request")
        try:
            return decode(data[:header_length], data[header_length:])
        except ValueError as fault:
            raise self._end_for(f"invalid reply: {fault}") from None

    def _ending(self, error: Exception, limit: float) -> Died | Hung:
        if isinstance(error, TimeoutError):
            return self._hung(limit)
        if isinstance(error, _MemoryExceeded):
            return self._out_of_memory()
        return self._died(garbled=isinstance(error, ValueError))

    def _end_for(self, fault: str) -> WorkerEnded:
        """Kill the process for a reply that is not one, and describe this."""
        self._kill()
        return WorkerEnded(Died(garbled=True, stderr=f"{self.error_tail}\n{fault}".lstrip()))

    def close(self) -> None:
        """Let the process exit, then kill it and the processes that it started."""
        self._pipes.close_requests()
        self._process.wait(_GRACE)
        self._kill()

    def kill(self) -> None:
        """Kill the process from another thread; the thread that waits for it cleans up."""
        if self._process.is_running:
            self._process.kill_group()

    @property
    def peak_memory(self) -> int | None:
        """Peak memory in bytes; None if unknown."""
        try:
            status = Path(f"/proc/{self._process.pid}/status").read_text(encoding="ascii")
        except (OSError, UnicodeDecodeError):
            return None
        return next((int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("VmHWM:")), None)

    @property
    def error_tail(self) -> str:
        """The last part of its standard error."""
        return self._errors.text

    def _write(self, data: bytes, patience: Patience) -> None:
        view = memoryview(data)
        while view:
            try:
                written = os.write(self._pipes.requests, view)
                view = view[written:]
            except BlockingIOError:
                self._wait(self._pipes.requests, select.POLLOUT, patience)

    def _has_reply(self) -> bool:
        """Whether the next reply has begun to arrive."""
        return len(self._buffer) > self._consumed or is_readable(self._pipes.replies, 0)

    def _read(self, size: int, patience: Patience) -> bytes:
        """Return the next ``size`` bytes."""
        while len(self._buffer) - self._consumed < size:
            try:
                chunk = os.read(self._pipes.replies, _CHUNK)
            except BlockingIOError:
                self._wait(self._pipes.replies, select.POLLIN, patience)
                continue
            if not chunk:
                raise EOFError
            del self._buffer[: self._consumed]
            self._consumed = 0
            self._buffer += chunk
        data = bytes(self._buffer[self._consumed : self._consumed + size])
        self._consumed += size
        return data

    def _wait(self, descriptor: int, events: int, patience: Patience) -> None:
        poll = select.poll()
        poll.register(descriptor, events)
        checked = time.monotonic()
        while True:
            errors = self._errors.descriptor
            if errors is not None:
                poll.register(errors, select.POLLIN)
            ready = [ready for ready, _ in poll.poll(1000 * patience.remaining(_CHECK_INTERVAL))]
            if descriptor in ready:
                return
            if errors in ready:
                self._errors.read()
                if self._errors.descriptor is None:
                    poll.unregister(errors)
            now = time.monotonic()
            if ready and now - checked < _CHECK_INTERVAL:
                continue
            checked = now
            if patience.is_over():
                raise TimeoutError
            if self._memory_limit is not None and (memory_of(self._process.pid) or 0) > self._memory_limit:
                raise _MemoryExceeded

    def _hung(self, limit: float) -> Hung:
        self._kill()
        return Hung(limit, self.error_tail)

    def _out_of_memory(self) -> Died:
        self._kill()
        return Died(most_memory=self._memory_limit, stderr=self.error_tail)

    def _died(self, *, garbled: bool = False) -> Died:
        # It closed its pipe. A process that still runs a moment later closed it without exiting. On a busy machine, the exit
        # code of one that has ended may come later.
        code = self._process.wait(_GRACE)
        if code is None and has_ended(self._process.pid):
            code = self._process.wait(_KILL_LIMIT)
        self._kill()
        if code is None:
            return Died(garbled=garbled, stderr=self.error_tail)
        if code < 0:
            return Died(signal=name_of_signal(-code), stderr=self.error_tail)
        return Died(exit_code=code, stderr=self.error_tail)

    def _kill(self) -> None:
        if self._has_ended:
            return
        self._has_ended = True
        self._process.kill_group()
        self._process.wait(_KILL_LIMIT)
        self._errors.read_to_end(_GRACE)
        self._pipes.close()
        if self._temporary is not None:
            shutil.rmtree(self._temporary, ignore_errors=True)
