"""A document as Markdown, such as summary.md. No text of a framework becomes markup."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import assert_never

from conformance.reports.document import (
    MOST_CODE,
    Block,
    Code,
    Document,
    Heading,
    Items,
    Line,
    Rows,
    Sentence,
    Span,
    ToResult,
    Url,
)
from conformance.reports.text import counted, one_line, visible

_RESERVED = 100
"""Bytes for the line that says how many are missing."""


def inline(text: str) -> str:
    """Any text on one line as a code span, which is not rendered as markup, a mention, an issue or a link."""
    text = one_line(text, MOST_CODE)
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", text)), default=0))
    padding = " " if not text or text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{padding}{text}{padding}{fence}"


def in_cell(text: str) -> str:
    """Any text as a code span in a table."""
    return inline(text).replace("|", "\\|")


def fenced(text: str) -> str:
    """Any text as a block, fenced by more tildes than it contains."""
    text = visible(text)
    longest = max((len(run) for run in re.findall("~+", text)), default=0)
    fence = "~" * max(3, longest + 1)
    return f"{fence}text\n{text}\n{fence}"


def as_markdown(document: Document, most_bytes: int, page: str) -> str:
    """At most this many bytes of UTF-8: as many lines as fit, and the number of the others. page: what results link to."""
    lines = [line for block in document.blocks for line in _lines(block, page)]
    size = 0
    for number, line in enumerate(lines):
        size += len(line.encode()) + 1
        if size > most_bytes - _RESERVED:
            rest = sum(map(bool, lines[number:]))
            return "\n".join([*lines[:number], "", f"{counted(rest, 'more line')} in [{page}]({page})"]) + "\n"
    return "\n".join(lines).lstrip("\n") + "\n"


def _lines(block: Block, page: str) -> Iterator[str]:
    match block:
        case Heading(text, _, level):
            yield ""
            yield f"{'#' * level} {text}"
            yield ""
        case Sentence(line, "alarm"):
            yield (
                f"\n> **{_text(line, page)}**"
                if all(span.role != "code" for span in line)
                else f"\n> {_text(line, page)}"
            )
        case Sentence(line):
            yield f"\n{_text(line, page)}"
        case Items():
            yield from _items(block, page)
        case Rows():
            yield ""
            yield from _table(block)
        case Code(lines):
            yield ""
            yield fenced("\n".join(lines))
        case _:
            assert_never(block)


def _items(block: Items, page: str) -> Iterator[str]:
    most = block.most.get("markdown", len(block.items))
    for item in block.items[:most]:
        yield f"- {_text(item.line, page)}"
        yield from (f"  - {_text(below, page)}" for below in item.below)
    if len(block.items) > most:
        yield f"- and {len(block.items) - most} more"


def _text(line: Line, page: str) -> str:
    return "".join(_span(span, page) for span in line)


def _span(span: Span, page: str) -> str:
    text = inline(span.text) if span.role == "code" else span.text
    match span.link:
        case ToResult() as result:
            return f"[{text}](<{page}{result.fragment}>)"
        case Url(url):
            return f"[{text}](<{url}>)"
        case None:
            return text


def _table(block: Rows) -> Iterator[str]:
    titles = [f"{column.above}, {column.title}" if column.above else column.title for column in block.columns]
    yield f"| {' | '.join([block.name.title, *titles])} |"
    yield f"| :-- {'| --: ' * len(titles)}|"
    for row in block.rows:
        remark = f" {in_cell(row.remark.text)}" if row.remark is not None else ""
        cells: Sequence[str] = [cell.text for cell in row.cells] or [""] * len(titles)
        yield f"| {in_cell(row.name.text)}{remark} | {' | '.join(cells)} |"
