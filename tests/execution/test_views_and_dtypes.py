"""What goes wrong with views alone is found; what goes wrong in a dtype counts where somebody promised it."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.cases.variants.dtypes import dtype_cases
from conformance.cases.variants.views import view_cases
from conformance.cases.written import written_cases
from conformance.outcomes.model import Outside, Returned
from conformance.results.file import Results
from conformance.results.records import DtypeClaimRecord, ResultRecord
from tests.execution.harness import FAKES, fake_cases, run_adapters

LUCKY = "gather_elements.example.lucky/as-printed"


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    cases = fake_cases([written_cases, dtype_cases, view_cases])
    return run_adapters(tmp_path_factory.mktemp("run"), [FAKES / "strides.py"], cases=cases)


def _result(results: Results, api: str, case: str) -> ResultRecord:
    [found] = [one for one in results.results if (one.api, one.case) == (api, f"{LUCKY}.{case}")]
    return found


def test_an_api_that_handles_strides_conforms_on_every_view(results: Results) -> None:
    mine = [one for one in results.results if one.api == "fake.right"]
    assert {one.verdict for one in mine if one.dtype_claim is None} == {"conforms"}
    assert results.cases[f"{LUCKY}.strided"].call["input"] == {"int32": [1, 2, 3], "view": "strided"}


def test_an_api_that_ignores_strides_diverges_in_value_on_views_alone(results: Results) -> None:
    assert _result(results, "fake.no_strides", "strided").divergence == ["value"]
    assert _result(results, "fake.no_strides", "offset").divergence == ["value"]
    [plain] = [one for one in results.results if (one.api, one.case) == ("fake.no_strides", LUCKY)]
    assert plain.verdict == "conforms"


def test_an_api_that_writes_around_a_view_is_told_to_have_changed_its_input(results: Results) -> None:
    found = _result(results, "fake.spills", "offset")
    assert isinstance(found.outcome, Returned)
    assert (found.divergence, found.outcome.outside) == (["wrote-outside"], (Outside("input", "wrote"),))
    assert found.explanation == "the call wrote between the elements of input"


def test_a_dtype_that_was_promised_is_judged(results: Results) -> None:
    found = _result(results, "fake.half", "float16")
    assert (found.verdict, found.divergence) == ("diverges", ["dtype"])
    assert _result(results, "fake.half", "float32").verdict == "conforms"
    assert found.dtype_claim == DtypeClaimRecord({"input": "float16"}, "yes", "the adapter")


def test_what_is_returned_in_a_dtype_that_nobody_claims_is_judged(results: Results) -> None:
    found = _result(results, "fake.half", "float64")
    assert (found.verdict, found.divergence) == ("diverges", ["dtype"])
    assert found.dtype_claim == DtypeClaimRecord({"input": "float64"}, "no", None)
    assert found.explanation == "expected dtype float64, got float32"
    assert _result(results, "fake.right", "float64").verdict == "conforms"


def test_whether_an_api_takes_a_dtype_is_observed_once_and_a_shape_that_it_refuses_in_a_dtype_alone_diverges(
    results: Results,
) -> None:
    def verdicts(dtype: str) -> list[tuple[str, str]]:
        refused = [one for one in results.results if one.api == "fake.choosy" and one.case.endswith(f".{dtype}")]
        return [(one.verdict, str(one.explanation)) for one in refused]

    (first, reason), *others = verdicts("int16")
    assert first == "observed"
    assert reason.endswith("so whether it takes int16 as input is open)")
    assert [verdict for verdict, _ in others] == ["unsupported"]
    assert "does not take int16 as input in simpler calls either" in others[0][1]
    small, *large = verdicts("float64")
    assert small[0] == "conforms"
    assert [verdict for verdict, _ in large] == ["diverges"]
    assert large[0][1].endswith("it takes this shape in the original dtype, and float64 as input in another shape")


def test_indices_are_not_cast_where_their_dtype_is_what_the_case_is_about(results: Results) -> None:
    assert _result(results, "fake.half", "float64").cast == {"index": "int32"}
    about = _result(results, "fake.half", "index-int8")
    assert about.cast == {}
    assert about.dtype_claim is not None
    assert about.dtype_claim.dtypes == {"index": "int8"}


def test_results_with_views_and_dtypes_can_be_read_again(results: Results, tmp_path: Path) -> None:
    assert results.complete
    assert {one.case for one in results.results} == set(results.cases)
