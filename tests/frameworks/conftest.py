"""Runs over the default targets, which several files read."""

from __future__ import annotations

import fcntl
import os
from dataclasses import dataclass
from pathlib import Path

import pytest

from conformance.app.options import DEFAULT_TARGETS
from conformance.results.file import Results, read_results
from tests.cli.command import conformance

PART = ("--shard", "1/6")
"""Of a run of all cases, which takes minutes and is made with --whole."""


@dataclass(frozen=True)
class FinishedRun:
    """A run and the folder in which it was started."""

    folder: Path
    results: Results


@pytest.fixture(scope="session")
def default_run(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> FinishedRun:
    return _made_once("default", () if request.config.getoption("--whole") else PART, tmp_path_factory)


@pytest.fixture(scope="session")
def results(default_run: FinishedRun) -> Results:
    return default_run.results


@pytest.fixture(scope="session")
def examples(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """All worked examples of documents, in the dtypes that they print."""
    return _made_once("examples", ("--quick", *DEFAULT_TARGETS), tmp_path_factory).results


def _made_once(name: str, words: tuple[str, ...], tmp_path_factory: pytest.TempPathFactory) -> FinishedRun:
    """Made by the first worker of xdist that needs it, for which the others wait."""
    of_session = tmp_path_factory.getbasetemp()
    shared = of_session.parent if "PYTEST_XDIST_WORKER" in os.environ else of_session
    folder = shared / f"run-{name}"
    folder.mkdir(exist_ok=True)
    with (shared / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "made").exists():
            done = conformance("run", *words, "--output", "results", cwd=folder)
            assert done.status == 0, done.out + done.err
            (folder / "made").touch()
    return FinishedRun(folder, read_results(folder / "results"))
