"""Searches with Hypothesis: what they find, and that each run finds the same."""

from __future__ import annotations

import random

import hypothesis.core
import pytest
from hypothesis import strategies as st

from conformance.cases.draws.choices import Recorder
from conformance.cases.draws.drawing import DrawnCall, draw
from conformance.cases.draws.forms import Key, key_of
from conformance.execution.minimize import smallest
from conformance.specification.literals import Tensor
from conformance.specification.loader import load_specs
from conformance.strategies import drawn_calls

NUMBERS = st.tuples(*[st.integers(0, 1000)] * 6)
CHOICES = (917, 3, 604, 51, 330, 78)
OPERATION = load_specs().operations["gather_elements"]


def remainder(drawn: DrawnCall) -> int:
    index = drawn.call.arguments["index"]
    assert isinstance(index, Tensor)
    return int(index.array.sum()) % 5


def tried() -> list[Key]:
    """The calls that a search tries whose path depends on Hypothesis's random numbers."""
    recorder = Recorder(random.Random(3), ())
    wanted = remainder(draw(recorder, OPERATION, None))
    calls: list[Key] = []

    def is_wanted(drawn: DrawnCall) -> bool:
        calls.append(key_of(drawn.call))
        return remainder(drawn) == wanted

    assert smallest(drawn_calls(OPERATION, None), tuple(recorder.chosen), is_wanted) is not None
    return calls


def test_each_search_tries_the_same_calls() -> None:
    first = tried()
    assert len(first) > 20
    assert all(tried() == first for _ in range(3))


def test_the_value_found_is_the_smallest() -> None:
    assert smallest(NUMBERS, CHOICES, lambda numbers: max(numbers) >= 10) == (0, 0, 0, 0, 0, 10)


def test_the_search_starts_with_the_given_choices() -> None:
    assert smallest(NUMBERS, CHOICES, lambda numbers: numbers == CHOICES) == CHOICES


def test_nothing_is_found_if_the_first_value_is_not_wanted() -> None:
    assert smallest(NUMBERS, CHOICES, lambda numbers: numbers != CHOICES) is None


def test_the_option_hypothesis_seed_of_pytest_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    before = tried()
    monkeypatch.setattr(hypothesis.core, "global_force_seed", 5)
    assert tried() == before
