"""The suite's cases catch each planted derivative that is wrong, and blame none that is right."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.selfcheck.wrong_derivatives import RIGHT, WRONG, Derivative, blamed, missed


@pytest.mark.parametrize("derivative", WRONG, ids=lambda derivative: derivative.name.replace(" ", "-"))
def test_a_wrong_derivative_is_caught(derivative: Derivative, tmp_path: Path) -> None:
    assert missed(derivative, tmp_path) == []


@pytest.mark.parametrize("derivative", RIGHT, ids=lambda derivative: derivative.name.replace(" ", "-"))
def test_a_right_derivative_in_another_style_is_not_blamed(derivative: Derivative, tmp_path: Path) -> None:
    assert blamed(derivative, tmp_path) == []


@pytest.mark.parametrize("derivative", WRONG[:3], ids=lambda derivative: derivative.name.replace(" ", "-"))
def test_without_the_mistake_nothing_is_reported(derivative: Derivative, tmp_path: Path) -> None:
    harmless = Derivative(derivative.name, "pass", derivative.caught, derivative.operations)
    assert missed(harmless, tmp_path) == list(derivative.operations)
