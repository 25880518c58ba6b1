"""MLX computes results when they are asked for; its errors and deaths are those of the call all the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.results.file import Results, read_results
from conformance.results.records import ResultRecord
from tests.cli.command import conformance

pytestmark = pytest.mark.frameworks

FLOATS = "gather_elements.behaviour.type-error-for-an-index-of-floats/float32"
WITHOUT_ELEMENTS = "tensor_scatter_nd_update.behaviour.slices-without-elements/rows-of-length-zero"
DUPLICATES = "index_add.behaviour.duplicates-are-summed/three-of-four-elements"


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    folder: Path = tmp_path_factory.mktemp("mlx")
    done = conformance("run", "mlx", FLOATS, WITHOUT_ELEMENTS, DUPLICATES, "--output", str(folder / "out"), cwd=folder)
    assert done.status == 0, done.out + done.err
    return read_results(folder / "out")


def result(results: Results, case: str) -> ResultRecord:
    [only] = [result for result in results.results if result.case == case]
    return only


def test_an_error_of_the_evaluation_is_one_of_the_call(results: Results) -> None:
    assert result(results, FLOATS).outcome.status == "raised"


def test_slices_without_elements_end_the_process_as_its_known_divergences_say(results: Results) -> None:
    ended = result(results, WITHOUT_ELEMENTS)
    assert (ended.verdict, ended.known) == ("died", "dies-of-slices-without-elements")


def test_its_docstrings_are_its_own_documentation(results: Results) -> None:
    summed = result(results, DUPLICATES)
    assert (summed.verdict, summed.standing) == ("conforms", "own")
