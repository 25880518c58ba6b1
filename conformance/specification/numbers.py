"""Elements of arrays as JSON values that every reader preserves exactly, including JavaScript.

Finite floats are the shortest decimal of their dtype. Values that JSON or a double cannot represent (non-finite numbers,
integers beyond 2**53, complex numbers) are strings that NumPy parses in the dtype of the array.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

_EXACT = 2**53
_WHOLE = 2**24
"""Every integer below it is exact in float32."""


def element(value: Any) -> Any:
    """An element of an array as a JSON value."""
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
    """An array as nested lists; a rank-0 array becomes a single value."""
    if _is_plain(array):
        return array.tolist()
    if array.ndim == 0:
        return element(array[()])
    return [elements(part) for part in array] if array.ndim > 1 else [element(value) for value in array]


def _is_plain(array: np.ndarray[Any, Any]) -> bool:
    """Whether ``tolist`` gives the JSON values directly."""
    if array.dtype.kind == "b" or (array.dtype.kind in "iu" and array.dtype.itemsize < 8):
        return True
    if array.dtype == np.float64:
        return bool(np.isfinite(array).all())
    if array.size == 0:
        return False
    if array.dtype.kind in "iu":
        return bool(array.min() >= -_EXACT and array.max() <= _EXACT)
    # Integers have the same text in every dtype; fractions in float32 and narrower do not.
    return array.dtype == np.float32 and bool((np.abs(array) < _WHOLE).all() and (array == np.rint(array)).all())
