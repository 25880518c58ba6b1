"""What a report says, before it is rendered: blocks of lines of text, for a terminal or for Markdown.

A string in a line is in the project's own words. Whatever comes from specs, frameworks or the system is ``code``, so that no
renderer takes it for markup.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from conformance.reports.text import one_line

Medium = Literal["terminal", "markdown"]
Role = Literal["plain", "code", "good", "warning", "alarm", "ended", "dim"]
"""What a text is, from which a renderer derives its look."""
MOST_CODE = 400
"""Characters of a name or a message."""


@dataclass(frozen=True)
class Url:
    """A link to a web address."""

    address: str


@dataclass(frozen=True)
class Span:
    """A part of a line."""

    text: str
    role: Role = "plain"
    link: Url | None = None


Line = tuple[Span, ...]


def line(*parts: str | Span) -> Line:
    """A line; strings are the project's own words."""
    return tuple(Span(part) if isinstance(part, str) else part for part in parts)


def code(text: str, most: int = MOST_CODE) -> Span:
    """Any text, on one line."""
    return Span(one_line(text, most), "code")


def text_of(parts: Line) -> str:
    """The text of a line without its links."""
    return "".join(part.text for part in parts)


@dataclass(frozen=True)
class Heading:
    """The title of what follows; of level 3, of a part of it."""

    text: str
    role: Role = "plain"
    level: Literal[2, 3] = 2


@dataclass(frozen=True)
class Sentence:
    """A paragraph."""

    line: Line
    role: Role = "plain"


@dataclass(frozen=True)
class Item:
    """An entry of a list."""

    line: Line
    below: tuple[Line, ...] = ()
    """Further lines about it."""


@dataclass(frozen=True)
class Items:
    """A list."""

    items: Sequence[Item]
    most: Mapping[Medium, int] = field(default_factory=dict)
    """The number of items that are shown, by medium; all where none is given."""


@dataclass(frozen=True)
class Column:
    """The head of a column."""

    title: str
    above: str = ""
    """A second line of the head, above the title."""


@dataclass(frozen=True)
class Row:
    """A row of a table."""

    cells: tuple[Span, ...]
    """Empty if there is nothing to count."""
    name: Span
    remark: Span | None = None


@dataclass(frozen=True)
class Rows:
    """A table of numbers with a name before each row."""

    name: Column
    columns: Sequence[Column]
    rows: Sequence[Row]
    as_text: Sequence[Line]
    """The same in sentences, for a terminal that is too narrow for the table."""


@dataclass(frozen=True)
class Code:
    """Lines to be copied, which are never wrapped."""

    lines: Sequence[str]


Block = Heading | Sentence | Items | Rows | Code


@dataclass(frozen=True)
class Document:
    """A report, or a part of one."""

    blocks: tuple[Block, ...]

    @classmethod
    def of(cls, *parts: Iterable[Block]) -> Document:
        """The blocks of several sections, one after the other."""
        return cls(tuple(block for part in parts for block in part))
