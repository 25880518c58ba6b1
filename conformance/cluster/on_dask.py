"""A Dask cluster that carries out attempts as tasks. Only this module imports Dask.

The task starts the process of the suite; its results file is the value of the task. If a worker is lost, Dask starts the task
again on another one; the second start only reports the loss, and a new attempt is then made.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import threading
import uuid
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dask
from distributed import Client, Event, LocalCluster, get_client, get_worker
from distributed.core import Status
from distributed.scheduler import KilledWorker
from distributed.security import Security

from conformance.cluster import content, machine
from conformance.cluster.messages import (
    Calling,
    ClusterLost,
    ClusterUnreachable,
    Emit,
    Ended,
    Lost,
    Progress,
    Refused,
)
from conformance.cluster.unit import Attempt, Needs

SECONDS_TO_CONNECT = 15
_SECONDS_BETWEEN = 1.0
"""Seconds between two looks at the workers, of which there may be many."""
_PATIENCE = "60s"
"""How long a machine that is busy may take to answer."""
_THREADS = 16
"""The number of results that are fetched, and of workers that are asked, at the same time."""
_WAIT = 5
_STARTS = 3
"""How often a cluster on this machine is started at most."""
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
_Workers = Mapping[str, Mapping[str, Any]]
"""By address, what the scheduler knows of the workers."""


@contextlib.contextmanager
def client_of(address: str) -> Iterator[Client]:
    """A client of the scheduler at an address; ClusterUnreachable if it cannot be reached."""
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # the messages below say what happened
    if address.startswith("tls://") and Security().get_connection_args("client")["ssl_context"] is None:
        raise ClusterUnreachable(
            f"no certificates for {address}: Dask's configuration has none under distributed.comm.tls; set ca-file, and key and "
            "cert of client, in ~/.config/dask/*.yaml or in the folder that DASK_CONFIG names"
        )
    with dask.config.set({"distributed.comm.timeouts.connect": _PATIENCE}):
        try:
            client = Client(address, timeout=SECONDS_TO_CONNECT, set_as_default=False)
        except (OSError, TimeoutError, ValueError) as error:
            reason = str(error).partition("\n")[0] or type(error).__name__
            raise ClusterUnreachable(
                f"no Dask scheduler answers at {address}: {reason}; start one with: dask scheduler"
            ) from None
        try:
            yield client
        finally:
            with contextlib.suppress(Exception):  # the scheduler may be gone
                client.close(timeout=_WAIT)


@contextlib.contextmanager
def local_client(workers: int) -> Iterator[Client]:
    """A client of a cluster of worker processes on this machine, which ends with the block; ClusterUnreachable if they do not start."""
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    with (
        dask.config.set(_LOCAL_SETTINGS),
        _local_cluster(workers) as cluster,
        client_of(cluster.scheduler_address) as client,
    ):
        # Imports the suite there, while this process is not ready for answers; a worker that is killed meanwhile is replaced.
        client.run(_imported, on_error="ignore")
        yield client


def _local_cluster(workers: int) -> LocalCluster:
    """A cluster on this machine: one of whose workers is killed while it starts, Dask closes, and another one may start."""
    for tries_left in reversed(range(_STARTS)):
        try:
            return LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                processes=True,
                host="127.0.0.1",
                dashboard_address="127.0.0.1:0",
                memory_limit=0,
                silence_logs=logging.CRITICAL,
            )
        except RuntimeError as error:
            if not tries_left:
                raise ClusterUnreachable(f"the workers of a cluster on this machine do not start: {error}") from None
    raise AssertionError("the last try returns or raises")


def _imported() -> bool:
    """Whether a worker can import the suite: it must, to find this function."""
    return True


def slots_of(client: Client) -> int:
    """The number of threads of all workers that are there, at least 1."""
    threads: list[int] = [worker["nthreads"] for worker in _present(client).values()]
    return max(1, sum(threads))


def _present(client: Client) -> _Workers:
    """The workers of a cluster by address.

    ``Client.scheduler_info`` may return no workers: its cache is also filled, without them, by a thread of its own.
    """
    workers: _Workers = client.sync(client.scheduler.identity, n_workers=-1)["workers"]
    return workers


@dataclass
class _Task:
    """An attempt that was given to the cluster."""

    future: Any
    workers: frozenset[str]
    """The addresses of the workers that may carry it out."""


class OnDask:
    """Submits attempts to a scheduler, whose workers carry them out."""

    def __init__(self, client: Client, contents: Mapping[str, bytes], emit: Emit) -> None:
        """contents: the packed contents by digest."""
        self._client = client
        self._emit = emit
        self._lock = threading.Lock()
        self._tasks: dict[str, _Task] = {}
        """By the name of the attempt."""
        self._run = f"conformance-{uuid.uuid4().hex[:12]}"
        client.set_metadata([self._run], {"contents": dict(contents), "begun": {}, "calling": {}})
        client.subscribe_topic(self._run, lambda event: emit(Progress(**event[1]["progress"])))
        self._workers: _Workers = {}
        """Those that can carry out attempts."""
        self._asked: dict[str, Future[bool]] = {}
        """By address, whether a worker can import the suite, once it has answered: one that cannot never ends a task."""
        self._threads = ThreadPoolExecutor(_THREADS)
        self._closed = threading.Event()
        self._refresh()
        wait(self._asked.values(), SECONDS_TO_CONNECT)
        self._refresh()
        threading.Thread(target=self._look, daemon=True).start()

    @property
    def machines(self) -> int:
        return len(self._workers)

    def slots(self, needs: Needs) -> int:
        workers = self._workers.values()
        return sum(int(worker["resources"].get(_GPU, 0)) if needs.gpu else worker["nthreads"] for worker in workers)

    def unsuited(self, attempt: Attempt) -> str | None:
        if not self._workers:  # where there is none, one may join
            is_none_able = self._asked and all(asked.done() and not asked.result() for asked in self._asked.values())
            return "none of the workers can carry it out" if is_none_able else None
        if attempt.needs.gpu and not self.slots(attempt.needs):
            return f"no worker declares a {_GPU}; start one with: dask worker --resources {_GPU}=1"
        if attempt.avoid >= self._workers.keys():
            return "none of the workers can carry it out"
        needed = self._resources(attempt.needs)
        others = [worker["resources"] for address, worker in self._workers.items() if address not in attempt.avoid]
        if not any(all(has.get(name, 0) >= amount for name, amount in needed.items()) for has in others):
            return f"no worker declares enough of what it needs: {needed}"
        return None

    def submit(self, attempt: Attempt) -> None:
        workers = frozenset(self._workers.keys() - attempt.avoid)
        try:
            future = self._client.submit(
                _carry_out,
                attempt.order(),
                self._run,
                # Dask would take another attempt with the same key for the same task.
                key=f"{self._run}-{attempt.name}",
                pure=False,
                workers=sorted(workers),
                resources=self._resources(attempt.needs) or None,
            )
        except Exception as error:  # Dask raises many kinds for a connection that is gone
            self._lost(error)
            return
        with self._lock:
            self._tasks[attempt.name] = _Task(future, workers)
        future.add_done_callback(lambda done: self._has_ended(attempt.name, done))

    def stop(self) -> None:
        with contextlib.suppress(Exception):  # the scheduler may be gone
            Event(self._run, client=self._client).set()

    def close(self) -> None:
        """Cancel all tasks, which end their processes."""
        with self._lock:
            self._closed.set()
        self._threads.shutdown(wait=False, cancel_futures=True)
        with contextlib.suppress(Exception):  # the scheduler may be gone
            self._client.cancel([task.future for task in self._tasks.values()], force=True)
            self._client.unsubscribe_topic(self._run)
            self._client.set_metadata([self._run], None)

    def _look(self) -> None:
        """Follow which workers there are, and give up tasks that none is left for."""
        try:
            while not self._closed.wait(_SECONDS_BETWEEN):
                self._refresh()
                with self._lock:
                    homeless = [name for name, task in self._tasks.items() if not task.workers & self._workers.keys()]
                for name in homeless:
                    self._tasks.pop(name).future.cancel(force=True)
                    self._emit(Lost(name, "all workers that could carry it out have left", *self._account(name)))
        except Exception as error:  # Dask raises many kinds for a connection that is gone
            self._lost(error)

    def _refresh(self) -> None:
        """Ask the workers that have joined whether they can import the suite, and forget those that have left."""
        present = _present(self._client)
        for address in present.keys() - self._asked.keys():
            self._asked[address] = self._threads.submit(self._ask, address)
        self._asked = {address: asked for address, asked in self._asked.items() if address in present}
        able = {address for address, asked in self._asked.items() if asked.done() and asked.result()}
        self._workers = {address: worker for address, worker in present.items() if address in able}

    def _ask(self, address: str) -> bool:
        try:
            self._client.run(_imported, workers=[address])
        except Exception as error:  # of the worker, or of the connection
            if not self._closed.is_set():
                self._emit(Refused(address, f"it cannot import the suite, or does not answer: {error}"))
            return False
        return True

    def _lost(self, error: Exception) -> None:
        if not self._closed.is_set():
            reason = f"the Dask scheduler is gone ({type(error).__name__}: {error}); go on with --resume"
            self._emit(ClusterLost(reason))

    def _has_ended(self, name: str, future: Any) -> None:
        """Fetch what a task has returned, in a thread; Dask may call this after ``close``, which cancels tasks."""
        with self._lock:
            if not self._closed.is_set() and self._tasks.pop(name, None) is not None:
                self._threads.submit(self._settle, name, future)

    def _settle(self, name: str, future: Any) -> None:
        """Report how a task has ended."""
        try:
            kind, fields = future.result(timeout=_PATIENCE)
        except (KilledWorker, CancelledError, asyncio.CancelledError):
            kind, fields = "lost", {}
        except Exception as error:
            self._report_loss(name, str(error).partition("\n")[0] or type(error).__name__, has_begun=True)
            return
        match kind:
            case "ended":
                calling = fields.pop("calling")
                self._emit(Ended(**fields, calling=Calling(**calling) if calling else None))
            case "refused":
                self._emit(Refused(**fields, attempt=name))
            case _:
                self._report_loss(name, "its worker was lost")

    def _report_loss(self, name: str, reason: str, *, has_begun: bool = False) -> None:
        """has_begun: whether a machine is to blame, even if none has said that it begins."""
        try:
            begun, calling = self._account(name)
        except Exception as error:
            self._lost(error)
        else:
            self._emit(Lost(name, reason, begun or ("an unknown machine" if has_begun else None), calling))

    def _account(self, name: str) -> tuple[str | None, Calling | None]:
        """The worker that had begun an attempt, and the call that was announced last."""
        begun = self._client.get_metadata([self._run, "begun", name], None)
        calling = self._client.get_metadata([self._run, "calling", name], None)
        return begun, Calling(*calling) if calling else None

    def _resources(self, needs: Needs) -> dict[str, float]:
        """The resources of a task. Memory only counts where workers declare it."""
        declared = any(_MEMORY in worker["resources"] for worker in self._workers.values())
        memory = {_MEMORY: float(needs.memory)} if needs.memory is not None and declared else {}
        return memory | ({_GPU: 1.0} if needs.gpu else {})


def _carry_out(text: str, run: str) -> tuple[str, dict[str, Any]]:
    """The task: on a worker, in a thread that only starts a process and waits for it."""
    worker, client = get_worker(), get_client()
    order = json.loads(text)
    try:
        problem = machine.problem_with(order)
        if problem is not None:
            return "refused", {"machine": worker.address, "reason": problem}
        if client.get_metadata([run, "begun", order["name"]], None) is not None:
            return "lost", {}
        for digest in content.missing([digest for digest in (order["data"], order["files"]) if digest is not None]):
            content.store(digest, client.get_metadata([run, "contents", digest]))
        client.set_metadata([run, "begun", order["name"]], worker.address)
        ended = machine.perform(
            order,
            worker.address,
            Path(worker.local_directory),
            _environment(),
            # The scheduler adds fields of its own to what is logged.
            lambda progress: worker.log_event(
                run, {"progress": {**progress, "attempt": order["name"], "machine": worker.address}}
            ),
            lambda calling: client.set_metadata([run, "calling", order["name"]], calling),
            _wishes(worker, client, run),
        )
    except OSError as error:  # such as a full disk
        return "refused", {"machine": worker.address, "reason": str(error)}
    return ("ended", _fields(ended)) if ended is not None else ("lost", {})


def _fields(ended: Ended) -> dict[str, Any]:
    return {**vars(ended), "calling": vars(ended.calling) if ended.calling is not None else None}


def _wishes(worker: Any, client: Client, run: str) -> Callable[[], machine.Wish]:
    key, stop = worker.get_current_task(), Event(run, client=client)

    def wish() -> machine.Wish:
        task = worker.state.tasks.get(key)
        if task is None or task.state != "executing" or worker.status not in (Status.running, Status.paused):
            return "drop"
        return "end" if stop.is_set() else "go on"

    return wish


def _environment() -> dict[str, str]:
    """The environment of this worker, without what Dask adds to that of the machine."""
    return {name: value for name, value in os.environ.items() if _OF_WORKERS.get(name) != value}
