"""A Dask scheduler and workers as processes, each worker with a home folder of its own, as on several machines."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from distributed import Client

from tests.cli.command import REPOSITORY

PATIENCE = 60.0


def eventually(holds: Callable[[], object], what: str) -> None:
    """Wait until something holds; AssertionError if it never does."""
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end, f"not within {PATIENCE:g} s: {what}"
        time.sleep(0.02)


@dataclass
class Cluster:
    """A scheduler and its workers."""

    folder: Path
    scheduler: subprocess.Popen[bytes]
    address: str
    own_homes: bool
    """Whether each worker has a home folder of its own, as if it were another machine."""
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def add_worker(self, **variables: str) -> subprocess.Popen[bytes]:
        """Start a worker that has one thread and no nanny."""
        home = {"CONFORMANCE_HOME": str(self.folder / f"home{len(self.workers)}")} if self.own_homes else {}
        command = ["dask_worker", self.address, "--nthreads", "1", "--no-nanny", "--no-dashboard"]
        worker = _dask(command, self.folder, **home, **variables)
        self.workers.append(worker)
        return worker

    def process(self, address: str) -> int:
        """The process id of the worker at an address."""
        with Client(self.address, set_as_default=False) as client:
            return int(client.run(os.getpid, workers=[address])[address])

    def kill(self, address: str) -> None:
        """End a worker as a power failure would."""
        os.kill(self.process(address), signal.SIGKILL)

    def pause(self, address: str, seconds: float) -> None:
        """Stop a worker, and let it go on later."""
        process = self.process(address)
        os.kill(process, signal.SIGSTOP)
        threading.Timer(seconds, _go_on, [process]).start()


def _go_on(process: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(process, signal.SIGCONT)


@contextmanager
def cluster(folder: Path, workers: int, *, own_homes: bool) -> Iterator[Cluster]:
    """A cluster on the loopback interface, which ends with the block."""
    file = folder / "scheduler.json"
    command = ["dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(file)]
    scheduler = _dask(command, folder)
    with ExitStack() as stack:
        stack.callback(_kill, scheduler)
        eventually(file.exists, "the scheduler has started")
        eventually(lambda: _address(file), "the scheduler has written its address")
        started = Cluster(folder, scheduler, str(_address(file)), own_homes)
        stack.callback(_kill_all, started.workers)
        for _ in range(workers):
            started.add_worker()
        yield started


def _address(file: Path) -> str | None:
    try:
        return str(json.loads(file.read_text())["address"])
    except ValueError:
        return None


def _dask(command: Sequence[str], folder: Path, **variables: str) -> subprocess.Popen[bytes]:
    log = (folder / "dask.log").open("ab")
    with log:
        return subprocess.Popen(
            [sys.executable, "-W", "ignore", "-m", f"distributed.cli.{command[0]}", *command[1:]],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(REPOSITORY), **variables},
            stdout=log,
            stderr=log,
        )


def _kill_all(processes: Sequence[subprocess.Popen[bytes]]) -> None:
    for process in processes:
        _kill(process)


def _kill(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        process.send_signal(signal.SIGCONT)
        process.kill()
    process.wait()
