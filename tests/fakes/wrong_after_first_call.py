"""Gathers correctly in the first call of a process only: every later result would confirm every other."""

from __future__ import annotations

import numpy as np

from conformance.adapter import api

_calls = []


@api("fake.later", operation="gather_elements")
def gather(input, dim, index):
    if index.min(initial=0) < 0 or index.max(initial=0) >= input.shape[dim]:
        raise IndexError("index out of range")
    inside = tuple(slice(None) if axis == dim else slice(length) for axis, length in enumerate(index.shape))
    result = np.take_along_axis(input[inside], index, dim)
    _calls.append(None)
    return result + (len(_calls) > 1)
