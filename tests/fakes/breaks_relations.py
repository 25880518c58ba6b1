"""Adds wrongly if an index vector occurs twice; everything else is correct, or fails in its own way."""

from __future__ import annotations

import numpy as np

from conformance.adapter import Unsupported, api


def describe():
    return {"framework": "breaks_relations", "version": "1.0"}


def _where(indices):
    return tuple(np.moveaxis(indices, -1, 0))


@api("fake.add_once", operation="tensor_scatter_nd_add")
def add_once(tensor, indices, updates):
    result = tensor.copy()
    result[_where(indices)] += updates
    return result


@api("fake.scatter_nd", operation="scatter_nd")
def scatter_nd(indices, updates, shape):
    result = np.zeros(shape, updates.dtype)
    np.add.at(result, _where(indices), updates)
    return result


@api("fake.refuses", operation="scatter_nd")
def refuses(indices, updates, shape):
    raise RuntimeError("not today")


@api("fake.lacks_it", operation="scatter_nd")
def lacks_it(indices, updates, shape):
    raise Unsupported("no such form")


@api("fake.too_long", operation="scatter_nd")
def too_long(indices, updates, shape):
    return np.zeros((3, *shape), updates.dtype)


@api("fake.gather_steps", operation="gather_nd", composed=True)
def gather_steps(params, indices):
    return params[_where(indices)]


@api("fake.gather_int32", operation="gather_nd")
def gather_int32(params, indices):
    if params.dtype != np.int32:
        raise TypeError("int32 only")
    return params[_where(indices)]
