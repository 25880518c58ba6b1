"""Tables of texts that fit a terminal."""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Iterator, Sequence
from itertools import zip_longest

from conformance.reports.text import visible

GAP = 2
"""Spaces between two columns."""
INDENT = 2


def terminal_width() -> int | None:
    """Columns of the terminal that standard output goes to; None if it goes elsewhere, where each row is one line."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def table(rows: Sequence[Sequence[str]], width: int | None) -> list[str]:
    """The lines of a table whose first row is its head.

    Columns wrap between words until the table is no wider than ``width``. Words, such as ids, are never broken: where they do
    not fit side by side, the first column has lines of its own, and the others are a table below each.
    """
    rows = [[visible(cell) for cell in row] for row in rows]
    widths = _fitting(rows, width)
    if widths is not None:
        return [text for row in rows for text in _side_by_side(row, widths)]
    assert width is not None
    below = _fitting([row[1:] for row in rows], width - INDENT) or _least([row[1:] for row in rows])
    return [text for row in rows for text in _one_below_the_other(row, below)]


def _fitting(rows: Sequence[Sequence[str]], width: int | None) -> list[int] | None:
    """The widths of the columns, of which the widest are narrowed as far as needed; None if they do not fit."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    least = _least(rows)
    while width is not None and sum(widths) + GAP * (len(widths) - 1) > width:
        narrowable = [number for number in range(len(widths)) if widths[number] > least[number]]
        if not narrowable:
            return None
        widths[max(narrowable, key=widths.__getitem__)] -= 1
    return widths


def _least(rows: Sequence[Sequence[str]]) -> list[int]:
    """The longest word of each column."""
    return [max(len(word) for cell in column for word in [*cell.split(), ""]) for column in zip(*rows, strict=True)]


def _side_by_side(row: Sequence[str], widths: Sequence[int]) -> Iterator[str]:
    cells = [_lines(cell, width) for cell, width in zip(row, widths, strict=True)]
    for parts in zip_longest(*cells, fillvalue=""):
        yield (" " * GAP).join(part.ljust(width) for part, width in zip(parts, widths, strict=True)).rstrip()


def _lines(cell: str, width: int) -> list[str]:
    if len(cell) <= width:
        return [cell]
    return textwrap.wrap(cell, width, break_long_words=False, break_on_hyphens=False)


def _one_below_the_other(row: Sequence[str], widths: Sequence[int]) -> Iterator[str]:
    yield row[0]
    for text in _side_by_side(row[1:], widths):
        yield " " * INDENT + text
