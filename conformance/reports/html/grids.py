"""Small arrays as grids of texts, for the page to draw expected beside got."""

from __future__ import annotations

from itertools import product
from typing import Any

from conformance.reports.literals import element
from conformance.runs.records import Differences

MOST_ELEMENTS = 64
MOST_RANK = 4

Block = tuple[str, list[list[str]]]
"""The last two axes at one place of the others: that place, as ``[0, 2]``, and the rows."""


def blocks(array: dict[str, Any]) -> list[Block] | None:
    """The matrices that an array consists of; None where it is large, empty, or its elements are not held."""
    shape, values = array.get("shape"), array.get("values")
    if shape is None or values is None or not 0 < _size(shape) <= MOST_ELEMENTS or len(shape) > MOST_RANK:
        return None
    if len(shape) < 2:  # a vector is drawn as a matrix of one row
        return [("", [_texts(values if shape else [values])])]
    places = product(*(range(length) for length in shape[:-2]))
    return [(f"{list(place)}" if place else "", _rows(values, place)) for place in places]


def _rows(values: Any, place: tuple[int, ...]) -> list[list[str]]:
    for step in place:
        values = values[step]
    return [_texts(row) for row in values]


def _texts(row: list[Any]) -> list[str]:
    return [element(value) for value in row]


def marks(differences: Differences | None, shape: list[int]) -> list[list[int]]:
    """Block, row and column of each differing element that the judgement lists, in an array of this shape."""
    found = [one["index"] for one in differences.first] if differences else []
    return [[_block(index, shape), *([0, 0, *index])[-2:]] for index in found]


def _block(index: list[int], shape: list[int]) -> int:
    number = 0
    for step, length in zip(index[:-2], shape[:-2], strict=False):
        number = number * length + step
    return number


def _size(shape: list[int]) -> int:
    size = 1
    for length in shape:
        size *= length
    return size
