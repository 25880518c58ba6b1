"""Guard zones: memory before and behind each argument, which no call may write, and whose contents no result may show.

Each element of a zone tells the side, the argument and the distance, which is its lowest byte. It is a number that no case uses,
and not so large that a sum with a small one would leave it as it is. Elements of one byte tell nothing, and those of two bytes no
distance.

Memory that is used again without being written shall not look like a zone. So zones are views of arrays that are kept, since a copy would
leave its elements in freed memory, and those of an argument are overwritten after the call.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple, Optional

import numpy as np

_SMALL, _LARGE = 256, 4096
"""Bytes of a zone: of a small array, and of one in which a row may be longer."""
_ALIGNMENT = 64
"""Bytes: arrays of other addresses are copied by XLA."""
_COUNTED = 256
"""Elements that have different values."""
_MOST_SEARCHED = 2**24
"""Bytes of a result that is searched for elements of zones."""


class _Zones(NamedTuple):
    before: memoryview
    behind: memoryview


class _Kind(NamedTuple):
    """What the zones of an array depend on, in bytes."""

    size: int
    """Of an element."""
    unit: int
    """Of the numbers that an element consists of: two for a complex one."""


class Guarded(NamedTuple):
    """An array between guard zones."""

    array: np.ndarray
    memory: bytearray
    """The array with its zones."""
    zones: _Zones
    place: int
    """The number of the argument."""

    def clear(self) -> None:
        """Overwrite the zones after the call."""
        before, behind = self.zones
        self.memory[: len(before)] = bytes(len(before))
        self.memory[-len(behind) :] = bytes(len(behind))

    def written(self) -> list[int]:
        """The elements next to the array in a zone that has changed: -1 directly before it, 1 directly behind its end."""
        before, behind = self.zones
        if self.memory.startswith(before) and self.memory.endswith(behind):
            return []
        size, memory = self.array.itemsize, memoryview(self.memory)
        changed = _changed(memory[: len(before)], before)
        distances = [-((len(before) - 1 - int(changed[-1])) // size + 1)] if changed.size else []
        changed = _changed(memory[-len(behind) :], behind)
        return [*distances, int(changed[0]) // size + 1] if changed.size else distances


def guarded(array: np.ndarray, place: int = 0) -> Guarded:
    """Copy an array between guard zones.

    place: the number of the argument, which tells its zones from those of others.
    """
    length = _SMALL if array.nbytes <= _LARGE else _LARGE
    zones = _zones(_kind(array.dtype), place, length + _ALIGNMENT)
    memory = bytearray(2 * length + _ALIGNMENT + array.nbytes)
    start = _aligned(memory, length)
    end = start + array.nbytes
    zones = _Zones(zones.before[len(zones.before) - start :], zones.behind[: len(memory) - end])
    # A slice of a bytearray would copy what it is given.
    view = memoryview(memory)
    view[:start], view[end:] = zones
    inner = np.ndarray(array.shape, array.dtype, memory, start)
    inner[...] = array
    return Guarded(inner, memory, zones, place)


def _aligned(memory: bytearray, least: int) -> int:
    """The first place, from ``least`` on, at which a framework takes memory that it gets without a copy."""
    address: int = np.frombuffer(memory, np.uint8).__array_interface__["data"][0]
    return least + -(address + least) % _ALIGNMENT


def read(
    result: np.ndarray, guards: Iterable[tuple[str, Guarded]], known: Iterable[np.ndarray]
) -> list[tuple[str, Optional[int]]]:
    """The arguments of whose zones a result shows an element, each with its distance, as in ``Guarded.written``.

    The distance is None if the dtype has no values for it.

    known: the arrays that the call was given, whose elements are not taken for those of a zone.
    """
    if result.dtype.itemsize == 1 or result.nbytes > _MOST_SEARCHED:
        return []
    data, kind = result.tobytes(), _kind(result.dtype)
    found: list[tuple[str, Optional[int]]] = []
    for name, guard in guards:
        before, behind = _common(kind.unit, guard.place)
        if before in data:
            found += [(name, each) for each in _shown(data, kind, guard.place, -1, known)]
        if behind in data:
            found += [(name, each) for each in _shown(data, kind, guard.place, 1, known)]
    return found


def _shown(data: bytes, kind: _Kind, place: int, side: int, known: Iterable[np.ndarray]) -> list[Optional[int]]:
    """The distance of the nearest element of one zone that a result shows; empty if it shows none."""
    unit = np.dtype(f"u{kind.unit}")
    numbers = np.frombuffer(data, unit)
    [first] = np.frombuffer(_first(kind.unit, place, side), unit)
    counter = np.array(0 if kind.unit == 2 else _COUNTED - 1, unit)
    found = np.unique(numbers[(numbers & ~counter) == first])
    if found.size:
        given = [np.ascontiguousarray(array).reshape(-1) for array in known if _kind(array.dtype).unit == kind.unit]
        found = found[[not any((array.view(unit) == number).any() for array in given) for number in found]]
    if not found.size:
        return []
    return [side * (int(found[0] - first) + 1)] if kind.unit > 2 else [None]


def nearest(dtype: np.dtype, place: int, side: int, count: int) -> np.ndarray:
    """The elements of an argument's zone that are nearest to it, in the order in which they lie in memory.

    side: -1 for the zone before the argument, 1 for the one behind it.
    """
    before, behind = (np.frombuffer(zone, dtype) for zone in _zones(_kind(dtype), place, _SMALL))
    return before[len(before) - count :] if side < 0 else behind[:count]


@lru_cache(maxsize=None)
def _zones(kind: _Kind, place: int, length: int) -> _Zones:
    """The zones of an array with such elements: before it, the nearest element is the last one."""
    distances = np.arange(length // kind.size)
    before = _elements(kind, place, -1).take(distances[::-1], 0, mode="wrap")
    behind = _elements(kind, place, 1).take(distances, 0, mode="wrap")
    return _Zones(before.reshape(-1).data, behind.reshape(-1).data)


@lru_cache(maxsize=None)
def _common(unit: int, place: int) -> tuple[bytes, bytes]:
    """The bytes that all elements of the zone before an argument have, and those of the zone behind it."""
    one, other = (_first(unit, place, side) for side in (-1, 1))
    if len(one) == 2:
        return one, other
    return (one[1:], other[1:]) if sys.byteorder == "little" else (one[:-1], other[:-1])


@lru_cache(maxsize=None)
def _elements(kind: _Kind, place: int, side: int) -> np.ndarray:
    """The bytes of the elements of a zone, the nearest first."""
    parts = np.empty((_COUNTED, kind.size // kind.unit, kind.unit), np.uint8)
    parts[:] = np.frombuffer(_first(kind.unit, place, side), np.uint8)
    if kind.unit > 2:
        parts[:, :, 0 if sys.byteorder == "little" else -1] = np.arange(_COUNTED)[:, None]
    return parts.reshape(_COUNTED, kind.size)


def _first(unit: int, place: int, side: int) -> bytes:
    """The element of a zone that is nearest to its argument."""
    if unit == 1:
        return bytes((0x5A + place if side > 0 else 0xDA + place,))
    if unit == 2:  # as float16 some 3.2, as bfloat16 some 55
        return struct.pack("=H", (0x4257 if side > 0 else 0xC257) + 8 * place)
    if unit == 4:
        return struct.pack("=f", side * (729_088 + 65_536 * place))
    return struct.pack("=d", side * (1_300_000_000 + 2**20 * place))


@lru_cache(maxsize=None)
def _kind(dtype: np.dtype) -> _Kind:
    return _Kind(dtype.itemsize, dtype.itemsize // 2 if dtype.kind == "c" else dtype.itemsize)


def _changed(now: memoryview, before: memoryview) -> np.ndarray:
    return np.flatnonzero(np.frombuffer(now, np.uint8) != np.frombuffer(before, np.uint8))


def _prepare() -> None:
    """Make the zones of most calls where the framework is imported, and not in each process that is forked there."""
    for kind in (_Kind(1, 1), _Kind(2, 2), _Kind(4, 4), _Kind(8, 8), _Kind(8, 4), _Kind(16, 8)):
        for place in range(4):
            _zones(kind, place, _SMALL + _ALIGNMENT)
            _common(kind.unit, place)


_prepare()
