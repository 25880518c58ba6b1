"""A forked worker may be stopped by one thread while another waits for it."""

from __future__ import annotations

import os
import signal
from concurrent.futures import ThreadPoolExecutor

from conformance.targets.fork_server import ForkedProcess
from conformance.worker.status import NUMBER

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


def _ended(code: int) -> ForkedProcess:
    """A worker whose server has reported its exit code."""
    status, server_status = os.pipe()
    os.write(server_status, NUMBER.pack(NO_PROCESS) + NUMBER.pack(code))
    os.close(server_status)
    return ForkedProcess(status, str)
