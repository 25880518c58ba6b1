"""Splits a paragraph into sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator

_LITERAL = re.compile(r"``[^`]+``|`[^`]+`")
_END = re.compile(
    r"""[.!?]['")\]*`]*\s+(?=['"(\[*]*(?:[A-Z0-9_]|`|:[a-z:]+:`))"""  # before a capital, a digit, code or a role
    r"""|[\u3002\uff01\uff1f]\s*(?=\S)"""  # full stops of Chinese
)
_ABBREVIATION = re.compile(r"(?:^|[\s(])(?:e\.g|i\.e|w\.r\.t|resp|vs|cf|etc|approx|Eq|Fig|No|incl)\.['\")]*\s+$")

_MARKER = re.compile(r"\d+[.)]\s+")
"""The number of a list item, which is no sentence."""


def sentences(paragraph: str) -> Iterator[str]:
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
