"""The pipes between the suite and one worker."""

from __future__ import annotations

import contextlib
import os
import threading

TAIL = 4096
"""Bytes of standard error to keep."""


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
    """The last part of what a process writes to standard error, which a thread reads until all writers have ended."""

    def __init__(self, descriptor: int) -> None:
        self._tail = bytearray()
        self._thread = threading.Thread(target=self._drain, args=(descriptor,), daemon=True)
        self._thread.start()

    @property
    def text(self) -> str:
        return bytes(self._tail).decode("utf-8", "replace")

    def join(self, limit: float) -> None:
        """Wait for the end of the output, for at most ``limit`` seconds."""
        self._thread.join(limit)

    def _drain(self, descriptor: int) -> None:
        while chunk := os.read(descriptor, 65536):
            self._tail += chunk
            del self._tail[:-TAIL]
        os.close(descriptor)


def _close(*descriptors: int) -> None:
    for descriptor in descriptors:
        with contextlib.suppress(OSError):
            if descriptor >= 0:
                os.close(descriptor)
