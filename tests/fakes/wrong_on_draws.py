"""Gathers rightly, but for indices above 2, which read row 0, and for negative ones, which are let through."""

from __future__ import annotations

import numpy as np

from conformance.adapter import api


def describe():
    return {"framework": "wrong_on_draws", "version": "1.0"}


def _gather(input, dim, index):
    if index.ndim != input.ndim or index.min(initial=0) < 0 or index.max(initial=0) >= input.shape[dim]:
        raise IndexError("index out of range")
    inside = tuple(slice(0, index.shape[axis]) if axis != dim else slice(None) for axis in range(input.ndim))
    return np.take_along_axis(input[inside], index, dim)


@api("fake.short", operation="gather_elements")
def short(input, dim, index):
    _gather(input, dim, index)
    return _gather(input, dim, np.where(index > 2, 0, index))


@api("fake.lenient", operation="gather_elements")
def lenient(input, dim, index):
    return _gather(input, dim, np.where(index < 0, 0, index))
