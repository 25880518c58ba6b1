"""The engine that carries out attempts as tasks of a Dask cluster. Only this module imports Dask.

A task starts the process of the suite and passes its output on through a queue of the scheduler. If a worker is lost, Dask
starts the task again on another one; the second start only reports the loss, and a new attempt is then made.
"""

from __future__ import annotations

import contextlib
import logging
import os
import threading
import time
import uuid
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import dask
from distributed import Client, LocalCluster, Queue, get_client, get_worker
from distributed.scheduler import KilledWorker
from distributed.security import Security

from conformance.cluster import content
from conformance.cluster.machine import Facts, facts, perform, problem_with
from conformance.cluster.messages import (
    Blocked,
    Emit,
    EngineLost,
    EngineUnreachable,
    Lost,
    Message,
    Refused,
    message_text,
    read_message,
)
from conformance.cluster.unit import Attempt, Needs, attempt_text, read_attempt

SECONDS_TO_CONNECT = 15
_SECONDS_BETWEEN = 0.1
"""Seconds between two looks at messages and tasks."""
_SECONDS_BETWEEN_LOOKS = 1.0
"""Seconds between two looks at the workers, of which there may be many."""
_PATIENCE = "60s"
"""How long a machine that is busy may take to answer."""
_QUEUED = 1_000
"""Messages that the scheduler holds; when it has more, workers wait for the process that reads them."""
_WAIT = 5
"""Seconds that a task waits for a place in the queue before it looks whether it is still wanted."""
_LOCAL_SETTINGS = {
    "distributed.worker.memory.terminate": False,
    "distributed.worker.memory.pause": False,
    # By default Dask looks after its own processes up to a hundred times a second, on cores that units need.
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "1s",
}
_OF_WORKERS = {
    "MALLOC_TRIM_THRESHOLD_": "65536",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "PYTHONHASHSEED": "6640",
}
"""Environment variables that Dask sets for its workers. Frameworks would run as they do not elsewhere, and with the first, which
returns memory to the system at once, they took an eighth more time."""
_GPU, _MEMORY = "GPU", "memory"
"""Names of resources that workers may declare."""


@contextlib.contextmanager
def client_of(address: str) -> Iterator[Client]:
    """A client of the scheduler at an address; EngineUnreachable if it cannot be reached."""
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # the messages below say what happened
    if address.startswith("tls://") and Security().get_connection_args("client")["ssl_context"] is None:
        raise EngineUnreachable(
            f"no certificates for {address}: Dask's configuration has none under distributed.comm.tls; set ca-file, and key and "
            "cert of client, in ~/.config/dask/*.yaml or in the folder that DASK_CONFIG names"
        )
    with dask.config.set({"distributed.comm.timeouts.connect": _PATIENCE}):
        try:
            client = Client(address, timeout=SECONDS_TO_CONNECT, set_as_default=False)
        except (OSError, TimeoutError, ValueError) as error:
            reason = str(error).partition("\n")[0] or type(error).__name__
            raise EngineUnreachable(
                f"no Dask scheduler answers at {address}: {reason}; start one with: dask scheduler"
            ) from None
        try:
            yield client
        finally:
            with contextlib.suppress(Exception):  # the scheduler may be gone
                client.close(timeout=_WAIT)


@contextlib.contextmanager
def local_client(workers: int) -> Iterator[Client]:
    """A client of a cluster of worker processes on this machine, which ends with the block."""
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    with (
        dask.config.set(_LOCAL_SETTINGS),
        LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            memory_limit=0,
            silence_logs=logging.CRITICAL,
        ) as cluster,
        client_of(cluster.scheduler_address) as client,
    ):
        client.run(facts, [])  # imports the suite there, while this process is not ready for answers
        yield client


def slots_of(client: Client) -> int:
    """The number of threads of all workers that are there, at least 1."""
    threads: list[int] = [worker["nthreads"] for worker in _present(client).values()]
    return max(1, sum(threads))


def _present(client: Client) -> Mapping[str, Mapping[str, Any]]:
    """The workers of a cluster by address.

    ``Client.scheduler_info`` may return no workers: its cache is also filled, without them, by a thread of its own.
    """
    workers: Mapping[str, Mapping[str, Any]] = client.sync(client.scheduler.identity, n_workers=-1)["workers"]
    return workers


@dataclass
class _Worker:
    """A worker of the cluster that can carry out attempts."""

    threads: int
    resources: Mapping[str, float]


@dataclass
class _Task:
    """An attempt that was given to the cluster."""

    attempt: Attempt
    future: Any
    workers: frozenset[str]
    """The addresses of the workers that may carry it out."""


@dataclass
class _State:
    """What the threads of the engine share."""

    workers: dict[str, _Worker] = field(default_factory=dict)
    asked: set[str] = field(default_factory=set)
    """Addresses of the workers that were asked what they are."""
    refused: set[str] = field(default_factory=set)
    """Those of them that cannot carry out attempts."""
    asking: int = 0
    """Number of workers that have not answered."""
    waiting: list[Attempt] = field(default_factory=list)
    tasks: dict[str, _Task] = field(default_factory=dict)
    """By the name of the attempt."""


class OnDask:
    """Gives the scheduler as many tasks as there are threads, and the next ones as those end."""

    def __init__(self, client: Client, contents: Mapping[str, bytes], emit: Emit) -> None:
        self._client = client
        self._contents = contents
        self._emit = emit
        self._state = _State()
        self._lock = threading.RLock()
        self._stopped = threading.Event()
        self._changed = threading.Event()
        """An attempt waits for a place, or a task has ended."""
        self._run = f"conformance-{uuid.uuid4().hex[:12]}"
        self._queue = Queue(self._run, client=client, maxsize=_QUEUED)
        self._look()
        for _ in range(int(SECONDS_TO_CONNECT / _SECONDS_BETWEEN)):
            if not self._state.asking:
                break
            time.sleep(_SECONDS_BETWEEN)
        self._threads = [
            threading.Thread(target=self._guarded, args=(loop,), daemon=True) for loop in (self._read, self._follow)
        ]
        for thread in self._threads:
            thread.start()

    @property
    def machines(self) -> int:
        with self._lock:
            return len(self._state.workers)

    def start(self, attempt: Attempt) -> None:
        """Carry out an attempt as soon as a worker has a free thread."""
        with self._lock:
            self._state.tasks.pop(attempt.name, None)
            self._state.waiting.append(attempt)
        self._changed.set()

    def close(self) -> None:
        """Cancel all tasks, which end their processes."""
        self._stopped.set()
        with contextlib.suppress(Exception):  # the scheduler may be gone
            futures = [task.future for task in self._state.tasks.values()]
            self._client.cancel(futures, force=True)
            self._client.set_metadata([self._run], None)
            self._queue.close()

    # Messages

    def _read(self) -> None:
        # Without waiting in the scheduler, which logs an error for each time that nothing has come.
        while not self._stopped.wait(_SECONDS_BETWEEN):
            for data in self._queue.get(batch=True):
                self._emit(read_message(zlib.decompress(data).decode()))

    def _follow(self) -> None:
        looked = 0.0
        while not self._stopped.is_set():
            self._changed.wait(_SECONDS_BETWEEN)
            self._changed.clear()
            if time.monotonic() - looked > _SECONDS_BETWEEN_LOOKS:
                self._look()
                looked = time.monotonic()
            self._check_tasks()
            self._submit_waiting()

    def _guarded(self, loop: Callable[[], None]) -> None:
        """Whatever ends a thread of the engine ends the run."""
        try:
            loop()
        except Exception as error:  # Dask raises many kinds for a connection that is gone
            if not self._stopped.is_set():
                reason = f"the Dask scheduler is gone ({type(error).__name__}: {error}); go on with --resume"
                self._emit(EngineLost(reason))

    # Workers

    def _look(self) -> None:
        """Ask the workers that have joined what they are, and forget those that have left."""
        present = _present(self._client)
        with self._lock:
            for address in self._state.workers.keys() - present.keys():
                del self._state.workers[address]
            self._state.asked &= present.keys()
            self._state.refused &= present.keys()
            new = [address for address in present if address not in self._state.asked]
            self._state.asked |= set(new)
            self._state.asking += len(new)
        for address in new:
            worker = _Worker(present[address]["nthreads"], present[address]["resources"])
            # In a thread of its own, since a worker that is paused does not answer.
            threading.Thread(target=self._ask, args=(address, worker), daemon=True).start()

    def _ask(self, address: str, worker: _Worker) -> None:
        try:
            reason = self._problem(address)
        except Exception as error:  # of the worker, which may lack the suite, or of the connection
            reason = f"it cannot import the suite, or does not answer: {error}"
        with self._lock:
            self._state.asking -= 1
            if reason is None:
                self._state.workers[address] = worker
            else:
                self._state.refused.add(address)
        if reason is not None and not self._stopped.is_set():
            self._emit(Refused(address, reason))

    def _problem(self, address: str) -> str | None:
        machine: Facts = self._client.run(facts, list(self._contents), workers=[address])[address]
        reason = problem_with(machine, same_python=True)
        if reason is None:
            for digest in machine["missing"]:
                self._client.run(content.store, digest, self._contents[digest], workers=[address])
        return reason

    # Tasks

    def _check_tasks(self) -> None:
        """Report tasks that Dask gave up, and place those again that no worker is left for."""
        with self._lock:
            tasks = [(name, task, self._problem_of(task)) for name, task in self._state.tasks.items()]
            for name, task, problem in tasks:
                if problem is not None or task.future.status == "finished":
                    del self._state.tasks[name]
        for _, task, problem in tasks:
            if problem is not None:
                task.future.cancel(force=True)
                # Through the queue, after what the lost worker has sent.
                self._queue.put(_packed(problem))

    def _problem_of(self, task: _Task) -> Lost | None:
        """The reason why a task will not end."""
        name = task.attempt.name
        if task.future.status in ("error", "lost", "cancelled"):
            error = task.future.exception(timeout=_WAIT) if task.future.status == "error" else None
            return Lost(name, "its worker was lost" if error is None or isinstance(error, KilledWorker) else str(error))
        if task.future.status != "finished" and not task.workers & self._state.workers.keys():
            return Lost(name, "all workers that could carry it out have left")
        return None

    def _submit_waiting(self) -> None:
        with self._lock:
            for attempt in list(self._state.waiting):
                reason = self._reason_not_to_wait(attempt)
                if reason is not None:
                    self._state.waiting.remove(attempt)
                    self._emit(Blocked(attempt.name, reason))
                    continue
                suited = self._suited(attempt)
                if sum(self._places(address, attempt.needs) for address in suited) > self._used(attempt.needs):
                    self._state.waiting.remove(attempt)
                    self._submit(attempt, suited)

    def _suited(self, attempt: Attempt) -> frozenset[str]:
        """The workers that may carry it out."""
        return frozenset(
            address
            for address, worker in self._state.workers.items()
            if address not in attempt.avoid
            and all(worker.resources.get(name, 0) >= amount for name, amount in self._resources(attempt.needs).items())
        )

    def _reason_not_to_wait(self, attempt: Attempt) -> str | None:
        """The reason why waiting for another worker to leave a place does not help."""
        if self._state.asking or self._suited(attempt):
            return None
        if not self._state.workers:  # where there is none, one may join
            return "none of the workers can carry it out" if self._state.refused else None
        if attempt.needs.gpu and not any(worker.resources.get(_GPU) for worker in self._state.workers.values()):
            return f"no worker declares a {_GPU}; start one with: dask worker --resources {_GPU}=1"
        if attempt.avoid >= self._state.workers.keys():
            return "no worker is left that can carry it out"
        return f"no worker declares enough of what it needs: {self._resources(attempt.needs)}"

    def _resources(self, needs: Needs) -> dict[str, float]:
        """The resources of a task. Memory only counts where workers declare it."""
        declared = any(_MEMORY in worker.resources for worker in self._state.workers.values())
        memory = {_MEMORY: float(needs.memory)} if needs.memory is not None and declared else {}
        return memory | ({_GPU: 1.0} if needs.gpu else {})

    def _places(self, address: str, needs: Needs) -> int:
        worker = self._state.workers[address]
        return min(worker.threads, int(worker.resources.get(_GPU, 0))) if needs.gpu else worker.threads

    def _used(self, needs: Needs) -> int:
        return sum(task.attempt.needs.gpu >= needs.gpu for task in self._state.tasks.values())

    def _submit(self, attempt: Attempt, suited: frozenset[str]) -> None:
        future = self._client.submit(
            _carry_out,
            attempt_text(attempt),
            self._run,
            # An attempt that was refused is submitted again, under another key.
            key=f"conformance-{attempt.name}-{uuid.uuid4().hex[:8]}",
            pure=False,
            workers=sorted(suited),
            resources=self._resources(attempt.needs) or None,
        )
        self._state.tasks[attempt.name] = _Task(attempt, future, suited)
        future.add_done_callback(lambda _: self._changed.set())


def _packed(message: Message) -> bytes:
    return zlib.compress(message_text(message).encode(), 1)


def _carry_out(text: str, run: str) -> None:
    """The task: on a worker, in a thread that only starts a process and passes its output on."""
    worker, client = get_worker(), get_client()
    key = worker.get_current_task()
    outgoing = Queue(run, client=client, maxsize=_QUEUED)

    def is_wanted() -> bool:
        task = worker.state.tasks.get(key)
        return task is not None and task.state == "executing"

    def emit(message: Message) -> None:
        packed = _packed(message)
        while is_wanted():
            with contextlib.suppress(TimeoutError):
                outgoing.put(packed, timeout=_WAIT)
                return

    attempt = read_attempt(text)
    if client.get_metadata([run, key], None) is not None:
        emit(Lost(attempt.name, "its worker was lost"))
        return
    client.set_metadata([run, key], True)
    try:
        perform(attempt, worker.address, emit, is_wanted, _environment())
    except OSError as error:  # such as a full disk
        emit(Refused(worker.address, str(error), attempt.name))


def _environment() -> dict[str, str]:
    """The environment of this worker, without what Dask adds to that of the machine."""
    return {name: value for name, value in os.environ.items() if _OF_WORKERS.get(name) != value}
