"""Elements of arrays as JSON that survives the round trip and every reader, JavaScript's numbers included.

Finite floats are the shortest decimal of their own dtype; what JSON or a double cannot hold (non-finite, integers beyond
2**53, complex) is a string that NumPy reads back in the array's dtype.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from conformance.spec.dtypes import numpy_dtype
from conformance.spec.literals import Tensor, frozen

_EXACT = 2**53


def element(value: Any) -> Any:
    """One element of an array as JSON has it."""
    if isinstance(value, np.bool_ | bool):
        return bool(value)
    if isinstance(value, np.integer | int):
        number = int(value)
        return number if abs(number) <= _EXACT else str(number)
    if isinstance(value, np.complexfloating | complex):
        return str(value).strip("()")
    real = float(value)
    # str() of a NumPy scalar is the shortest text of its own dtype: 3.2, not 3.200000047683716.
    return float(str(value)) if math.isfinite(real) else str(real)


def elements(array: np.ndarray[Any, Any]) -> Any:
    """An array as nested lists; a rank-0 array is its one element."""
    if _is_plain(array):
        return array.tolist()
    if array.ndim == 0:
        return element(array[()])
    return [elements(part) for part in array] if array.ndim > 1 else [element(one) for one in array]


def _is_plain(array: np.ndarray[Any, Any]) -> bool:
    """Whether NumPy's own lists hold just what JSON should."""
    if array.dtype.kind == "b" or (array.dtype.kind in "iu" and array.dtype.itemsize < 8):
        return True
    if array.dtype == np.float64:
        return bool(np.isfinite(array).all())
    return array.dtype.kind in "iu" and array.size > 0 and bool(array.min() >= -_EXACT and array.max() <= _EXACT)


def from_elements(dtype: str, shape: list[int], values: Any) -> Tensor:
    """The tensor back."""
    flat = list(_flatten(values))
    array = np.empty(len(flat), numpy_dtype(dtype))
    for number, value in enumerate(flat):
        array[number] = _back(value, array.dtype)
    return Tensor(dtype, frozen(array.reshape(shape)), values)


def _back(value: Any, dtype: np.dtype[Any]) -> Any:
    if not isinstance(value, str):
        return value
    if dtype.kind in "iu":
        return int(value)
    return complex(value) if dtype.kind == "c" else float(value)


def _flatten(values: Any) -> Any:
    if isinstance(values, list):
        for value in values:
            yield from _flatten(value)
    else:
        yield values
