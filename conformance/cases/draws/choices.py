"""Choices of integers, so that the same code draws at random, from a record and for Hypothesis."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import TypeVar

Choose = Callable[[int, int], int]
"""Returns an integer between two bounds, both included; the lower bound is the simplest choice."""
Item = TypeVar("Item")


class Rejected(Exception):
    """These choices do not lead to a call; others may."""


def simplest(low: int, high: int) -> int:  # noqa: ARG001 - the signature of Choose
    """The simplest of all choices."""
    return low


def choose_item(choose: Choose, items: Sequence[Item]) -> Item:
    """An item, of which the first is the simplest."""
    return items[choose(0, len(items) - 1)]


def choose_distinct(choose: Choose, total: int, count: int) -> list[int]:
    """``count`` distinct numbers below ``total``, in any order."""
    moved: dict[int, int] = {}
    chosen = []
    for position in range(count):
        source = choose(position, total - 1)
        chosen.append(moved.get(source, source))
        moved[source] = moved.get(position, position)
    return chosen


def seeded(seed: str) -> random.Random:
    """A random generator seeded with a text."""
    return random.Random(seed)  # noqa: S311 - not used for cryptography


class Recorder:
    """Repeats the choices of a record, then chooses at random, and records all choices.

    A single possible value is not recorded, as in Hypothesis.
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
            # The only method of Random with the same numbers in every version of Python.
            choice = low + int(self._generator.random() * (high - low + 1))
        self.chosen.append(choice)
        return choice
