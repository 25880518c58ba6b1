from __future__ import annotations

from typing import Any

import pytest

from conformance.reports.html.grids import blocks, marks
from conformance.runs.records import Differences


def array(shape: list[int], values: Any) -> dict[str, Any]:
    return {"dtype": "int32", "shape": shape, "values": values}


@pytest.mark.parametrize(
    ("shape", "values", "expected"),
    [
        ([], 7, [("", [["7"]])]),
        ([3], [1, 2, "nan"], [("", [["1", "2", "nan"]])]),
        ([2, 1], [[1], [2]], [("", [["1"], ["2"]])]),
        ([2, 1, 2], [[[1, 2]], [[3, 4]]], [("[0]", [["1", "2"]]), ("[1]", [["3", "4"]])]),
        ([1, 2, 1, 1], [[[[1]], [[2]]]], [("[0, 0]", [["1"]]), ("[0, 1]", [["2"]])]),
    ],
)
def test_a_small_array_is_drawn_as_the_matrices_of_its_last_two_axes(shape: Any, values: Any, expected: Any) -> None:
    assert blocks(array(shape, values)) == expected


@pytest.mark.parametrize(
    "unfit",
    [
        array([65], list(range(65))),
        array([0], []),
        array([2, 0, 3], [[], []]),
        array([1, 1, 1, 1, 1], [[[[[1]]]]]),
        {"dtype": "int32", "shape": [4], "text": "zeros([4])"},
        {},
    ],
)
def test_an_array_that_is_large_empty_deep_or_not_held_is_not_drawn(unfit: dict[str, Any]) -> None:
    assert blocks(unfit) is None


@pytest.mark.parametrize(
    ("shape", "index", "mark"),
    [
        ([], [], [0, 0, 0]),
        ([8], [6], [0, 0, 6]),
        ([6, 3], [4, 2], [0, 4, 2]),
        ([4, 4, 4], [3, 1, 2], [3, 1, 2]),
        ([2, 3, 2, 2], [1, 2, 0, 1], [5, 0, 1]),
    ],
)
def test_a_differing_element_is_marked_in_its_matrix(shape: list[int], index: list[int], mark: list[int]) -> None:
    differences = Differences(1, 8, [{"index": index, "expected": 0, "got": 1}])
    assert marks(differences, shape) == [mark]


def test_without_differences_nothing_is_marked() -> None:
    assert marks(None, [8]) == []
