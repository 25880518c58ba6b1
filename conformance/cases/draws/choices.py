"""Choices, one whole number each, so that the same code draws at random, from a record and for Hypothesis."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import TypeVar

Choose = Callable[[int, int], int]
"""A whole number from the first to the second, both included; the first is the simplest choice."""
Item = TypeVar("Item")


class Rejected(Exception):
    """These choices lead to no call; others may."""


def simplest(low: int, high: int) -> int:  # noqa: ARG001 - one of the ways to pick
    """The simplest of all choices."""
    return low


def one_of(choose: Choose, items: Sequence[Item]) -> Item:
    """One of the items, of which the first is the simplest."""
    return items[choose(0, len(items) - 1)]


def some_of(choose: Choose, total: int, count: int) -> list[int]:
    """So many different numbers below ``total``, in any order."""
    moved: dict[int, int] = {}
    chosen = []
    for place in range(count):
        other = choose(place, total - 1)
        chosen.append(moved.get(other, other))
        moved[other] = moved.get(place, place)
    return chosen


def seeded(seed: str) -> random.Random:
    """A generator that a text always starts in the same way."""
    return random.Random(seed)  # noqa: S311 - draws are no secrets


class Recorder:
    """Picks a record again as far as it goes, then at random; keeps what it picked.

    What leaves no choice is not recorded: Hypothesis does not record it either.
    """

    def __init__(self, generator: random.Random, record: Sequence[int] = ()) -> None:
        self.chosen: list[int] = []
        self._generator = generator
        self._record = record

    def __call__(self, low: int, high: int) -> int:
        if low == high:
            return low
        number = len(self.chosen)
        if number < len(self._record):
            choice = min(max(self._record[number], low), high)
        else:
            choice = self._generator.randint(low, high)
        self.chosen.append(choice)
        return choice
