"""Turns: of the cases of one kind, a sample has every third, or fewer."""

from __future__ import annotations

from collections import Counter
from zlib import crc32

SAMPLE = 3
"""Of this many cases of a kind, one is in the sample: it runs in an expensive mode, or has derivatives."""


class Turns:
    """Numbers the cases of an operation, those of each kind apart, so that a sample has some of each kind.

    The number of the first case depends on the operation and the kind. Where each operation has one case of a kind, some of
    them are in the sample.
    """

    def __init__(self, operation: str) -> None:
        self._operation = operation
        self._counts: Counter[tuple[str, ...]] = Counter()

    def next(self, *kind: str) -> int:
        """The turn of the next case of a kind."""
        turn = first_turn(self._operation, *kind) + self._counts[kind]
        self._counts[kind] += 1
        return turn


def first_turn(operation: str, *kind: str) -> int:
    """The turn of the first case of a kind."""
    return crc32(repr((operation, kind)).encode()) % SAMPLE


def is_sampled(turn: int, of: int = SAMPLE) -> bool:
    """Whether a case with this turn is in the sample that has one of so many."""
    return turn % of == 0
