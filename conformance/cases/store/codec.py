"""Cases as MessagePack: numbers, texts, bytes and lists, of which only objects of listed classes are made.

A list begins with what it stands for: the number of a class, whose fields follow, or one of the tags below. Nothing in a file
names a function or a class, so that reading one cannot run its code.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import Any

import msgspec
import numpy as np

from conformance.specification.dtypes import NAMES, numpy_dtype

_LIST, _TUPLE, _MAPPING, _SET, _INTEGER, _ARRAY, _AGAIN, _NAMED, _CLASSES = range(9)
"""What the first element of a list says: a container, an integer of more than 64 bits, an array, an object that was read before,
one that the reader has, or with ``_CLASSES`` and all that follow the number of a class."""
_PLAIN = frozenset({type(None), bool, float, str, bytes})
_INTEGERS = range(-(2**63), 2**64)

Named = Mapping[tuple[str, ...], object]
"""Objects that are not stored, by name: whoever reads has them already."""


class Damaged(Exception):
    """Bytes that no codec wrote with these classes."""


class Codec:
    """Writes and reads objects of these classes, which are dataclasses, and of what their fields may hold."""

    def __init__(self, classes: Sequence[type[Any]], *, fields_of: Mapping[type[Any], int] | None = None) -> None:
        """fields_of: for a class of which only the first fields are stored, their number."""
        limits = fields_of or {}
        self._names = {one: [field.name for field in fields(one)][: limits.get(one)] for one in classes}
        self._numbers = {one: number for number, one in enumerate(classes, _CLASSES)}
        self._classes = [*classes]

    def packed(self, value: object, named: Named) -> bytes:
        """TypeError for an object of any other class."""
        return msgspec.msgpack.encode(self._writer(named)(value))

    def unpacked(self, data: bytes, named: Named) -> Any:
        """The same value; Damaged if the bytes are something else. Arrays are read-only."""
        try:
            return self._reader(named)(msgspec.msgpack.decode(data))
        except (ValueError, TypeError, LookupError, AttributeError, RecursionError, msgspec.MsgspecError) as error:
            raise Damaged(f"{type(error).__name__}: {error}") from error

    def _writer(self, named: Named) -> Callable[[Any], Any]:
        numbers, names = self._numbers, self._names
        outside = {id(value): name for name, value in named.items()}
        before: dict[int, int] = {}
        kept: list[object] = []  # an object that is gone would leave its identity to another one

        def write(value: Any) -> Any:
            kind = type(value)
            if kind in _PLAIN or (kind is int and value in _INTEGERS):
                return value
            if id(value) in outside:
                return [_NAMED, *outside[id(value)]]
            if id(value) in before:
                return [_AGAIN, before[id(value)]]
            number = numbers.get(kind)
            if number is None:
                return _written(value, write)
            node = [number, *(write(getattr(value, name)) for name in names[kind])]
            before[id(value)] = len(kept)
            kept.append(value)
            return node

        return write

    def _reader(self, named: Named) -> Callable[[Any], Any]:
        classes, scalars = self._classes, _PLAIN | {int}
        made: list[Any] = []

        def read(node: Any) -> Any:
            if type(node) is not list:
                if type(node) in scalars:
                    return node
                raise Damaged(f"a {type(node).__name__}")
            tag = node[0]
            if tag >= _CLASSES:
                one = classes[tag - _CLASSES](*[item if type(item) in scalars else read(item) for item in node[1:]])
                made.append(one)
                return one
            if tag == _AGAIN:
                return made[node[1]]
            return named[tuple(node[1:])] if tag == _NAMED else _CONTAINERS[tag](node, read)

        return read


def _written(value: Any, write: Callable[[Any], Any]) -> list[Any]:
    if isinstance(value, np.ndarray):
        return [_ARRAY, value.dtype.name, value.shape, value.tobytes()]
    if isinstance(value, dict):
        return [_MAPPING, *(write(item) for pair in value.items() for item in pair)]
    if isinstance(value, int):
        return [_INTEGER, str(value)]
    kinds = ((list, _LIST), (tuple, _TUPLE), (frozenset, _SET))
    tag = next((tag for kind, tag in kinds if type(value) is kind), None)
    if tag is None:
        raise TypeError(f"{type(value).__name__} is not among the classes that are stored")
    return [tag, *map(write, sorted(value) if tag == _SET else value)]


def _array(node: list[Any], _: Callable[[Any], Any]) -> np.ndarray[Any, Any]:
    _, name, shape, data = node
    if name not in NAMES:
        raise Damaged(f"an array of dtype {name!r}")
    return np.ndarray(shape, numpy_dtype(name), data)


def _mapping(node: list[Any], read: Callable[[Any], Any]) -> dict[Any, Any]:
    items = iter(node[1:])
    return {sys.intern(key) if type(key) is str else read(key): read(next(items)) for key in items}


_CONTAINERS: Mapping[int, Callable[[list[Any], Callable[[Any], Any]], Any]] = {
    _LIST: lambda node, read: [read(item) for item in node[1:]],
    _TUPLE: lambda node, read: tuple([read(item) for item in node[1:]]),
    _MAPPING: _mapping,
    _SET: lambda node, read: frozenset(map(read, node[1:])),
    _INTEGER: lambda node, _: int(node[1]),
    _ARRAY: _array,
}
