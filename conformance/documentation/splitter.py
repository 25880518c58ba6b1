"""Splits a documentation text into pieces with places, and its paragraphs into sentences."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from conformance.documentation.blocks import Block, blocks
from conformance.documentation.pieces import Piece, Place

_LITERAL = re.compile(r"``[^`]+``|`[^`]+`")
_END = re.compile(
    r"""[.!?]['")\]*`]*\s+(?=['"(\[*]*(?:[A-Z0-9_]|`|:[a-z:]+:`))"""  # before a capital, a digit, code or a role
    r"""|[\u3002\uff01\uff1f]\s*(?=\S)"""  # full stops of Chinese
)
_ABBREVIATION = re.compile(r"(?:^|[\s(])(?:e\.g|i\.e|w\.r\.t|resp|vs|cf|etc|approx|Eq|Fig|No|incl)\.['\")]*\s+$")

_MARKER = re.compile(r"\d+[.)]\s+")
"""The number of a list item, which is no sentence."""


def split(text: str) -> tuple[Piece, ...]:
    """The pieces of a text, in order; together they have every word of it exactly once."""
    counts: Counter[str] = Counter()
    return tuple(piece for block in blocks(text) for piece in _pieces(block, counts))


def _pieces(block: Block, counts: Counter[str]) -> Iterator[Piece]:
    parts = _sentences_of(block) if block.is_paragraph else [block.text]
    for index, part in enumerate(parts):
        group = Place(block.kind, block.section.title, block.section.entry, 0, block.overload)
        counts[group.locator] += 1
        place = replace(group, number=counts[group.locator])
        yield Piece(part, place, begins_entry=block.begins_entry and index == 0)


def _sentences_of(block: Block) -> Iterator[str]:
    """The sentences of a paragraph; a header belongs to the first of them."""
    below = _sentences(" ".join(block.below_header.split()))
    yield " ".join([*block.header.split(), next(below, "")]).strip()
    yield from below


def _sentences(paragraph: str) -> Iterator[str]:
    """The sentences of a paragraph, in order; together they have all its words."""
    start = 0
    for match in _END.finditer(_masked(paragraph)):
        sentence = paragraph[start : match.end()]
        if not _ABBREVIATION.search(sentence) and not _MARKER.fullmatch(sentence):
            yield sentence.strip()
            start = match.end()
    if paragraph[start:].strip():
        yield paragraph[start:].strip()


def _masked(text: str) -> str:
    """The text with the inside of its literals replaced by letters, so that no sentence ends there."""
    return _LITERAL.sub(lambda literal: f"`{'x' * (len(literal[0]) - 2)}`", text)
