"""A user's project in which runs are disturbed: its commands, their processes, and what an undisturbed run finds."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path

from conformance import pytest_plugin
from conformance.results.file import Results, read_results
from tests.cli.command import REPOSITORY
from tests.pytest_plugin.project import write_project

PATIENCE = 300.0
"""Seconds after which a command does not end any more."""
_MARK = "CONFORMANCE_FAULTS"
"""The environment variable by which the processes of a project are known, with its folder."""
APIS = "fake.[rwkl]*"
"""Those that gather rightly, wrongly, and not at all; another harness is about what adapters do to their processes."""
_TRACEBACK = re.compile(r'Traceback \(most recent call last\):\n  File "(?!.*resource_tracker\.py)')
"""Python itself prints one of a process that looks after others of Dask, if one of them is killed."""
_OF_OTHERS = "pytest-of-|dask-scratch-space"
"""Temporary folders that pytest and Dask keep."""
Verdicts = Mapping[tuple[str, str], tuple[str, ...]]
"""By case and API, the verdict and the kinds of divergence."""


@dataclass(frozen=True)
class Ended:
    """How a command ended; status None if it did not end by itself."""

    status: int | None
    text: str

    @property
    def is_internal_error(self) -> bool:
        return self.status in (None, 3) or _TRACEBACK.search(self.text) is not None


class World:
    """A project in a folder, with a home folder and a folder for temporary files of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.temporary = folder / "temporary"
        self.home = folder / "home"
        self.temporary.mkdir()
        write_project(folder)

    def command(self, *words: str) -> Sequence[str]:
        """The command line of the suite, with options for a run of the project."""
        return (sys.executable, "-m", "conformance", *words)

    def run(self, *words: str, output: str = "out") -> Sequence[str]:
        return self.command("run", "./adapter.py", "--here", "-q", "--api", APIS, "--output", output, *words)

    def pytest(self, *words: str) -> Sequence[str]:
        plugin = any(entry.value == pytest_plugin.__name__ for entry in entry_points(group="pytest11"))
        named = () if plugin else ("-p", pytest_plugin.__name__)
        options = ("--conformance", "./adapter.py", "--conformance-output", "out", "-k", "right or wrong or lacks")
        return (sys.executable, "-m", "pytest", "-q", *named, *options, *words)

    @contextmanager
    def started(self, command: Sequence[str]) -> Iterator[subprocess.Popen[bytes]]:
        """A command that is under way; its output is in a file."""
        with (self.folder / "printed").open("wb") as printed:
            process = subprocess.Popen(
                list(command),
                cwd=self.folder,
                env={
                    **os.environ,
                    "PYTHONPATH": str(REPOSITORY),
                    "CONFORMANCE_HOME": str(self.home),
                    "TMPDIR": str(self.temporary),
                    "PYTEST_ADDOPTS": "",
                    "GITHUB_ACTIONS": "",
                    _MARK: str(self.folder),
                },
                stdin=subprocess.DEVNULL,
                stdout=printed,
                stderr=printed,
            )
        try:
            yield process
        finally:
            if process.poll() is None:
                process.kill()
            process.wait()

    def ended(self, process: subprocess.Popen[bytes]) -> Ended:
        """Wait until a command ends."""
        with suppress(subprocess.TimeoutExpired):
            process.wait(PATIENCE)
        return Ended(process.poll(), (self.folder / "printed").read_text(errors="replace"))

    def done(self, command: Sequence[str]) -> Ended:
        """Run a command to its end."""
        with self.started(command) as process:
            return self.ended(process)

    def processes(self) -> list[int]:
        """The running processes that belong to the project."""
        mark = f"{_MARK}={self.folder}".encode()
        return [
            int(path.name)
            for path in Path("/proc").iterdir()
            if path.name.isdigit() and _runs(path) and mark in _read(path / "environ").split(b"\0")
        ]

    def remaining(self) -> list[int]:
        """The processes that do not end within a moment; they are ended."""
        end = time.monotonic() + 30
        while (left := self.processes()) and time.monotonic() < end:
            time.sleep(0.1)
        for process in left:
            strike(process)
        return left

    def left_files(self) -> list[Path]:
        """Temporary folders, and temporary files beside what they were to replace."""
        hidden = (path for path in self.folder.rglob(".*") if re.fullmatch(r"\.[0-9a-f]{16}\..*", path.name))
        own = (path for path in self.temporary.iterdir() if not re.match(_OF_OTHERS, path.name))
        return [*own, *hidden]

    def clear(self) -> None:
        """Remove what commands have written, for the next round."""
        for name in ("out", "conformance-results", "conformance-report"):
            path = self.folder / name
            shutil.rmtree(path, ignore_errors=True) if not path.is_symlink() else path.unlink()
        for path in self.left_files():
            shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink()


def verdicts_of(results: Results) -> Verdicts:
    return {(one.case, one.api): (one.verdict, *one.divergence) for one in results.results}


def verdicts_in(folder: Path) -> Verdicts:
    return verdicts_of(read_results(folder))


def strike(process: int, number: signal.Signals = signal.SIGKILL) -> bool:
    """Send a signal; whether the process was running."""
    was_running = _runs(Path("/proc", str(process)))
    try:
        os.kill(process, number)
    except ProcessLookupError:
        return False
    return was_running


def is_worker(process: int) -> bool:
    """Whether it is a fork server, a worker, or what stands between a worker and the suite."""
    return b"start_worker.py" in _read(Path("/proc", str(process), "cmdline"))


def descends(process: int, ancestor: int) -> bool:
    """Whether it is started by another process, or by what that started."""
    while process > 1 and process != ancestor:
        stat = _read(Path("/proc", str(process), "stat")).decode(errors="replace")
        process = int(stat.rpartition(")")[2].split()[1]) if stat else 0
    return process == ancestor


def chosen(processes: Sequence[int], is_one: Callable[[int], bool]) -> list[int]:
    return sorted(process for process in processes if is_one(process))


def _runs(path: Path) -> bool:
    stat = _read(path / "stat").decode(errors="replace")
    return bool(stat) and stat.rpartition(")")[2].split()[0] not in ("Z", "X")


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""
