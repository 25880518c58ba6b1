"""The suite's side of a fork server: a process that has imported a framework and forks its workers."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from conformance.targets.launching import launched
from conformance.targets.pipes import ErrorTail, Pipes
from conformance.worker.status import NUMBER

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
        errors, server_errors = os.pipe()
        with control, os.fdopen(server_errors, "wb"):
            try:
                self._process = launched(
                    [part.format(control.fileno()) for part in command],
                    environment,
                    folder,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=server_errors,
                    pass_fds=[control.fileno()],
                )
            except OSError:
                self._control.close()
                os.close(errors)
                raise
        self._errors = ErrorTail(errors)

    def fork(self, pipes: Pipes, temporary: Path | None, limit: float) -> ForkedProcess:
        """Start a worker; raise ServerEnded if the server has ended, and ServerTooSlow after ``limit`` seconds.

        temporary: its folder for temporary files; None for the system's.
        """
        status, server_status = os.pipe()
        request = json.dumps({"temporary": str(temporary) if temporary else None}).encode()
        try:
            socket.send_fds(self._control, [request], [*pipes.worker_ends, server_status])
        except OSError:
            os.close(status)
            raise ServerEnded(self._reason("has ended")) from None
        finally:
            os.close(server_status)
            pipes.close_worker_ends()
        if not _is_readable(status, limit):
            os.close(status)
            raise ServerTooSlow(f"took longer than {limit:g} s")
        pid = _read_number(status, limit)
        if pid is None:
            os.close(status)
            raise ServerEnded(self._reason("started no worker"))
        return ForkedProcess(pid, status)

    def close(self) -> None:
        """End the server and all its workers."""
        self._control.close()
        # Until it is waited for, its process id, which is that of its group, is not used again.
        deadline = time.monotonic() + _GRACE
        while not _has_ended(self._process.pid) and time.monotonic() < deadline:
            time.sleep(_INTERVAL)
        self._kill_group()
        self._process.wait()
        self._errors.join(_GRACE)

    def kill(self) -> None:
        """Kill the server from another thread; its workers end when their requests do."""
        if self._process.returncode is None:
            self._kill_group()

    def _kill_group(self) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def _reason(self, problem: str) -> str:
        self._errors.join(_GRACE)
        lines = self._errors.text.strip().splitlines()
        return f"the fork server {problem}" + (f": {lines[-1]}" if lines else "")


def _has_ended(child: int) -> bool:
    try:
        return os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    except ChildProcessError:
        return True


class ForkedProcess:
    """A worker that a fork server started and waits for, in a session of its own.

    Its methods may be called from several threads.
    """

    is_forked = True

    def __init__(self, pid: int, status: int) -> None:
        """status: the descriptor on which the server reports the exit code."""
        self.pid = pid
        self._status: int | None = status
        self._code: int | None = None
        # A thread that reads the status must not find its descriptor closed by another.
        self._lock = threading.Lock()

    @property
    def is_running(self) -> bool:
        return self._status is not None

    def wait(self, limit: float) -> int | None:
        """Its exit code, negative for a signal, once it has ended.

        None if it still runs after ``limit`` seconds, or if the server has ended and nobody knows the code.
        """
        with self._lock:
            if self._status is not None and _is_readable(self._status, limit):
                self._code = _read_number(self._status, limit)
                os.close(self._status)
                self._status = None
            return self._code

    def kill_group(self) -> None:
        """Kill it and the processes that it started; the server does so for a worker that has ended."""
        self.wait(0)
        if self._code is not None:
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
        readable = _is_readable(descriptor, max(0.0, deadline - time.monotonic()))
        chunk = os.read(descriptor, NUMBER.size - len(data)) if readable else b""
        if not chunk:
            return None
        data += chunk
    number: int = NUMBER.unpack(data)[0]
    return number


def _is_readable(descriptor: int, limit: float) -> bool:
    """Whether there is something to read, or the end, within ``limit`` seconds."""
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(1000 * limit))
