"""Most calls are made with one thread, those that are repeated with as many as users have."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from conformance.environments.definition import load_definition
from conformance.environments.prepared_target import Prepared
from conformance.execution.repeat import thread_setting, threads
from tests.execution.harness import FAKES, THIS_ENVIRONMENT, job


@pytest.fixture
def prepared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Prepared:
    text = (FAKES / "modes" / "target.toml").read_text(encoding="utf-8")
    path = tmp_path / "target.toml"
    path.write_text('threads = ["OMP_NUM_THREADS", "TOY_THREADS"]\n' + text, encoding="utf-8")
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    target = replace(job(FAKES / "strides.py").target, definition=load_definition(path, "modes"))
    return Prepared(target, THIS_ENVIRONMENT)


def thread_variables(variables: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in variables.items() if "THREADS" in name}


def test_calls_are_made_with_one_thread(prepared: Prepared) -> None:
    one = {"OMP_NUM_THREADS": "1", "TOY_THREADS": "1"}
    assert thread_variables(prepared.process_variables()) == prepared.variables == one


def test_calls_are_repeated_with_the_default_of_the_framework_or_a_given_number(prepared: Prepared) -> None:
    assert thread_variables(prepared.with_threads(None).process_variables()) == {}
    two = prepared.with_threads(2)
    assert thread_variables(two.process_variables()) == two.variables == {"OMP_NUM_THREADS": "2", "TOY_THREADS": "2"}


def test_without_a_target_toml_the_environment_of_the_user_counts(prepared: Prepared) -> None:
    without = Prepared(replace(prepared.target, definition=None), THIS_ENVIRONMENT)
    assert thread_variables(without.process_variables()) == {"OMP_NUM_THREADS": "7"}
    assert thread_variables(without.with_threads(2).process_variables()) == {"OMP_NUM_THREADS": "2"}


@pytest.mark.parametrize(
    ("cores", "number", "setting"), [(1, 2, 2), (2, 2, 2), (3, 3, 3), (4, 4, None), (64, 64, None)]
)
def test_there_are_at_least_two_threads(cores: int, number: int, setting: int | None) -> None:
    assert (threads(cores), thread_setting(cores)) == (number, setting)


def test_a_worker_finds_what_a_relative_pythonpath_names(
    prepared: Prepared, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(["lib", str(tmp_path / "other")]))
    expected = os.pathsep.join([str(tmp_path / "lib"), str(tmp_path / "other")])
    assert prepared.process_variables()["PYTHONPATH"] == expected
