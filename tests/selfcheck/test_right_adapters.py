"""Adapters that do what the documents say get no divergence, in whatever style they are written."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.selfcheck.in_process import REFERENCE, JudgedCase, all_cases, results
from conformance.selfcheck.worker_faults import VECTORISED


def _fault(result: JudgedCase) -> str | None:
    judgement = result.judgement
    # What both adapters refuse in cases that nobody judges is no fault.
    if judgement.verdict in ("conforms", "observed"):
        return None
    return f"{result.case.id}: {judgement.verdict}: {judgement.explanation}"


@pytest.mark.parametrize("path", [REFERENCE, VECTORISED], ids=["reference", "vectorised"])
def test_a_right_adapter_gets_no_divergence(path: Path) -> None:
    found = list(results(path, all_cases()))
    assert len({result.case.operation.name for result in found}) == 9
    assert [text for text in map(_fault, found) if text] == []


@pytest.mark.parametrize("path", [REFERENCE, VECTORISED], ids=["reference", "vectorised"])
def test_a_right_adapter_raises_wherever_an_index_points_outside(path: Path) -> None:
    outside = [case for case in all_cases() if case.policies]
    assert {result.judgement.behaviour for result in results(path, outside)} == {"raises"}
