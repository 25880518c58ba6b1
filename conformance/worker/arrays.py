"""Arrays on the wire: a dtype by its name, a shape, and raw bytes in C order.

NumPy has no bfloat16; an array of it travels and is handed to adapters as its bits, in uint16.
"""

from __future__ import annotations

import operator
from functools import lru_cache
from typing import Any

import numpy as np

BITS_OF = {"bfloat16": "uint16"}
"""Dtypes that NumPy lacks, and the unsigned integer that holds their bits."""

Tensor = tuple[np.ndarray, str]
"""An array (of bits, where NumPy lacks the dtype) and the name of its dtype."""


@lru_cache(maxsize=None)
def carrier(dtype: str) -> np.dtype[Any]:
    """The NumPy dtype that holds the bytes of a dtype by name."""
    return np.dtype(BITS_OF.get(dtype, dtype))


name_of = lru_cache(maxsize=None)(operator.attrgetter("name"))
"""The name of a NumPy dtype, which NumPy makes anew each time."""


def describe(tensor: Tensor) -> dict[str, Any]:
    """The header's entry for one array."""
    array, dtype = tensor
    return {"dtype": dtype, "shape": list(array.shape)}


def to_bytes(tensor: Tensor) -> bytes:
    return np.ascontiguousarray(tensor[0]).tobytes()


def size_of(entry: dict[str, Any]) -> int:
    """Bytes that an entry's array takes in the body."""
    count = 1
    for length in entry["shape"]:
        count *= length
    return count * carrier(entry["dtype"]).itemsize


def from_bytes(entry: dict[str, Any], body: bytes, offset: int) -> Tensor:
    """A read-only array over the body; copy it before a framework gets it."""
    dtype = carrier(entry["dtype"])
    count = size_of(entry) // dtype.itemsize
    array = np.frombuffer(body, dtype=dtype, count=count, offset=offset).reshape(entry["shape"])
    return array, entry["dtype"]
