"""How much rounding can change a sum of floating-point numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from conformance.cases.reference import Reference
from conformance.specification.applied import Applied
from conformance.specification.dtypes import kind_of
from conformance.specification.literals import LiteralError, Tensor, frozen

UNIT_ROUNDOFF = {
    "float16": 2.0**-11,
    "bfloat16": 2.0**-8,
    "float32": 2.0**-24,
    "float64": 2.0**-53,
    "complex64": 2.0**-24,
    "complex128": 2.0**-53,
}
"""The largest relative error of one addition in a dtype."""
Array = np.ndarray[Any, Any]
_WIDE = {"float": "float64", "complex": "complex128"}


def rounding_bounds(call: Applied, reference: Reference) -> Array:
    """The largest error of each element of a sum, in whatever order its terms are added: n u times the sum of magnitudes.

    n is the number of terms of the element, u the unit roundoff of the dtype; 0 for an element that nothing is added to.
    LiteralError if the result is not a sum of floating-point numbers.
    """
    dtype = call.result_dtype or reference(call).dtype
    if dtype not in UNIT_ROUNDOFF or not call.accumulates:
        raise LiteralError("within: rounding needs a sum of floating-point numbers")
    data = {name: value for name, value in call.data.items() if kind_of(value.dtype) in _WIDE}

    def summed(change: Callable[[Array], Array]) -> Array:
        wide = {name: _wide(value, change) for name, value in data.items()}
        return np.asarray(np.abs(reference(call.with_arguments(wide)).array), np.float64)

    terms = summed(np.ones_like)
    return np.where(terms > 1, terms * UNIT_ROUNDOFF[dtype] * summed(np.abs), 0.0)


def _wide(value: Tensor, change: Callable[[Array], Array]) -> Tensor:
    dtype = _WIDE[kind_of(value.dtype)]
    return Tensor(dtype, frozen(change(value.array.astype(dtype)).astype(dtype)), None)
