"""Correct but for one mistake: ``numpy.ascontiguousarray`` makes a vector of a scalar."""

from __future__ import annotations

import ml_dtypes
import numpy as np

from conformance.adapter import api


def describe():
    return {"framework": "rank_one", "version": "1.0"}


def to_native(array, dtype):
    array = array.view(ml_dtypes.bfloat16) if dtype == "bfloat16" else array
    return np.ascontiguousarray(array)


def to_numpy(value):
    return (value.view(np.uint16), "bfloat16") if value.dtype.name == "bfloat16" else value


@api("fake.gather", operation="gather_elements")
def gather(input, dim, index):
    if index.dtype.kind not in "iu":
        raise TypeError("index must be integers")
    if not index.size:
        return np.empty(index.shape, input.dtype)
    if index.ndim != input.ndim:
        raise ValueError("index must have the rank of input")
    others = [axis for axis in range(input.ndim) if axis != dim % input.ndim]
    if any(index.shape[axis] > input.shape[axis] for axis in others):
        raise ValueError("index reaches beyond input")
    if np.any(index < 0) or np.any(index >= input.shape[dim]):
        raise IndexError("index out of bounds")
    grid = list(np.indices(index.shape, sparse=True))
    grid[dim] = index
    return np.array(input[tuple(grid)])
