"""A correct adapter with tensors of its own, whose elements are in Fortran's order."""

from __future__ import annotations

import ml_dtypes
import numpy as np

from conformance.adapter import api

BITS = {"bfloat16": np.uint16, "float8_e4m3fn": np.uint8, "float8_e5m2": np.uint8}
"""The dtypes that NumPy lacks, with the dtypes of their bits."""


class Tensor:
    def __init__(self, array):
        self.elements = np.array(array, order="F")


def describe():
    return {"framework": "fortran_order", "version": "1.0", "immutable": True, "dtypes": [*BITS]}


def to_native(array, dtype):
    return Tensor(array.view(getattr(ml_dtypes, dtype)) if dtype in BITS else array)


def to_numpy(value):
    copy = value.elements.copy()
    name = copy.dtype.name
    return (copy.view(BITS[name]), name) if name in BITS else copy


@api("fake.gather", operation="gather_elements")
def gather(input, dim, index):
    data, where = input.elements, index.elements
    if not where.size:
        return Tensor(np.empty(where.shape, data.dtype))
    if where.dtype.kind not in "iu" or where.ndim != data.ndim:
        raise ValueError("index must be integers, with the rank of input")
    moved, where = np.moveaxis(data, dim, 0), np.moveaxis(where, dim, 0)
    if np.any(np.greater(where.shape[1:], moved.shape[1:])) or np.any(where < 0) or np.any(where >= len(moved)):
        raise IndexError("index out of bounds")
    result = np.empty(where.shape, data.dtype)
    for position, row in np.ndenumerate(where):
        result[position] = moved[(row, *position[1:])]
    return Tensor(np.moveaxis(result, 0, dim))
