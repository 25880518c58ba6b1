"""Data that only their dtype holds, so that a detour through another dtype shows."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.specification.applied import Applied
from conformance.specification.dtypes import FLOAT8, numpy_dtype
from conformance.specification.indices.geometry import IndexGeometry
from conformance.specification.literals import Argument, Tensor, frozen

Array = np.ndarray[Any, Any]
NARROWER = {
    "int32": "float32", "int64": "float64", "uint32": "int32", "uint64": "int64", "float16": "bfloat16",
    "bfloat16": "float16", "float32": "float16", "float64": "float32", "complex64": "float32", "complex128": "complex64",
    "float8_e4m3fn": "float8_e5m2", "float8_e5m2": "float8_e4m3fn",
}  # fmt: skip
"""For each dtype whose numbers are chosen, a dtype that does not hold them."""
_FIRST_ODD = {"int32": 2**24 + 1, "int64": 2**53 + 1, "float32": 2**22 + 1, "float64": 2**25 + 1}
_HALVES = {"uint32": 2**31, "uint64": 2**63}


def drawn_as(dtype: str) -> str:
    """The dtype of the numbers that become a dtype's own: eight bits do not hold as many integers as are drawn."""
    return "float32" if dtype in FLOAT8 else dtype


def with_own_values(call: Applied, dtype: str) -> Applied:
    """The call with data that only this dtype holds in place of numbers from 1 on; others stay.

    Distinct numbers remain distinct. Where elements are added, each position starts from zero, and sums are exact.
    """
    written = _written(call) if call.accumulates else None
    converted: dict[str, Argument] = {}
    for name, value in call.data.items():
        if value.dtype == drawn_as(dtype):
            array = np.array(_own(value.array, dtype))
            if written is not None and written.indexing.into == name:
                array.reshape(-1)[written.positions.ravel()] = 0
            converted[name] = Tensor(dtype, frozen(array), None)
    return call.with_arguments(converted)


def may_have_own_values(call: Applied) -> bool:
    """Whether sums of chosen numbers are exact: elements are only moved, or no position is written to twice."""
    if not call.accumulates:
        return True
    return not any(geometry.has_duplicates for geometry in call.geometries.values())


def _written(call: Applied) -> IndexGeometry | None:
    return next(iter(call.geometries.values()), None)


def _own(array: Array, dtype: str) -> Any:
    """For numbers from 1 on, distinct numbers that only the dtype holds."""
    type_ = numpy_dtype(dtype)
    if dtype in FLOAT8:
        numbers = _of_eight_bits(dtype)
        return numbers[(array.astype(np.int64) - 1) % len(numbers)]
    if dtype in _FIRST_ODD:
        return (2 * array.astype(np.int64) + (_FIRST_ODD[dtype] - 2)).astype(type_)
    if dtype in _HALVES:
        return array.astype(type_) + type_.type(_HALVES[dtype])
    if dtype == "float16":
        return (1 + array.astype(np.float64) / 1024).astype(type_)
    if dtype == "bfloat16":
        return (array.astype(np.float64) * 2.0**100).astype(type_)
    if dtype == "complex64":
        return (array + 1j * (array + 300)).astype(type_)
    wide = 2 * array.real + (2**25 - 1)
    return (wide + 1j * (wide + 1000)).astype(type_)


def _of_eight_bits(dtype: str) -> Array:
    """The finite numbers of a dtype but zero, those first that the other one does not hold."""
    numbers = np.arange(256, dtype=np.uint8).view(numpy_dtype(dtype))
    wide = numbers.astype(np.float64)
    numbers, wide = (each[np.isfinite(wide) & (wide != 0)] for each in (numbers, wide))
    held = wide.astype(numpy_dtype(NARROWER[dtype])).astype(np.float64) == wide
    return np.concatenate([numbers[~held], numbers[held]])
