"""Every finding is tried again in a fresh process, and told as what it is."""

from __future__ import annotations

import pytest

from conformance.runs.results import Results
from tests.runs.harness import FAKES, result_of, run_adapters


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    return run_adapters(tmp_path_factory.mktemp("run"), [FAKES / "in_company.py"])


def test_what_is_wrong_each_time_is_a_plain_divergence(results: Results) -> None:
    assert result_of(results, "fake.steady", "lucky").divergence == ["value"]


def test_what_is_right_alone_and_wrong_in_company_names_the_call_that_did_it(results: Results) -> None:
    result = result_of(results, "fake.stained", "lucky-again")
    assert result.divergence == ["value", "contaminated"]
    assert "right in a fresh process, wrong after fake.stained was called for gather_elements.example.unlucky" in str(
        result.explanation
    )


def test_what_came_before_the_stain_is_not_blamed(results: Results) -> None:
    assert result_of(results, "fake.stained", "lucky").verdict == "conforms"


def test_what_is_wrong_in_another_way_each_time_is_unstable(results: Results) -> None:
    assert result_of(results, "fake.fickle", "lucky").divergence == ["value", "unstable"]


def test_there_is_one_result_for_each_case_and_api(results: Results) -> None:
    pairs = [(one.api, one.case) for one in results.results]
    assert len(pairs) == len(set(pairs)) == 3 * len(results.cases)
