"""Four APIs with wrong results: after certain calls, differently in each process, and always."""

from __future__ import annotations

import os

import numpy as np

from conformance.adapter import api

_earlier_elements = set()
_ranks = set()


def describe():
    return {"framework": "order_dependent"}


def _gather(input, dim, index):
    if index.min(initial=0) < 0 or index.max(initial=0) >= input.shape[dim]:
        raise IndexError("index out of range")
    inside = tuple(slice(None) if axis == dim else slice(length) for axis, length in enumerate(index.shape))
    return np.take_along_axis(input[inside], index, dim)


@api("fake.stained", operation="gather_elements")
def stained(input, dim, index):
    """Wrong after a call with a 13."""
    result = _gather(input, dim, index)
    if 13 in _earlier_elements:
        result[0] += 1
    _earlier_elements.update(input.ravel().tolist())
    return result


@api("fake.after_higher_rank", operation="gather_elements")
def after_higher_rank(input, dim, index):
    """Wrong after a call with more axes."""
    _ranks.add(input.ndim)
    return _gather(input, dim, index) + (max(_ranks) > input.ndim)


@api("fake.fickle", operation="gather_elements")
def fickle(input, dim, index):
    """Wrong, differently in each process."""
    return _gather(input, dim, index) + os.getpid()


@api("fake.steady", operation="gather_elements")
def steady(input, dim, index):
    """Always wrong in the same way."""
    return _gather(input, dim, index) + 1
