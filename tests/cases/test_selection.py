from __future__ import annotations

import pytest

from conformance.cases.selection import KeywordError, NothingSelected, Selection

IDS = ["scatter_nd.rule.shape/keep.a", "scatter_nd.rule.shape-positive/break.b", "gather_nd.example.rows/as-printed"]


def test_nothing_asked_for_is_everything() -> None:
    assert Selection().choose(IDS) == IDS


def test_the_beginning_of_an_id_ends_at_a_dot_or_a_slash() -> None:
    assert Selection(ids=("scatter_nd.rule.shape",)).choose(IDS) == IDS[:1]
    assert Selection(ids=("scatter_nd",)).choose(IDS) == IDS[:2]
    assert Selection(ids=(IDS[2],)).choose(IDS) == IDS[2:]


@pytest.mark.parametrize(
    ("expression", "chosen"),
    [("keep or break", IDS[:2]), ("not scatter", IDS[2:]), ("shape and not (keep or x)", IDS[1:2]), ("SHAPE-positive", IDS[1:2]),
     ("rule.shape/", IDS[:1])],
)  # fmt: skip
def test_keywords_are_those_of_pytest(expression: str, chosen: list[str]) -> None:
    assert Selection(keyword=expression).choose(IDS) == chosen


@pytest.mark.parametrize("expression", ["keep and", "(keep", "keep break", ")", "and"])
def test_an_expression_that_is_none_says_what_one_is(expression: str) -> None:
    with pytest.raises(KeywordError, match="joined by and, or, not"):
        Selection(keyword=expression).choose(IDS)


@pytest.mark.parametrize(
    "selection",
    [
        Selection(ids=("gather_nd.example.row",)),
        Selection(keyword="gather_nd.exampel.rows"),
        Selection(operations=("gather",)),
    ],
)
def test_a_selection_of_nothing_names_the_nearest_id(selection: Selection) -> None:
    with pytest.raises(NothingSelected, match="did you mean 'gather_nd"):
        selection.choose(IDS)
