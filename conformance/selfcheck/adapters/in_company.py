"""Gathers rightly in a fresh process; each API goes wrong in its own way after other calls, or from time to time."""

from __future__ import annotations

import os

import numpy as np

from conformance.adapter import api

_seen = set()


def _gather(input, dim, index):
    if index.min(initial=0) < 0 or index.max(initial=0) >= input.shape[dim]:
        raise IndexError("index out of range")
    inside = tuple(slice(None) if axis == dim else slice(length) for axis, length in enumerate(index.shape))
    return np.take_along_axis(input[inside], index, dim)


@api("fake.stained", operation="gather_elements")
def stained(input, dim, index):
    """Wrong once a 13 was seen."""
    result = _gather(input, dim, index)
    if 13 in _seen:
        result[0] += 1
    _seen.update(input.ravel().tolist())
    return result


@api("fake.fickle", operation="gather_elements")
def fickle(input, dim, index):
    """Wrong, in another way in each process."""
    return _gather(input, dim, index) + os.getpid()


@api("fake.steady", operation="gather_elements")
def steady(input, dim, index):
    """Wrong in the same way each time."""
    return _gather(input, dim, index) + 1
