"""Runs in a process of their own that hang in a call."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from tests.cli.command import REPOSITORY
from tests.execution.harness import FAKES

LIMIT = 60.0
"""Seconds to wait for what happens in a few of them on a machine that is not busy."""


class Run:
    """A run that hangs in a call, in a process of its own."""

    def __init__(self, folder: Path, *words: str, more: Sequence[str] = ()) -> None:
        """more: further targets."""
        self.folder = folder
        self.temporary = folder / "temporary"
        self.temporary.mkdir()
        shutil.copy(FAKES / "leaves_processes.py", folder)
        command = [
            "run",
            "./leaves_processes.py",
            *more,
            "--here",
            "--specs",
            str(FAKES / "specs"),
            "--output",
            "out",
            "-q",
        ]
        with _hangup_not_ignored():
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
        return [process for process in self.noted if process.isdigit() and runs(int(process))]

    def wait_until_it_hangs(self) -> None:
        wait(lambda: "hangs" in self.noted or self.process.poll() is not None)
        assert len(self.noted) >= 5

    def __enter__(self) -> Run:
        return self

    def __exit__(self, *_: object) -> None:
        """End whatever a failing test leaves."""
        self.process.kill()
        self.process.communicate()
        for process in self.remaining():
            # It may end by itself at any moment.
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(process), signal.SIGKILL)

    def end(self) -> int:
        """Its exit status; what it printed on standard error has no traceback."""
        _, errors = self.process.communicate(timeout=LIMIT)
        assert "Traceback" not in errors
        return self.process.returncode


@contextlib.contextmanager
def _hangup_not_ignored() -> Iterator[None]:
    """Start processes that end at SIGHUP, although nohup makes all processes of what it starts ignore it."""
    previous = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGHUP, previous)


def runs(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait(happens: Callable[[], bool]) -> None:
    deadline = time.monotonic() + LIMIT
    while not happens():
        assert time.monotonic() < deadline
        time.sleep(0.05)
