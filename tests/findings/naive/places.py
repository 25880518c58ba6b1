"""The positions that the indices of a call name, and what goes there, in the simplest way that works."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from conformance.specification.literals import Tensor, argument
from tests.findings.naive.records import Json, Records


def calls_of(records: Records) -> Json:
    return {name: {key: argument(value) for key, value in case["call"].items()} for name, case in records.cases.items()}


def sources_of(case: Json, call: Json, index: str, points: Json) -> list[str]:
    """The tensors that are written to what the indices point into."""
    if points.get("labels"):
        return [points["labels"]]
    return [
        name
        for name, value in call.items()
        if isinstance(value, Tensor) and name in case["axes"] and name not in (index, points["into"])
    ]


def target_of(call: Json, index: str, points: Json) -> tuple[int, ...] | None:
    """The shape of what the indices point into; None if the call has no such thing.

    Labels are places in the result, which has a slice of the data, without the axes of the labels, for each segment. Where no
    argument says how many there are, the largest label does.
    """
    if points["into"] not in call:
        labels = call[index].array.reshape(-1)
        into: Any = int(labels.max()) + 1 if labels.size else 0
    else:
        into = call[points["into"]]
    if not points.get("labels"):
        return into.shape if isinstance(into, Tensor) else into if isinstance(into, tuple) else None
    batch, data = call[index].shape, call[points["labels"]].shape
    of_slice = data[len(batch) :]
    return (into, *of_slice) if isinstance(into, int) and (*batch, *of_slice) == data else None


def is_in_key(call: Json, points: Json) -> bool:
    """Whether the index stands in a key, such as ``:, i``."""
    return isinstance(call.get(points["along"] or ""), str)


def paired_of(call: Json, index: str, points: Json) -> int | None:
    """The number of batch axes that index vectors and target share; None if the indices have not so many."""
    if not points.get("batched"):
        return 0
    number, rank = call[points["batched"]], call[index].rank
    paired = number + rank if isinstance(number, int) and number < 0 else number
    return paired if isinstance(paired, int) and 0 <= paired < rank else None


def dim_of(call: Json, index: str, points: Json, rank: int) -> int | None:
    """The axis that the indices point along; None if along no certain one, as in a key beside an index that is no tensor."""
    if not is_in_key(call, points):
        return call[points["along"]] if points["along"] else None
    items: list[str] = call[points["along"]].split(", ")
    if not all(isinstance(call[item], Tensor) for item in items if item in call):
        return None
    place = items.index(index)
    if "..." in items[:place]:
        return rank - sum(item != "None" for item in items[place:])
    return sum(item != "None" for item in items[:place])


def bounds_of(shape: tuple[int, ...], points: Json, dim: int | None, depth: int) -> tuple[int, ...]:
    """By coordinate of a position, the number that it is less than."""
    if points.get("labels"):
        return shape[:1]
    if points["selects"] == "mask":
        return shape[:depth]
    if dim is not None:
        return (shape[dim],)
    return (int(np.prod(shape)),) if points["selects"] == "flat" else shape[:depth]


def are_vectors(points: Json) -> bool:
    """Whether the last axis of the indices has the coordinates of a position, and not each element is an index of its own."""
    return not (points["along"] or points.get("labels") or points["selects"] in ("mask", "flat"))


def true_of(mask: Any) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Each position at which a mask is true, with its number among them."""
    true = [where for where in product(*map(range, mask.shape)) if mask[where]]
    return [((number,), where) for number, where in enumerate(true)]


def vectors_of(index: Any, by_vectors: bool) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Each index vector with its position among the indices."""
    shape = index.shape[:-1] if by_vectors else index.shape
    places = product(*map(range, shape))
    return [(where, tuple(int(x) for x in index[where]) if by_vectors else (int(index[where]),)) for where in places]


def place_of(where: tuple[int, ...], vector: tuple[int, ...], points: Json, dim: int | None) -> tuple[int, ...]:
    if dim is None or points["selects"] in ("slices", "flat"):
        return vector
    axis = dim % len(where) if where else 0
    return (*where[:axis], *vector, *where[axis + 1 :])


def writes_of(index: Any, updates: Any, points: Json, dim: int | None, shape: tuple[int, ...]) -> Iterator[list[Any]]:
    """For each index, the positions that it writes with the elements; a label has the slice at its own position."""
    for where, vector in vectors_of(index, are_vectors(points)):
        if points["selects"] == "flat":
            [number] = vector
            yield [(tuple(int(x) for x in np.unravel_index(number, shape)), updates[where])]
        elif dim is None:
            rest = list(product(*map(range, shape[len(vector) :])))
            yield [((*vector, *inner), updates[(*where, *inner)]) for inner in rest]
        elif points["selects"] == "slices":
            axis = dim % len(shape)
            others = list(product(*(range(length) if at != axis else [0] for at, length in enumerate(shape))))
            number = where[0] if where else 0
            yield [
                ((*at[:axis], *vector, *at[axis + 1 :]), updates[(*at[:axis], number, *at[axis + 1 :])])
                for at in others
            ]
        else:
            yield [(place_of(where, vector, points, dim), updates[where])]
