"""Splits a documentation text into pieces with places."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from conformance.documentation.blocks import Block, blocks
from conformance.documentation.pieces import Piece, Place
from conformance.documentation.sentences import sentences


def split(text: str) -> tuple[Piece, ...]:
    """The pieces of a text, in order; together they have every word of it exactly once."""
    counts: Counter[str] = Counter()
    return tuple(piece for block in blocks(text) for piece in _pieces(block, counts))


def _pieces(block: Block, counts: Counter[str]) -> Iterator[Piece]:
    parts = _sentences(block) if block.is_paragraph else [block.text]
    for index, part in enumerate(parts):
        group = Place(block.kind, block.section.title, block.section.entry, 0, block.overload)
        counts[group.locator] += 1
        place = replace(group, number=counts[group.locator])
        yield Piece(part, place, begins_entry=block.begins_entry and index == 0)


def _sentences(block: Block) -> Iterator[str]:
    """The sentences of a paragraph; a header belongs to the first of them."""
    below = sentences(" ".join(block.below_header.split()))
    yield " ".join([*block.header.split(), next(below, "")]).strip()
    yield from below
