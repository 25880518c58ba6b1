"""What earlier runs measured of targets is there in the next one."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.execution.measurements import DURATIONS, PEAKS, key_of, remember, remembered
from conformance.results.records import TargetRecord


def test_the_numbers_of_a_run_are_stored_beside_those_of_other_targets(tmp_path: Path) -> None:
    home = tmp_path / "home"
    remember(home, PEAKS, {"torch[eager]@cpu": 7, "jax[jit]@cpu": 5})
    remember(home, PEAKS, {"jax[jit]@cpu": 9})
    remember(home, DURATIONS, {"jax[jit]@cpu": 0.5})
    assert remembered(home, PEAKS) == {"torch[eager]@cpu": 7, "jax[jit]@cpu": 9}
    assert remembered(home, DURATIONS) == {"jax[jit]@cpu": 0.5}


def test_a_run_that_measured_nothing_writes_nothing(tmp_path: Path) -> None:
    remember(tmp_path, PEAKS, {})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "content",
    [
        '{"torch[eager]@cpu": "much"}',
        '{"torch[eager]@cpu": 1',
        "[1]",
        *(f'{{"torch[eager]@cpu": {number}}}' for number in ("1e999", "NaN", "-1", "9" * 400)),
    ],
)
def test_a_file_that_cannot_be_read_is_as_none(tmp_path: Path, content: str) -> None:
    (tmp_path / PEAKS).write_text(content)
    assert remembered(tmp_path, PEAKS) == {}
    assert remembered(tmp_path / "nowhere", PEAKS) == {}


def test_all_versions_of_a_target_and_all_its_devices_of_a_kind_share_a_number() -> None:
    first = TargetRecord("torch==1[eager]@cuda:0", "torch", "1", "cuda:0", "eager")
    second = TargetRecord("torch==2[eager]@cuda:1", "torch", "2", "cuda:1", "eager")
    assert key_of(first) == key_of(second) == "torch[eager]@cuda"
