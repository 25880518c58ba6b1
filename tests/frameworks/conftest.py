"""One run of every case over the default targets, which several files read."""

from __future__ import annotations

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
    folder = tmp_path_factory.mktemp("real")
    done = conformance("run", cwd=folder)
    assert done.status == 0, done.out + done.err
    return WholeRun(folder, read_results(folder / "conformance-report"))


@pytest.fixture(scope="session")
def results(whole_run: WholeRun) -> Results:
    return whole_run.results
