"""A document on a terminal of any width."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, assert_never

from conformance.reports.document import Block, Code, Column, Document, Heading, Items, Role, Rows, Sentence, text_of
from conformance.reports.text import counted, for_console, visible, wrapped

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

STYLES: dict[Role, str] = {
    "good": "green",
    "warning": "yellow",
    "alarm": "bold red",
    "ended": "bold magenta",
    "dim": "dim",
}
INDENT = 2
GAP = 2
"""Spaces between the columns of a table."""
NARROWEST_NAME = 18
"""Minimum columns for the name of a row; on a narrower terminal a table is sentences."""


def show(document: Document, console: Console | None = None) -> None:
    """Print a document; by default, to standard output."""
    from rich.console import Console

    console = console or Console(file=for_console(sys.stdout), highlight=False)
    for number, block in enumerate(document.blocks):
        if number and _begins_a_part(document.blocks[number - 1], block):
            console.print("")
        _show(block, console)


def _begins_a_part(before: Block, block: Block) -> bool:
    """Whether a blank line stands before a block: what follows a heading or a sentence belongs to it, but for tables."""
    if isinstance(block, Heading):
        return block.level == 2 or not isinstance(before, Heading)
    return not isinstance(before, Heading | Sentence) or (isinstance(before, Sentence) and isinstance(block, Rows))


def _show(block: Block, console: Console) -> None:
    match block:
        case Heading(text, role):
            _print(console, text, STYLES.get(role, "bold"), 0)
        case Sentence(line, role):
            _print(console, text_of(line), STYLES.get(role, ""), 0)
        case Items():
            _show_items(block, console)
        case Rows():
            _show_rows(block, console)
        case Code(lines):
            for text in lines:
                # not wrapped, so that it can be copied
                console.print(" " * INDENT + visible(text), soft_wrap=True, markup=False, highlight=False)
        case _:
            assert_never(block)


def _print(console: Console, text: str, style: str, columns: int) -> None:
    for part in text.split("\n"):
        for line in wrapped(part, console.width, " " * columns):
            console.print(line, style=style or None, markup=False, highlight=False, soft_wrap=True)


def _show_items(block: Items, console: Console) -> None:
    most = block.most.get("terminal", len(block.items))
    for item in block.items[:most]:
        _print(console, text_of(item.line), "", INDENT)
        for below in item.below:
            _print(console, text_of(below), "", 2 * INDENT)
    if len(block.items) > most:
        _print(console, f"and {counted(len(block.items) - most, 'more line')}, which -v lists", "", INDENT)


def _show_rows(block: Rows, console: Console) -> None:
    widths = [
        max(len(column.title), *(len(row.cells[number].text) for row in block.rows if row.cells), 0)
        for number, column in enumerate(block.columns)
    ]
    room = console.width - sum(width + GAP for width in widths)
    if room < NARROWEST_NAME:
        for line in block.as_text:
            _print(console, text_of(line), "", 0)
        return
    longest = max(map(len, [block.name.title, *(row.name.text for row in block.rows)]))
    for text in _table(block, min(room, longest), widths):
        console.print(text, highlight=False, soft_wrap=True)


def _table(block: Rows, name_width: int, widths: Sequence[int]) -> Iterator[Text]:
    from rich.text import Text

    if any(column.above for column in block.columns):
        yield Text((" " * name_width + _heads_above(block.columns, widths)).rstrip())
    titles = (column.title.rjust(width + GAP) for column, width in zip(block.columns, widths, strict=True))
    yield Text(visible(block.name.title.ljust(name_width) + "".join(titles)))
    for row in block.rows:
        first, *more = _parts(visible(row.name.text), name_width)
        text = Text(first.ljust(name_width))
        for cell, width in zip(row.cells, widths, strict=False):
            text.append(visible(cell.text).rjust(width + GAP), STYLES.get(cell.role, ""))
        text.rstrip()
        yield text
        yield from map(Text, more)
        if row.remark is not None:
            yield Text("  " + visible(row.remark.text))


def _heads_above(columns: Sequence[Column], widths: Sequence[int]) -> str:
    """A head that several columns share is centred above them."""
    text = ""
    for above, members in groupby(zip(columns, widths, strict=True), key=lambda member: member[0].above):
        width = sum(GAP + width for _, width in members) - GAP
        text += " " * GAP + above.center(width)
    return text


def _parts(name: str, width: int) -> list[str]:
    """The name of a target, broken between its parts where the column is narrow."""
    lines = [""]
    for part in re.split(r"(?===|@|\[)", name):
        if lines[-1] and len(lines[-1]) + len(part) > width:
            lines.append("  ")
        lines[-1] += part
    return lines
