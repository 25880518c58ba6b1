"""Views: an argument that is a part of a larger buffer, or whose strides are not those of an array of its own.

Between and around the elements of a view the buffer holds ``FILLER``, which no call may read or change.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Optional

import numpy as np

FILLER = 85
Shape = tuple[int, ...]


class Viewed(NamedTuple):
    """An argument as a view, and what lies around it."""

    array: np.ndarray
    """What the adapter gets."""
    base: Optional[np.ndarray]
    """The buffer that it is a view of; None for an array of its own."""
    before: bytes
    """The buffer's bytes around the view, as they were."""

    def is_spilled(self) -> bool:
        """Whether the buffer has changed anywhere but in the view."""
        return self.base is not None and _around(self) != self.before


def build(array: np.ndarray, view: Optional[str]) -> Viewed:
    """A fresh copy of the elements, as this view of a buffer of their own; None is an array of its own."""
    if view is None:
        return Viewed(np.array(array), None, b"")
    shape_of, take = _VIEWS[view]
    base = np.full(shape_of(array), FILLER).astype(array.dtype)
    taken = take(base, array.shape)
    taken[...] = array
    viewed = Viewed(taken, base, b"")
    return viewed._replace(before=_around(viewed))


def _around(viewed: Viewed) -> bytes:
    base = viewed.base
    assert base is not None
    copy = base.copy()
    start = viewed.array.__array_interface__["data"][0] - base.__array_interface__["data"][0]
    inside = np.ndarray(
        viewed.array.shape,
        base.dtype,
        buffer=copy,
        offset=start if viewed.array.size else 0,
        strides=viewed.array.strides,
    )
    inside[...] = np.zeros((), base.dtype)
    return copy.tobytes()


def _expanded_shape(array: np.ndarray) -> Shape:
    """The shape without repetitions: one element along each axis where all elements are the same bits."""
    shape = list(array.shape)
    for axis, length in enumerate(array.shape):
        first = array.take([0], axis) if length else array
        if np.array(np.broadcast_to(first, array.shape)).tobytes() == array.tobytes():
            shape[axis] = min(length, 1)
    return tuple(shape)


def _expand(base: np.ndarray, shape: Shape) -> np.ndarray:
    strides = [step if base.shape[axis] == shape[axis] else 0 for axis, step in enumerate(base.strides)]
    return np.lib.stride_tricks.as_strided(base, shape, strides)


def _every_second(base: np.ndarray, _: Shape) -> np.ndarray:
    return base[(slice(None, None, 2),) * base.ndim]


def _inner(base: np.ndarray, _: Shape) -> np.ndarray:
    return base[(slice(1, -1),) * base.ndim]


def _beginning(base: np.ndarray, shape: Shape) -> np.ndarray:
    return base[tuple(slice(0, length) for length in shape)]


_VIEWS: dict[str, tuple[Callable[[np.ndarray], Shape], Callable[[np.ndarray, Shape], Any]]] = {
    "transposed": (lambda array: array.shape[::-1], lambda base, _: base.T),
    "strided": (lambda array: tuple(2 * length for length in array.shape), _every_second),
    "offset": (lambda array: tuple(length + 2 for length in array.shape), _inner),
    "expanded": (_expanded_shape, _expand),
    "empty": (lambda array: tuple(length or 2 for length in array.shape), _beginning),
}
"""For each view, the shape of the buffer for an array, and how to take the view of a buffer."""
VIEWS = tuple(_VIEWS)
