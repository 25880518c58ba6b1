"""Gathers correctly unless the input contains a 13; then it allocates all the memory that it gets."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from conformance.adapter import api

MOST_EATEN = 2**30
"""The number of bytes after which it stops, if it is not killed."""


def describe() -> dict[str, Any]:
    return {"framework": "eats_memory", "version": "1.0"}


@api("fake.eats_memory", operation="gather_elements")
def gather(input: np.ndarray, dim: int, index: np.ndarray) -> np.ndarray:
    eaten: list[np.ndarray] = []
    while 13 in input:
        if len(eaten) * 2**24 < MOST_EATEN:
            eaten.append(np.ones(2**24, np.uint8))
        else:
            time.sleep(1)
    if index.min(initial=0) < 0 or index.max(initial=0) >= input.shape[dim]:
        raise IndexError("index out of range")
    inside = tuple(slice(None) if axis == dim else slice(length) for axis, length in enumerate(index.shape))
    return np.take_along_axis(input[inside], index, dim)
