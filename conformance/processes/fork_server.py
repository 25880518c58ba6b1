"""The suite's side of a fork server: a process that has imported a framework and forks its workers."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from conformance.processes.new_process import launched
from conformance.processes.pipes import TAIL, Pipes, is_readable
from conformance.worker.fork_server import NO_FOLDER, NUMBER

_GRACE = 0.5
"""Seconds for the server to exit after its socket was closed."""
_INTERVAL = 0.01


class ServerEnded(Exception):
    """The fork server cannot start a worker, usually since it has ended; the message has its last errors."""


class ServerTooSlow(Exception):
    """The fork server has not started a worker within the time limit, which the message has."""


class ForkServer:
    """Forks workers; its methods may be called from several threads."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], folder: Path) -> None:
        """Start the server.

        command: a program that gets the descriptor of the server's socket in place of ``{}``.
        """
        # Messages, unlike a stream, keep each request with its descriptors.
        self._control, control = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._errors = os.memfd_create("errors")  # a pipe would have to be read all the time
        with control:
            try:
                self._process = launched(
                    [part.format(control.fileno()) for part in command],
                    environment,
                    folder,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=self._errors,
                    pass_fds=[control.fileno()],
                )
            except OSError:
                self._control.close()
                os.close(self._errors)
                raise

    def fork(self, pipes: Pipes, temporary: Path | None) -> ForkedProcess:
        """Begin to start a worker; ServerEnded if the server has ended.

        temporary: a folder for its temporary files, which exists while it does; None for the system's.
        """
        status, server_status = os.pipe()
        request = os.fsencode(temporary) if temporary else NO_FOLDER
        try:
            socket.send_fds(self._control, [request], [*pipes.worker_ends, server_status])
        except OSError:
            os.close(status)
            raise ServerEnded(self._reason("has ended")) from None
        finally:
            os.close(server_status)
            pipes.close_worker_ends()
        return ForkedProcess(status, self._reason)

    def close(self) -> None:
        """End the server and all its workers."""
        self._control.close()
        # Until it is waited for, its process id, which is that of its group, is not used again.
        deadline = time.monotonic() + _GRACE
        while not _has_ended(self._process.pid) and time.monotonic() < deadline:
            time.sleep(_INTERVAL)
        self._kill_group()
        self._process.wait()
        errors, self._errors = self._errors, -1
        os.close(errors)

    def kill(self) -> None:
        """Kill the server from another thread; its workers end when their requests do."""
        if self._process.returncode is None:
            self._kill_group()

    def _kill_group(self) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def _reason(self, problem: str) -> str:
        lines: list[str] = []
        with contextlib.suppress(OSError):  # it was closed
            size = os.fstat(self._errors).st_size
            tail = os.pread(self._errors, TAIL, max(0, size - TAIL))
            lines = tail.decode("utf-8", "replace").strip().splitlines()
        return f"the fork server {problem}" + (f": {lines[-1]}" if lines else "")


def _has_ended(child: int) -> bool:
    try:
        return os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    except ChildProcessError:
        return True


class ForkedProcess:
    """A worker that a fork server starts and waits for, in a session of its own.

    Its methods may be called from several threads.
    """

    is_forked = True

    def __init__(self, status: int, reason: Callable[[str], str]) -> None:
        """status: the descriptor on which the server reports the process id and the exit code.

        reason: says why the server has a problem.
        """
        self.pid = 0
        self._status: int | None = status
        self._reason = reason
        self._code: int | None = None
        # A thread that reads the status must not find its descriptor closed by another.
        self._lock = threading.Lock()

    @property
    def is_running(self) -> bool:
        return self._status is not None

    def await_start(self, limit: float) -> None:
        """Wait until the server has started it; ServerEnded if it cannot, ServerTooSlow after ``limit`` seconds."""
        with self._lock:
            self._read_pid(limit)
            if self.pid == 0 and self._status is not None:
                raise ServerTooSlow(f"took longer than {limit:g} s")
        if self.pid == 0:
            raise ServerEnded(self._reason("started no worker"))

    def wait(self, limit: float) -> int | None:
        """Its exit code, negative for a signal, once it has ended.

        None if it still runs after ``limit`` seconds, or if the server has ended and nobody knows the code.
        """
        deadline = time.monotonic() + limit
        with self._lock:
            self._read_pid(limit)
            if self.pid and self._status is not None and is_readable(self._status, _until(deadline)):
                self._code = _read_number(self._status, limit)
                self._close()
            return self._code

    def _read_pid(self, limit: float) -> None:
        if self.pid == 0 and self._status is not None and is_readable(self._status, limit):
            self.pid = _read_number(self._status, limit) or 0
            if self.pid == 0:
                self._close()

    def _close(self) -> None:
        if self._status is not None:
            os.close(self._status)
            self._status = None

    def kill_group(self) -> None:
        """Kill it and the processes that it started; the server does so for a worker that has ended."""
        self.wait(0)
        if self._code is not None or self.pid == 0:
            return
        for kill in (os.killpg, os.kill):  # the process alone if it has no session yet
            with contextlib.suppress(ProcessLookupError, PermissionError):
                kill(self.pid, signal.SIGKILL)
                return


def _read_number(descriptor: int, limit: float) -> int | None:
    """The next number on a status pipe; None at its end or after ``limit`` seconds."""
    deadline = time.monotonic() + limit
    data = b""
    while len(data) < NUMBER.size:
        readable = is_readable(descriptor, _until(deadline))
        chunk = os.read(descriptor, NUMBER.size - len(data)) if readable else b""
        if not chunk:
            return None
        data += chunk
    number: int = NUMBER.unpack(data)[0]
    return number


def _until(deadline: float) -> float:
    return max(0.0, deadline - time.monotonic())
