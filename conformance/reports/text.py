"""Make text from frameworks safe to show: a message can contain anything."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterable
from typing import Any, TextIO

LEAST_WIDTH = 20
"""Columns of a wrapped text on the narrowest terminal, without its indentation."""
_INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters, including the terminal escape
    "\u2028\u2029"  # separators that some readers treat as an end of line
    "\u200e\u200f\u202a-\u202e\u2066-\u2069"  # marks that change the text direction
    "\ud800-\udfff\ufffe\uffff]"  # not valid in UTF-8 or XML
)

_IN_JSON = ("\\u", "\\r", "\\b", "\\f", "\x7f")
"""How what is invisible begins in JSON of ASCII characters."""

_LEAST_SAVED = 20
"""Characters that an abbreviation must save, including what it says of itself."""
_LONGEST_WORD = 20
"""Characters of a word that are given up so that it is not cut."""


def visible(text: str) -> str:
    """The text with each invisible or control character escaped as ``#x1B``."""
    if text.isascii() and text.isprintable():  # most texts, and much faster than a search
        return text
    text = text.replace("\r\n", "\n")
    return _INVISIBLE.sub(lambda match: f"#x{ord(match[0]):02X}", text)


class VisibleText:
    """A stream on which every text is visible, wherever it comes from; it has all attributes of the original stream."""

    def __init__(self, stream: TextIO) -> None:
        self.original = stream

    def write(self, text: str) -> int:
        self.original.write(visible(text))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.original, name)


def for_console(stream: TextIO) -> TextIO:
    """The stream for Rich, which writes control characters of its own; texts are made visible before it gets them."""
    return stream.original if isinstance(stream, VisibleText) else stream


def json_text(data: Any, indent: int | None = None) -> str:
    """A value as JSON in which what is invisible is escaped, as JSON does."""
    text = json.dumps(data, ensure_ascii=False, indent=indent)
    return _INVISIBLE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def visible_tree(data: Any) -> Any:
    """Apply ``visible`` to every string of a JSON value, including keys."""
    if isinstance(data, str):
        return visible(data)
    if isinstance(data, dict):
        return {visible_tree(key): visible_tree(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [visible_tree(item) for item in data]
    return data


def visible_json(data: Any, *, is_compact: bool = False) -> str:
    """``visible_tree`` of a JSON value as JSON, in ASCII characters if it is compact."""
    encode = _COMPACT if is_compact else _READABLE
    text = encode(data)
    # Most values have nothing to escape, and to look at their JSON is much faster than to walk them.
    is_visible = not any(start in text for start in _IN_JSON) and (text.isascii() or not _INVISIBLE.search(text))
    return text if is_visible else encode(visible_tree(data))


_COMPACT = json.JSONEncoder(separators=(",", ":")).encode
_READABLE = json.JSONEncoder(ensure_ascii=False).encode


def shortened(text: str, most: int) -> str:
    """About this many characters, up to the end of a word, with the number of those omitted.

    The whole text if that would not save ``_LEAST_SAVED`` characters.
    """
    if len(text) <= most:
        return text
    kept = text[:most]
    if not text[most].isspace() and most - kept.rfind(" ") <= _LONGEST_WORD:
        kept = kept.rpartition(" ")[0]
    kept = kept.rstrip()
    short = f"{kept} ... ({len(text) - len(kept)} more characters)"
    return short if len(short) <= len(text) - _LEAST_SAVED else text


def beginning(text: str, most: int) -> str:
    """The first clauses of a sentence, in about this many characters, or the whole one if that would save little."""
    kept = text[: most + 1]
    end = max(kept.rfind(mark) for mark in (", ", "; ", ": "))
    kept = kept[:end] if end >= most // 2 else kept.rpartition(" ")[0] or kept
    short = f"{kept} ..."
    return short if len(short) <= len(text) - _LEAST_SAVED else text


def one_line(text: str, most: int = 200) -> str:
    """Visible text on one line."""
    return shortened(" ".join(visible(text).split()), most)


def one_line_with_end(text: str, most: int) -> str:
    """Visible text on one line; what is too long is shortened in the middle, since a traceback ends with its cause."""
    line = " ".join(visible(text).split())
    if len(line) <= most:
        return line
    return f"{line[: most // 2].rstrip()} ... {line[-(most // 2) :].lstrip()}"


def counted(count: int, noun: str, plural: str | None = None) -> str:
    """``1 case``, ``2 cases``."""
    return f"{count} {noun if count == 1 else plural or noun + 's'}"


def wrapped(text: str, width: int, first: str = "", deeper: int = 2) -> list[str]:
    """Visible text in lines of this width, or longer if a word is: names and paths are never broken, so that they can be copied.

    first: what stands before the first line; the others are indented by this number of columns more than it has.
    """
    rest = " " * (len(first) + deeper)
    lines = textwrap.wrap(
        visible(text),
        max(width, len(rest) + LEAST_WIDTH),
        initial_indent=first,
        subsequent_indent=rest,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return lines or [first]


def web_address(url: str | None) -> str | None:
    """The address if it is safe to link to, or else None, for example for ``javascript:``."""
    return url if url and url.startswith(("https://", "http://")) else None
