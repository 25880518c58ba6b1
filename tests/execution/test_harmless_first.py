"""Calls that should fail are made last, as one that is let through may harm the process."""

from __future__ import annotations

from pathlib import Path

from tests.execution.harness import result_of, run_adapters

HARMED = """
import numpy as np

from conformance.adapter import api

harmed = []


@api("fake.lets-through", operation="gather_elements")
def lets_through(input, dim, index):
    if harmed:
        raise RuntimeError("memory is spoilt")
    if index.max(initial=0) >= input.shape[dim]:
        harmed.append(True)
        return np.zeros(index.shape, input.dtype)
    return np.take_along_axis(input, index, dim)
"""


def test_a_call_that_is_let_through_harms_none_that_should_return(tmp_path: Path) -> None:
    adapter = tmp_path / "harmed.py"
    adapter.write_text(HARMED)
    results = run_adapters(tmp_path, [adapter])
    clauses = list(results.clauses)
    assert clauses.index("gather_elements.example.outside") < clauses.index("gather_elements.example.lucky-again")
    assert result_of(results, "fake.lets-through", "outside").divergence == ["accepted"]
    assert result_of(results, "fake.lets-through", "lucky-again").verdict == "conforms"
