"""Compares the bits of arrays, some of which have gigabytes and few elements that are not zero."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.worker import arrays

Array = np.ndarray[Any, Any]


def same_bits(first: Array, second: Array) -> bool:
    """Whether two arrays of the same shape and dtype have the same bytes."""
    return arrays.same_bits(first, second)


def is_large(array: Array) -> bool:
    """Whether an array is so large that it should not be copied."""
    return array.nbytes > arrays.MOST_DENSE


def nonzero_in_either(first: Array, second: Array) -> Array:
    """The row-major positions at which either of two arrays has any bit, in order."""
    return np.union1d(arrays.nonzero(first), arrays.nonzero(second))
