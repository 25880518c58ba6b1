"""Right on every example of the documents, and wrong one axis further."""

from __future__ import annotations

import numpy as np

from conformance.adapter import api


@api("fake.gather_nd", operation="gather_nd")
def gather_nd(params, indices):
    """Takes the number of batch axes for the index depth."""
    if not np.issubdtype(indices.dtype, np.integer):
        raise TypeError(indices.dtype)
    if indices.shape[-1] > params.ndim:
        raise IndexError(indices.shape)
    depth = min(indices.ndim - 1, indices.shape[-1])
    return params[tuple(np.moveaxis(indices, -1, 0))[:depth]]


@api("fake.scatter_nd", operation="scatter_nd")
def scatter_nd(indices, updates, shape):
    """Writes where it should add; any updates that broadcast will do."""
    result = np.zeros(shape, updates.dtype)
    result[tuple(np.moveaxis(indices, -1, 0))] = updates
    return result


@api("fake.scatter_elements", operation="scatter_elements")
def scatter_elements(input, dim, index, src, reduce=None):
    """Reads the source as one flat list."""
    result = input.copy()
    flat = np.ravel(src)
    for number, position in enumerate(np.ndindex(index.shape)):
        where = (*position[:dim], index[position], *position[dim + 1 :])
        value = flat[number if flat.size > 1 else 0]
        result[where] = {"add": result[where] + value, "multiply": result[where] * value}.get(reduce, value)
    return result
