"""The engine that starts each attempt by a command prefix, such as ``ssh host`` or ``srun -p cpu``."""

from __future__ import annotations

import base64
import contextlib
import json
import shlex
import subprocess
import tempfile
import threading
from collections.abc import Mapping, Sequence
from typing import IO

from conformance.cluster.machine import problem_with
from conformance.cluster.messages import Blocked, Emit, Ended, Lost, Refused, read_message
from conformance.cluster.unit import Attempt, attempt_text

COMMAND = ("conformance", "unit")
"""What follows a prefix."""
_GRACE = 10.0
_MOST_NOISE = 50
"""Lines that a prefix may print before the suite there answers."""


class _Unanswered(Exception):
    """The far end has ended without an answer."""


class Prefix:
    """A thread for each place of each prefix; a prefix that fails to answer gets no further attempts."""

    def __init__(self, prefixes: Sequence[Sequence[str]], each: int, contents: Mapping[str, bytes], emit: Emit) -> None:
        """each: the number of attempts at the same time with one prefix."""
        self.machines = len(prefixes)
        self._contents = contents
        self._emit = emit
        self._waiting: list[Attempt] = []
        self._changed = threading.Condition()
        self._stopped = False
        self._places = {shlex.join(prefix): each for prefix in prefixes}
        """By prefix, its threads that still take attempts."""
        self._processes: set[subprocess.Popen[str]] = set()
        self._threads = [
            threading.Thread(target=self._work, args=(list(prefix),), daemon=True)
            for _ in range(each)
            for prefix in prefixes
        ]
        for thread in self._threads:
            thread.start()

    def start(self, attempt: Attempt) -> None:
        """Carry out an attempt as soon as a prefix has a place for it."""
        with self._changed:
            self._waiting.append(attempt)
            self._block_homeless()
            self._changed.notify_all()

    def close(self) -> None:
        """End everything that it carries out."""
        with self._changed:
            self._stopped = True
            self._changed.notify_all()
            processes = list(self._processes)
        for process in processes:
            _hang_up(process)
        for thread in self._threads:
            thread.join(_GRACE)

    def _block_homeless(self) -> None:
        """Report the attempts that no prefix is left for."""
        for attempt in [one for one in self._waiting if self._places.keys() <= one.avoid]:
            self._waiting.remove(attempt)
            self._emit(Blocked(attempt.name, "no machine is left that can carry it out"))

    def _work(self, prefix: Sequence[str]) -> None:
        machine = shlex.join(prefix)
        while (attempt := self._next(machine)) is not None:
            reason = self._perform(attempt, prefix, machine)
            if reason is not None:
                with self._changed:
                    self._places.pop(machine, None)
                    self._emit(Refused(machine, reason, attempt.name))
                    self._block_homeless()
                return

    def _next(self, machine: str) -> Attempt | None:
        with self._changed:
            while not self._stopped:
                for attempt in self._waiting:
                    if machine not in attempt.avoid:
                        self._waiting.remove(attempt)
                        return attempt
                self._changed.wait()
        return None

    def _perform(self, attempt: Attempt, prefix: Sequence[str], machine: str) -> str | None:
        """Carry out an attempt; returns the reason if this prefix cannot."""
        with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as errors:
            try:
                process = subprocess.Popen(
                    [*prefix, *COMMAND],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=errors,
                    text=True,
                    encoding="utf-8",
                    errors="replace",
                    start_new_session=True,
                )
            except OSError as error:
                return f"cannot be started: {error}"
            self._processes.add(process)
            begun = False
            try:
                session = _Session(process)
                reason = session.prepare(self._contents, attempt)
                if reason is not None:
                    return reason
                begun = True
                self._follow(attempt, session, machine)
            except (_Unanswered, OSError, ValueError):
                errors.seek(0)
                said = errors.read().strip().rpartition("\n")[2]
                if not begun:
                    return f"{shlex.join(COMMAND)} does not answer there: {said or f'exit status {process.wait()}'}"
                if not self._stopped:
                    self._emit(Lost(attempt.name, f"{machine} ended: {said or 'no message'}"))
            finally:
                self._processes.discard(process)
                _hang_up(process)
        return None

    def _follow(self, attempt: Attempt, session: _Session, machine: str) -> None:
        session.send([attempt_text(attempt), machine])
        while True:
            message = read_message(session.receive())
            self._emit(message)
            with contextlib.suppress(OSError):
                session.send("ok")
            if isinstance(message, Ended):
                return


class _Session:
    """The near end; see ``serving``."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def prepare(self, contents: Mapping[str, bytes], attempt: Attempt) -> str | None:
        """Send what is missing there; returns the reason if the machine cannot carry out attempts."""
        self.send(attempt.unit.contents)
        machine = json.loads(self._first())
        reason = problem_with(machine, same_python=False)
        if reason is not None:
            return reason
        self.send({digest: base64.b64encode(contents[digest]).decode() for digest in machine["missing"]})
        problem: str | None = json.loads(self.receive())["problem"]
        return problem

    def _first(self) -> str:
        """The first line that is an object: a shell or a scheduler may print others before."""
        for _ in range(_MOST_NOISE):
            line = self.receive()
            if line.startswith("{"):
                return line
        raise _Unanswered

    def send(self, content: object) -> None:
        stream = _of(self._process.stdin)
        stream.write(json.dumps(content) + "\n")
        stream.flush()

    def receive(self) -> str:
        line = _of(self._process.stdout).readline()
        if not line:
            raise _Unanswered
        return line


def _of(stream: IO[str] | None) -> IO[str]:
    assert stream is not None, "both streams are pipes"
    return stream


def _hang_up(process: subprocess.Popen[str]) -> None:
    """Close the streams, so that the far end ends, and end the prefix if it does not."""
    with contextlib.suppress(OSError):
        _of(process.stdin).close()
    try:
        process.wait(_GRACE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    with contextlib.suppress(OSError):
        _of(process.stdout).close()
