"""Labels, which give each slice of other data its segment of the result, and what became of one that gives none."""

from __future__ import annotations

from functools import reduce
from itertools import product
from typing import Any

import numpy as np
from ml_dtypes import finfo

from tests.findings.naive.elements import WRITES, array_of, is_close
from tests.findings.naive.places import target_of
from tests.findings.naive.records import Json

REDUCES = {"sum": "adds", "prod": "multiplies", "amax": "keeps-largest", "amin": "keeps-smallest", "mean": "adds"}
"""Reduction to the word for what it does with two slices; a mean is then divided by their number."""


def labels_of(case: Json) -> str | None:
    """The argument that has the labels; None in an operation without any."""
    return next((index for index, points in (case.get("points") or {}).items() if points.get("labels")), None)


def reduction_of(case: Json) -> str:
    [reduction] = REDUCES.keys() & {value for value in case["call"].values() if isinstance(value, str)}
    return reduction


def of_nothing(reduction: str, dtype: Any) -> list[Any]:
    """What a segment without slices may hold: what changes nothing if slices are added, multiplied or compared with it.

    Where the dtype has infinities, some frameworks take the least and the largest finite number instead.
    """
    if reduction in ("sum", "mean", "prod"):
        return [1 if reduction == "prod" else 0]
    if np.dtype(dtype).kind == "b":
        return [reduction == "amin"]
    if np.dtype(dtype).kind in "iu":
        return [np.iinfo(dtype).min if reduction == "amax" else np.iinfo(dtype).max]
    limits = finfo(dtype)  # type: ignore[no-untyped-call]
    return [limits.min, -np.inf] if reduction == "amax" else [limits.max, np.inf]


def treatment(case: Json, call: Json, outcome: Json) -> str | None:
    """What became of the slices whose label is that of no segment; None if several answers explain the result."""
    index = labels_of(case)
    assert index is not None
    points = case["points"][index]
    shape, data = target_of(call, index, points), call[points["labels"]]
    if (outcome["dtype"], outcome["shape"]) != (data.dtype, list(shape or ())):
        return "other"
    labels = call[index].array
    slices = [data.array[where] for where in product(*map(range, labels.shape))]
    answers = _answers([int(label) for label in labels.reshape(-1)], call[points["into"]])
    result, reduction = array_of(outcome), reduction_of(case)
    words = {word for word, segments in answers.items() if _explains(segments, slices, result, reduction)}
    return words.pop() if len(words) == 1 else None if words else "other"


def _answers(labels: list[int], number: int) -> dict[str, list[int | None]]:
    """By answer to labels outside, the segment of each slice; None for a slice that is in no segment."""
    inside = [0 <= label < number for label in labels]
    first = inside.index(False)
    dropped = [label if fits else None for label, fits in zip(labels, inside, strict=True)]
    answers: dict[str, list[int | None]] = {"ignores": dropped}
    if any(inside[first:]):
        answers["stops"] = [*dropped[:first], *[None for _ in labels[first:]]]
    if number == 0:
        return answers
    answers["clamps"] = [min(max(label, 0), number - 1) for label in labels]
    if all(-number <= label < number for label in labels):
        answers["wraps-negative"] = [label % number for label in labels]
    else:
        answers["wraps-modulo"] = [label % number for label in labels]
    cut = [int.from_bytes((label % 2**32).to_bytes(4, "big"), "big", signed=True) for label in labels]
    if cut != labels and all(-number <= label < number for label in cut):
        answers["other"] = [label % number for label in cut]  # there is no word for a label that is cut to 32 bits
    return answers


def _explains(segments: list[int | None], slices: list[Any], result: Any, reduction: str) -> bool:
    """Whether the slices, each in its segment, are reduced to the result."""
    for number, segment in enumerate(result):
        members = [one.astype(result.dtype) for one, where in zip(slices, segments, strict=True) if where == number]
        found = np.asarray(segment).reshape(-1)
        if not members:
            nothing = of_nothing(reduction, result.dtype)
            if not all(any(is_close(one, element) for one in nothing) for element in found):
                return False
            continue
        with np.errstate(all="ignore"):
            expected = reduce(WRITES[REDUCES[reduction]], members)
            expected = expected / len(members) if reduction == "mean" else expected
        if not all(map(is_close, np.asarray(expected).reshape(-1), found)):
            return False
    return True
