"""Encode arrays as the name of a dtype, a shape, and raw bytes in C order.

NumPy has no bfloat16 and no float8; such arrays are sent, and passed to adapters, as the bits of unsigned integers.
"""

from __future__ import annotations

import math
import operator
from functools import lru_cache
from typing import Any

import numpy as np

FLOAT8 = ("float8_e4m3fn", "float8_e5m2")
BITS_OF = {"bfloat16": "uint16", **dict.fromkeys(FLOAT8, "uint8")}
"""Dtypes that NumPy lacks, with the unsigned integer dtype for their bits."""

KINDS = "biufc"
"""The kinds of NumPy's dtypes of numbers."""

Tensor = tuple[np.ndarray, str]
"""An array (of bits, if NumPy lacks the dtype) and the name of its dtype."""


@lru_cache(maxsize=None)
def carrier(dtype: str) -> np.dtype[Any]:
    """Return the NumPy dtype for the bytes of a dtype."""
    return np.dtype(BITS_OF.get(dtype, dtype))


name_of = lru_cache(maxsize=None)(operator.attrgetter("name"))
"""The name of a NumPy dtype; cached because NumPy computes it on each access."""


@lru_cache(maxsize=None)
def holds(carried: np.dtype[Any], dtype: str) -> bool:
    """Whether an array of the first dtype has elements of the second; only numbers can be sent."""
    if dtype in BITS_OF:
        return carried.kind in "uV" and carried.itemsize == carrier(dtype).itemsize
    return carried.kind in KINDS and carried.name == dtype


MOST_DENSE = 2**28
"""Bytes of an array of which all elements are sent; of a larger one only those that are not zero, each with its position."""
MOST_SENT = 2**20
"""The maximum number of elements of such a large array that are sent; of more, the first."""
MOST_BYTES = 2**35
"""The maximum size of an array, in bytes."""
_CHUNK = 2**24


def describe(tensor: Tensor) -> dict[str, Any]:
    """Return the entry of an array in the header, if all its elements are sent."""
    array, dtype = tensor
    return {"dtype": dtype, "shape": list(array.shape)}


def to_bytes(tensor: Tensor) -> bytes:
    return tensor[0].tobytes()


def pack(tensor: Tensor) -> tuple[dict[str, Any], bytes]:
    """Return the entry of an array in the header, and its part of the body."""
    array, _ = tensor
    if array.nbytes <= MOST_DENSE:
        return describe(tensor), to_bytes(tensor)
    positions = nonzero(array)[:MOST_SENT]
    body = positions.tobytes() + array.reshape(-1)[positions].tobytes()
    return {**describe(tensor), "elements": len(positions)}, body


def size_of(entry: dict[str, Any]) -> int:
    """Return the size of an entry's array in the body, in bytes; ValueError for an array that is too large."""
    count: int = math.prod(entry["shape"])
    size = carrier(entry["dtype"]).itemsize
    if count * size > MOST_BYTES:
        raise ValueError(f"an array of {count * size} bytes; at most {MOST_BYTES} are allowed")
    return entry["elements"] * (_POSITION.itemsize + size) if "elements" in entry else count * size


def from_bytes(entry: dict[str, Any], body: bytes, offset: int) -> Tensor:
    """Return a read-only array, which may be a view of the body; copy it before passing it to a framework."""
    dtype = carrier(entry["dtype"])
    if "elements" not in entry:
        return np.ndarray(entry["shape"], dtype, body, offset), entry["dtype"]
    count = entry["elements"]
    positions = np.frombuffer(body, _POSITION, count, offset)
    array = np.zeros(math.prod(entry["shape"]), dtype)
    if count and positions.min() < 0:
        raise IndexError(f"position {positions.min()} is negative")
    array[positions] = np.frombuffer(body, dtype, count, offset + positions.nbytes)
    array = array.reshape(entry["shape"])
    array.setflags(write=False)
    return array, entry["dtype"]


_POSITION = np.dtype(np.int64)


def nonzero(array: np.ndarray) -> np.ndarray:
    """Return the row-major positions of the elements that have any bit, without an array of the size of this one."""
    bits, size = _bytes_of(array), array.dtype.itemsize
    step = max(_CHUNK // size, 1) * size
    parts = [np.zeros(0, _POSITION)]
    for start in range(0, len(bits), step):
        chunk = bits[start : start + step]
        if _words(chunk).any() or chunk[len(chunk) // 8 * 8 :].any():
            parts.append(np.flatnonzero(chunk.reshape(-1, size).any(axis=1)) + start // size)
    return np.concatenate(parts)


def same_bits(left: np.ndarray, right: np.ndarray) -> bool:
    """Whether two arrays of the same shape and dtype have the same bytes, without a copy of large ones."""
    if left.nbytes <= MOST_DENSE or left.nbytes != right.nbytes:
        return left.tobytes() == right.tobytes()
    first, second = _bytes_of(left), _bytes_of(right)
    rest = len(first) // 8 * 8
    first_words, second_words = _words(first), _words(second)
    return np.array_equal(first[rest:], second[rest:]) and all(
        np.array_equal(first_words[start : start + _CHUNK], second_words[start : start + _CHUNK])
        for start in range(0, len(first_words), _CHUNK)
    )


def _bytes_of(array: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8)


def _words(chunk: np.ndarray) -> np.ndarray:
    """The bytes but the last seven at most, eight at a time, which are compared faster."""
    return chunk[: len(chunk) // 8 * 8].view(np.uint64)
