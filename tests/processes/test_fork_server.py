"""A forked worker may be stopped by one thread while another waits for it; a server that ended says why."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from conformance.processes.fork_server import ForkedProcess, ForkServer, ServerEnded
from conformance.processes.pipes import Pipes
from conformance.worker.fork_server import NUMBER

NO_PROCESS = 2**30
"""Larger than any process id."""

ROUNDS = 300
THREADS = 4


def test_a_worker_that_has_ended_can_be_stopped_by_several_threads() -> None:
    with ThreadPoolExecutor(THREADS) as threads:
        for _ in range(ROUNDS):
            process = _ended(-signal.SIGKILL)
            for stopped in [threads.submit(process.kill_group) for _ in range(THREADS)]:
                stopped.result()
            assert process.wait(0) == -signal.SIGKILL
            assert not process.is_running


def test_the_last_error_of_a_server_that_has_ended_is_the_reason(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "import sys; print('first', file=sys.stderr); sys.exit('no such driver')", "{}"]
    pipes = Pipes()
    with (
        closing(ForkServer(command, os.environ, tmp_path)) as server,
        pytest.raises(ServerEnded, match=r": no such driver$"),
    ):
        server.fork(pipes, None).await_start(30.0)
    pipes.discard()


def test_a_server_imports_nothing_that_would_make_forking_slower() -> None:
    program = (
        "import sys, numpy; before = set(sys.modules); import conformance.worker.fork_server; "
        "print(*sorted({'numpy.random', 'random', 'shutil', 'tempfile'} & (set(sys.modules) - before)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def _ended(code: int) -> ForkedProcess:
    """A worker whose server has reported its exit code."""
    status, server_status = os.pipe()
    os.write(server_status, NUMBER.pack(NO_PROCESS) + NUMBER.pack(code))
    os.close(server_status)
    return ForkedProcess(status, str)
