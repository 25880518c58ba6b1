"""What repeats in a payload, written once: a table of texts, and columns of numbers that point into it."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Generic, TypeVar

from conformance.reports.text import visible

T = TypeVar("T", bound=Hashable)


class Table(Generic[T]):
    """Values by number, each once, in the order in which they were first asked for."""

    def __init__(self) -> None:
        self._numbers: dict[T, int] = {}

    def of(self, value: T) -> int:
        """The number of a value."""
        return self._numbers.setdefault(value, len(self._numbers))

    @property
    def values(self) -> list[T]:
        return list(self._numbers)


class Texts:
    """Texts by number, made fit to show."""

    def __init__(self) -> None:
        self._table: Table[str] = Table()

    def of(self, text: str) -> int:
        """The number of a text."""
        return self._table.of(text)

    def maybe(self, text: str | None) -> int:
        """The number of a text, or -1 where there is none."""
        return -1 if text is None else self._table.of(text)

    @property
    def values(self) -> list[str]:
        return [visible(text) for text in self._table.values]


def deltas(column: Iterable[int]) -> list[int]:
    """Each number less the one before it, which compresses where neighbours are alike."""
    before, found = 0, []
    for number in column:
        found.append(number - before)
        before = number
    return found
