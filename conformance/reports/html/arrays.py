"""The arrays of a payload: as text, and with their elements if they are small enough to draw."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from conformance.reports.html.string_table import Table, TextTable
from conformance.reports.literals import Description, flat_elements

MOST_ELEMENTS = 64
MOST_RANK = 4

CellTable = Table[tuple[str, ...]]
"""The elements of arrays as texts, in row-major order."""


def is_drawn(shape: Sequence[int]) -> bool:
    """Whether an array of this shape is drawn element by element."""
    return len(shape) <= MOST_RANK and 0 < math.prod(shape) <= MOST_ELEMENTS


class DescriptionTable:
    """Distinct descriptions of expectations and outcomes."""

    def __init__(self, texts: TextTable, cells: CellTable) -> None:
        self._texts, self._cells = texts, cells
        self._rows: Table[tuple[Any, ...]] = Table()

    def index(self, description: Description) -> int:
        """The index of a description."""
        texts, shape = self._texts, description.shape
        notes = tuple(map(texts.index, description.notes))
        cells = -1
        if shape is not None and description.values is not None and is_drawn(shape):
            cells = self._cells.index(tuple(flat_elements(description.values)))
        return self._rows.index(
            (texts.index(description.head), texts.optional_index(description.body), notes, shape, cells)
        )

    @property
    def rows(self) -> list[tuple[Any, ...]]:
        """Head, body, notes, shape and cells of each description; texts and cells are indices, -1 for none."""
        return self._rows.values
