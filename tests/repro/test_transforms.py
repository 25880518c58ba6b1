"""A script of a derivative or a batch calls the adapter's hook."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from conformance.cases.build import build_cases
from conformance.cases.model import Case
from conformance.cases.reference import load_reference
from conformance.cases.variation import without_sample
from conformance.data_folders import reference_adapter
from conformance.specification.loader import load_specs
from tests.execution.harness import run_adapters
from tests.repro.test_reproducing import run_alone, script_of

CALL = "index_copy.example.copy-two-columns/as-printed"


@pytest.fixture(scope="module")
def cases() -> dict[str, Case]:
    index_copy = load_specs().only(["index_copy"])
    return {case.id: case for case in build_cases(index_copy, load_reference(reference_adapter()))}


@pytest.mark.parametrize(
    ("transform", "call"),
    [
        (
            "vjp.source",
            "vjp(partial(index_copy, dim=1), dict(input=input, index=index, source=source), 'source', cotangent)[1]",
        ),
        (
            "jvp.input",
            "jvp(partial(index_copy, dim=1), dict(input=input, index=index, source=source), 'input', tangent)[1]",
        ),
        (
            "vmap.input+index.last",
            "vmap(partial(index_copy, dim=1), dict(input=input, index=index, source=source), {'input': -1, 'index': -1})",
        ),
        (
            "vmap-vjp.source.input.last",
            "vmap(lambda cotangent, **given: vjp(partial(index_copy, dim=1), given, 'source', cotangent), "
            "dict(input=input, index=index, source=source, cotangent=cotangent), {'input': -1, 'cotangent': 0})[1]",
        ),
        (
            "vjp-vmap.source.input.last",
            "vjp(lambda **given: vmap(partial(index_copy, dim=1), given, {'input': -1}), "
            "dict(input=input, index=index, source=source), 'source', cotangent)[1]",
        ),
    ],
)
def test_a_script_calls_the_hook(transform: str, call: str, cases: dict[str, Case], tmp_path: Path) -> None:
    case = cases[f"{CALL}.{transform}"]
    case = replace(case, variation=without_sample(case.variation))
    results = run_adapters(tmp_path, [reference_adapter()], cases=[case])
    [result] = results.results
    script = script_of(results, result, [case], reference_adapter())
    assert f"got = {call}\n" in script
    alone = run_alone(script, tmp_path)
    assert alone.returncode == 0
    assert "got: array(" in alone.stdout


def test_a_script_calls_the_hook_of_reverse_mode_within_another(tmp_path: Path) -> None:
    catalogue = load_specs().only(["unsorted_segment_reduce"])
    cases = build_cases(catalogue, load_reference(reference_adapter()))
    case = next(case for case in cases if case.id.endswith("/products.vjp-vjp.data.data"))
    results = run_adapters(tmp_path, [reference_adapter()], cases=[case])
    [result] = results.results
    script = script_of(results, result, [case], reference_adapter())
    call = (
        "got = vjp(lambda cotangent, **given: vjp(partial(unsorted_segment_reduce, num_segments=3, reduce='prod'), given, 'data', cotangent)[1], "
        "dict(data=data, segment_ids=segment_ids, cotangent=cotangent), 'data', second_cotangent)[1]"
    )
    assert "".join(call.split()) in "".join(script.split())
    alone = run_alone(script, tmp_path)
    assert (alone.returncode, "got: array(" in alone.stdout) == (0, True)
