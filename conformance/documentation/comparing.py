"""How the documentation of an object changed from one version to another."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from conformance.documentation.pieces import Piece
from conformance.documentation.splitter import split
from conformance.documentation.words import words

_SIMILAR = 0.5
"""The least similarity of two sentences of which one is a new wording of the other."""


@dataclass(frozen=True)
class TextChange:
    """A statement that was reworded, added (nothing before) or removed (nothing after)."""

    before: Piece | None
    after: Piece | None

    @property
    def piece(self) -> Piece:
        """The statement as it is now, or was."""
        piece = self.after or self.before
        assert piece is not None, "a change has a statement"
        return piece

    @property
    def kind(self) -> Literal["reworded", "new", "removed"]:
        if self.before is None:
            return "new"
        return "reworded" if self.after is not None else "removed"

    @property
    def by_word(self) -> str:
        """The new words, with ``[-removed-]`` and ``{+added+}`` ones marked."""
        old = self.before.text.split() if self.before is not None else []
        new = self.after.text.split() if self.after is not None else []
        return " ".join(_marked(old, new))


def _marked(old: list[str], new: list[str]) -> Iterator[str]:
    for tag, start, end, new_start, new_end in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            yield from old[start:end]
            continue
        if start < end:
            yield f"[-{' '.join(old[start:end])}-]"
        if new_start < new_end:
            yield f"{{+{' '.join(new[new_start:new_end])}+}}"


def text_changes(before: str, after: str) -> tuple[TextChange, ...]:
    """What changed from one text to another; moving and renumbering is no change."""
    was, now = _statements(before), _statements(after)
    removed = [piece for sentence, piece in was.items() if sentence not in now]
    changes = []
    for piece in (piece for sentence, piece in now.items() if sentence not in was):
        former = max(removed, key=lambda old, new=piece: _similarity(old, new), default=None)  # type: ignore[misc]
        if former is None or _similarity(former, piece) < _SIMILAR:
            changes.append(TextChange(None, piece))
            continue
        removed.remove(former)
        changes.append(TextChange(former, piece))
    return (*changes, *(TextChange(piece, None) for piece in removed))


def _statements(text: str) -> dict[str, Piece]:
    return {piece.hash: piece for piece in split(text) if piece.is_statement}


def _similarity(old: Piece, new: Piece) -> float:
    matcher = difflib.SequenceMatcher(None, words(old.text), words(new.text), autojunk=False)
    return matcher.ratio() if matcher.quick_ratio() >= _SIMILAR else 0.0
