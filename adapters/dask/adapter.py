"""dask.array, which computes a result when it is asked for, so that also errors of a call come then."""

from __future__ import annotations

from typing import Any

import dask
import dask.array as da
import numpy as np

from conformance.adapter import Unsupported, api
from conformance.worker.forms import of_elements, only, slices

VECTORS = {"indices.rank": "numpy.moveaxis"}


def describe() -> dict[str, Any]:
    return {"framework": "dask", "version": dask.__version__, "immutable": True}


def setup(device: str, mode: str) -> None:
    if device != "cpu":
        raise ValueError(f"device {device!r} is not supported by this adapter; available: cpu")


def to_native(array: np.ndarray, dtype: str) -> da.Array:
    """An array of two chunks along each axis, and of three if it has one axis; of these each but the last has two elements or more."""
    if dtype == "bfloat16":
        raise TypeError("NumPy has no bfloat16")
    parts, least = (3, 2) if array.ndim == 1 else (2, 1)
    return da.from_array(array, chunks=tuple(max(least, -(-length // parts)) for length in array.shape))


def to_numpy(value: Any) -> np.ndarray:
    return np.asarray(value.compute())


def vectors(indices: da.Array) -> tuple[np.ndarray, ...]:
    """The components of index vectors, which vindex takes as arrays of NumPy."""
    return tuple(np.moveaxis(indices.compute(), -1, 0))


@api("dask.array.take", operation="index_select", follows="numpy.take")
def take(input, dim, index):
    if index.ndim > 1:
        raise Unsupported("indices of no axis or one, as documented")
    return da.take(input, index, axis=dim)


@api(
    "dask.array.take(indices of NumPy)",
    operation="index_select",
    follows="numpy.take",
)
def take_by_numpy(input, dim, index):
    return da.take(input, index.compute(), axis=dim)


@api("dask.array.Array.vindex", operation="gather_nd", follows="numpy.ndarray.__getitem__", helpers=VECTORS)
def vindex(params, indices):
    return params.vindex[vectors(indices)]


@api(
    "dask.array.Array.__setitem__",
    operation="index_copy",
    follows="numpy.ndarray.__setitem__",
    composed=True,
    in_place="input",
)
def setitem_slices(input, dim, index, source):
    input[slices(dim, index)] = source
    return input


@api(
    "dask.array.Array.__setitem__",
    operation="index_fill",
    follows="numpy.ndarray.__setitem__",
    composed=True,
    in_place="input",
)
def setitem_slices_to_a_number(input, dim, index, value):
    input[slices(dim, index)] = value
    return input


@api("dask.array.Array.__getitem__", operation="masked_select", follows="numpy.ndarray.__getitem__")
def getitem_masked(input, mask):
    if mask.ndim not in (1, input.ndim):
        raise Unsupported("a mask of one axis or of all, as dask says")
    return input[mask]


@api("dask.array.extract", operation="masked_select", follows="numpy.extract")
def extract(input, mask):
    if mask.ndim < input.ndim:
        raise Unsupported("only elements, as the array and the condition are flattened")
    return da.extract(mask, input)


@api("dask.array.compress", operation="masked_select", follows="numpy.compress")
def compress(input, mask):
    if mask.ndim != 1:
        raise Unsupported("only a condition of one axis")
    return da.compress(mask, input, axis=0)


@api("dask.array.where", operation="masked_fill", follows="numpy.where")
def where(input, mask, value):
    of_elements(input, mask)
    return da.where(mask, value, input)


@api("dask.array.Array.__setitem__", operation="masked_fill", follows="numpy.ndarray.__setitem__", in_place="input")
def setitem_masked_to_a_number(input, mask, value):
    input[mask] = value
    return input


def one_array(key):
    """Raise Unsupported for a key of several arrays, and for an array of indices of several axes, as documented."""
    arrays = [item for item in key if isinstance(item, da.Array)]
    if len(arrays) > 1:
        raise Unsupported("an array in one axis only, as documented")
    if any(array.ndim > 1 and array.dtype != bool for array in arrays):
        raise Unsupported("an array of indices of no axis or one, as documented")


def assigned(key):
    """Raise Unsupported for a key that dask says it does not implement in an assignment."""
    items = key if isinstance(key, tuple) else (key,)
    if any(isinstance(item, bool) for item in items):
        raise Unsupported("no True or False, as dask says")
    if any(isinstance(item, da.Array) and item.ndim == 0 for item in items):
        raise Unsupported("no array without axes, as dask says")


@api("dask.array.Array.__getitem__", operation="advanced_index_get", follows="numpy.ndarray.__getitem__")
def getitem_advanced(input, i, j, key):
    one_array(key)
    return input[key]


@api(
    "dask.array.Array.__setitem__",
    operation="advanced_index_set",
    follows="numpy.ndarray.__setitem__",
    in_place="input",
)
def setitem_advanced(input, i, j, values, key, reduce=None):
    only("reduce", reduce, None)
    one_array(key)
    input[key] = values
    return input


@api("dask.array.Array.__getitem__", operation="basic_index_get", follows="numpy.ndarray.__getitem__")
def getitem_basic(input, key, i=None, j=None):
    return input[key]


@api(
    "dask.array.Array.__setitem__",
    operation="basic_index_set",
    follows="numpy.ndarray.__setitem__",
    in_place="input",
)
def setitem_basic(input, key, values, i=None, j=None):
    assigned(key)
    input[key] = values
    return input
