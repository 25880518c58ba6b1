"""Starts the workers of one target: forks them from a fork server if possible, otherwise starts new processes."""

from __future__ import annotations

import contextlib
import itertools
import os
import re
import shlex
import sys
import tempfile
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from packaging.utils import canonicalize_name

from conformance.environments.compiler_caches import cache_variables
from conformance.environments.errors import TargetBlocked, process_refused
from conformance.environments.prepared_target import START_LIMIT, Prepared
from conformance.outcomes.reply import escaped
from conformance.processes.adapter_description import check_description
from conformance.processes.fork_server import ForkServer, ServerEnded, ServerTooSlow
from conformance.processes.memcheck import SLOWER, Valgrind
from conformance.processes.memory import worker_memory_limit
from conformance.processes.new_process import SpawnedProcess
from conformance.processes.next_worker import Spare
from conformance.processes.pipes import Pipes
from conformance.processes.process import WorkerEnded, WorkerProcess
from conformance.worker import frames
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
    memcheck: Valgrind | None = None
    """Below which they run; None for no such."""
    fresh_compile: bool = False
    """Whether compilers find nothing that they kept in earlier runs."""


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
        *,
        fresh_compile: bool = False,
        memcheck: Valgrind | None = None,
    ) -> None:
        """script: the program of a worker. start_limit: seconds for a process to import its framework.

        fresh_compile: compilers find nothing that they kept in earlier runs, or in those of another starter.
        memcheck: below which the processes run.
        """
        self.prepared = prepared
        self.script = script
        self._command = [str(prepared.python), str(script)]
        self._memory_limit = prepared.memory_limit or worker_memory_limit()
        self._method = method
        self._start_limit = start_limit
        # The folder of the script is removed after the run.
        fresh = script.parent / f"compiled-{os.urandom(8).hex()}" if fresh_compile else None
        self._variables = {**prepared.process_variables(), **cache_variables(prepared, fresh)}
        self._slower = SLOWER if memcheck is not None else 1.0
        if memcheck is not None:
            log = script.parent / f"memcheck-{os.urandom(8).hex()}.log"
            self._command = [*memcheck.command(log), *self._command]
            self._variables |= memcheck.variables(log)
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
                "its workers cannot be forked: only on Linux, and where the device has a driver only if target.toml says so; "
                "try --start=spawn"
            )
        self._forks = method != "spawn" and _can_fork(prepared)
        self._is_tried = False
        self._failures = 0
        """Forked workers in a row that could not be initialized."""
        self._failure: str | None = None
        """Why workers are not forked, until it is reported."""
        self._prefix = f"temporary-{os.urandom(8).hex()}"
        """Of the names of folders for temporary files; starters share the folder that these are in."""
        self._numbers = itertools.count()
        self._description: Message | None = None
        """What the first worker said of its adapter."""
        self._spare: Spare | None = None
        """The next worker, if one is started ahead of time."""
        self._is_closed = False

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
        with self._lock:
            spare, self._spare = self._spare, None
        worker = spare.take() if spare is not None else None
        try:
            return worker or self._launched()
        except OSError as error:
            raise TargetBlocked(process_refused(error) or f"no process can be started: {error}") from None

    def begin_next(self) -> None:
        """Start the next worker ahead of time if one had to be replaced before, since it is probably needed."""
        if not self._forks or self.forked < 2 or self._spare is not None or self._is_closed:
            return
        with contextlib.suppress(ServerEnded, TargetBlocked, WorkerEnded, OSError):  # ``launch`` reports it
            worker = self._begun()
            self._ask(worker)
            spare = Spare(worker, self.initialize, self._limit_of_start)
            with self._lock:
                previous, self._spare = self._spare, spare
                is_closed = self._is_closed
            if previous is not None:  # another thread began one at the same time
                previous.close()
            if is_closed:
                spare.close()

    def _launched(self) -> WorkerProcess:
        if self._forks:
            try:
                return self._forked()
            except ServerEnded as error:
                self._stop_forking(str(error))
        return self._spawned()

    def initialize(self, worker: WorkerProcess) -> Message:
        """Set up the framework in a worker, unless this has been done, and return what the first one said of its adapter.

        TargetBlocked if it fails.
        """
        if self._description is None or not worker.is_initialized:
            self._description = self._initialized(worker)
        return self._description

    def _initialized(self, worker: WorkerProcess) -> Message:
        trial = self._is_trial(worker)
        limit = self._slower * (TRIAL_LIMIT + self.prepared.mode.first) if trial else self._limit_of_start
        try:
            if not worker.is_asked:
                self._ask(worker)
            ready = worker.receive(limit, lambda header, _: frames.parse(header))
        except WorkerEnded as ended:
            hint = START_HINT if ended.outcome.status == "hung" and not trial else ""
            raise self._blocked(f"the worker {ended.outcome.phrase} while starting{hint}", worker.error_tail) from None
        if ready.get("type") == "failed":
            raise self._blocked(escaped(str(ready.get("error"))), escaped(str(ready.get("traceback"))))
        if self._description is None or ready != {"type": "ready"}:
            check_description(ready, str(self.prepared.target.adapter))
        worker.is_initialized = True
        if worker.is_forked:
            self._is_tried = True
            self._failures = 0
        elif self._failure is not None:
            failure, self._failure = self._failure, None
            self.report(f"workers are started as new processes, which takes longer than forking them: {failure}")
        return self._description or ready

    def _ask(self, worker: WorkerProcess) -> None:
        """Ask a worker to set up the framework, without waiting until it has; WorkerEnded as for ``send``."""
        target = self.prepared.target
        message = {
            "type": "start",
            "adapter": str(target.adapter),
            "device": target.device,
            "mode": target.mode,
            "one_core": self.prepared.has_one_core,
            "creates_tensor": self._is_trial(worker),
            "problems": self._description and self._description["problems"],
        }
        worker.is_asked = True
        worker.send(frames.request(frames.text(message).encode(), b""), self._limit_of_start)

    def _is_trial(self, worker: WorkerProcess) -> bool:
        return worker.is_forked and not self._is_tried

    @property
    def _limit_of_start(self) -> float:
        return self._start_limit + self._slower * self.prepared.mode.first

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
        with self._lock:
            self._is_closed = True
            spare, self._spare = self._spare, None
        if spare is not None:
            spare.close()
        if self._server is not None:
            self._server.close()
            self._server = None

    def stop(self) -> None:
        """End the fork server, and the worker that is started ahead of time, from another thread."""
        self._is_closed = True
        spare, server = self._spare, self._server
        if spare is not None:
            spare.kill()
        if server is not None:
            server.kill()

    def _forked(self) -> WorkerProcess:
        worker = self._begun()
        try:
            worker.await_start(self._limit_of_start)
        except ServerTooSlow as error:
            worker.close()
            raise self._blocked(f"importing the adapter and its framework {error}{START_HINT}", "") from None
        except BaseException:
            worker.close()
            raise
        return worker

    def _begun(self) -> WorkerProcess:
        """A worker that the fork server was asked for; ServerEnded if it has ended."""
        server = self._fork_server()
        temporary = None
        if self._has_temporary_folders:
            temporary = self.script.parent / f"{self._prefix}-{next(self._numbers)}"
        pipes = Pipes()
        try:
            process = server.fork(pipes, temporary)
        except BaseException:
            pipes.discard()
            raise
        with self._lock:
            self.forked += 1
        return WorkerProcess(process, pipes, memory_limit=self._memory_limit)

    def _spawned(self) -> WorkerProcess:
        # The fork server does this for a forked worker.
        folder = self.script.parent
        temporary = Path(tempfile.mkdtemp(prefix="temporary-", dir=folder)) if self._has_temporary_folders else None
        pipes = Pipes()
        variables = {**self._variables, **({"TMPDIR": str(temporary)} if temporary else {})}
        with self._lock:
            self.imported += 1
        try:
            process = SpawnedProcess(self._command, variables, self.script.parent, pipes)
            process.await_start(self._limit_of_start)
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

    def _blocked(self, reason: str, details: str) -> TargetBlocked:
        hint = _missing(self.prepared, f"{reason}\n{details}")
        details = details.strip()[-1500:]
        return TargetBlocked(f"{reason}{hint}:\n{details}" if details else f"{reason}{hint}")

    def _stop_forking(self, failure: str) -> None:
        # The server is not closed, since other clients may still use its workers.
        if self._method == "fork":
            raise TargetBlocked(f"its workers cannot be forked, try --start=spawn: {failure}")
        self._forks = False
        self._failure = failure.splitlines()[0]

    @property
    def _has_temporary_folders(self) -> bool:
        """Whether each worker has one of its own; not in a compiled mode, as frameworks store what they compile there."""
        return not self.prepared.mode.compiled


def _can_fork(prepared: Prepared) -> bool:
    """Whether to try it: only on Linux, and not if a driver of a device may be initialized when it is imported."""
    target = prepared.target
    if sys.platform != "linux":
        return False
    if target.definition is None:
        return target.device == "cpu"
    device = target.definition.devices[target.device_kind]
    return not device.has_driver if device.forks is None else device.forks


def _missing(prepared: Prepared, text: str) -> str:
    """What to do if an error is about a package: deleted from an environment of the suite's, or not in the user's."""
    module = re.search(r"No module named '(\w+)", text)
    environment, definition = prepared.environment, prepared.target.definition
    if module is None:
        return ""
    if environment.folder is None:
        if environment.version is not None or definition is None or definition.package is None:
            return ""
        install = shlex.join(
            ["conformance", "env", "install", prepared.target.asked, "--python", str(environment.python)]
        )
        return f"; {environment.python} has no {definition.package}, which `{install}` installs"
    if canonicalize_name(module[1]) not in map(canonicalize_name, environment.packages):
        return ""  # it was never there
    return f"; {module[1]} was deleted from {environment.folder}: delete this folder, and the next run makes it again"
