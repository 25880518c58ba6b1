"""``pytest --conformance`` in a user's project; in a process of its own only where xdist, or what is imported, is the subject."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from conformance.pytest_plugin.items import HAS_SUBTESTS
from conformance.results.file import read_results
from tests.cli.command import conformance
from tests.pytest_plugin.project import write_project
from tests.pytest_plugin.sessions import Session, run_pytest, run_pytest_process

UNLUCKY = "conformance::./adapter.py::gather_elements.example.unlucky"
CASE = f"{UNLUCKY}/as-printed.float64"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    write_project(tmp_path)
    return tmp_path


def summary(done: Session) -> str:
    """The counts of the last line, without the duration and what was deselected."""
    return re.sub(
        r" in [0-9.]+s.*|[0-9]+ deselected, |, [0-9]+ deselected", "", done.out.strip().splitlines()[-1]
    ).strip("= ")


@pytest.fixture(scope="module")
def every_way(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Session]:
    """A project, and a session in it with an item for each way to end."""
    project = tmp_path_factory.mktemp("every-way")
    write_project(project)
    selection = ("--conformance-items=case", "-k", "of_the_project or (unlucky and float64)")
    return project, run_pytest(project, "--conformance", "./adapter.py", *selection, "--junitxml", "junit.xml")


def test_each_way_to_end_has_its_outcome_in_pytest(every_way: tuple[Path, Session]) -> None:
    project, done = every_way
    assert summary(done) == "3 failed, 2 passed, 1 skipped, 1 xfailed", done.out
    assert done.status == 1
    for api in ("wrong", "dies", "hangs"):
        assert f"FAILED {CASE}[fake.{api}]" in done.out
    assert "conformance: the report is in conformance-report/index.html" in done.out
    results = read_results(project / "conformance-report")
    assert results.complete
    assert {result.api: result.verdict for result in results.results} == {
        "fake.right": "conforms",
        "fake.wrong": "diverges",
        "fake.known": "diverges",
        "fake.dies": "died",
        "fake.hangs": "hung",
        "fake.lacks": "unsupported",
    }
    assert results.run.command == results.run.selection
    assert "--conformance ./adapter.py --conformance-items=case -k 'of_the_project or " in results.run.command
    cases = ET.parse(project / "junit.xml").getroot().iter("testcase")
    assert {f"{CASE.rpartition('::')[2]}[fake.dies]", "test_of_the_project"} <= {case.get("name") for case in cases}


def test_a_failure_shows_the_call_and_how_to_repeat_it_and_no_traceback(every_way: tuple[Path, Session]) -> None:
    _, done = every_way
    assert "A row whose first number is bad luck." in done.out
    assert "input = float64 [13.0, 2.0, 3.0]" in done.out
    assert "E   value: 3 of 3 elements differ, first at [0]: expected 3.0, got 4.0" in done.out
    assert "conformance repro gather_elements.example.unlucky/as-printed.float64 --target ./adapter.py" in done.out
    assert "conformance/pytest_plugin" not in done.out


def test_the_commands_that_repeat_a_failure_run_as_they_are_printed(every_way: tuple[Path, Session]) -> None:
    project, done = every_way
    of_wrong = done.out.partition("[fake.wrong] _")[2].partition("to repeat it:\n")[2]
    again, script = (shlex.split(line)[1:] for line in of_wrong.splitlines()[:2])
    repeated = run_pytest(project, *again)
    assert summary(repeated) == "1 failed", repeated.out
    shown = conformance(*script, cwd=project)
    assert shown.status == 0, shown.err
    assert "expected 3.0" in shown.out or "[3.0, 2.0" in shown.out


@pytest.mark.skipif(not HAS_SUBTESTS, reason="pytest 8 has no subtests")
def test_the_cases_of_a_clause_are_subtests_of_its_item(project: Path) -> None:
    done = run_pytest(project, "--conformance", "./adapter.py", "-k", "unlucky and (wrong or known or right)")
    assert f"FAILED {UNLUCKY}[fake.wrong]" in done.out
    assert f"SUBFAILED[gather_elements.example.unlucky/as-printed.float64] {UNLUCKY}[fake.wrong]" in done.out
    assert summary(done).endswith("1 passed, 1 xfailed")


def test_xdist_gives_one_report_and_last_failed_runs_what_failed(project: Path) -> None:
    selection = ("--conformance-items=case", "-k", "unlucky and float64 and not hangs")
    first = run_pytest_process(project, "--conformance", "./adapter.py", *selection, "-n", "2")
    assert summary(first) == "2 failed, 1 passed, 1 skipped, 1 xfailed", first.out
    assert len(read_results(project / "conformance-report").results) == 5
    again = run_pytest(project, "--conformance", "./adapter.py", *selection, "--lf")
    assert summary(again) == "2 failed", again.out
    failed = [(result.case, result.api) for result in read_results(project / "conformance-report").results]
    assert sorted(failed) == [(CASE.rpartition("::")[2], api) for api in ("fake.dies", "fake.wrong")]


def test_a_session_that_stops_early_reports_only_the_items_that_ran(project: Path) -> None:
    selection = ("--conformance-items=case", "-k", "unlucky and float64", "-x")
    done = run_pytest(project, "--conformance", "./adapter.py", *selection)
    assert summary(done) == "1 failed, 1 passed", done.out
    [folder] = (project / "conformance-results").iterdir()
    results = read_results(folder)
    assert {result.api for result in results.results} == {"fake.right", "fake.wrong"}
    assert not results.complete


def test_items_may_run_in_another_order_and_twice(project: Path) -> None:
    (project / "conftest.py").write_text(
        "from _pytest.runner import runtestprotocol\n\n\n"
        "def pytest_runtestloop(session):\n"
        "    for item in [*reversed(session.items), *session.items]:\n"
        "        runtestprotocol(item, nextitem=None)\n"
        "    return True\n"
    )
    selection = ("--conformance-items=case", "-k", "unlucky and float64 and (right or wrong or dies)")
    done = run_pytest(project, "--conformance", "./adapter.py", *selection)
    assert summary(done) == "4 failed, 2 passed", done.out


def test_markers_select_operations_families_and_standing(project: Path) -> None:
    arguments = ("--conformance", "./adapter.py", "--collect-only", "-q", "--strict-markers")
    done = run_pytest(project, *arguments, "-m", "own and example and gather_elements")
    assert f"{UNLUCKY}[fake.wrong]" in done.out
    assert "[fake.right]" not in done.out
    assert "no tests collected" in run_pytest(project, *arguments, "-m", "rule").out


def test_a_known_divergence_that_no_longer_happens_fails(project: Path) -> None:
    adapter = project / "adapter.py"
    adapter.write_text(adapter.read_text().replace(" + (13 in input)", ""))
    done = run_pytest(project, "--conformance", "./adapter.py", "-k", "unlucky and known")
    assert "[XPASS(strict)]" in done.out
    assert "adds-one" in done.out
    assert done.status == 1


def test_a_target_that_does_not_start_is_an_error_whatever_is_selected(project: Path) -> None:
    (project / "adapter.py").write_text("import a_framework_that_nobody_has\n")
    done = run_pytest(project, "--conformance", "./adapter.py", "-k", "nothing_has_this_name")
    assert "ERROR conformance::./adapter.py::start" in done.out
    assert "a_framework_that_nobody_has" in done.out
    assert done.status == 1


def test_what_cannot_be_judged_by_the_own_document_is_an_error_with_the_call(project: Path) -> None:
    adapter = project / "adapter.py"
    adapter.write_text(
        adapter.read_text().replace("return _gather(input, dim, index) + (13 in input)", "raise KeyError")
    )
    outside = "conformance::./adapter.py::gather_elements.example.outside[fake.wrong]"
    done = run_pytest(project, "--conformance", "./adapter.py", outside)
    assert f"ERROR {outside}" in done.out
    assert "control: raised before" in done.out
    assert "index = int64 [3, 1, 0]" in done.out
    assert summary(done) == "1 error"


def test_a_mistake_in_an_adapter_is_named_by_xdist_too(project: Path) -> None:
    adapter = project / "adapter.py"
    adapter.write_text(adapter.read_text().replace('operation="gather_elements"', 'operation="gather_element"', 1))
    done = run_pytest_process(project, "--conformance", "./adapter.py", "-n", "1")
    assert done.status == 4
    assert "fake.right: undefined operation 'gather_element'; did you mean 'gather_elements'?" in done.err


@pytest.mark.parametrize(("run", "processes"), [(run_pytest, "0"), (run_pytest_process, "1")], ids=["0", "1"])
def test_an_id_is_taken_as_pytest_prints_it_in_a_folder_below_its_root(
    project: Path, run: Callable[..., Session], processes: str
) -> None:
    (project / "below").mkdir()
    printed = f"../{UNLUCKY.replace('./', '../')}[fake.wrong]"
    done = run(project / "below", "--rootdir=..", "--conformance", "../adapter.py", "-n", processes, printed)
    assert f"FAILED {printed}" in done.out, done.err
    assert re.fullmatch("[0-9]+ failed", summary(done))


def test_an_id_that_no_item_has_is_an_error_of_the_command_line(project: Path) -> None:
    done = run_pytest(project, "--conformance", "./adapter.py", f"{UNLUCKY}[fake.rigth]")
    assert done.status == 4
    assert f"not found: {UNLUCKY}[fake.rigth]" in done.err


def test_the_report_has_the_cases_that_only_a_later_target_can_run(project: Path) -> None:
    batch = "\n\ndef vmap(function, tensors, axes):\n    return np.stack([function(**tensors)])\n"
    (project / "second.py").write_text((project / "adapter.py").read_text() + batch)
    targets = ("--conformance", "./adapter.py", "--conformance", "./second.py")
    done = run_pytest(project, *targets, "--conformance-items=case", "-k", "fake.right and lucky")
    assert "conformance: the report is in conformance-report/index.html" in done.out, done.err
    results = read_results(project / "conformance-report").results
    assert {result.target for result in results if ".vmap." in result.case} == {"./second.py@cpu"}


def test_an_unknown_target_is_an_error_of_the_command_line(project: Path) -> None:
    done = run_pytest(project, "--conformance", "trch")
    assert done.status == 4
    assert "did you mean 'torch'?" in done.err


def test_only_the_list_of_options_is_imported_without_the_option(project: Path) -> None:
    (project / "test_own.py").write_text(
        "import sys\n\n\ndef test_imports():\n"
        "    names = {name for name in sys.modules if name.startswith('conformance')}\n"
        "    names -= {'conformance', 'conformance.version', 'conformance.app'}\n"
        "    assert names == {'conformance.pytest_plugin', 'conformance.app.options'}\n"
    )
    assert summary(run_pytest_process(project)) == "1 passed"


def test_own_tests_get_the_cases_and_the_target(project: Path) -> None:
    (project / "test_own.py").write_text(
        "import numpy as np\n\nimport conformance\n\n\n"
        "@conformance.load_cases('gather_elements', family='example', specs='specs')\n"
        "def test_in_process(case):\n    case.check(lambda input, dim, index: np.take_along_axis(input, index, dim))\n\n\n"
        "@conformance.load_cases('gather_elements', clause='gather_elements.example.unlucky', specs='specs')\n"
        "def test_target(case, conformance_target):\n    conformance_target.check(case, 'fake.wrong')\n"
    )
    done = run_pytest(project, "test_own.py", "--conformance", "./adapter.py", "-k", "test_own")
    assert summary(done) == "1 failed, 4 passed", done.out
    assert "expected 3, got 4" in done.out
    assert "1 skipped" in summary(run_pytest(project, "test_own.py"))
