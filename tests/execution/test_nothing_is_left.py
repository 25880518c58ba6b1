"""However a run ends, its file has an end, its reports are there, and none of its processes and folders remain."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from conformance.results.file import read_results
from tests.cli.command import REPOSITORY
from tests.execution.harness import FAKES

LIMIT = 60.0
"""Seconds to wait for what happens in a few of them on a machine that is not busy."""

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="other systems do not tell whose a process is")


class Run:
    """A run that hangs in a call, in a process of its own."""

    def __init__(self, folder: Path, *words: str) -> None:
        self.folder = folder
        self.temporary = folder / "temporary"
        self.temporary.mkdir()
        shutil.copy(FAKES / "leaves_processes.py", folder)
        command = ["run", "./leaves_processes.py", "--here", "--specs", str(FAKES / "specs"), "--output", "out", "-q"]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "conformance", *command, *words],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(REPOSITORY), "TMPDIR": str(self.temporary)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )

    @property
    def noted(self) -> list[str]:
        file = self.folder / "processes"
        return file.read_text().split() if file.exists() else []

    def remaining(self) -> list[str]:
        """The noted processes that have not ended."""
        return [process for process in self.noted if process.isdigit() and _runs(int(process))]

    def wait_until_it_hangs(self) -> None:
        _wait(lambda: "hangs" in self.noted)
        assert len(self.noted) >= 5

    def __enter__(self) -> Run:
        return self

    def __exit__(self, *_: object) -> None:
        """End whatever a failing test leaves."""
        self.process.kill()
        self.process.communicate()
        for process in self.remaining():
            os.kill(int(process), signal.SIGKILL)

    def end(self) -> int:
        """Its exit status; what it printed on standard error has no traceback."""
        _, errors = self.process.communicate(timeout=LIMIT)
        assert "Traceback" not in errors
        return self.process.returncode


def _runs(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def _wait(happens: Callable[[], bool]) -> None:
    deadline = time.monotonic() + LIMIT
    while not happens():
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.mark.parametrize(
    ("signals", "start"),
    [([signal.SIGTERM], "fork"), ([signal.SIGHUP], "spawn"), ([signal.SIGINT] * 3, "fork")],
    ids=["terminated", "terminal-closed", "interrupted-three-times"],
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
            _wait(lambda: run.remaining() == [])
        else:
            hanging = int(run.noted[run.noted.index("hangs") - 1])
            _wait(lambda: not _runs(hanging))


def test_what_an_adapter_started_ends_with_a_complete_run(tmp_path: Path) -> None:
    with Run(tmp_path, "--timeout", "1") as run:
        assert run.end() in (0, 1)
        assert read_results(tmp_path / "out").complete
        assert len(run.noted) >= 5
        assert run.remaining() == []
        assert list(run.temporary.iterdir()) == []
