"""Encode arrays as the name of a dtype, a shape, and raw bytes in C order.

NumPy has no bfloat16; such arrays are sent, and passed to adapters, as uint16 bits.
"""

from __future__ import annotations

import math
import operator
from functools import lru_cache
from typing import Any

import numpy as np

BITS_OF = {"bfloat16": "uint16"}
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


def describe(tensor: Tensor) -> dict[str, Any]:
    """Return the entry of an array in the header."""
    array, dtype = tensor
    return {"dtype": dtype, "shape": list(array.shape)}


def to_bytes(tensor: Tensor) -> bytes:
    return tensor[0].tobytes()


def size_of(entry: dict[str, Any]) -> int:
    """Return the size of an entry's array in the body, in bytes."""
    count: int = math.prod(entry["shape"])
    return count * carrier(entry["dtype"]).itemsize


def from_bytes(entry: dict[str, Any], body: bytes, offset: int) -> Tensor:
    """Return a read-only view of the body; copy it before passing it to a framework."""
    return np.ndarray(entry["shape"], carrier(entry["dtype"]), body, offset), entry["dtype"]
