"""Each check of judging is what catches its defects: they are missed once a function that finds nothing takes its place."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from typing import Any

import pytest

from conformance.judging.compare import Comparison
from tests.planted.catalogue import DEFECTS
from tests.planted.defect import GATHER, INTO, UPDATE, Defect
from tests.planted.hooks import PlantedHook
from tests.planted.wrong_derivatives import HOOKS


def differs_nowhere(*_: object) -> Comparison:
    return Comparison(0, 0, (), None)


def finds_nothing(*_: object) -> list[object]:
    return []


def names_no_behaviour(_: object) -> None:
    return None


def belongs_to_no_other(*_: object) -> bool:
    return False


CHECKS: tuple[tuple[str, Callable[..., Any], str, str], ...] = (
    ("compare.compare", differs_nowhere, "adds where it should set", UPDATE),
    ("memory.overwritten", finds_nothing, "changes its input", UPDATE),
    ("memory.memory_faults", finds_nothing, "returns a view of what it reads", GATHER),
    ("behaviour.behaviour_of", names_no_behaviour, "ignores an out of bounds index vector", UPDATE),
    ("derivatives.belongs_to_another", belongs_to_no_other, "clamps an index and drops its derivative", INTO),
)
"""Functions of ``conformance.judging``, each with what is put in its place, and a defect that nothing else catches."""
PLANTED: list[Defect | PlantedHook] = [*HOOKS, *DEFECTS]
BY_NAME = {each.name: each for each in PLANTED}


def put_in_place(monkeypatch: pytest.MonkeyPatch, name: str, function: Callable[..., Any]) -> None:
    """Replace a function of judging in each module that knows it; AttributeError if there is none of this name."""
    module, _, attribute = f"conformance.judging.{name}".rpartition(".")
    replaced = getattr(importlib.import_module(module), attribute)
    for known_in in [each for key, each in sys.modules.items() if key.startswith("conformance.")]:
        if vars(known_in).get(attribute) is replaced:
            monkeypatch.setattr(known_in, attribute, function)


@pytest.mark.parametrize(("check", "function", "name", "operation"), CHECKS, ids=[check for check, *_ in CHECKS])
def test_without_the_check_the_defect_is_missed(
    check: str, function: Callable[..., Any], name: str, operation: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert BY_NAME[name].caught_by(operation) is not None
    put_in_place(monkeypatch, check, function)
    assert BY_NAME[name].caught_by(operation) is None
