"""The pieces of a documentation text: sentences, entries, examples, each with its place and its hash."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from conformance.documentation.words import hash_of

Kind = Literal["sentence", "parameter", "raises", "returns", "code", "example", "signature", "heading", "markup"]
"""``heading`` and ``markup`` (pictures, targets of links, names of directives) state nothing and need no reader."""
_OF_ENTRIES = ("parameter", "raises", "returns")
_SLUG = re.compile(r"[^a-z0-9_]+")


@dataclass(frozen=True)
class Place:
    """Where a piece stands; it is shown to people and never compared."""

    kind: Kind
    section: str
    """The title above it; empty for the description."""
    entry: str | None
    """The parameter, exception or result that it describes."""
    number: int
    """Counted from 1 among the pieces whose locators differ in it alone."""
    overload: int = 1
    """The signature that it belongs to, if the text describes several."""

    def __str__(self) -> str:
        parts = [f"overload {self.overload}"] if self.overload > 1 else []
        above = self.kind if self._is_of_entry else self.section
        parts += [" ".join(filter(None, [above, self.entry]))] * bool(above)
        noun = "sentence" if self.kind in _OF_ENTRIES else self.kind
        return ", ".join([*parts, f"{noun} {self.number}"])

    @property
    def locator(self) -> str:
        """A locator for a claim about it, such as ``index.2`` or ``raises.typeerror.1``; unique within a text."""
        parts = [f"overload-{self.overload}"] if self.overload > 1 else []
        if self._is_of_entry:
            parts += [str(self.entry)] if self.kind == "parameter" else [self.kind, str(self.entry)]
        elif not self.section or self.section == self.kind:
            parts.append(self.kind)
        else:
            is_plain = self.kind in ("sentence", *_OF_ENTRIES) and self.section != "example"
            parts += [self.section, *filter(None, [self.entry]), *([] if is_plain else [self.kind])]
        return ".".join([*(_SLUG.sub("-", part.casefold()).strip("-") for part in parts), str(self.number)])

    @property
    def _is_of_entry(self) -> bool:
        return self.entry is not None and self.kind in _OF_ENTRIES


@dataclass(frozen=True)
class Piece:
    """A part of a text. All pieces together, in their order, have every word of the text exactly once."""

    text: str
    place: Place
    begins_entry: bool = False
    """It contains the name of its entry."""

    @property
    def is_statement(self) -> bool:
        """Whether a reader has to read it."""
        return self.place.kind not in ("heading", "markup")

    @cached_property
    def hash(self) -> str:
        """The hash of its words.

        The name of its entry is one of them, so that equal sentences about two parameters are different claims.
        """
        is_code = self.place.kind in ("code", "example", "signature")
        entry = self.place.entry if not self.begins_entry else None
        return hash_of(self.text, entry, is_code=is_code)
