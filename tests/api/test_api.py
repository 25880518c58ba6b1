"""The public names, and what they do on an adapter of the tests."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import conformance
from tests.cli.command import REPOSITORY
from tests.execution.harness import FAKES

SPECS = FAKES / "specs"
UNLUCKY = "gather_elements.example.unlucky"
ADAPTER = """
import os

import numpy as np

from conformance.adapter import api


def describe():
    return {"framework": "fakeframe", "version": "2.1"}


@api("fake.right", operation="gather_elements")
def right(input, dim, index):
    return np.take_along_axis(input, index, dim)


@api("fake.dies", operation="gather_elements")
def dies(input, dim, index):
    if 13 in input:
        os.abort()
    return np.take_along_axis(input, index, dim)
"""


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> conformance.Results:
    folder = tmp_path_factory.mktemp("api")
    (folder / "adapter.py").write_text(ADAPTER)
    return conformance.run(str(folder / "adapter.py"), specs=SPECS, keyword="lucky and index-int32", here=True)


def test_the_page_describes_every_public_name_and_no_other() -> None:
    page = (REPOSITORY / "docs" / "api.md").read_text(encoding="utf-8")
    assert sorted(re.findall(r"^### `(\w+)`", page, re.MULTILINE)) == sorted(conformance.__all__)
    for name in conformance.__all__:
        assert callable(getattr(conformance, name)), name


@pytest.mark.parametrize("name", ["Results", "Result", "Finding", "Behaviour", "Target", "Difference", "Case"])
def test_the_page_describes_every_attribute_of_a_type(name: str) -> None:
    page = (REPOSITORY / "docs" / "api.md").read_text(encoding="utf-8")
    [section] = re.findall(rf"^### `{name}`\n(.*?)(?=^##|\Z)", page, re.MULTILINE | re.DOTALL)
    kind = getattr(conformance, name)
    described = set(re.findall(r"`(\w+)[`(]", section))
    public = {item for item in {*vars(kind), *getattr(kind, "__annotations__", ())} if not item.startswith("_")}
    assert public - described <= {"selected", "suite_case"}


def test_importing_the_package_imports_nothing_else() -> None:
    code = "import sys, conformance; print(sorted(n for n in sys.modules if n.startswith(('conformance', 'numpy'))))"
    done = subprocess.run([sys.executable, "-c", code], cwd=REPOSITORY, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['conformance', 'conformance.version']"


def test_results_are_typed_objects(results: conformance.Results) -> None:
    right = [result for result in results if result.api == "fake.right"]
    assert {result.verdict for result in right} == {"conforms"}
    assert {result.operation for result in right} == {"gather_elements"}
    died = next(result for result in results if result.api == "fake.dies" and result.clause == UNLUCKY)
    assert (died.verdict, died.outcome, died.fails()) == ("died", "died", True)
    assert "SIGABRT" in died.account()
    assert results.exit_status() == 1
    [target] = results.targets
    assert (target.version, target.blocked) == ("2.1", None)


def test_findings_group_results(results: conformance.Results) -> None:
    deaths = [finding for finding in results.findings if finding.api == "fake.dies"]
    assert [(finding.sort, finding.clause, len(finding.results)) for finding in deaths] == [("died", UNLUCKY, 1)]


def test_results_written_and_read_again_are_the_same(results: conformance.Results, tmp_path: Path) -> None:
    assert results.report(tmp_path / "report").is_file()
    again = conformance.load(tmp_path / "report")
    assert list(again) == list(results)
    assert conformance.diff(results, tmp_path / "report").is_empty


def test_a_file_that_is_no_results_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(conformance.ConformanceError, match="file not found"):
        conformance.load(tmp_path / "results.jsonl")


def test_an_unknown_target_is_an_error_with_the_status_of_the_command() -> None:
    with pytest.raises(conformance.ConformanceError, match="did you mean 'torch'") as raised:
        conformance.run("trch")
    assert raised.value.status == 4


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"fail_on": "nothing"}, "fail_on='nothing' is unknown; allowed: own, any, never"),
        ({"draws": -1}, "draws=-1 is out of range; allowed: 0 to"),
        ({"timeout": 0}, "timeout=0 is out of range; allowed: at least 0.1"),
        ({"maxfail": 0}, "maxfail=0 is out of range"),
        ({"ids": "gathr_nd"}, "no case with id 'gathr_nd'; did you mean 'gather_nd'"),
        ({"operations": "gathr_nd"}, "no case matches 'gathr_nd'"),
    ],
)
def test_an_argument_that_is_not_allowed_is_an_error(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(conformance.ConformanceError, match=re.escape(message)):
        conformance.run("reference", **arguments)


def test_a_misspelled_fail_on_is_an_error(results: conformance.Results) -> None:
    with pytest.raises(conformance.ConformanceError, match="fail_on='all' is unknown"):
        results.exit_status("all")  # type: ignore[arg-type]
    with pytest.raises(conformance.ConformanceError, match="fail_on='all' is unknown"):
        next(iter(results)).fails("all")  # type: ignore[arg-type]


def test_a_table_needs_pandas(results: conformance.Results, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="pip install pandas"):
        results.to_pandas()


def _gather(input: np.ndarray, dim: int, index: np.ndarray) -> np.ndarray:  # noqa: A002
    return np.take_along_axis(input, index, dim)


@conformance.cases("gather_elements", family="example", specs=SPECS)
def test_the_cases_of_an_operation_parametrize_a_test(case: conformance.Case) -> None:
    case.check(_gather)
    if case.expected is not None:
        case.check(case.expected)
        with pytest.raises(AssertionError, match="elements differ"):
            case.check(case.expected + 1)


def test_a_function_that_does_not_raise_where_it_should_does_not_pass() -> None:
    [outside] = _cases("gather_elements.example.outside")
    assert outside.raises == "IndexError"
    with pytest.raises(AssertionError, match="expected IndexError, but it returned"):
        outside.check(lambda input, dim, index: np.take_along_axis(input, index % 3, dim))  # noqa: A006
    with pytest.raises(AssertionError, match="control"):
        outside.check(_always_raises)


def _always_raises(**_: object) -> None:
    raise IndexError("always")


def _cases(clause: str) -> list[conformance.Case]:
    mark = conformance.cases("gather_elements", clause=clause, specs=SPECS)
    cases: list[conformance.Case] = mark.args[1]  # type: ignore[attr-defined]
    return cases


def test_an_unknown_operation_is_an_error_with_a_suggestion() -> None:
    with pytest.raises(conformance.ConformanceError, match="did you mean 'gather_elements'"):
        conformance.cases("gather_element", specs=SPECS)
