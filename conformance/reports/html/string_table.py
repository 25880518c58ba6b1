"""Tables of the distinct values of a payload, and columns of indices into them."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Generic, TypeVar

from conformance.reports.text import visible

T = TypeVar("T", bound=Hashable)


class Table(Generic[T]):
    """Distinct values in the order in which they were added."""

    def __init__(self) -> None:
        self._indices: dict[T, int] = {}

    def index(self, value: T) -> int:
        """The index of a value, which is added if it is new."""
        return self._indices.setdefault(value, len(self._indices))

    @property
    def values(self) -> list[T]:
        return list(self._indices)


class TextTable(Table[str]):
    """Distinct texts, with control characters made visible."""

    def optional_index(self, text: str | None) -> int:
        """The index of a text, or -1 for None."""
        return -1 if text is None else self.index(text)

    @property
    def values(self) -> list[str]:
        return [visible(text) for text in super().values]


def deltas(column: Iterable[int]) -> list[int]:
    """The difference of each number from the previous one, which compresses well for similar neighbours."""
    previous, differences = 0, []
    for number in column:
        differences.append(number - previous)
        previous = number
    return differences
