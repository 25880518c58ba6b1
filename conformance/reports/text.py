"""Text from outside made fit to show: a framework's message can hold anything."""

from __future__ import annotations

import re
from typing import Any

_INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters, the escape that colours terminals among them
    "\u2028\u2029"  # separators that some readers take for an end of line
    "\u200e\u200f\u202a-\u202e\u2066-\u2069"  # marks that turn the direction of what follows
    "\ud800-\udfff\ufffe\uffff]"  # what neither UTF-8 nor XML can carry
)


def visible(text: str) -> str:
    """The text with each character that cannot be shown, or would command a terminal, spelled as ``#x1B``."""
    text = text.replace("\r\n", "\n")
    return _INVISIBLE.sub(lambda match: f"#x{ord(match[0]):02X}", text)


def visible_tree(data: Any) -> Any:
    """The same for every string of a JSON value, keys among them."""
    if isinstance(data, str):
        return visible(data)
    if isinstance(data, dict):
        return {visible_tree(key): visible_tree(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [visible_tree(item) for item in data]
    return data


def shortened(text: str, most: int) -> str:
    """At most this many characters, with the number of those left out."""
    if len(text) <= most:
        return text
    return f"{text[:most].rstrip()} ... ({len(text) - most} more characters)"


def one_line(text: str, most: int = 200) -> str:
    """Visible text on one line."""
    return shortened(" ".join(visible(text).split()), most)


def counted(count: int, noun: str, plural: str | None = None) -> str:
    """``1 case``, ``2 cases``."""
    return f"{count} {noun if count == 1 else plural or noun + 's'}"
