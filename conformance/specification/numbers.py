"""Elements of arrays as JSON that survives the round trip and every reader, JavaScript's numbers included.

Finite floats are the shortest decimal of their own dtype; what JSON or a double cannot hold (non-finite, integers beyond
2**53, complex) is a string that NumPy reads back in the array's dtype.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

_EXACT = 2**53
_WHOLE = 2**24
"""Below it a float32 holds every whole number."""


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
    if array.size == 0:
        return False
    if array.dtype.kind in "iu":
        return bool(array.min() >= -_EXACT and array.max() <= _EXACT)
    # Whole numbers have the same text in every dtype that holds them; of narrower floats, others do not.
    return array.dtype == np.float32 and bool((np.abs(array) < _WHOLE).all() and (array == np.rint(array)).all())
