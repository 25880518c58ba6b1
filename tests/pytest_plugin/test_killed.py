"""A session of pytest, or a part of it, that is killed: its results are there, and nobody takes them for all."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.results.file import Results, read_results
from tests.pytest_plugin.project import write_project
from tests.pytest_plugin.sessions import run_pytest, run_pytest_process

ARGUMENTS = ("--conformance", "./adapter.py", "--conformance-items=case", "-k", "float64 and (right or wrong)")
KILLED = """
import os
import signal

done = []
is_worker = []


def pytest_configure(config):
    is_worker.append(hasattr(config, "workerinput"))


def pytest_runtest_logreport(report):
    if report.when == "teardown" and is_worker == [False]:
        done.append(report.nodeid)
        if len(done) == 4:
            os.kill(os.getpid(), signal.SIGKILL)
"""
WORKER_KILLED = """
import os
import signal

done = []
worker = []


def pytest_configure(config):
    worker.append(getattr(config, "workerinput", {}).get("workerid"))


def pytest_runtest_logreport(report):
    if report.when == "call" and worker == ["gw0"]:
        done.append(report.nodeid)
        if len(done) == 2:
            os.kill(os.getpid(), signal.SIGKILL)
"""
LEFT_OUT = """
from _pytest.runner import runtestprotocol


def pytest_runtestloop(session):
    for item in session.items[1:]:
        runtestprotocol(item, nextitem=None)
    return True
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    write_project(tmp_path)
    return tmp_path


def results_of(project: Path) -> Results:
    [folder] = (project / "conformance-results").iterdir()
    return read_results(folder)


@pytest.mark.parametrize("processes", ["0", "2"])
def test_a_session_that_is_killed_leaves_the_results_of_its_items_in_a_file_without_an_end(
    project: Path, processes: str
) -> None:
    (project / "conftest.py").write_text(KILLED)
    done = run_pytest_process(project, *ARGUMENTS, "-n", processes)
    assert done.status == -9, done.out
    results = results_of(project)
    assert results.end is None
    assert len(results.results) >= 3
    assert [target.id for target in results.targets] == ["./adapter.py@cpu"]
    assert len(results.mappings) == 6
    assert all(results.known_record(result) for result in results.results if result.known)


def test_a_session_whose_worker_was_killed_is_incomplete_and_says_so(project: Path) -> None:
    (project / "conftest.py").write_text(WORKER_KILLED)
    done = run_pytest_process(project, *ARGUMENTS, "-n", "2")
    assert done.status == 1
    results = results_of(project)
    assert results.end is not None
    reason = "the worker gw0 of pytest-xdist ended before its session: Not properly terminated"
    assert (results.end.complete, results.end.reason) == (False, reason)
    assert f"conformance: the results are incomplete: {reason}" in done.out


def test_a_session_in_which_an_item_brings_no_results_is_incomplete_and_fails(project: Path) -> None:
    (project / "conftest.py").write_text(LEFT_OUT)
    done = run_pytest(project, *ARGUMENTS[:-1], "float64 and right")
    assert done.status == 1
    results = results_of(project)
    assert results.end is not None
    assert not results.complete
    assert str(results.end.reason).startswith("no results came of 1 item, such as conformance::./adapter.py::")
    assert "conformance: the results are incomplete: no results came of 1 item" in done.out


def test_of_an_item_that_ran_again_the_last_results_count(project: Path) -> None:
    (project / "conftest.py").write_text(LEFT_OUT.replace("session.items[1:]", "session.items * 2"))
    done = run_pytest(project, *ARGUMENTS[:-1], "float64 and right and lucky")
    assert "conformance: the report is in conformance-report/index.html" in done.out
    results = read_results(project / "conformance-report")
    assert results.complete
    assert len({result.case for result in results.results}) == len(results.results)
