"""Small arrays as rows of texts, for the page to draw expected beside got."""

from __future__ import annotations

from typing import Any

from conformance.reports.literals import element
from conformance.runs.records import Differences

MOST_ELEMENTS = 64
MOST_RANK = 2

Grid = list[list[str]]


def grid(array: dict[str, Any]) -> Grid | None:
    """The rows of an array of rank 2 at most; None where it is larger, empty, or its elements are not held."""
    shape, values = array.get("shape"), array.get("values")
    if shape is None or values is None or len(shape) > MOST_RANK:
        return None
    rows = [[values]] if not shape else [values] if len(shape) == 1 else values
    size = sum(len(row) for row in rows)
    if not 0 < size <= MOST_ELEMENTS:
        return None
    return [[element(value) for value in row] for row in rows]


def marks(differences: Differences | None) -> list[list[int]]:
    """Row and column of each differing element that the judgement lists, of an array of rank 2 at most."""
    found = [one["index"] for one in differences.first] if differences else []
    return [([0, 0] + index)[-2:] for index in found if len(index) <= MOST_RANK]
