"""A run and ``pytest --conformance`` say the same of a target."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from conformance.results.file import Results, read_results
from conformance.results.records import TargetRecord
from tests.cli.command import conformance
from tests.pytest_plugin.sessions import run_pytest

ADAPTER = '''
import numpy as np

from conformance.adapter import api


class json:
    def gather(values, index):
        """Gathers.

        Example::

            >>> np.array([1, 2]) * 2
            array([2, 4])

            >>> np.array([1, 2])
            array([1, 3])
        """


def describe():
    return {"framework": "json", "version": "1.0"}


@api("json.gather", operation="gather_elements")
def gather(input, dim, index):
    return np.take_along_axis(input, index, dim)
'''
TARGET = """
title = "Fake"

[devices]
cpu = {gpu = false}

[modes]
eager = {}
expensive = {compiled = true, first = 1, shape = 0.2, workers = 2}

[[releases]]
versions = ""
python = ">=3.9"
"""
MEASURED = ("seconds", "memory", "imports", "forks")


@dataclass(frozen=True)
class Both:
    """What a run and a session of pytest wrote."""

    run: Results
    pytest: Results
    remembered: tuple[set[str], set[str]]
    """The files with measurements for later runs that each of them left."""


@pytest.fixture(scope="module", params=["expensive", "eager"])
def both(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Both:
    folder = tmp_path_factory.mktemp(request.param)
    (folder / "fake").mkdir()
    (folder / "fake" / "fake.py").write_text(ADAPTER)
    (folder / "fake" / "target.toml").write_text(TARGET)
    (folder / "home").mkdir()
    target, home = f"./fake/fake.py[{request.param}]", {"CONFORMANCE_HOME": str(folder / "home")}
    words = ["run", target, "--here", "--operation", "gather_elements", "--draws", "4", "--output", "ran", "-q"]
    ran = conformance(*words, cwd=folder, **home)
    assert ran.status in (0, 1), ran.err
    of_run = _taken(folder / "home")
    options = ["--conformance-here", "--conformance-operation", "gather_elements", "--conformance-draws", "4"]
    tested = run_pytest(folder, "--conformance", target, *options, more=home)
    assert tested.status in (0, 1), tested.out
    files = of_run, _taken(folder / "home")
    return Both(read_results(folder / "ran"), read_results(folder / "conformance-report"), files)


def _taken(home: Path) -> set[str]:
    files = [*home.glob("*.json")]
    for file in files:
        file.unlink()
    return {file.name for file in files}


def test_pytest_and_a_run_write_the_same_target_record_but_for_times(both: Both) -> None:
    [of_run], [of_pytest] = both.run.targets, both.pytest.targets
    assert (of_run.mode == "expensive") is bool(of_run.left_out) is bool(of_run.forms)
    assert _unmeasured(of_pytest) == _unmeasured(of_run)
    for name in MEASURED:
        assert (getattr(of_pytest, name) is None) is (getattr(of_run, name) is None), name


@pytest.mark.parametrize("named", ["reference", "./fake/fake.py[expensive]"])
def test_pytest_and_a_run_of_named_cases_make_and_leave_out_the_same(named: str, tmp_path: Path) -> None:
    (tmp_path / "fake").mkdir()
    (tmp_path / "fake" / "fake.py").write_text(ADAPTER)
    (tmp_path / "fake" / "target.toml").write_text(TARGET)
    # The second target has no API of one of these operations.
    operations, selection = ("gather_elements", "scatter_elements"), ["-k", "rule.index-rank"]
    chosen = [word for name in operations for word in ("--operation", name)]
    ran = conformance(
        "run", named, "--here", *selection, *chosen, "--draws", "4", "-q", "--output", "ran", cwd=tmp_path
    )
    assert ran.status in (0, 1), ran.err
    chosen = [word for name in operations for word in ("--conformance-operation", name)]
    options = ["--conformance-here", *chosen, "--conformance-draws", "4"]
    tested = run_pytest(tmp_path, "--conformance", named, *options, *selection)
    assert tested.status in (0, 1), tested.out
    of_run, of_pytest = read_results(tmp_path / "ran"), read_results(tmp_path / "conformance-report")
    [run_record], [pytest_record] = of_run.targets, of_pytest.targets
    assert bool(run_record.left_out) is bool(run_record.forms) is (named != "reference")
    assert _unmeasured(pytest_record) == _unmeasured(run_record)
    assert _judged(of_pytest) == _judged(of_run) != set()


def _judged(results: Results) -> set[tuple[str, str]]:
    return {(one.case, one.api) for one in results.results if one.verdict != "observed"}


def _unmeasured(target: TargetRecord) -> TargetRecord:
    return replace(target, seconds=None, memory=None, imports=None, forks=None)


def test_pytest_and_a_run_try_the_same_examples_of_documentation(both: Both) -> None:
    assert both.pytest.examples == both.run.examples
    assert {example.verdict for example in both.run.examples} == (
        set() if both.run.targets[0].mode == "expensive" else {"agrees", "differs"}
    )


def test_pytest_and_a_run_remember_time_and_memory_for_later_runs(both: Both) -> None:
    assert both.remembered == ({"durations.json", "memory.json"},) * 2
