"""The public names, and what they do on an adapter of the tests."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import conformance
from conformance.results.file import read_results
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


def test_no_public_name_is_that_of_a_module_whose_import_would_replace_it() -> None:
    assert [name for name in conformance.__all__ if find_spec(f"conformance.{name}") is not None] == []


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


def test_the_record_has_the_call_with_the_arguments_that_differ_from_their_defaults(
    results: conformance.Results, tmp_path: Path
) -> None:
    results.report(tmp_path / "first")
    first = read_results(tmp_path / "first").run
    [target] = first.targets
    selection = f"keyword='lucky and index-int32', specs={str(SPECS)!r}, here=True"
    assert first.command == f"conformance.run({target!r}, {selection})"
    other = conformance.run(
        (target,), ids=(UNLUCKY,), specs=str(SPECS), python=Path(sys.executable), draws=0, timeout=30, maxfail=3
    )
    other.report(tmp_path / "second")
    assert read_results(tmp_path / "second").run.command == (
        f"conformance.run([{target!r}], ids=[{UNLUCKY!r}], specs={str(SPECS)!r}, maxfail=3, python={sys.executable!r})"
    )


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
        ({"ids": "gathr_nd"}, "no operation, clause or case with id 'gathr_nd'; did you mean 'gather_nd'"),
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


@conformance.load_cases("gather_elements", family="example", specs=SPECS)
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


class _Device:
    """A tensor in the memory of a device that NumPy does not read; DLPack copies it to the CPU."""

    def __init__(self, array: np.ndarray) -> None:
        self.array = array.copy()

    def __dlpack_device__(self) -> tuple[int, int]:
        return 2, 0  # CUDA

    def __dlpack__(self, **options: Any) -> Any:
        assert options["dl_device"] == (1, 0)
        return self.array.__dlpack__()


def _gather_on_device(input: _Device, dim: int, index: _Device) -> _Device:  # noqa: A002
    return _Device(_gather(input.array, dim, index.array))


def _gather_and_clear(input: _Device, dim: int, index: _Device) -> _Device:  # noqa: A002
    result = _gather_on_device(input, dim, index)
    input.array[...] = 0
    return result


def test_a_function_is_checked_on_tensors_of_its_own_kind() -> None:
    [case] = _cases("gather_elements.example.lucky-again")
    hooks: dict[str, Any] = {"to_native": lambda array, _: _Device(array), "to_numpy": lambda tensor: tensor.array}
    case.check(_gather_on_device, **hooks)
    with pytest.raises(AssertionError, match="input"):
        case.check(_gather_and_clear, **hooks)


@pytest.mark.skipif(np.lib.NumpyVersion(np.__version__) < "2.1.0", reason="this NumPy reads DLPack from the CPU alone")
def test_a_tensor_of_another_device_is_read_through_dlpack() -> None:
    [case] = _cases("gather_elements.example.lucky-again")
    assert case.expected is not None
    case.check(_Device(case.expected))
    with pytest.raises(AssertionError, match="elements differ"):
        case.check(_Device(case.expected + 1))


def test_what_apis_contradict_each_other_in_is_asked_of_a_function_only_if_it_follows_one_of_them() -> None:
    mark = conformance.load_cases("gather_elements", follows="onnx.GatherElements")
    following = {case.clause for case in mark.args[1]}  # type: ignore[attr-defined]
    everyone = {case.clause for case in conformance.load_cases("gather_elements").args[1]}  # type: ignore[attr-defined]
    assert "gather_elements.behaviour.a-negative-index-counts-from-the-end" in following - everyone
    assert "gather_elements.behaviour.an-index-of-another-dtype-is-an-error" not in following | everyone
    with pytest.raises(conformance.ConformanceError, match=r"describes 'torch\.gathr'; did you mean 'torch\.gather'"):
        conformance.load_cases("gather_elements", follows="torch.gathr")


def test_the_kernel_in_the_documentation_is_found_right_and_one_without_a_check_of_the_index_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (REPOSITORY / "docs" / "kernels.md").read_text()
    [code], [test, _] = (re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL) for language in ("c", "python"))
    (tmp_path / "gather.c").write_text(code)
    monkeypatch.chdir(tmp_path)
    subprocess.run(["gcc", "-Wall", "-Werror", "-shared", "-fPIC", "-o", "gather.so", "gather.c"], check=True)
    kernel: dict[str, Any] = {}
    exec(test, kernel)
    for case in conformance.load_cases("gather_elements").args[1]:  # type: ignore[attr-defined]
        case.check(kernel["gather"])
    clause = "gather_elements.behaviour.outside-either-end-is-an-error"
    mark = conformance.load_cases("gather_elements", clause=clause, follows="onnx.GatherElements")
    [outside] = [case for case in mark.args[1] if case.id.endswith("/at-the-length")]  # type: ignore[attr-defined]
    kernel["kernel"] = lambda *_: 0
    with pytest.raises(AssertionError, match="expected an error, but it returned"):
        outside.check(kernel["gather"])


def _always_raises(**_: object) -> None:
    raise IndexError("always")


def _cases(clause: str, specs: Path | None = SPECS) -> list[conformance.Case]:
    mark = conformance.load_cases("gather_elements", clause=clause, specs=specs)
    cases: list[conformance.Case] = mark.args[1]  # type: ignore[attr-defined]
    return cases


def test_an_unknown_operation_is_an_error_with_a_suggestion() -> None:
    with pytest.raises(conformance.ConformanceError, match="did you mean 'gather_elements'"):
        conformance.load_cases("gather_element", specs=SPECS)
