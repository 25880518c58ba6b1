"""The table of texts and the columns of numbers of a payload."""

from __future__ import annotations

from itertools import accumulate

from hypothesis import given
from hypothesis import strategies as some

from conformance.reports.html.string_table import TextTable, deltas


def test_a_text_has_one_number_however_often_it_is_asked_for() -> None:
    texts = TextTable()
    assert [texts.index(text) for text in ("a", "b", "a", "c", "b")] == [0, 1, 0, 2, 1]
    assert texts.values == ["a", "b", "c"]
    assert (texts.optional_index(None), texts.optional_index("b")) == (-1, 1)


def test_texts_are_made_fit_to_show_and_keep_their_numbers_even_where_they_then_look_alike() -> None:
    texts = TextTable()
    assert [texts.index("\x1b"), texts.index("#x1B")] == [0, 1]
    assert texts.values == ["#x1B", "#x1B"]


@given(some.lists(some.integers(-1, 10**6)))
def test_a_column_is_had_back_by_summing_up(column: list[int]) -> None:
    assert list(accumulate(deltas(column))) == column
