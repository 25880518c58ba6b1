"""Between two versions a sentence is reworded, new or removed; where it stands does not matter."""

from __future__ import annotations

from conformance.documentation.comparing import text_changes
from conformance.documentation.pieces import Piece

TEXT = "Takes rows. An index is less than the length. It is fast.\n\nArgs:\n    x: the rows\n"


def _changes(before: str, after: str) -> list[tuple[str, str | None, str | None]]:
    return [(change.by_word, _place(change.before), _place(change.after)) for change in text_changes(before, after)]


def _place(piece: Piece | None) -> str | None:
    return str(piece.place) if piece is not None else None


def test_a_reworded_sentence_is_shown_word_by_word() -> None:
    assert _changes(TEXT, TEXT.replace("is less than", "is at most")) == [
        ("An index is [-less than-] {+at most+} the length.", "sentence 2", "sentence 2")
    ]


def test_new_and_removed_sentences_have_no_counterpart() -> None:
    assert _changes(TEXT, TEXT.replace("It is fast.", "Negative numbers count from the end.")) == [
        ("{+Negative numbers count from the end.+}", None, "sentence 3"),
        ("[-It is fast.-]", "sentence 3", None),
    ]


def test_moving_wrapping_and_markup_change_nothing() -> None:
    moved = (
        "It is fast. Takes\n``rows``.\n\nArgs:\n    x: the *rows*\n\nReturns:\n    An index is less than the length.\n"
    )
    assert _changes(TEXT, moved) == []


def test_each_old_sentence_is_reworded_at_most_once() -> None:
    doubled = TEXT.replace(
        "An index is less than the length.", "An index is at most the length. An index is not the length."
    )
    assert [before for _, before, _ in _changes(TEXT, doubled)] == ["sentence 2", None]
