"""The examples of a documentation text as statements with what they print."""

from __future__ import annotations

import doctest
import re
from dataclasses import dataclass

from conformance.documentation.pieces import Piece
from conformance.documentation.splitter import split

_FENCE = re.compile(r"^\s*```.*$", re.MULTILINE)


@dataclass(frozen=True)
class ExampleStatement:
    """A statement of an example."""

    source: str
    printed: str
    """What it prints according to the text; empty if the text shows nothing."""
    error: str | None = None
    """The name of the type of the exception that it raises according to the text; None if it returns."""


@dataclass(frozen=True)
class Example:
    """An example of a text, which may use names of the examples above it."""

    piece: Piece
    statements: tuple[ExampleStatement, ...]
    """Empty if the text is not in the form of an interactive session."""


def examples(text: str) -> tuple[Example, ...]:
    """The examples of a text, in order."""
    return tuple(Example(piece, _statements(piece.text)) for piece in split(text) if piece.place.kind == "example")


def _statements(text: str) -> tuple[ExampleStatement, ...]:
    try:
        parsed = doctest.DocTestParser().get_examples(_FENCE.sub("", text))
    except ValueError:  # such as a prompt without a space after it
        return ()
    return tuple(map(_statement, parsed))


def _statement(parsed: doctest.Example) -> ExampleStatement:
    if parsed.exc_msg is None:
        return ExampleStatement(parsed.source, parsed.want)
    error = parsed.exc_msg.partition(":")[0].strip()  # the last line of a traceback, as in "ValueError: too long"
    return ExampleStatement(parsed.source, "", error.rpartition(".")[2])
