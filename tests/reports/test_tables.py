"""Tables of texts on a terminal of any width, and elsewhere."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.reports.tables import table, terminal_width

ROWS = [
    ("ID", "CASES", "STATES"),
    ("gather_nd.rule.depth", "25", "Elements of a matrix are collected along dim 1, one of them twice."),
    ("gather_nd.rule.shape", "1", "An index is an error."),
]


def test_a_table_that_fits_has_a_line_for_each_row() -> None:
    assert table(ROWS, 100) == table(ROWS, None)
    assert table(ROWS, None)[::2] == [
        "ID                    CASES  STATES",
        "gather_nd.rule.shape  1      An index is an error.",
    ]


def test_the_widest_column_wraps_below_itself() -> None:
    assert table(ROWS, 55)[:5] == [
        "ID                    CASES  STATES",
        "gather_nd.rule.depth  25     Elements of a matrix are",
        "                             collected along dim 1, one",
        "                             of them twice.",
        "gather_nd.rule.shape  1      An index is an error.",
    ]


def test_where_words_do_not_fit_side_by_side_the_first_column_has_lines_of_its_own() -> None:
    assert table(ROWS, 34)[:5] == [
        "ID",
        "  CASES  STATES",
        "gather_nd.rule.depth",
        "  25     Elements of a matrix are",
        "         collected along dim 1,",
    ]


words = st.text("ab.-", min_size=1, max_size=12)
cells = st.lists(words, max_size=6).map(" ".join)


@given(
    st.integers(1, 4).flatmap(lambda n: st.lists(st.lists(cells, min_size=n, max_size=n), min_size=1)),
    st.integers(60, 120),
)
def test_no_word_is_lost_or_broken_and_no_line_too_long(rows: list[list[str]], width: int) -> None:
    lines = table(rows, width)
    assert sorted(" ".join(lines).split()) == sorted(word for row in rows for cell in row for word in cell.split())
    assert max(map(len, lines)) <= width


@pytest.mark.parametrize(("terminal", "width"), [(True, 64), (False, None)])
def test_only_a_terminal_has_a_width(monkeypatch: pytest.MonkeyPatch, terminal: bool, width: int | None) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(stream, "isatty", lambda: terminal)
    monkeypatch.setattr("sys.stdout", stream)
    monkeypatch.setenv("COLUMNS", "64")
    assert terminal_width() == width
