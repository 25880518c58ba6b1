"""A document as Markdown, such as summary.md. No text of a framework becomes markup."""

from __future__ import annotations

import re
from collections import Counter
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


def as_markdown(document: Document, most_bytes: int, whole: str, most_lines: int | None = None) -> str:
    """At most this many bytes of UTF-8, and lines: as many as fit, and the number of the others.

    whole: Markdown that says where the others are.
    """
    lines = "\n".join(line for block in document.blocks for line in _lines(block)).strip("\n").split("\n")
    size, last = 0, len(lines) if most_lines is None else most_lines - 2
    for number, line in enumerate(lines):
        size += len(line.encode()) + 1
        if size > most_bytes - _RESERVED or (number == last and len(lines) > last + 2):
            rest = sum(map(bool, lines[number:]))
            return "\n".join([*lines[:number], "", f"{counted(rest, 'more line')} in {whole}"]) + "\n"
    return "\n".join(lines) + "\n"


def contents(document: Document) -> str:
    """Links to the headings of level 2, on one line; the anchors are those that GitHub makes."""
    used: Counter[str] = Counter()
    links = []
    for block in document.blocks:
        if isinstance(block, Heading):
            name = re.sub(r"[^\w\- ]", "", block.text.lower()).replace(" ", "-")
            number = used[name]
            used[name] += 1
            if block.level == 2:
                links.append(f"[{block.text}](#{name}{f'-{number}' if number else ''})")
    return ", ".join(links)


def _lines(block: Block) -> Iterator[str]:
    match block:
        case Heading(text, _, level):
            yield ""
            yield f"{'#' * level} {text}"
            yield ""
        case Sentence(line, "alarm"):
            yield (f"\n> **{_text(line)}**" if all(span.role != "code" for span in line) else f"\n> {_text(line)}")
        case Sentence(line):
            yield f"\n{_text(line)}"
        case Items():
            yield from _items(block)
        case Rows():
            yield ""
            yield from _table(block)
        case Code(lines):
            yield ""
            yield fenced("\n".join(lines))
        case _:
            assert_never(block)


def _items(block: Items) -> Iterator[str]:
    most = block.most.get("markdown", len(block.items))
    for item in block.items[:most]:
        yield f"- {_text(item.line)}"
        yield from (f"  - {_text(below)}" for below in item.below)
    if len(block.items) > most:
        yield f"- and {len(block.items) - most} more"


def _text(line: Line) -> str:
    return "".join(map(_span, line))


def _span(span: Span) -> str:
    text = inline(span.text) if span.role == "code" else span.text
    # A result has an address only on the pages, which are not shown where Markdown is.
    return f"[{text}](<{span.link.address}>)" if isinstance(span.link, Url) else text


def _table(block: Rows) -> Iterator[str]:
    titles = [f"{column.above}, {column.title}" if column.above else column.title for column in block.columns]
    yield f"| {' | '.join([block.name.title, *titles])} |"
    yield f"| :-- {'| --: ' * len(titles)}|"
    for row in block.rows:
        remark = f" {in_cell(row.remark.text)}" if row.remark is not None else ""
        cells: Sequence[str] = [cell.text for cell in row.cells] or [""] * len(titles)
        yield f"| {in_cell(row.name.text)}{remark} | {' | '.join(cells)} |"
