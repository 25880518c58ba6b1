"""Arguments in buffers: all between guard zones, some as views with gaps or unusual strides.

Outside of a view's elements its buffer contains ``FILLER``, which no call may read or change.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Optional

import numpy as np

from conformance.worker.guards import Guarded, guarded

FILLER = 85
Shape = tuple[int, ...]


class BufferView(NamedTuple):
    """An array in a buffer of its own."""

    array: np.ndarray
    """The array for the adapter."""
    base: Optional[np.ndarray]
    """The buffer of a view; None for an ordinary array."""
    before: bytes
    """The initial bytes of the buffer of a view, with the view's elements zeroed."""
    guards: Guarded
    """The memory with the guard zones."""

    def written(self) -> list[Optional[int]]:
        """How far from the array memory has changed that does not belong to it, as in ``Guarded``; None in the gaps of a view."""
        distances: list[Optional[int]] = [*self.guards.written()]
        return [*distances, None] if self.base is not None and _outside(self) != self.before else distances


def build(array: np.ndarray, kind: Optional[str], place: int = 0) -> BufferView:
    """Copy an array into a new buffer between guard zones, as a view of this kind; if ``kind`` is None, as an ordinary array.

    place: the number of the argument, which tells its zones from those of others.
    """
    if kind is None:
        guards = guarded(array, place)
        return BufferView(guards.array, None, b"", guards)
    buffer_shape, take_view = _VIEWS[kind]
    guards = guarded(np.full(buffer_shape(array), FILLER).astype(array.dtype), place)
    elements = take_view(guards.array, array.shape)
    elements[...] = array
    view = BufferView(elements, guards.array, b"", guards)
    return view._replace(before=_outside(view))


class SharedBuffer(NamedTuple):
    """A buffer of which two arguments are parts without gaps."""

    guards: Guarded
    parts: tuple[slice, slice]
    """The elements of each."""

    @property
    def base(self) -> np.ndarray:
        """All elements."""
        return self.guards.array

    def view(self, part: int, shape: Shape) -> BufferView:
        """The part of an argument, outside of which nothing may change."""
        view = BufferView(self.base[self.parts[part]].reshape(shape), self.base, b"", self.guards)
        return view._replace(before=_outside(view))


def build_shared(first: np.ndarray, second: np.ndarray, shift: int) -> SharedBuffer:
    """Copy two arrays of a dtype into one new buffer, in which the second begins ``shift`` elements behind the first.

    The elements that they have in common must be equal.
    """
    starts = 1 + max(-shift, 0), 1 + max(shift, 0)
    one, other = (slice(start, start + array.size) for start, array in zip(starts, (first, second)))  # noqa: B905
    guards = guarded(np.full(1 + max(one.stop, other.stop), FILLER).astype(first.dtype))
    base = guards.array
    base[one], base[other] = first.reshape(-1), second.reshape(-1)
    return SharedBuffer(guards, (one, other))


def _outside(view: BufferView) -> bytes:
    base = view.base
    assert base is not None
    copy = base.copy()
    start = view.array.__array_interface__["data"][0] - base.__array_interface__["data"][0]
    elements = np.ndarray(
        view.array.shape,
        base.dtype,
        buffer=copy,
        offset=start if view.array.size else 0,
        strides=view.array.strides,
    )
    elements[...] = np.zeros((), base.dtype)
    return copy.tobytes()


def _expanded_shape(array: np.ndarray) -> Shape:
    """The shape without repetition: length 1 along each axis with identical elements."""
    shape = list(array.shape)
    for axis, length in enumerate(array.shape):
        first = array.take([0], axis) if length else array
        if np.array(np.broadcast_to(first, array.shape)).tobytes() == array.tobytes():
            shape[axis] = min(length, 1)
    return tuple(shape)


def _expand(base: np.ndarray, shape: Shape) -> np.ndarray:
    strides = [step if base.shape[axis] == shape[axis] else 0 for axis, step in enumerate(base.strides)]
    return np.lib.stride_tricks.as_strided(base, shape, strides)


def _loosen(base: np.ndarray, shape: Shape) -> np.ndarray:
    strides = list(base.strides)
    for axis, length in enumerate(shape):
        if length == 1:
            # Strides as they remain after slicing or expanding.
            strides[axis] = 0 if axis % 2 else (axis + 7) * base.itemsize
    return np.lib.stride_tricks.as_strided(base, shape, strides)


def _every_second(base: np.ndarray, _: Shape) -> np.ndarray:
    return base[(slice(None, None, 2),) * base.ndim]


def _inner(base: np.ndarray, _: Shape) -> np.ndarray:
    return base[(slice(1, -1),) * base.ndim]


def _leading(base: np.ndarray, shape: Shape) -> np.ndarray:
    return base[tuple(slice(0, length) for length in shape)]


_VIEWS: dict[str, tuple[Callable[[np.ndarray], Shape], Callable[[np.ndarray, Shape], Any]]] = {
    "transposed": (lambda array: array.shape[::-1], lambda base, _: base.T),
    "strided": (lambda array: tuple(2 * length for length in array.shape), _every_second),
    "offset": (lambda array: tuple(length + 2 for length in array.shape), _inner),
    "expanded": (_expanded_shape, _expand),
    "loose": (lambda array: array.shape, _loosen),
    "empty": (lambda array: tuple(length or 2 for length in array.shape), _leading),
}
"""For each kind, functions for the shape of an array's buffer and for the view of a buffer."""
VIEWS = tuple(_VIEWS)
