"""The suite's cases catch each defect of the catalogue."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.selfcheck.catalogue import DEFECTS
from conformance.selfcheck.defect import Defect
from conformance.selfcheck.fast_paths import FAST_PATHS
from conformance.selfcheck.in_process import REFERENCE
from conformance.selfcheck.judging_defects import JUDGING
from conformance.selfcheck.planted_defects import missed, planted


@pytest.mark.parametrize("defect", DEFECTS, ids=lambda defect: defect.name.replace(" ", "-"))
def test_a_planted_defect_is_caught(defect: Defect, tmp_path: Path) -> None:
    path = tmp_path / "adapter.py"
    path.write_text(planted(defect))
    assert missed(defect, path) == []


@pytest.mark.parametrize("defect", [*JUDGING, *FAST_PATHS], ids=lambda defect: defect.name.replace(" ", "-"))
def test_without_the_defect_nothing_is_reported(defect: Defect) -> None:
    assert missed(defect, REFERENCE) == list(defect.operations)
