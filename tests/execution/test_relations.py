"""Relations on an adapter that adds wrongly if an index vector occurs twice."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from conformance.cases.build import build_cases
from conformance.cases.model import Case
from conformance.cases.reference import load_reference
from conformance.data_folders import adapters_folder
from conformance.execution.replay import Replay
from conformance.outcomes.model import Returned
from conformance.processes.worker_code import staged_worker
from conformance.processes.worker_starter import WorkerStarter
from conformance.reports.details import details
from conformance.results.file import Results
from conformance.results.observed import CaseResult
from conformance.results.records import ResultRecord
from conformance.specification.loader import load_specs
from tests.execution.harness import FAKES, job, run_adapters

REFERENCE = adapters_folder() / "reference" / "adapter.py"


def relation_cases() -> list[Case]:
    return [case for case in build_cases(load_specs(), load_reference(REFERENCE)) if case.clause.family == "relation"]


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    return run_adapters(tmp_path_factory.mktemp("run"), [FAKES / "breaks_relations.py"], cases=relation_cases())


def result_of(results: Results, api: str, case: str) -> ResultRecord:
    [found] = [one for one in results.results if one.api == api and one.case == case]
    return found


def partners(result: ResultRecord) -> dict[str, str]:
    return result.relation.partners if result.relation else {}


def test_the_reference_keeps_every_relation(tmp_path: Path) -> None:
    found = run_adapters(tmp_path, [REFERENCE], cases=relation_cases()).results
    assert len(found) > 40
    assert {one.verdict for one in found} == {"conforms"}


def test_duplicates_that_are_not_summed_break_the_relation_that_scattering_is_adding_to_zeros(results: Results) -> None:
    result = result_of(results, "fake.scatter_nd", "scatter_nd.relation.zeros-then-add/duplicates-among-scalars")
    assert (result.verdict, result.divergence) == ("diverges", ["value"])
    assert partners(result) == {"tensor_scatter_nd_add": "fake.add_once"}
    assert result.relation is not None
    left, right = result.outcome, result.relation.right
    assert isinstance(left, Returned)
    assert isinstance(right, Returned)
    assert left.values == [4000, 0, 20, 0, 0, 50301, 0]
    assert right.values == [4000, 0, 20, 0, 0, 50000, 0]


def test_the_api_that_adds_wrongly_breaks_the_mirrored_relation_and_that_of_order(results: Results) -> None:
    for case in ("onto-zeros/duplicates-among-scalars", "order/duplicates-among-scalars"):
        result = result_of(results, "fake.add_once", f"tensor_scatter_nd_add.relation.{case}")
        assert (result.verdict, result.divergence) == ("diverges", ["value"]), result


def test_relations_without_duplicates_hold(results: Results) -> None:
    kept = [one for one in results.results if one.api == "fake.scatter_nd" and "zeros-then-add" not in one.case]
    assert len(kept) > 5
    assert {one.verdict for one in kept} == {"conforms"}


def test_an_error_on_one_side_alone_is_a_divergence_and_says_which(results: Results) -> None:
    result = result_of(results, "fake.refuses", "scatter_nd.relation.read-back/scalars")
    assert (result.verdict, result.divergence) == ("diverges", ["rejected"])
    assert "the left side raised RuntimeError: not today; the right side returned int32" in str(result.explanation)


def test_errors_on_both_sides_prove_nothing(results: Results) -> None:
    result = result_of(results, "fake.refuses", "scatter_nd.relation.order/unique-scalars")
    assert result.verdict == "blocked"
    assert "both sides failed" in str(result.explanation)


def test_a_form_that_the_api_lacks_makes_the_relation_unsupported(results: Results) -> None:
    assert result_of(results, "fake.lacks_it", "scatter_nd.relation.order/unique-scalars").verdict == "unsupported"


def test_another_operation_is_an_api_that_is_not_composed_where_one_takes_the_call(results: Results) -> None:
    result = result_of(results, "fake.scatter_nd", "scatter_nd.relation.read-back/scalars")
    assert partners(result) == {"gather_nd": "fake.gather_int32"}


def test_what_an_api_that_is_not_under_test_refuses_is_asked_of_the_next(results: Results) -> None:
    result = result_of(results, "fake.scatter_nd", "scatter_nd.relation.read-back/elements-of-three-axes")
    assert (result.verdict, partners(result)) == ("conforms", {"gather_nd": "fake.gather_steps"})


def test_a_refusal_of_an_api_that_is_not_under_test_is_no_divergence(tmp_path: Path) -> None:
    adapter = tmp_path / "alone.py"
    text = (FAKES / "breaks_relations.py").read_text()
    adapter.write_text(text.replace('"gather_nd", composed=True', '"gather_elements", composed=True'))
    found = run_adapters(tmp_path, [adapter], cases=relation_cases())
    result = result_of(found, "fake.scatter_nd", "scatter_nd.relation.read-back/elements-of-three-axes")
    assert result.verdict == "blocked"
    assert "fake.gather_int32, which is not the API under test, raised TypeError: int32 only" in str(result.explanation)


def test_an_operation_that_the_target_lacks_makes_the_relation_unsupported(tmp_path: Path) -> None:
    adapter = tmp_path / "lacking.py"
    text = (FAKES / "breaks_relations.py").read_text()
    adapter.write_text(text.replace('operation="tensor_scatter_nd_add"', 'operation="gather_elements"'))
    found = run_adapters(tmp_path, [adapter], cases=relation_cases())
    result = result_of(found, "fake.scatter_nd", "scatter_nd.relation.zeros-then-add/duplicates-among-scalars")
    assert result.verdict == "unsupported"
    assert "no API for tensor_scatter_nd_add" in str(result.explanation)


def test_a_shape_that_the_other_side_does_not_have_is_a_divergence(results: Results) -> None:
    result = result_of(results, "fake.too_long", "scatter_nd.relation.zeros-then-add/duplicates-among-scalars")
    assert (result.verdict, result.divergence) == ("diverges", ["shape"])


def test_a_report_shows_both_expressions_and_both_values(results: Results) -> None:
    result = result_of(results, "fake.scatter_nd", "scatter_nd.relation.zeros-then-add/duplicates-among-scalars")
    text = details(results, result)
    assert "left:  scatter_nd(indices, updates, shape)" in text
    assert "right side: int32 (7,)\n[4000, 0, 20, 0, 0, 50000, 0]\nwith fake.add_once for tensor_scatter_nd_add" in text


def test_the_calls_of_both_sides_are_repeated_with_the_apis_of_the_run(results: Results) -> None:
    assert _repeated(results, "fake.scatter_nd", "scatter_nd.relation.read-back/elements-of-three-axes") == [
        ("left_1", "fake.scatter_nd", "returned"),
        ("left", "fake.gather_steps", "returned"),
    ]


def test_of_a_side_that_cannot_be_computed_the_refused_call_is_repeated(results: Results) -> None:
    assert _repeated(results, "fake.refuses", "scatter_nd.relation.order/unique-scalars") == [
        ("left", "fake.refuses", "raised"),
        ("right", "fake.refuses", "raised"),
    ]


def _repeated(results: Results, api: str, case: str) -> list[tuple[str, str, str]]:
    """The repeated calls by name, with the API and the status of each."""
    adapter = job(FAKES / "breaks_relations.py")
    [of_case] = [one for one in relation_cases() if one.id == case]
    case_result = CaseResult(of_case, result_of(results, api, case), results.targets[0], results.mappings)
    with (
        staged_worker() as script,
        closing(WorkerStarter(adapter.prepare(lambda _: None), script)) as starter,
    ):
        return [(made.name, made.call.api, made.outcome.status) for made in Replay(starter, 20.0).calls(case_result)]


def test_a_refusal_of_a_dtype_that_no_document_mentions_says_nothing_of_the_relation(tmp_path: Path) -> None:
    adapter = tmp_path / "no_bools.py"
    text = (FAKES / "breaks_relations.py").read_text()
    refusal = "    if updates.dtype == bool:\n        raise TypeError('no kernel for bool')\n    result = tensor.copy()"
    adapter.write_text(text.replace("    result = tensor.copy()", refusal))
    found = run_adapters(tmp_path, [adapter], cases=relation_cases())
    result = result_of(found, "fake.add_once", "tensor_scatter_nd_add.relation.onto-zeros/booleans")
    assert (result.verdict, result.divergence) == ("observed", [])
    assert result.dtype_claim is not None
    assert result.dtype_claim.dtypes == {"updates": "bool"}
