"""What tests use is counted and held."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path

import pytest

from conformance.cases.model import Case
from tests.budgets import BUDGETS, Budgets, Counts, Used, budget_of, room_of
from tests.planted.in_process import all_cases


@pytest.fixture
def counts(request: pytest.FixtureRequest) -> Counts:
    budgets = request.config.pluginmanager.get_plugin("budgets")
    assert isinstance(budgets, Budgets)
    return budgets.counts


def by_popen() -> None:
    subprocess.run([sys.executable, "-c", ""], check=True)


def by_the_system() -> None:
    os.waitpid(os.posix_spawn(sys.executable, [sys.executable, "-c", ""], os.environ), 0)


def by_multiprocessing() -> None:
    process = get_context("spawn").Process(target=os.getpid)
    process.start()
    process.join()


@pytest.mark.parametrize("start", [by_popen, by_the_system, by_multiprocessing])
def test_a_process_is_counted_however_it_is_started(start: Callable[[], object], counts: Counts) -> None:
    before = counts.used
    start()
    assert counts.used - before == Used(processes=1)


def test_a_case_is_counted_when_it_is_built_but_not_where_all_tests_share_it(counts: Counts) -> None:
    case = all_cases()[0]
    before = counts.used

    def build() -> Case:
        return replace(case, id="another")

    assert counts.uncounted(build)().id == "another"
    assert counts.used == before
    build()
    assert counts.used - before == Used(cases=1)


def test_what_uses_more_than_its_budget_fails_and_says_by_how_much() -> None:
    budgets, nodeid = Budgets(are_held=True), f"tests/{next(iter(BUDGETS))}/test_it.py::test_it"
    budget = budget_of(nodeid)
    budgets.hold("this test", nodeid, budget)
    for more in (Used(processes=1), Used(cases=1)):
        with pytest.raises(pytest.fail.Exception, match=f"^this test has used {budget + more}, and may use {budget}: "):
            budgets.hold("this test", nodeid, budget + more)
        Budgets(are_held=False).hold("this test", nodeid, budget + more)


def test_a_file_has_the_budget_of_its_folder_or_a_line_of_its_own() -> None:
    file = next(name for name in BUDGETS if name.endswith(".py"))
    folder = room_of(f"tests/{file}")
    assert budget_of(f"tests/{file}::test_it") == BUDGETS[file] != BUDGETS[folder]
    assert budget_of(f"tests/{folder}/test_that_is_new.py::test_it") == BUDGETS[folder]
    assert budget_of("tests/a_new_folder/test_it.py::test_it") == Used()


def test_the_table_names_what_is_there() -> None:
    tests = Path(__file__).parent
    assert [name for name in BUDGETS if not (tests.parent if name == "tests" else tests).joinpath(name).exists()] == []
