"""Scripts of real divergences, in the environments that the suite makes."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from conformance.data_folders import adapters_folder
from conformance.results.file import read_results
from tests.cli.command import conformance

pytestmark = pytest.mark.frameworks


@pytest.mark.parametrize(
    ("target", "case", "lines"),
    [
        (
            "mindspore",
            "scatter_nd.rule.shape-not-empty/break.empty",
            [
                "    return ops.scatter_nd(indices, updates, shape)",
                "indices = mindspore.tensor([[]], dtype=mindspore.int32)",
            ],
        ),
        (
            "torch",
            "gather_elements.rule.result-shape/keep.longer-along-dim",
            ["input = torch.tensor([[1, 2], [3, 4], [5, 6]])", "    return torch.take_along_dim(input, index, dim)"],
        ),
        (
            "tensorflow",
            "gather_elements.rule.index-range/break.minus-one",
            ["import tensorflow as tf", "tf.experimental.numpy.take_along_axis("],
        ),
    ],
)
def test_a_divergence_is_shown_as_the_frameworks_users_would_write_it(
    tmp_path: Path, target: str, case: str, lines: list[str]
) -> None:
    done = conformance("repro", case, "--target", target, cwd=tmp_path)
    assert done.status == 0, done.err
    assert "import conformance" not in done.out
    for line in lines:
        assert line in done.out


def test_an_order_dependent_result_of_mindspore_has_a_script_with_the_call_before_it(tmp_path: Path) -> None:
    """Its kernel of scatter keeps the axis of an earlier call with elements of the same dtype, which no ledger knows here."""
    shutil.copytree(
        adapters_folder() / "mindspore", tmp_path / "mine", ignore=shutil.ignore_patterns("divergences.yaml")
    )
    only = "writes-along-dim-2/into-2-x-3-x-4 or same-formula-for-other-ranks/one-axis"
    words = ("--operation", "scatter_elements", "-k", only, "--draws", "0", "-q", "--fail-on", "never")
    assert conformance("run", "./mine/adapter.py", *words, "--output", "out", cwd=tmp_path).status == 0
    done = conformance("repro", "--all", "--results", "out", "--target", "./mine/adapter.py@cpu", cwd=tmp_path)
    assert done.status == 0, done.err
    results = read_results(tmp_path / "out").results
    dependent = [result for result in results if result.polluter is not None]
    assert {result.api for result in dependent} == {
        "mindspore.ops.scatter",
        "mindspore.mint.scatter",
        "mindspore.Tensor.scatter",
    }
    scripts = [result.script for result in dependent if result.script is not None]
    assert len(scripts) >= len({result.api for result in dependent}), done.err
    assert all("\nearlier = " in script and "\ngot = " in script for script in scripts)
