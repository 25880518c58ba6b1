"""array-api-strict, the reference of the Python array API standard: wrappers of NumPy that have nothing else."""

from __future__ import annotations

from typing import Any

import array_api_strict
import numpy as np

from conformance.adapter import Unsupported, api
from conformance.worker.forms import of_elements


def describe() -> dict[str, Any]:
    return {"framework": "array_api_strict", "version": array_api_strict.__version__}


def setup(device: str, mode: str) -> None:
    if device != "cpu":
        raise ValueError(f"device {device!r} is not supported by this adapter; available: cpu")


def to_native(array: np.ndarray, dtype: str) -> Any:
    if dtype == "bfloat16":
        raise TypeError("the standard has no bfloat16")
    return array_api_strict.asarray(array)


def to_numpy(value: Any) -> np.ndarray:
    return np.from_dlpack(value)


@api(
    "array_api_strict.take_along_axis",
    operation="gather_elements",
    follows="numpy.take_along_axis",
    exists=hasattr(array_api_strict, "take_along_axis"),
)
def take_along_axis(input, dim, index):
    return array_api_strict.take_along_axis(input, index, axis=dim)


@api("array_api_strict.take", operation="index_select", follows="numpy.take")
def take(input, dim, index):
    if index.ndim != 1:
        raise Unsupported("indices of one axis")
    return array_api_strict.take(input, index, axis=dim)


@api("array_api_strict.Array.__getitem__", operation="masked_select")
def getitem_masked(input, mask):
    return input[mask]


@api("array_api_strict.Array.__setitem__", operation="masked_fill", in_place="input")
def setitem_masked_to_a_number(input, mask, value):
    input[mask] = value
    return input


@api("array_api_strict.where", operation="masked_fill", follows="numpy.where")
def where(input, mask, value):
    of_elements(input, mask)
    return array_api_strict.where(mask, value, input)


@api(
    "array_api_strict.Array.__getitem__",
    operation="advanced_index_get",
    documentation="array_api_strict._array_object.Array.__getitem__",
)
def getitem_advanced(input, i, j, key):
    if input.ndim != len(key) or any(item is None or item is ... or isinstance(item, slice) for item in key):
        raise Unsupported("only indices and numbers for all axes")
    if array_api_strict.bool in (i.dtype, j.dtype):
        raise Unsupported("a mask only alone, as the standard says")
    return input[key]


@api(
    "array_api_strict.Array.__getitem__",
    operation="basic_index_get",
    documentation="array_api_strict._array_object.Array.__getitem__",
)
def getitem_basic(input, key, i=None, j=None):
    return input[key]


@api("array_api_strict.Array.__setitem__", operation="basic_index_set", in_place="input")
def setitem_basic(input, key, values, i=None, j=None):
    input[key] = values
    return input
