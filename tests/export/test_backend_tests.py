"""``conformance export onnx``: what ONNX's own tools, the index and the suite say about the written files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx.backend.test.loader import load_model_tests
from onnx.reference import ReferenceEvaluator
from pydantic import TypeAdapter

from conformance.app import loading
from conformance.cases.expectations import Returning
from conformance.cases.model import Case
from conformance.cases.wire import views_of
from conformance.export.backend_tests import Drawn, Exported, ExportError, Opsets, export
from conformance.export.index import ExportedCase, Index, MustReturn
from conformance.export.operators import opsets

Array = np.ndarray[Any, Any]


@pytest.fixture(scope="module")
def cases() -> dict[str, Case]:
    return {case.id: case for case in loading.suite().cases}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("exported")


@pytest.fixture(scope="module")
def exported(folder: Path) -> Exported:
    """All cases of the suite, which takes two seconds."""
    return export_to(folder)


def export_to(folder: Path, *operations: str, only: int | None = None) -> Exported:
    stored = loading.suite()
    chosen = [case for case in stored.cases if case.operation.name in operations or not operations]
    numbers = Opsets([only], each=True) if only is not None else Opsets(opsets(), each=False)
    return export(folder, stored.catalogue, chosen, numbers, Drawn())


def tensors(folder: Path, kind: str) -> list[Array]:
    return [onnx.numpy_helper.to_array(onnx.load_tensor(str(path))) for path in data_files(folder, kind)]


def data_files(folder: Path, kind: str) -> list[Path]:
    return sorted((folder / "test_data_set_0").glob(f"{kind}_*.pb"))


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def opsets_of(index: Index, case: str) -> list[int]:
    return [entry.opset for entry in index.cases if entry.case == case]


def all_of(exported: Exported) -> Iterator[ExportedCase]:
    yield from exported.returns.cases
    yield from exported.raises.cases


def test_at_least_three_hundred_cases_are_written(exported: Exported) -> None:
    assert len({entry.case for entry in all_of(exported)}) >= 300
    assert {entry.operator for entry in all_of(exported)} == {
        "Compress",
        "Gather",
        "GatherElements",
        "GatherND",
        "ScatterElements",
        "ScatterND",
        "Slice",
        "Where",
    }


def test_the_index_names_exactly_the_folders_that_onnx_s_loader_finds(exported: Exported, folder: Path) -> None:
    found = {test.name for test in load_model_tests(str(folder), "returns")}
    assert found == {Path(entry.folder).name for entry in exported.returns.cases}
    assert {path.name for path in (folder / "raises").iterdir()} == {
        Path(entry.folder).name for entry in exported.raises.cases
    }


def test_onnx_s_checker_accepts_every_model_that_must_return(exported: Exported, folder: Path) -> None:
    for entry in exported.returns.cases:
        model = onnx.load(str(folder / entry.folder / "model.onnx"))
        onnx.checker.check_model(model, full_check=True)
        assert [imported.version for imported in model.opset_import] == [entry.opset]


def test_the_expected_result_is_that_of_the_suite(exported: Exported, folder: Path, cases: dict[str, Case]) -> None:
    for entry in exported.returns.cases:
        expectation = cases[entry.case].expectation
        assert isinstance(expectation, Returning)
        [output] = tensors(folder / entry.folder, "output")
        assert output.dtype == expectation.value.array.dtype
        assert output.tobytes() == expectation.value.array.tobytes(), entry.case


def test_the_worked_examples_come_out_of_the_reference_evaluator_of_onnx(exported: Exported, folder: Path) -> None:
    examples = [entry for entry in exported.returns.cases if ".example." in entry.case and entry.opset >= 18]
    assert examples
    for entry in examples:
        model = ReferenceEvaluator(str(folder / entry.folder / "model.onnx"))
        inputs = dict(zip(model.input_names, tensors(folder / entry.folder, "input"), strict=True))
        [output] = tensors(folder / entry.folder, "output")
        np.testing.assert_array_equal(model.run(None, inputs)[0], output, err_msg=entry.case)


def test_a_case_that_must_fail_has_inputs_and_a_control_but_no_result(exported: Exported, folder: Path) -> None:
    for entry in exported.raises.cases:
        assert entry.control is not None
        assert not [*(folder / entry.folder).rglob("output_*.pb")]
        assert (folder / entry.folder / "model.onnx").is_file()
        broken, control = (
            [(folder / name / "model.onnx").read_bytes(), *map(Path.read_bytes, data_files(folder / name, "input"))]
            for name in (entry.folder, entry.control)
        )
        assert broken != control


def test_onnx_s_checker_accepts_the_control_of_every_case_that_must_fail(exported: Exported, folder: Path) -> None:
    for entry in exported.raises.cases:
        onnx.checker.check_model(onnx.load(str(folder / str(entry.control) / "model.onnx")), full_check=True)


def test_a_case_is_written_once_for_each_version_of_its_operator_that_has_the_form(exported: Exported) -> None:
    written = opsets_of(exported.returns, "gather_nd.rule.indices-depth/keep.depth-equal-to-rank")
    assert written == [11, 12, 13]
    summed = opsets_of(exported.returns, "scatter_elements.behaviour.duplicates-are-added/along-dim-1")
    assert summed == [16, 18]


def test_a_model_of_an_old_opset_loads_in_programs_of_its_time(exported: Exported, folder: Path) -> None:
    entry = next(entry for entry in exported.returns.cases if entry.opset == 11)
    assert onnx.load(str(folder / entry.folder / "model.onnx")).ir_version == 6


def test_views_of_memory_and_cases_about_one_device_are_not_written(exported: Exported, cases: dict[str, Case]) -> None:
    written = [cases[entry.case] for entry in all_of(exported)]
    assert not any(views_of(case.call) or case.device for case in written)
    assert exported.returns.left_out["view"] > 0
    assert exported.returns.left_out["device"] > 0


def test_only_what_the_schemas_of_onnx_document_is_written(exported: Exported, cases: dict[str, Case]) -> None:
    for entry in all_of(exported):
        assert entry.citations
        assert {citation.document for citation in entry.citations} == {f"onnx.{entry.operator}"}
    assert exported.returns.left_out["documentation"] > 0
    assert exported.returns.left_out["relation"] > 0


def test_every_case_is_written_or_left_out_for_a_reason(exported: Exported, cases: dict[str, Case]) -> None:
    omitted = sum(exported.returns.left_out.values()) + sum(exported.raises.left_out.values())
    assert len({entry.case for entry in all_of(exported)}) + omitted == len(cases)


def test_a_rounded_result_has_its_tolerance_in_the_index_and_for_onnx_s_loader(
    exported: Exported, folder: Path
) -> None:
    [entry] = [
        entry
        for entry in exported.returns.cases
        if entry.case.endswith("duplicates-are-summed/fractions") and entry.opset == 18
    ]
    assert isinstance(entry.expectation, MustReturn)
    [test] = [test for test in load_model_tests(str(folder), "returns") if test.name == Path(entry.folder).name]
    assert (test.atol, test.rtol) == (entry.expectation.returns.atol, 0)
    assert test.atol > 0


def test_the_index_has_the_published_form_and_a_case_on_each_line(exported: Exported, folder: Path) -> None:
    for name, index in (("index.json", exported.returns), ("raises.json", exported.raises)):
        text = (folder / name).read_text(encoding="utf-8")
        assert TypeAdapter(Index).validate_json(text) == index
        assert len([line for line in text.splitlines() if line.startswith('{"folder"')]) == len(index.cases)


def test_two_exports_are_equal_byte_by_byte(tmp_path: Path) -> None:
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        export_to(tmp_path / name, "gather_nd")
    first = files(tmp_path / "first")
    assert len(first) > 100
    assert first == files(tmp_path / "second")


def test_an_opset_that_is_asked_for_is_that_of_every_model(tmp_path: Path) -> None:
    exported = export_to(tmp_path, "gather_nd", only=16)
    assert {entry.opset for entry in all_of(exported)} == {16}
    model = onnx.load(str(tmp_path / exported.returns.cases[0].folder / "model.onnx"))
    assert [imported.version for imported in model.opset_import] == [16]


def test_two_cases_cannot_have_the_same_folder(tmp_path: Path, cases: dict[str, Case]) -> None:
    case = cases["gather_nd.rule.indices-depth/keep.depth-equal-to-rank"]
    namesake = replace(case, id=case.id.replace("-", "."))
    with pytest.raises(ExportError, match="would have the same folder"):
        export(tmp_path, loading.suite().catalogue, [case, namesake], Opsets([18], each=True), Drawn())
    assert not files(tmp_path)
