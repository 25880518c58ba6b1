"""Starts the workers of one target: forks them from a fork server if possible, otherwise starts new processes."""

from __future__ import annotations

import contextlib
import sys
import tempfile
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from conformance.outcomes.reply import escaped
from conformance.targets.description import check_description
from conformance.targets.errors import TargetBlocked
from conformance.targets.fork_server import ForkServer, ServerEnded, ServerTooSlow
from conformance.targets.memory import worker_memory_limit
from conformance.targets.pipes import Pipes
from conformance.targets.prepared import START_LIMIT, Prepared
from conformance.targets.process import WorkerEnded, WorkerProcess
from conformance.targets.spawned import SpawnedProcess
from conformance.worker.frames import Message

StartMethod = Literal["auto", "fork", "spawn"]
TRIAL_LIMIT = 30.0
"""Seconds for the first forked worker to set up the framework, and to create and read a tensor."""

START_HINT = "; --start-timeout sets the limit"
"""What a user can do if a framework takes long to import."""

MOST_FAILURES = 3
"""Forked workers in a row that may not be initialized, once the trial has succeeded."""

EXPENSIVE_SETUP = 1.0
"""Seconds for the first call of a mode from which the framework is set up before workers are forked, if possible."""


@dataclass(frozen=True)
class Starting:
    """How workers are started."""

    method: StartMethod = "auto"
    limit: float = START_LIMIT
    """Seconds for a process to import its framework."""


class WorkerStarter:
    """Starts workers; its methods may be called from several threads.

    The first forked worker is a trial: it creates and reads a tensor. If it fails, or if the fork server ends later,
    workers are started as new processes from then on, which is reported once.
    """

    def __init__(
        self,
        prepared: Prepared,
        script: Path,
        method: StartMethod = "auto",
        start_limit: float = START_LIMIT,
    ) -> None:
        """script: the program of a worker. start_limit: seconds for a process to import its framework."""
        self.prepared = prepared
        self.script = script
        self._command = [str(prepared.python), str(script)]
        self._memory_limit = prepared.memory_limit or worker_memory_limit()
        self._method = method
        self._start_limit = start_limit
        self._variables = prepared.process_variables()
        self.report: Callable[[str], None] = lambda _: None
        """Called with what the user should know about starting workers."""
        self.imported = 0
        """Number of processes that imported the framework: workers, or fork servers."""
        self.forked = 0
        """Number of workers that were forked from a process that had imported it."""
        self._lock = threading.Lock()
        self._server: ForkServer | None = None
        if method == "fork" and not _can_fork(prepared):
            raise TargetBlocked(
                "its workers cannot be forked: only on Linux, and only on the device cpu; try --start=spawn"
            )
        self._forks = method != "spawn" and _can_fork(prepared)
        self._is_tried = False
        self._has_started = False
        self._failures = 0
        """Forked workers in a row that could not be initialized."""
        self._failure: str | None = None
        """Why workers are not forked, until it is reported."""

    @property
    def forks(self) -> bool:
        """Whether workers are forked, so that a new one costs little."""
        return self._forks

    def begin(self) -> None:
        """Start to import the framework, if workers are forked; otherwise each of them imports it."""
        if self._forks:
            with contextlib.suppress(OSError):  # ``launch`` reports it
                self._fork_server()

    def launch(self) -> WorkerProcess:
        """Start a worker; TargetBlocked if it must be forked and cannot, or the system has no room for it."""
        try:
            return self._launched(self._temporary_folder())
        except OSError as error:
            raise TargetBlocked(f"no process can be started: {error}") from None

    def _launched(self, temporary: Path | None) -> WorkerProcess:
        if self._forks:
            try:
                return self._forked(temporary)
            except ServerEnded as error:
                self._stop_forking(str(error))
        return self._spawned(temporary)

    def initialize(self, worker: WorkerProcess) -> Message:
        """Set up the framework in a worker, and return its description; TargetBlocked if that fails."""
        target = self.prepared.target
        trial = worker.is_forked and not self._is_tried
        message = {
            "type": "start",
            "adapter": str(target.adapter),
            "device": target.device,
            "mode": target.mode,
            "creates_tensor": trial,
            "first": not self._has_started,
        }
        limit = (TRIAL_LIMIT if trial else self._start_limit) + self.prepared.mode.first
        try:
            ready, _ = worker.request(message, [], limit)
        except WorkerEnded as ended:
            hint = START_HINT if ended.outcome.status == "hung" and not trial else ""
            raise _blocked(f"the worker {ended.outcome.phrase} while starting{hint}", worker.error_tail) from None
        if ready.get("type") == "failed":
            raise _blocked(escaped(str(ready.get("error"))), escaped(str(ready.get("traceback"))))
        check_description(ready, str(target.adapter))
        self._has_started = True
        if worker.is_forked:
            self._is_tried = True
            self._failures = 0
        elif self._failure is not None:
            failure, self._failure = self._failure, None
            self.report(f"workers are started as new processes, which takes longer than forking them: {failure}")
        return ready

    def starts_another(self, worker: WorkerProcess, failure: str) -> bool:
        """Whether to launch a new process in place of a worker that could not be initialized.

        If forked workers have been initialized before, the failure is one of this process, and another is forked.
        """
        if worker.is_forked:
            self._failures += 1
            if not self._is_tried or self._failures >= MOST_FAILURES:
                self._stop_forking(failure)
        return worker.is_forked

    def close(self) -> None:
        """End the fork server and its workers."""
        if self._server is not None:
            self._server.close()
            self._server = None

    def stop(self) -> None:
        """End the fork server from another thread."""
        server = self._server
        if server is not None:
            server.kill()

    def _forked(self, temporary: Path | None) -> WorkerProcess:
        pipes = Pipes()
        try:
            process = self._fork_server().fork(pipes, temporary, self._start_limit + self.prepared.mode.first)
        except ServerTooSlow as error:
            pipes.discard()
            raise _blocked(f"importing the adapter and its framework {error}{START_HINT}", "") from None
        except BaseException:
            pipes.discard()
            raise
        with self._lock:
            self.forked += 1
        return WorkerProcess(process, pipes, memory_limit=self._memory_limit, temporary=temporary)

    def _spawned(self, temporary: Path | None) -> WorkerProcess:
        pipes = Pipes()
        variables = {**self._variables, **({"TMPDIR": str(temporary)} if temporary else {})}
        with self._lock:
            self.imported += 1
        try:
            process = SpawnedProcess(self._command, variables, self.script.parent, pipes)
        except BaseException:
            pipes.discard()
            raise
        return WorkerProcess(process, pipes, memory_limit=self._memory_limit, temporary=temporary)

    def _fork_server(self) -> ForkServer:
        with self._lock:
            if self._server is None:
                target = self.prepared.target
                command = [*self._command, "{}", str(target.adapter), target.mode]
                if self.prepared.mode.first >= EXPENSIVE_SETUP:
                    command.append(target.device)
                self.imported += 1
                self._server = ForkServer(command, self._variables, self.script.parent)
            return self._server

    def _stop_forking(self, failure: str) -> None:
        # The server is not closed, since other clients may still use its workers.
        if self._method == "fork":
            raise TargetBlocked(f"its workers cannot be forked, try --start=spawn: {failure}")
        self._forks = False
        self._failure = failure.splitlines()[0]

    def _temporary_folder(self) -> Path | None:
        """A new folder for temporary files; None in a compiled mode, as frameworks store what they compile there."""
        if self.prepared.mode.compiled:
            return None
        return Path(tempfile.mkdtemp(prefix="temporary-", dir=self.script.parent))


def _can_fork(prepared: Prepared) -> bool:
    """Whether to try it: only on Linux, and not if a driver of a device may be initialized when it is imported."""
    return sys.platform == "linux" and prepared.target.device == "cpu"


def _blocked(reason: str, details: str) -> TargetBlocked:
    return TargetBlocked(f"{reason}\n{details.strip()[-1500:]}" if details.strip() else reason)
