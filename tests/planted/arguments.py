"""What several defects do with the arguments of a call."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from tests.planted.defect import Array, Right

Arguments = Mapping[str, Any]


def integers(index: Array) -> Array:
    """An index in int64, in which its numbers are computed with; TypeError if it has no integers, as the reference raises."""
    if index.dtype.kind not in "iu":
        raise TypeError(f"an index of {index.dtype}")
    return index.astype(np.int64)


def indexed_shape(given: Arguments) -> tuple[int, ...]:
    """The shape of the tensor that index vectors refer to."""
    tensor = given["tensor"] if "tensor" in given else given.get("params")
    shape: tuple[int, ...] = tuple(given["shape"]) if tensor is None else tensor.shape
    return shape


def sizes(indices: Array, given: Arguments) -> Array:
    """The lengths of the axes that the components of index vectors refer to."""
    return np.array(indexed_shape(given)[: indices.shape[-1]], np.int64)


def are_outside(indices: Array, given: Arguments) -> Array:
    """For each index vector, whether it is out of bounds."""
    return np.asarray(((indices < 0) | (indices >= sizes(indices, given))).any(axis=-1))


def in_rows(indices: Array, updates: Array) -> tuple[Array, Array]:
    """The index vectors, one below another, and the update of each; ValueError if they do not belong together."""
    batch, depth = indices.shape[:-1], indices.shape[-1]
    if not batch or updates.shape[: len(batch)] != batch:
        raise ValueError(f"updates of shape {updates.shape} for indices of shape {indices.shape}")
    count = math.prod(batch)
    return indices.reshape(count, depth), updates.reshape(count, *updates.shape[len(batch) :])


def is_last(rows: Array) -> Array:
    """For each row, whether none that follows is equal."""
    return np.array([not (rows[number + 1 :] == row).all(axis=-1).any() for number, row in enumerate(rows)], bool)


def one_by_one(right: Right, given: Arguments, combine: Callable[[Any, Any, Any], Any]) -> Array:
    """What a scatter of index vectors gives if ``combine(now, update, before)`` takes the place of a sum or an assignment."""
    right(**given)  # it refuses what is to be refused
    updates = given["updates"]
    tensor = given["tensor"] if "tensor" in given else np.zeros(given["shape"], updates.dtype)
    result = tensor.copy()
    with np.errstate(all="ignore"):
        for where, update in zip(*in_rows(integers(given["indices"]), updates), strict=True):
            place = tuple(where)
            result[place] = combine(result[place], update, tensor[place])
    return result


def in_place(right: Right, name: str, given: Arguments) -> Array:
    """The result, which is written into an argument too."""
    result = right(**given)
    if result.shape == given[name].shape:
        given[name][...] = result
    return result


def counted(right: Right, given: Arguments) -> Array:
    """For each position of the input, how many elements are written to it.

    ``right`` is an operation that adds; the arguments that say what is written and how are left out.
    """
    zeros = np.zeros(given["input"].shape, np.int64)
    return right(**{**given, "input": zeros})
