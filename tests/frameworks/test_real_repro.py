"""Scripts of real divergences, in the environments that the suite makes."""

from __future__ import annotations

from pathlib import Path

import pytest

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
    assert "conformance" not in done.out
    for line in lines:
        assert line in done.out
