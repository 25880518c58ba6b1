"""A worker's process as the parent sees it: requests, replies, a time limit, and how it ended."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from conformance.outcomes.model import Died, Hung
from conformance.targets.memory import memory_of
from conformance.worker import frames
from conformance.worker.frames import Message

TAIL = 4096
"""Bytes of standard error that are kept."""
_GRACE = 0.5
"""Seconds for a process to end by itself once its pipe is closed."""
_CHUNK = 1 << 18
"""Bytes that are read at once."""
_LOOK = 0.1
"""Seconds after which it is looked at how much memory a worker has that is waited for."""
_LARGEST = 2**32
"""Bytes of one frame; a worker that announces more is no longer speaking the protocol."""


class _TooLarge(Exception):
    """The worker has more memory than it may."""


class WorkerEnded(Exception):
    """The worker died, hung or broke the protocol; it is gone when this is raised."""

    def __init__(self, outcome: Died | Hung) -> None:
        super().__init__(outcome.phrase)
        self.outcome = outcome


class WorkerProcess:
    """One process of a target's interpreter that answers each request with one reply, in order."""

    def __init__(
        self, command: Sequence[str], environment: Mapping[str, str], folder: Path, most_memory: int | None = None
    ) -> None:
        """most_memory: bytes with more of which it is ended."""
        self._most_memory = most_memory
        self._process = subprocess.Popen(
            list(command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=dict(environment),
            cwd=folder,
            start_new_session=True,
        )
        assert self._process.stdin and self._process.stdout and self._process.stderr
        self._requests, self._replies = self._process.stdin, self._process.stdout
        os.set_blocking(self._requests.fileno(), False)
        os.set_blocking(self._replies.fileno(), False)
        self._selector = selectors.DefaultSelector()
        self._buffer = bytearray()
        self._taken = 0
        """Bytes at the buffer's beginning that were handed out."""
        self._tail = bytearray()
        self._drain = threading.Thread(target=self._drain_errors, args=(self._process.stderr,), daemon=True)
        self._drain.start()

    def ask(self, message: Message, parts: list[bytes], limit: float) -> tuple[Message, bytes]:
        """The reply to one request; WorkerEnded when none came within ``limit`` seconds or the worker ended."""
        self.send(frames.pack(message, parts), limit)
        return self.receive(limit)

    def send(self, frame: bytes, limit: float) -> None:
        """Hand over a request; its reply is received later, in order. WorkerEnded as for ``ask``."""
        with self._endings(limit):
            self._write(frame, time.monotonic() + limit)

    def receive(self, limit: float) -> tuple[Message, bytes]:
        """The reply to the oldest request that has none; WorkerEnded as for ``ask``."""
        deadline = time.monotonic() + limit
        with self._endings(limit):
            header_length, body_length = frames.PREFIX.unpack(self._read(frames.PREFIX.size, deadline))
            if header_length + body_length > _LARGEST:
                raise ValueError("a frame of absurd size")
            data = self._read(header_length + body_length, deadline)
            return frames.parse(data[:header_length]), data[header_length:]

    @contextlib.contextmanager
    def _endings(self, limit: float) -> Iterator[None]:
        try:
            yield
        except TimeoutError:
            raise WorkerEnded(self._hung(limit)) from None
        except _TooLarge:
            raise WorkerEnded(self._too_large()) from None
        except (BrokenPipeError, EOFError):
            raise WorkerEnded(self._died()) from None
        except ValueError:
            raise WorkerEnded(self._died(garbled=True)) from None

    def close(self) -> None:
        """End the process: politely first, then for good, with everything that it started."""
        with contextlib.suppress(OSError):
            self._requests.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_GRACE)
        self._kill()

    def kill(self) -> None:
        """End the process at once, from another thread: the one that waits for it finds it dead, and clears up."""
        if self._process.poll() is None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)

    @property
    def peak_memory(self) -> int | None:
        """Bytes of memory that it has had at most; None where the system does not tell."""
        try:
            status = Path(f"/proc/{self._process.pid}/status").read_text(encoding="ascii")
        except (OSError, UnicodeDecodeError):
            return None
        return next((int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("VmHWM:")), None)

    @property
    def error_tail(self) -> str:
        """The last that it wrote to standard error."""
        return bytes(self._tail).decode("utf-8", "replace")

    def _write(self, data: bytes, deadline: float) -> None:
        view = memoryview(data)
        while view:
            try:
                written = os.write(self._requests.fileno(), view)
                view = view[written:]
            except BlockingIOError:
                self._wait(self._requests.fileno(), selectors.EVENT_WRITE, deadline)

    def _read(self, size: int, deadline: float) -> bytes:
        """The next bytes, out of what was read ahead as far as that goes."""
        while len(self._buffer) - self._taken < size:
            try:
                chunk = os.read(self._replies.fileno(), _CHUNK)
            except BlockingIOError:
                self._wait(self._replies.fileno(), selectors.EVENT_READ, deadline)
                continue
            if not chunk:
                raise EOFError
            del self._buffer[: self._taken]
            self._taken = 0
            self._buffer += chunk
        data = bytes(self._buffer[self._taken : self._taken + size])
        self._taken += size
        return data

    def _wait(self, descriptor: int, events: int, deadline: float) -> None:
        self._selector.register(descriptor, events)
        try:
            while not self._selector.select(min(_LOOK, max(0.0, deadline - time.monotonic()))):
                if time.monotonic() >= deadline:
                    raise TimeoutError
                if self._most_memory is not None and (memory_of(self._process.pid) or 0) > self._most_memory:
                    raise _TooLarge
        finally:
            self._selector.unregister(descriptor)

    def _hung(self, limit: float) -> Hung:
        self._kill()
        return Hung(limit, self.error_tail)

    def _too_large(self) -> Died:
        self._kill()
        return Died(most_memory=self._most_memory, stderr=self.error_tail)

    def _died(self, *, garbled: bool = False) -> Died:
        # It closed its pipe; a process that is not gone a moment later did so alive.
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_GRACE)
        code = self._process.returncode
        self._kill()
        if code is None:
            return Died(garbled=garbled, stderr=self.error_tail)
        if code < 0:
            name = signal.Signals(-code).name if -code in signal.valid_signals() else f"signal {-code}"
            return Died(signal=name, stderr=self.error_tail)
        return Died(exit_code=code, stderr=self.error_tail)

    def _kill(self) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._drain.join(_GRACE)
        self._selector.close()
        for stream in (self._requests, self._replies):
            with contextlib.suppress(OSError):
                stream.close()

    def _drain_errors(self, stream: Any) -> None:
        while chunk := stream.read1(65536):
            self._tail += chunk
            del self._tail[:-TAIL]
        stream.close()
