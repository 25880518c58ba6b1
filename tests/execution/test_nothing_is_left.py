"""However a run ends, its file has an end, its reports are there, and none of its processes and folders remain."""

from __future__ import annotations

import signal
import sys
import time
from pathlib import Path

import pytest

from conformance.results.file import read_results
from tests.execution.hanging import Run, runs, wait

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="other systems do not tell whose a process is")


@pytest.mark.parametrize(
    ("signals", "start"),
    [
        ([signal.SIGTERM], "fork"),
        ([signal.SIGHUP], "spawn"),
        ([signal.SIGINT] * 3, "fork"),
        ([signal.SIGXCPU, signal.SIGUSR1, signal.SIGUSR2, signal.SIGALRM, signal.SIGQUIT], "fork"),
    ],
    ids=["terminated", "terminal-closed", "interrupted-three-times", "batch-system"],
)
def test_a_signal_ends_a_run_with_its_results_and_nothing_else(
    tmp_path: Path, signals: list[signal.Signals], start: str
) -> None:
    with Run(tmp_path, "--start", start) as run:
        run.wait_until_it_hangs()
        for number in signals:
            run.process.send_signal(number)
            time.sleep(0.1)
        assert run.end() == 2
        results = read_results(tmp_path / "out")
        assert results.end is not None
        assert (results.end.complete, results.end.reason) == (False, "interrupted")
        assert results.results
        assert {path.name for path in (tmp_path / "out").iterdir()} >= {"index.html", "junit.xml", "summary.md"}
        assert run.remaining() == []
        assert list(run.temporary.iterdir()) == []


@pytest.mark.parametrize("start", ["fork", "spawn"])
def test_workers_end_with_a_run_that_is_killed(tmp_path: Path, start: str) -> None:
    with Run(tmp_path, "--start", start) as run:
        run.wait_until_it_hangs()
        run.process.kill()
        if start == "fork":
            wait(lambda: run.remaining() == [])
        else:
            hanging = int(run.noted[run.noted.index("hangs") - 1])
            wait(lambda: not runs(hanging))


def test_what_an_adapter_started_ends_with_a_complete_run(tmp_path: Path) -> None:
    with Run(tmp_path, "--timeout", "0.5") as run:
        assert run.end() in (0, 1)
        assert read_results(tmp_path / "out").complete
        assert len(run.noted) >= 5
        assert run.remaining() == []
        assert list(run.temporary.iterdir()) == []
