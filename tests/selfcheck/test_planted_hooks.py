"""The suite's cases catch each planted derivative and batch that is wrong, and blame none that is right."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from conformance.selfcheck import wrong_batches, wrong_derivatives
from conformance.selfcheck.planted_hooks import PlantedHook, blamed, missed

WRONG = (*wrong_derivatives.WRONG, *wrong_batches.WRONG)
RIGHT = (*wrong_derivatives.RIGHT, *wrong_batches.RIGHT)


def name_of(planted: PlantedHook) -> str:
    return f"{planted.kind}-{planted.name.replace(' ', '-')}"


@pytest.mark.parametrize("planted", WRONG, ids=name_of)
def test_a_wrong_hook_is_caught(planted: PlantedHook, tmp_path: Path) -> None:
    assert missed(planted, tmp_path) == []


@pytest.mark.parametrize("planted", RIGHT, ids=name_of)
def test_a_right_hook_in_another_style_is_not_blamed(planted: PlantedHook, tmp_path: Path) -> None:
    assert blamed(planted, tmp_path) == []


@pytest.mark.parametrize("planted", [*wrong_derivatives.WRONG[:3], *wrong_batches.WRONG[:1]], ids=name_of)
def test_without_the_mistake_nothing_is_reported(planted: PlantedHook, tmp_path: Path) -> None:
    assert missed(replace(planted, lines="pass"), tmp_path) == list(planted.operations)
