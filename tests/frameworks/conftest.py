"""One run of every case over the default targets, which several files read."""

from __future__ import annotations

import fcntl
import os
from dataclasses import dataclass
from pathlib import Path

import pytest

from conformance.results.file import Results, read_results
from tests.cli.command import conformance


@dataclass(frozen=True)
class WholeRun:
    """The run and the folder in which it was started."""

    folder: Path
    results: Results


@pytest.fixture(scope="session")
def whole_run(tmp_path_factory: pytest.TempPathFactory) -> WholeRun:
    """Made by the first worker of xdist that needs it, for which the others wait."""
    of_session = tmp_path_factory.getbasetemp()
    shared = of_session.parent if "PYTEST_XDIST_WORKER" in os.environ else of_session
    folder = shared / "whole-run"
    folder.mkdir(exist_ok=True)
    with (shared / "whole-run.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "made").exists():
            done = conformance("run", "--output", "whole", cwd=folder)
            assert done.status == 0, done.out + done.err
            (folder / "made").touch()
    return WholeRun(folder, read_results(folder / "whole"))


@pytest.fixture(scope="session")
def results(whole_run: WholeRun) -> Results:
    return whole_run.results
