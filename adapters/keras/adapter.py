"""Keras; its backends are modes, of which the variable KERAS_BACKEND selects one before the import."""

from __future__ import annotations

import itertools
from typing import Any

import keras
import ml_dtypes
import numpy as np

from conformance.adapter import Unsupported, api
from conformance.worker.forms import of_elements, only

BACKEND = keras.backend.backend()
if BACKEND == "jax":
    import jax
INDEX_DTYPES = ("int32", "int64")
REDUCTIONS = {"add": "add", "multiply": "mul", "amax": "max", "amin": "min"}
"""Keras's names of reductions."""
GRID = {"dim": "keras.ops.meshgrid", "index.rank": "keras.ops.meshgrid", "input.rank": "keras.ops.meshgrid"}
SLICE = {"index.shape": "keras.ops.slice", "src.rank": "keras.ops.slice", "src.shape": "keras.ops.slice"}
MOVEAXIS = {"dim": "keras.ops.moveaxis"}
transfers = itertools.count(1)
"""Counts the results that were read."""


def describe() -> dict[str, Any]:
    return {"framework": "keras", "version": keras.__version__, "immutable": BACKEND not in ("numpy", "torch")}


def setup(device: str, mode: str) -> None:
    if device != "cpu":
        raise ValueError(f"device {device!r} is not supported by this adapter; available: cpu")
    if mode != BACKEND:
        raise RuntimeError(f"Keras {keras.__version__} runs on the backend {BACKEND!r} instead of {mode!r}")
    actual = str(getattr(keras.ops.zeros(1), "device", device))
    if device not in actual.lower():
        raise RuntimeError(f"Keras {keras.__version__} put a tensor on {actual!r} instead of {device!r}")


def to_native(array: np.ndarray, dtype: str) -> Any:
    typed = array.view(ml_dtypes.bfloat16) if dtype == "bfloat16" else array
    # Arrays are the tensors of the NumPy backend; converting one would copy it.
    return typed if BACKEND == "numpy" else keras.ops.convert_to_tensor(typed)


def to_numpy(value: Any) -> Any:
    if BACKEND == "jax" and next(transfers) % 2000 == 0:
        jax.clear_caches()  # about a megabyte of compiled code for each shape
    if "bfloat16" not in str(value.dtype):
        return np.asarray(value)  # which may share its memory, unlike what convert_to_numpy returns
    array = value if isinstance(value, np.ndarray) else keras.ops.convert_to_numpy(value)
    return array.view(np.uint16), "bfloat16"


def listed(indices: Any) -> Any:
    """The indices as nested lists, of which Keras makes a tensor of integers."""
    if keras.backend.standardize_dtype(indices.dtype) not in INDEX_DTYPES or 0 in indices.shape:
        raise Unsupported("only indices that a list keeps: some of them, in int32 or int64")
    return keras.ops.convert_to_numpy(indices).tolist()


def positions(dim: int, index: Any) -> Any:
    """The full index vector of each element of index, one after the other: its own value at dim."""
    axes = [keras.ops.arange(length, dtype=index.dtype) for length in index.shape]
    grid = list(keras.ops.meshgrid(*axes, indexing="ij"))  # a tuple on the backend NumPy
    grid[dim] = index
    return keras.ops.reshape(keras.ops.stack(grid, axis=-1), (-1, len(grid)))


@api("keras.ops.scatter", operation="scatter_nd")
def scatter(indices, updates, shape):
    return keras.ops.scatter(indices, updates, shape)


@api("keras.ops.scatter(lists)", operation="scatter_nd", follows="keras.ops.scatter")
def scatter_lists(indices, updates, shape):
    return keras.ops.scatter(listed(indices), updates, shape)


@api("keras.ops.segment_sum", operation="scatter_nd", composed=True)
def segment_sum(indices, updates, shape):
    if (
        len(indices.shape) != 2
        or indices.shape[1] != 1
        or not isinstance(shape, tuple)
        or shape[1:] != updates.shape[1:]
    ):
        raise Unsupported("only index vectors of one component, in one axis, and a length in place of a shape")
    return keras.ops.segment_sum(updates, keras.ops.squeeze(indices, 1), shape[0])


@api("keras.ops.scatter_update", operation="tensor_scatter_nd_update")
def scatter_update(tensor, indices, updates):
    return keras.ops.scatter_update(tensor, indices, updates)


@api("keras.ops.scatter_update(lists)", operation="tensor_scatter_nd_update", follows="keras.ops.scatter_update")
def scatter_update_lists(tensor, indices, updates):
    return keras.ops.scatter_update(tensor, listed(indices), updates)


@api("keras.ops.scatter_update", operation="tensor_scatter_nd_add")
def scatter_update_add(tensor, indices, updates):
    return keras.ops.scatter_update(tensor, indices, updates, reduction="add")


@api("keras.ops.scatter_update(lists)", operation="tensor_scatter_nd_add", follows="keras.ops.scatter_update")
def scatter_update_add_lists(tensor, indices, updates):
    return keras.ops.scatter_update(tensor, listed(indices), updates, reduction="add")


def word(reduce):
    if reduce == "sub":
        raise Unsupported("no reduction that subtracts")
    return {"prod": "mul", "amax": "max", "amin": "min"}[reduce]


@api("keras.ops.scatter_update", operation="tensor_scatter_nd_reduce")
def scatter_update_reduce(tensor, indices, updates, reduce):
    return keras.ops.scatter_update(tensor, indices, updates, reduction=word(reduce))


@api("keras.ops.scatter_update(lists)", operation="tensor_scatter_nd_reduce", follows="keras.ops.scatter_update")
def scatter_update_reduce_lists(tensor, indices, updates, reduce):
    return keras.ops.scatter_update(tensor, listed(indices), updates, reduction=word(reduce))


@api("keras.ops.take_along_axis", operation="gather_elements")
def take_along_axis(input, dim, index):
    return keras.ops.take_along_axis(input, index, axis=dim)


@api("keras.ops.take", operation="index_select")
def take(input, dim, index):
    return keras.ops.take(input, index, axis=dim)


@api("keras.ops.scatter_update", operation="scatter_elements", helpers={**GRID, **SLICE})
def scatter_update_elements(input, dim, index, src, reduce=None):
    if reduce not in (None, *REDUCTIONS) or not keras.ops.is_tensor(src):
        raise Unsupported("only a tensor as src, and no mean")
    updates = keras.ops.reshape(keras.ops.slice(src, [0] * len(index.shape), index.shape), (-1,))
    return keras.ops.scatter_update(input, positions(dim, index), updates, reduction=REDUCTIONS.get(reduce))


@api("keras.ops.scatter_update", operation="index_copy", helpers=MOVEAXIS)
def scatter_update_slices(input, dim, index, source):
    rows, updates = keras.ops.moveaxis(input, dim, 0), keras.ops.moveaxis(source, dim, 0)
    return keras.ops.moveaxis(keras.ops.scatter_update(rows, keras.ops.expand_dims(index, -1), updates), 0, dim)


@api("keras.ops.scatter_update", operation="index_add", helpers=MOVEAXIS)
def scatter_update_add_slices(input, dim, index, source, alpha=1):
    rows, updates = keras.ops.moveaxis(input, dim, 0), keras.ops.moveaxis(source, dim, 0)
    updates = updates if alpha == 1 else keras.ops.multiply(updates, alpha)
    summed = keras.ops.scatter_update(rows, keras.ops.expand_dims(index, -1), updates, reduction="add")
    return keras.ops.moveaxis(summed, 0, dim)


@api("keras.ops.take", operation="take")
def take_flat(input, index):
    return keras.ops.take(input, index)


@api("keras.ops.segment_sum", operation="unsorted_segment_reduce")
def segment_sum_of_data(data, segment_ids, num_segments, reduce):
    only("reduce", reduce, "sum")
    return keras.ops.segment_sum(data, segment_ids, num_segments)


@api("keras.ops.segment_prod", operation="unsorted_segment_reduce", exists=hasattr(keras.ops, "segment_prod"))
def segment_prod_of_data(data, segment_ids, num_segments, reduce):
    only("reduce", reduce, "prod")
    return keras.ops.segment_prod(data, segment_ids, num_segments)


@api("keras.ops.segment_max", operation="unsorted_segment_reduce")
def segment_max_of_data(data, segment_ids, num_segments, reduce):
    only("reduce", reduce, "amax")
    return keras.ops.segment_max(data, segment_ids, num_segments)


@api("keras.ops.segment_min", operation="unsorted_segment_reduce", exists=hasattr(keras.ops, "segment_min"))
def segment_min_of_data(data, segment_ids, num_segments, reduce):
    only("reduce", reduce, "amin")
    return keras.ops.segment_min(data, segment_ids, num_segments)


@api("keras.ops.where", operation="masked_fill")
def where(input, mask, value):
    of_elements(input, mask)
    return keras.ops.where(mask, value, input)


@api("keras.ops.slice", operation="dynamic_slice")
def slice_from(input, starts, sizes):
    return keras.ops.slice(input, starts, sizes)


@api("keras.ops.slice_update", operation="dynamic_update_slice")
def slice_update(input, update, starts):
    return keras.ops.slice_update(input, starts, update)
