"""Correct adapters have no divergences, in whatever style they are written."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.cases.expectations import Returns
from conformance.selfcheck.fast_paths import PATHS
from conformance.selfcheck.in_process import REFERENCE, JudgedCase, cpu_cases, results
from conformance.selfcheck.planted_defects import with_right_paths
from conformance.selfcheck.worker_faults import VECTORISED


def _fault(result: JudgedCase) -> str | None:
    judgement = result.judgement
    # Both adapters may reject observed cases.
    if not result.is_blamed:
        return None
    return f"{result.case.id}: {judgement.verdict}: {judgement.explanation}"


@pytest.mark.parametrize("path", [REFERENCE, VECTORISED], ids=["reference", "vectorised"])
def test_a_correct_adapter_has_no_divergence(path: Path) -> None:
    judged = list(results(path, cpu_cases()))
    assert len({result.case.operation.name for result in judged}) == 24
    assert [text for text in map(_fault, judged) if text] == []


def test_an_adapter_that_takes_every_fast_path_rightly_has_no_divergence(tmp_path: Path) -> None:
    path = tmp_path / "adapter.py"
    path.write_text(with_right_paths(), encoding="utf-8")
    assert path.read_text(encoding="utf-8").count("order='F'") == len(PATHS)
    assert [text for text in map(_fault, results(path, cpu_cases())) if text] == []


@pytest.mark.parametrize("path", [REFERENCE, VECTORISED], ids=["reference", "vectorised"])
def test_a_correct_adapter_raises_for_every_out_of_bounds_index_that_is_not_to_be_dropped(path: Path) -> None:
    outside = [case for case in cpu_cases() if case.policies and not isinstance(case.expectation, Returns)]
    assert {result.judgement.behaviour for result in results(path, outside)} == {"raises"}
