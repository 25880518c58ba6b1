"""What PaddlePaddle does with views, with bfloat16 and with a write that ends its process, each on a case."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.outcomes.model import Returned
from conformance.results.file import read_results
from conformance.results.records import ResultRecord
from tests.cli.command import conformance

pytestmark = pytest.mark.frameworks

DENSE = "index_copy.example.copy-three-rows/as-printed"
VIEWS = "index_copy.example.copy-three-rows/as-printed.transposed"
BFLOAT16 = "tensor_scatter_nd_add.behaviour.adds-to-what-is-there/scalars.bfloat16"
"""Without duplicate indices, of whose updates several threads lose some."""
MANY_DUPLICATES = "tensor_scatter_nd_add.behaviour.duplicates-are-summed/two-hundred-thousand"
PRINTED = "tensor_scatter_nd_add.example.two-matrices-onto-a-whole-matrix/as-printed"
A_ROW_MORE = "scatter_elements.behaviour.an-index-that-does-not-broadcast-is-an-error/two-rows-for-one"
Outcomes = dict[tuple[str, str], ResultRecord]


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> Outcomes:
    # VIEWS writes elsewhere, which may damage the process, so it runs alone.
    return _run(tmp_path_factory, VIEWS) | _run(tmp_path_factory, DENSE, BFLOAT16, MANY_DUPLICATES, PRINTED, A_ROW_MORE)


def _run(tmp_path_factory: pytest.TempPathFactory, *cases: str) -> Outcomes:
    folder: Path = tmp_path_factory.mktemp("paddle")
    done = conformance("run", "paddle", *cases, "--fail-on", "never", "--output", str(folder / "out"), cwd=folder)
    assert done.status == 0, done.out + done.err
    return {(result.case, result.api): result for result in read_results(folder / "out").results}


def test_views_reach_the_framework_as_they_are(outcomes: Outcomes) -> None:
    assert outcomes[DENSE, "paddle.Tensor.__setitem__"].verdict == "conforms"
    assert outcomes[VIEWS, "paddle.Tensor.__setitem__"].verdict != "conforms"
    assert outcomes[VIEWS, "paddle.scatter_"].verdict == "conforms"


def test_sums_in_bfloat16_come_back_in_bfloat16(outcomes: Outcomes) -> None:
    result = outcomes[BFLOAT16, "paddle.index_put"]
    assert isinstance(result.outcome, Returned)
    assert (result.verdict, result.outcome.dtype, result.outcome.values) == (
        "conforms",
        "bfloat16",
        [7.0, 2.0, 3.0, 9.0],
    )


def test_updates_that_several_threads_lose_are_known(outcomes: Outcomes) -> None:
    result = outcomes[MANY_DUPLICATES, "paddle.index_put"]
    assert result.known == (None if result.verdict == "conforms" else "index-put-loses-updates")
    assert outcomes[MANY_DUPLICATES, "paddle.scatter_nd_add"].verdict == "conforms"


def test_a_case_that_the_docstring_prints_is_its_own_and_known(outcomes: Outcomes) -> None:
    result = outcomes[PRINTED, "paddle.scatter_nd_add"]
    assert (result.verdict, result.standing) == ("diverges", "own")
    assert result.known == "adds-by-empty-index-vectors-as-by-broadcasting"


def test_a_write_beyond_the_array_ends_the_process_by_a_signal_or_returns(outcomes: Outcomes) -> None:
    result = outcomes[A_ROW_MORE, "paddle.put_along_axis"]
    assert result.outcome.status in ("died", "returned")
    assert (result.standing, result.known is None) == ("own", False)
