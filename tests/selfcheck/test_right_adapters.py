"""Correct adapters have no divergences, in whatever style they are written."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.selfcheck.in_process import REFERENCE, JudgedCase, cpu_cases, results
from conformance.selfcheck.worker_faults import VECTORISED


def _fault(result: JudgedCase) -> str | None:
    judgement = result.judgement
    # Both adapters may reject observed cases.
    if judgement.verdict in ("conforms", "observed"):
        return None
    return f"{result.case.id}: {judgement.verdict}: {judgement.explanation}"


@pytest.mark.parametrize("path", [REFERENCE, VECTORISED], ids=["reference", "vectorised"])
def test_a_correct_adapter_has_no_divergence(path: Path) -> None:
    judged = list(results(path, cpu_cases()))
    assert len({result.case.operation.name for result in judged}) == 9
    assert [text for text in map(_fault, judged) if text] == []


@pytest.mark.parametrize("path", [REFERENCE, VECTORISED], ids=["reference", "vectorised"])
def test_a_correct_adapter_raises_for_every_out_of_bounds_index(path: Path) -> None:
    outside = [case for case in cpu_cases() if case.policies]
    assert {result.judgement.behaviour for result in results(path, outside)} == {"raises"}
