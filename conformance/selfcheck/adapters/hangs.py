"""Right, but for one call that does not come back; a file of its own, as it is given less time than others."""

# ruff: noqa: A002 - arguments have the names that operations give them
from __future__ import annotations

import time
from typing import Any

import numpy as np

from conformance.adapter import api


def describe() -> dict[str, Any]:
    return {"framework": "hangs"}


@api("hangs.at_times", operation="gather_elements")
def at_times(input: np.ndarray, dim: int, index: np.ndarray) -> np.ndarray:
    while input.ndim == 3 and dim == 1:
        time.sleep(1)
    if index.min(initial=0) < 0 or index.max(initial=0) >= input.shape[dim]:
        raise IndexError("index out of range")
    inside = tuple(slice(None) if axis == dim else slice(length) for axis, length in enumerate(index.shape))
    return np.take_along_axis(input[inside], index, dim)
