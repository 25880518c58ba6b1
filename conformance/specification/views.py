"""The memory layouts in which a tensor may be passed to a framework; the worker builds them."""

from __future__ import annotations

from typing import Any

import numpy as np

VIEWS = ("transposed", "strided", "offset", "expanded", "empty")


def misfit(view: str, array: np.ndarray[Any, Any]) -> str | None:
    """The reason why an array cannot be this view, to be appended to its name; None if it can."""
    if view == "transposed" and array.ndim < 2:
        return f"needs at least two axes; this tensor has {array.ndim}"
    if view in ("strided", "offset") and array.ndim < 1:
        return "needs at least one axis; this tensor has none"
    if view == "empty" and array.size:
        return f"needs a tensor without elements; this one has {array.size}"
    if view == "expanded" and not _repeats(array):
        return "needs an axis of length two or more along which all elements are equal; this tensor has none"
    return None


def _repeats(array: np.ndarray[Any, Any]) -> bool:
    if not array.size:
        return False
    data = array.tobytes()
    return any(
        length > 1 and np.array(np.broadcast_to(array.take([0], axis), array.shape)).tobytes() == data
        for axis, length in enumerate(array.shape)
    )
