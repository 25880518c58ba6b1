"""Execution modes of a fake framework: what is compiled, what an error spoils, and what is known without values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from conformance.cases.build import SOURCES
from conformance.cases.model import Case
from conformance.cases.variants.dtypes import dtype_cases
from conformance.cases.written import written_cases
from conformance.data_folders import reference_adapter
from conformance.execution.plan import Interpreters, Plan, jobs
from conformance.execution.runner import run
from conformance.findings.disagreements import disagreements
from conformance.outcomes.model import Abstract
from conformance.results.file import FILE_NAME, Results, read_results
from conformance.results.records import RunRecord
from conformance.results.variations import PassedRecord
from conformance.specification.literals import Tensor
from conformance.specification.model import Observed
from tests.execution.harness import FAKES, fake_cases, result_of, run_adapters
from tests.execution.in_process import in_process

ADAPTER = FAKES / "modes" / "modes.py"


def ran(folder: Path, modes: Sequence[str], cases: Sequence[Case] | None = None) -> Results:
    target_jobs = jobs([f"{ADAPTER}[{mode}]" for mode in modes], Interpreters(here=True))
    record = RunRecord("2026-01-01T00:00:00Z", "a test", 0, "digest", "0")
    run(Plan(record, target_jobs, cases or fake_cases(), 30.0, 2), folder / FILE_NAME, [], in_process)
    return read_results(folder)


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Results:
    return ran(tmp_path_factory.mktemp("compiled"), ["compile"])


@pytest.fixture(scope="module")
def shapes(tmp_path_factory: pytest.TempPathFactory) -> Results:
    [outside] = [case for case in fake_cases() if case.id.endswith("outside/as-printed")]
    index = outside.call.arguments["index"]
    assert isinstance(index, Tensor)
    wider = outside.call.with_arguments({"index": replace(index, array=index.array.reshape(1, 3))})
    cases = [
        *fake_cases(),
        replace(outside, id="gather_elements.example.outside/wider", call=wider),
    ]
    return ran(tmp_path_factory.mktemp("shapes"), ["shapes"], cases)


def test_what_is_compiled_is_judged_as_ever(compiled: Results) -> None:
    assert {one.verdict for one in compiled.results if one.api == "fake.right"} == {"conforms"}


def test_what_an_error_spoils_is_contaminated_until_it_is_compiled_anew(compiled: Results) -> None:
    result = result_of(compiled, "fake.spoilt", "outside")
    assert (result.verdict, result.divergence) == ("diverges", ["contaminated"])
    assert str(result.explanation).endswith("raised, until it was recompiled")
    others = [one.verdict for one in compiled.results if one.api == "fake.spoilt" and one is not result]
    assert set(others) == {"conforms"}


def test_what_compiling_anew_does_not_fix_costs_a_worker_and_no_other_case(compiled: Results) -> None:
    result = result_of(compiled, "fake.worse", "outside")
    assert result.divergence == ["contaminated"]
    assert "recompiled" not in str(result.explanation)
    assert {one.verdict for one in compiled.results if one.api == "fake.worse" and one is not result} == {"conforms"}


def test_a_mode_that_fell_back_blocks_its_case_and_proves_nothing(compiled: Results) -> None:
    told = {(one.verdict, one.explanation) for one in compiled.results if one.api == "fake.fallen"}
    assert told == {("blocked", "the compiler was not there")}


def test_a_form_that_an_api_lacks_is_unsupported_while_it_is_compiled_too(compiled: Results) -> None:
    assert {one.verdict for one in compiled.results if one.api == "fake.formless"} == {"unsupported"}


def test_without_values_a_result_is_judged_by_its_shape_and_dtype(shapes: Results) -> None:
    result = result_of(shapes, "fake.right", "lucky")
    assert (result.verdict, result.outcome) == ("conforms", Abstract("int32", (3,)))
    wrong = result_of(shapes, "fake.flat", "lucky")
    assert (wrong.verdict, wrong.divergence) == ("diverges", ["dtype", "shape"])


def test_without_values_an_error_about_values_cannot_be_told_and_one_about_shapes_can(shapes: Results) -> None:
    by_case = {one.case: one for one in shapes.results if one.api == "fake.right"}
    about_values = by_case["gather_elements.example.outside/as-printed"]
    assert (about_values.verdict, about_values.outcome.status) == ("unsupported", "returned")
    assert by_case["gather_elements.example.outside/wider"].verdict == "conforms"


def _open(case: Case) -> Case:
    """The case without a document that says what follows."""
    return replace(case, expectation=Observed("no document says"))


def test_an_open_call_that_does_something_else_without_compiling_diverges_from_its_own_framework(
    tmp_path: Path,
) -> None:
    results = ran(tmp_path, ["compile"], [*map(_open, fake_cases())])
    found = {(one.api, one.case.split("/")[0]): one for one in results.results}
    outside = found["fake.fused", "gather_elements.example.outside"]
    assert (outside.verdict, outside.divergence, outside.standing) == ("diverges", ["mode-dependent"], "portability")
    assert outside.confirmed == "alone"
    assert str(outside.explanation).endswith(
        "(no document says; the clause is about fake.gather); without compiling, it raised IndexError: index out of range"
    )
    assert found["fake.fused", "gather_elements.example.lucky"].verdict == "observed"
    assert found["fake.right", "gather_elements.example.outside"].verdict == "observed"


def test_a_call_whose_results_vary_is_no_disagreement_of_modes(tmp_path: Path) -> None:
    results = ran(tmp_path, ["compile"], [*map(_open, fake_cases())])
    assert not [one for one in results.results if one.api == "fake.unsteady" and "mode-dependent" in one.divergence]


def test_what_a_document_decides_is_not_compared_with_the_call_without_compiling(compiled: Results) -> None:
    assert result_of(compiled, "fake.fused", "outside").divergence == ["accepted"]


def test_modes_that_do_not_do_the_same_disagree(tmp_path: Path) -> None:
    results = ran(tmp_path, ["eager", "compile"])
    [found] = [one for one in disagreements(results) if one.api == "fake.clamps"]
    assert (found.kind, found.api, found.aspects, len(found.cases), found.of) == (
        "modes", "fake.clamps", ("status",), 1, 1,
    )  # fmt: skip
    assert [found.example.first.outcome.status, found.example.second.outcome.status] == ["raised", "returned"]


def test_calls_divided_among_workers_come_out_as_those_of_one(tmp_path: Path, compiled: Results) -> None:
    crowd = ran(tmp_path, ["crowd"])
    assert crowd.complete
    assert len(crowd.results) == len(compiled.results)
    told = {(one.case, one.api): (one.verdict, one.divergence) for one in crowd.results}
    one_worker = {(one.case, one.api): (one.verdict, one.divergence) for one in compiled.results}
    different = {key[1] for key in told if told[key] != one_worker[key]}
    assert different - {"fake.unsteady"} == {
        "fake.clamps",
        "fake.worse",
    }  # which go wrong in the mode of that name alone


def test_a_expensive_mode_is_tried_on_fewer_derived_cases_and_says_so(tmp_path: Path) -> None:
    cases = fake_cases((written_cases, dtype_cases))
    results = ran(tmp_path, ["expensive"], cases)
    [target] = results.targets
    written = {case.id for case in fake_cases()}
    asked = {one.case for one in results.results}
    assert written < asked < {case.id for case in cases}
    apis = {one.api for one in results.results}
    assert target.left_out == {"dtypes": len(cases) * len(apis) - len(results.results)}


def test_the_derivatives_that_a_sample_leaves_out_are_counted(tmp_path: Path) -> None:
    results = run_adapters(tmp_path, [reference_adapter()], cases=fake_cases(SOURCES))
    [target] = results.targets
    # An adapter without a mode is passed its arguments in one way.
    offered = {case.id for case in results.cases.values() if not isinstance(case.variation, PassedRecord)}
    asked = {one.case for one in results.results}
    assert asked < offered
    assert target.left_out == {"transforms": len(offered - asked)}
