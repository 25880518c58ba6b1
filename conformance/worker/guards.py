"""Guard zones: memory before and behind each argument, which no call may write, and whose contents no result may show.

Each element of a zone has a value of its own, made of the side, the argument and the distance: its lowest byte is the distance,
all others are one byte that stands for side and argument. Dtypes of one byte have no such values, and those of two bytes none
for the distance.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple, Optional

import numpy as np

_BEFORE, _BEHIND = 0xDA, 0x5A
"""The bytes of the zones of the first argument; large numbers of either sign in each dtype, and not NaN."""
_PLACES = 6
"""Arguments with bytes of their own."""
_SMALL, _LARGE = 256, 4096
"""Bytes of a zone: of a small array, and of one in which a row may be longer."""
_COUNTED = 256
"""Elements that have different values."""
_ADDED = 2**16
"""How far the sum of an element of a zone and of what a call adds to it may be from that element."""


class _Zones(NamedTuple):
    before: bytes
    behind: bytes


class Guarded(NamedTuple):
    """An array between guard zones."""

    array: np.ndarray
    memory: bytearray
    """The array with its zones."""
    zones: _Zones
    place: int
    """The number of the argument."""

    def written(self) -> list[int]:
        """The elements next to the array in a zone that has changed: -1 directly before it, 1 directly behind its end."""
        before, behind = self.zones
        if self.memory.startswith(before) and self.memory.endswith(behind):
            return []
        size = self.array.itemsize
        changed = _changed(self.memory[: len(before)], before)
        distances = [-((len(before) - 1 - int(changed[-1])) // size + 1)] if changed.size else []
        changed = _changed(self.memory[-len(behind) :], behind)
        return [*distances, int(changed[0]) // size + 1] if changed.size else distances


def guarded(array: np.ndarray, place: int = 0) -> Guarded:
    """Copy an array between guard zones.

    place: the number of the argument, which tells its zones from those of others.
    """
    zones = _zones(array.itemsize, place % _PLACES, _SMALL if array.nbytes <= _LARGE else _LARGE)
    start = len(zones.before)
    if array.nbytes <= _LARGE:
        memory = bytearray(b"".join((zones.before, array.tobytes(), zones.behind)))
        return Guarded(np.ndarray(array.shape, array.dtype, memory, start), memory, zones, place % _PLACES)
    memory = bytearray(start + array.nbytes + len(zones.behind))
    memory[:start], memory[-len(zones.behind) :] = zones
    inner = np.ndarray(array.shape, array.dtype, memory, start)
    inner[...] = array
    return Guarded(inner, memory, zones, place % _PLACES)


def read(
    result: np.ndarray, guards: Iterable[tuple[str, Guarded]], known: Iterable[np.ndarray]
) -> list[tuple[str, Optional[int]]]:
    """The arguments of whose zones a result shows an element, each with its distance, as in ``Guarded.written``.

    The distance is None if other numbers were added to the element, or if the dtype has no values for it.

    known: the arrays that the call was given, whose elements are not taken for those of a zone.
    """
    if result.dtype.itemsize == 1 or result.nbytes > _MOST_SEARCHED:
        return []
    data = result.tobytes()
    found: list[tuple[str, Optional[int]]] = []
    for name, guard in guards:
        before, behind = _TWICE[guard.place]
        if before in data:
            found += [(name, each) for each in _shown(data, result.dtype, before[0], -1, known)]
        if behind in data:
            found += [(name, each) for each in _shown(data, result.dtype, behind[0], 1, known)]
    return found


_MOST_SEARCHED = 2**24
"""Bytes of a result that is searched for elements of zones."""
_TWICE = [(bytes((_BEFORE + place,)) * 2, bytes((_BEHIND + place,)) * 2) for place in range(_PLACES)]
"""By argument, two bytes that each element of a zone before and behind it has."""


def _shown(data: bytes, dtype: np.dtype, byte: int, side: int, known: Iterable[np.ndarray]) -> list[Optional[int]]:
    """The least distance of the elements of one zone that a result shows; empty if it shows none."""
    values = np.frombuffer(data, dtype).real
    patterns = np.frombuffer(_pattern(dtype.itemsize, byte), dtype).real
    if len(patterns) == 1:
        found = values[values == patterns[0]]
    else:
        first, last = (np.longdouble(patterns[place]) for place in (0, -1))
        with np.errstate(all="ignore"):
            found = values[np.abs(values.astype(np.longdouble) - first) <= abs(last - first) + _ADDED]
    for array in known if found.size else ():
        with np.errstate(all="ignore"):
            found = found[~np.isin(found, array.real.astype(found.dtype))]
    if not found.size:
        return []
    exact = np.flatnonzero(np.isin(patterns, found)) if len(patterns) > 1 else np.zeros(0)
    return [side * (int(exact[0]) + 1)] if exact.size else [None]


def nearest(dtype: np.dtype, place: int, side: int, count: int) -> np.ndarray:
    """The elements of an argument's zone that are nearest to it, in the order in which they lie in memory.

    side: -1 for the zone before the argument, 1 for the one behind it.
    """
    before, behind = (np.frombuffer(zone, dtype) for zone in _zones(dtype.itemsize, place % _PLACES, _SMALL))
    return before[len(before) - count :] if side < 0 else behind[:count]


@lru_cache(maxsize=None)
def _zones(size: int, place: int, length: int) -> _Zones:
    """The zones of an array with elements of this size: before it, the nearest element is the last one."""
    before, behind = (
        (_pattern(size, byte + place) * (length // size))[: length // size * size] for byte in (_BEFORE, _BEHIND)
    )
    return _Zones(np.frombuffer(before, f"V{size}")[::-1].tobytes(), behind)


def _pattern(size: int, byte: int) -> bytes:
    """The values of the elements of a zone, the nearest first."""
    if size <= 2:
        return bytes((byte,)) * size
    one = np.full((_COUNTED, size), byte, np.uint8)
    one[:, 0 if sys.byteorder == "little" else -1] = np.arange(_COUNTED)
    return one.tobytes()


def _changed(now: bytearray, before: bytes) -> np.ndarray:
    return np.flatnonzero(np.frombuffer(now, np.uint8) != np.frombuffer(before, np.uint8))
