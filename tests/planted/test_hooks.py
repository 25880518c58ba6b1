"""The suite's cases catch each planted derivative and batch that is wrong, and blame none that is right."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.planted import wrong_batches, wrong_derivatives
from tests.planted.hooks import PlantedHook

HOOKS = [*wrong_derivatives.HOOKS, *wrong_batches.HOOKS]
WRONG = [hook for hook in HOOKS if hook.caught is not None]
RIGHT = [hook for hook in HOOKS if hook.caught is None]


def name_of(hook: PlantedHook) -> str:
    return f"{hook.kind}-{hook.name.replace(' ', '-')}"


@pytest.mark.parametrize("hook", WRONG, ids=name_of)
def test_a_wrong_hook_is_caught(hook: PlantedHook) -> None:
    assert [operation for operation in hook.operations if hook.caught_by(operation) is None] == []


@pytest.mark.parametrize("hook", RIGHT, ids=name_of)
def test_a_right_hook_in_another_style_is_not_blamed(hook: PlantedHook) -> None:
    assert [each.case.id for each in hook.blamed()] == []


@pytest.mark.parametrize("hook", [WRONG[0], next(hook for hook in WRONG if hook.kind == "vmap")], ids=name_of)
def test_without_the_mistake_nothing_is_reported(hook: PlantedHook) -> None:
    right = replace(hook, change=lambda computed, _: computed)
    assert [right.caught_by(operation) for operation in right.operations] == [None] * len(right.operations)
