from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from conformance.cases.selection import KeywordError, NothingSelected, Selection, UnknownId, keyword


@dataclass(frozen=True)
class Item:
    """What a selection asks of a case."""

    id: str
    clause_id: str
    operation_name: str


CASES = [
    Item("scatter_nd.rule.shape/keep.a", "scatter_nd.rule.shape", "scatter_nd"),
    Item("scatter_nd.rule.shape-positive/break.b", "scatter_nd.rule.shape-positive", "scatter_nd"),
    Item("gather_nd.example.rows/as-printed", "gather_nd.example.rows", "gather_nd"),
]


@pytest.mark.parametrize(
    "expression", [f"{'not ' * 20_000}x", f"{'not ' * 150}x", f"{'(' * 150}x{')' * 150} and not x"]
)
def test_a_deeply_nested_expression_is_refused_or_read(expression: str) -> None:
    try:
        assert keyword(expression)("x") in (True, False)
    except KeywordError as error:
        assert str(error) == "the -k expression is nested too deeply"  # noqa: PT017 - which of both depends on Python


def test_nothing_asked_for_is_everything() -> None:
    assert Selection().choose(CASES) == CASES


def test_the_beginning_of_an_id_ends_at_a_dot_or_a_slash() -> None:
    assert Selection(ids=("scatter_nd.rule.shape",)).choose(CASES) == CASES[:1]
    assert Selection(ids=("scatter_nd",)).choose(CASES) == CASES[:2]
    assert Selection(ids=(CASES[2].id,)).choose(CASES) == CASES[2:]


@pytest.mark.parametrize(
    ("expression", "chosen"),
    [("keep or break", CASES[:2]), ("not scatter", CASES[2:]), ("shape and not (keep or x)", CASES[1:2]), ("SHAPE-positive", CASES[1:2]),
     ("rule.shape/", CASES[:1])],
)  # fmt: skip
def test_keywords_are_those_of_pytest(expression: str, chosen: Sequence[Item]) -> None:
    assert Selection(keyword=expression).choose(CASES) == chosen


@pytest.mark.parametrize("expression", ["keep and", "(keep", "keep break", ")", "and"])
def test_an_expression_that_is_none_says_what_one_is(expression: str) -> None:
    with pytest.raises(KeywordError, match="joined by and, or, not"):
        Selection(keyword=expression).choose(CASES)


@pytest.mark.parametrize(
    "selection",
    [
        Selection(ids=("gather_nd.example.row",)),
        Selection(keyword="gather_nd.exampel.rows"),
        Selection(operations=("gather",)),
    ],
)
def test_a_selection_of_nothing_names_the_nearest_id(selection: Selection) -> None:
    with pytest.raises((NothingSelected, UnknownId), match="did you mean 'gather_nd"):
        selection.choose(CASES)


@pytest.mark.parametrize(("word", "similar"), [("positve", "positive"), ("gahter", "gather")])
def test_a_word_of_an_expression_that_no_id_contains_is_named_with_a_similar_one(word: str, similar: str) -> None:
    with pytest.raises(NothingSelected, match=f"no id contains '{word}'; did you mean '{similar}'"):
        Selection(keyword=f"scatter and {word}").choose(CASES)


def test_where_each_word_is_in_some_id_none_is_called_unknown() -> None:
    with pytest.raises(NothingSelected, match="no case matches 'scatter and rows'") as caught:
        Selection(keyword="scatter and rows").choose(CASES)
    assert "no id contains" not in str(caught.value)


@pytest.mark.parametrize(
    ("selection", "operations"),
    [
        (Selection(), {"scatter_nd", "gather_nd"}),
        (Selection(keyword="rows"), {"gather_nd"}),
        (Selection(ids=("gather_nd.example.no-such",)), {"gather_nd"}),
        (Selection(operations=("scatter_nd",), keyword="shape"), {"scatter_nd"}),
        (Selection(only=frozenset({CASES[2].id, "scatter_nd.rule.shape/draw.1"})), {"scatter_nd", "gather_nd"}),
    ],
)
def test_only_the_operations_that_a_selection_concerns_are_needed(selection: Selection, operations: set[str]) -> None:
    assert selection.operations_of(CASES, are_all=True) == operations


@pytest.mark.parametrize("selection", [Selection(keyword="no-such-word"), Selection(ids=("gather.example.rows",))])
def test_a_selection_of_nothing_needs_every_operation_since_a_similar_id_may_be_in_any(selection: Selection) -> None:
    assert selection.operations_of(CASES, are_all=True) == {"scatter_nd", "gather_nd"}


def test_where_calls_are_drawn_a_word_may_be_in_their_ids_alone() -> None:
    drawn = Selection(operations=("gather_nd",), keyword="draw")
    assert drawn.operations_of(CASES, are_all=False) == {"gather_nd"}
    assert Selection(keyword="rows").operations_of(CASES, are_all=False) == {"scatter_nd", "gather_nd"}
