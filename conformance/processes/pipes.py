"""The pipes between the suite and one worker."""

from __future__ import annotations

import contextlib
import os
import select
import time

TAIL = 4096
"""Bytes of standard error to keep."""
_CAPACITY = 65536
"""Bytes that a pipe holds on Linux, unless a program asks for more."""


class Pipes:
    """A worker's requests, replies and errors; each end is closed by the process that has it."""

    def __init__(self) -> None:
        self._worker_requests, self.requests = os.pipe()
        self.replies, self._worker_replies = os.pipe()
        self.errors, self._worker_errors = os.pipe()
        os.set_blocking(self.requests, False)
        os.set_blocking(self.replies, False)

    @property
    def worker_ends(self) -> tuple[int, int, int]:
        """The worker's standard input, output and error."""
        return self._worker_requests, self._worker_replies, self._worker_errors

    def close_worker_ends(self) -> None:
        """Close them in this process, once the worker has them."""
        _close(*self.worker_ends)
        self._worker_requests = self._worker_replies = self._worker_errors = -1

    def close_requests(self) -> None:
        """End the worker's requests, so that it exits."""
        _close(self.requests)
        self.requests = -1

    def close(self) -> None:
        """Close the suite's ends, without that for errors, which ``ErrorTail`` closes."""
        self.close_requests()
        _close(self.replies)
        self.replies = -1

    def discard(self) -> None:
        """Close all ends, if no worker was started."""
        self.close_worker_ends()
        self.close()
        _close(self.errors)


class ErrorTail:
    """The last part of what a process writes to standard error, which must be read on time: it waits if the pipe is full."""

    def __init__(self, descriptor: int) -> None:
        os.set_blocking(descriptor, False)
        self.descriptor: int | None = descriptor
        """The pipe; None after the end of the output."""
        self._tail = bytearray()

    @property
    def text(self) -> str:
        self.read()
        return bytes(self._tail).decode("utf-8", "replace")

    def read(self) -> None:
        """Read what the pipe holds, without waiting."""
        if self.descriptor is None:
            return
        with contextlib.suppress(BlockingIOError):
            chunk = os.read(self.descriptor, _CAPACITY)
            self._tail += chunk
            del self._tail[:-TAIL]
            if not chunk:
                self.close()

    def read_to_end(self, limit: float) -> None:
        """Read until all writers have ended, for at most ``limit`` seconds, and close the pipe."""
        deadline = time.monotonic() + limit
        while self.descriptor is not None and is_readable(self.descriptor, max(0.0, deadline - time.monotonic())):
            self.read()
        self.close()

    def close(self) -> None:
        if self.descriptor is not None:
            os.close(self.descriptor)
            self.descriptor = None


def is_readable(descriptor: int, limit: float) -> bool:
    """Whether there is something to read, or the end, within ``limit`` seconds."""
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(1000 * limit))


def _close(*descriptors: int) -> None:
    for descriptor in descriptors:
        with contextlib.suppress(OSError):
            if descriptor >= 0:
                os.close(descriptor)
