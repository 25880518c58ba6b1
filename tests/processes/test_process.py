"""How a worker ended is told by its process, even if the machine is slow to tell."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from conformance.outcomes.model import Died, Hung
from conformance.processes.patience import has_ended
from conformance.processes.pipes import Pipes
from conformance.processes.process import WorkerEnded, WorkerProcess

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="/proc")


class SlowToTell:
    """A process whose exit code is known only when it is asked for the second time."""

    is_forked = True
    is_running = True

    def __init__(self, pid: int, code: int) -> None:
        self.pid = pid
        self._answers = iter((None, code))

    def await_start(self, limit: float) -> None:
        raise AssertionError

    def wait(self, limit: float) -> int | None:
        return next(self._answers, None)

    def kill_group(self) -> None:
        """Nothing is left to kill."""


@pytest.fixture
def ended() -> Iterator[int]:
    """A child that has ended and was not waited for."""
    child = subprocess.Popen([sys.executable, "-c", ""])
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    yield child.pid
    child.wait()


def ending_of(process: int) -> Died | Hung:
    pipes = Pipes()
    worker = WorkerProcess(SlowToTell(process, -6), pipes)
    pipes.close_worker_ends()
    with pytest.raises(WorkerEnded) as caught:
        worker.receive(5.0, lambda header, body: None)
    return caught.value.outcome


def test_the_exit_code_of_a_process_that_has_ended_is_waited_for(ended: int) -> None:
    assert ending_of(ended) == Died(signal="SIGABRT")


def test_a_process_that_goes_on_has_closed_its_pipe() -> None:
    assert ending_of(os.getpid()) == Died()


def test_a_process_has_ended_before_and_after_it_is_waited_for(ended: int) -> None:
    assert has_ended(ended)
    os.waitpid(ended, 0)
    assert has_ended(ended)
    assert not has_ended(os.getpid())


def test_a_hang_tells_how_long_it_was_waited_for_which_may_be_longer_than_the_limit() -> None:
    begun = time.monotonic()
    with pytest.raises(WorkerEnded) as caught:
        WorkerProcess(SlowToTell(os.getpid(), 0), Pipes()).receive(0.2, lambda header, body: None)
    assert isinstance(caught.value.outcome, Hung)
    assert 0.2 <= caught.value.waited <= time.monotonic() - begun
