"""The suite's cases catch each defect of the catalogue."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from conformance.selfcheck.catalogue import DEFECTS
from conformance.selfcheck.defect import Defect
from conformance.selfcheck.fast_paths import FAST_PATHS
from conformance.selfcheck.in_process import REFERENCE, JudgedCase, cpu_cases, results
from conformance.selfcheck.judging_defects import JUDGING
from conformance.selfcheck.planted_defects import cases_for, is_caught, missed, planted


@pytest.mark.parametrize("defect", DEFECTS, ids=lambda defect: defect.name.replace(" ", "-"))
def test_a_planted_defect_is_caught(defect: Defect, tmp_path: Path) -> None:
    path = tmp_path / "adapter.py"
    path.write_text(planted(defect))
    assert missed(defect, path) == []


@pytest.mark.parametrize("defect", [*JUDGING, *FAST_PATHS], ids=lambda defect: defect.name.replace(" ", "-"))
def test_without_the_defect_nothing_is_reported(defect: Defect) -> None:
    for operation in defect.operations:
        judged = _of_the_reference(operation, error_types=defect.caught == "error-type")
        concerned = [judged[case.id] for case in cases_for(defect, operation)]
        assert concerned
        assert not is_caught(defect, concerned)


@cache
def _of_the_reference(operation: str, *, error_types: bool) -> dict[str, JudgedCase]:
    """By case, the judgements of the reference, which are the same for all defects of an operation."""
    cases = [case for case in cpu_cases() if case.operation.name == operation]
    return {judged.case.id: judged for judged in results(REFERENCE, cases, error_types=error_types)}
