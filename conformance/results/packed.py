"""A part of a record as its JSON text, which takes a tenth of the room of what it says.

A results file may hold a hundred thousand calls with their arrays; of most of them nobody asks for more than a line.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

_LAST = 16
"""Parts that are kept as they were read, as one is mostly asked several times in a row."""


def plain(value: Any) -> dict[str, Any]:
    """A record, or a packed part of one, as JSON has it."""
    return dict(value) if isinstance(value, Packed) else vars(value)


JSON = json.JSONEncoder(default=plain, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
"""How records are written."""


class Packed(Mapping[str, Any]):
    """A mapping that is read from its text each time that it is asked; what it gives is not to be changed."""

    __slots__ = ("_text",)

    def __init__(self, content: Mapping[str, Any]) -> None:
        self._text = JSON.encode(content)

    def __getitem__(self, key: str) -> Any:
        return _read(self._text)[key]

    def __iter__(self) -> Iterator[str]:
        return iter(_read(self._text))

    def __len__(self) -> int:
        return len(_read(self._text))

    def __repr__(self) -> str:
        return f"Packed({_read(self._text)!r})"


@lru_cache(maxsize=_LAST)
def _read(text: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(text)
    return content
