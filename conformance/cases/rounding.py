"""How much rounding can change a sum of floating-point numbers."""

from __future__ import annotations

import numpy as np

from conformance.cases.reference import Reference
from conformance.specification.dtypes import kind_of
from conformance.specification.literals import LiteralError, Tensor, frozen
from conformance.specification.model import Call, Operation

UNIT_ROUNDOFF = {
    "float16": 2.0**-11,
    "bfloat16": 2.0**-8,
    "float32": 2.0**-24,
    "float64": 2.0**-53,
    "complex64": 2.0**-24,
    "complex128": 2.0**-53,
}
"""The largest relative error of one addition in a dtype."""
_WIDE = {"float": "float64", "complex": "complex128"}


def rounding_bound(operation: Operation, call: Call, reference: Reference) -> float:
    """The largest error of any element of a sum, in whatever order its terms are added: n u times the sum of magnitudes.

    n is the number of terms that may be added to one element, u the unit roundoff of the dtype. LiteralError if the
    result is not a sum of floating-point numbers.
    """
    values = operation.values(call)
    dtype = str(operation.result_dtype.value(values))
    if dtype not in UNIT_ROUNDOFF or not operation.result_accumulates.value(values):
        raise LiteralError("within: rounding needs a sum of floating-point numbers")
    data = {
        name: value
        for name, value in call.arguments.items()
        if isinstance(value, Tensor) and not operation.arguments[name].index and kind_of(value.dtype) in _WIDE
    }
    wide = {name: _magnitudes(value) for name, value in data.items()}
    magnitude = float(np.abs(reference(operation, call.with_arguments(wide)).array).max(initial=0.0))
    terms = max((value.array.size for value in data.values()), default=0)
    return terms * UNIT_ROUNDOFF[dtype] * magnitude


def _magnitudes(value: Tensor) -> Tensor:
    wide = _WIDE[kind_of(value.dtype)]
    return Tensor(wide, frozen(np.abs(value.array.astype(wide)).astype(wide)), None)
