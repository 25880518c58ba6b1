"""A node that an execution provider leaves to another one is noticed, and its result is not the provider's."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.command import conformance

CASES = (
    "index_select.behaviour.an-index-past-the-end-is-an-error/at-the-length",
    "index_select.example.two-rows/as-printed.uint64",
)


@pytest.mark.frameworks
def test_openvino_s_provider_reads_zero_where_the_schema_has_an_error_and_leaves_uint64(tmp_path: Path) -> None:
    conformance("run", "onnxruntime_openvino", *CASES, "--output", tmp_path / "r", cwd=tmp_path)
    lines = map(json.loads, (tmp_path / "r/results.jsonl").read_text().splitlines())
    results = {line["case"]: line for line in lines if line["kind"] == "result"}
    outside, uint64 = (results[case] for case in CASES)
    assert (outside["verdict"], outside["behaviour"], outside["standing"]) == ("diverges", "fills", "own")
    assert (uint64["verdict"], uint64["outcome"]["status"]) == ("unsupported", "not-exported")
    assert "to CPUExecutionProvider" in uint64["outcome"]["reason"]
