"""Modes and threads of OpenVINO, each on a case."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.results.file import Results, read_results
from conformance.results.records import ResultRecord
from tests.cli.command import conformance

pytestmark = pytest.mark.frameworks

OUTSIDE = "gather_elements.rule.index-range/break.the-length-of-a-vector"
NEGATIVE = "gather_elements.rule.index-range/break.minus-one"
A_ROW_FEWER = "gather_elements.behaviour.an-index-of-another-length-off-dim-is-an-error/a-row-fewer"


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    folder: Path = tmp_path_factory.mktemp("openvino")
    words = ("openvino", "openvino[dynamic]", OUTSIDE, A_ROW_FEWER)
    done = conformance("run", *words, "--fail-on", "never", "--output", str(folder / "out"), cwd=folder)
    assert done.status == 0, done.out + done.err
    return read_results(folder / "out")


def by_mode(results: Results, case: str) -> dict[str, ResultRecord]:
    modes = {target.id: target.mode for target in results.targets}
    return {modes[result.target]: result for result in results.results if result.case == case}


def test_errors_of_an_inference_are_not_lost_although_calls_are_made_with_few_threads(results: Results) -> None:
    found = by_mode(results, OUTSIDE)
    assert {mode: result.outcome.status for mode, result in found.items()} == {"static": "raised", "dynamic": "raised"}
    assert {result.verdict for result in found.values()} == {"conforms"}


def test_a_model_of_any_lengths_refuses_what_it_took_before_once_a_check_of_shapes_has_failed(results: Results) -> None:
    found = by_mode(results, A_ROW_FEWER)
    assert (found["static"].verdict, found["static"].standing) == ("conforms", "own")
    assert (found["dynamic"].verdict, found["dynamic"].divergence) == ("diverges", ["contaminated"])


@pytest.mark.parametrize("target", ["openvino", "openvino[dynamic]"])
def test_a_script_shows_a_divergence(target: str, tmp_path: Path) -> None:
    done = conformance("repro", NEGATIVE, "--target", target, "--api", "openvino.opset15.gather_elements", cwd=tmp_path)
    assert done.status == 0, done.err
    assert "compile_model" in done.out
