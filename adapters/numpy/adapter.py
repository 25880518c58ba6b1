"""NumPy, as an implementation under test; the reference beside it does not use these functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.adapter import Unsupported, api
from conformance.worker.forms import of_elements, only, only_a_mask, only_an_index, slices

PER_AXIS = {"indices.rank": "numpy.moveaxis"}


def describe() -> dict[str, Any]:
    return {"framework": "numpy", "version": np.__version__}


@api("numpy.take_along_axis", operation="gather_elements")
def take_along_axis(input, dim, index):
    return np.take_along_axis(input, index, dim)


@api("numpy.put_along_axis", operation="scatter_elements", in_place="input")
def put_along_axis(input, dim, index, src, reduce=None):
    only("reduce", reduce, None)
    np.put_along_axis(input, index, src, dim)
    return input


@api("numpy.put", operation="scatter_elements", in_place="input")
def put(input, dim, index, src, reduce=None):
    if input.ndim != 1 or dim not in (0, -1) or reduce is not None:
        raise Unsupported("only a vector, as the input is flattened, and no reduction")
    np.put(input, index, src)
    return input


@api("numpy.take", operation="index_select")
def take(input, dim, index):
    return np.take(input, index, axis=dim)


@api("numpy.ndarray.take", operation="index_select")
def take_method(input, dim, index):
    return input.take(index, axis=dim)


@api("numpy.add.at", operation="index_add", in_place="input")
def add_at(input, dim, index, source, alpha=1):
    only("alpha", alpha, 1)
    np.add.at(input, slices(dim, index), source)
    return input


@api("numpy.add.at", operation="tensor_scatter_nd_add", in_place="tensor", helpers=PER_AXIS)
def add_at_vectors(tensor, indices, updates):
    np.add.at(tensor, tuple(np.moveaxis(indices, -1, 0)), updates)
    return tensor


@api(
    "numpy.subtract.at",
    operation="tensor_scatter_nd_reduce",
    in_place="tensor",
    helpers=PER_AXIS,
    documentation="numpy.add.at",
)
def subtract_at_vectors(tensor, indices, updates, reduce):
    only("reduce", reduce, "sub")
    np.subtract.at(tensor, tuple(np.moveaxis(indices, -1, 0)), updates)
    return tensor


@api(
    "numpy.multiply.at",
    operation="tensor_scatter_nd_reduce",
    in_place="tensor",
    helpers=PER_AXIS,
    documentation="numpy.add.at",
)
def multiply_at_vectors(tensor, indices, updates, reduce):
    only("reduce", reduce, "prod")
    np.multiply.at(tensor, tuple(np.moveaxis(indices, -1, 0)), updates)
    return tensor


@api(
    "numpy.maximum.at",
    operation="tensor_scatter_nd_reduce",
    in_place="tensor",
    helpers=PER_AXIS,
    documentation="numpy.add.at",
)
def maximum_at_vectors(tensor, indices, updates, reduce):
    only("reduce", reduce, "amax")
    np.maximum.at(tensor, tuple(np.moveaxis(indices, -1, 0)), updates)
    return tensor


@api(
    "numpy.minimum.at",
    operation="tensor_scatter_nd_reduce",
    in_place="tensor",
    helpers=PER_AXIS,
    documentation="numpy.add.at",
)
def minimum_at_vectors(tensor, indices, updates, reduce):
    only("reduce", reduce, "amin")
    np.minimum.at(tensor, tuple(np.moveaxis(indices, -1, 0)), updates)
    return tensor


@api("numpy.add.at", operation="scatter_nd", helpers={**PER_AXIS, "shape": "numpy.zeros"})
def add_at_into_zeros(indices, updates, shape):
    result = np.zeros(shape, updates.dtype)
    np.add.at(result, tuple(np.moveaxis(indices, -1, 0)), updates)
    return result


@api("numpy.ndarray.__getitem__", operation="gather_nd", helpers=PER_AXIS)
def getitem(params, indices):
    return params[tuple(np.moveaxis(indices, -1, 0))]


@api("numpy.ndarray.__setitem__", operation="tensor_scatter_nd_update", in_place="tensor", helpers=PER_AXIS)
def setitem(tensor, indices, updates):
    tensor[tuple(np.moveaxis(indices, -1, 0))] = updates
    return tensor


@api("numpy.ndarray.__setitem__", operation="index_copy", composed=True, in_place="input")
def setitem_slices(input, dim, index, source):
    input[slices(dim, index)] = source
    return input


@api("numpy.ndarray.__setitem__", operation="index_fill", composed=True, in_place="input")
def setitem_slices_to_a_number(input, dim, index, value):
    input[slices(dim, index)] = value
    return input


@api("numpy.multiply.at", operation="index_reduce", in_place="input", documentation="numpy.add.at")
def multiply_at(input, dim, index, source, reduce, include_self=None):
    only("reduce", reduce, "prod")
    only("include_self", include_self, None)
    np.multiply.at(input, slices(dim, index), source)
    return input


@api("numpy.maximum.at", operation="index_reduce", in_place="input", documentation="numpy.add.at")
def maximum_at(input, dim, index, source, reduce, include_self=None):
    only("reduce", reduce, "amax")
    only("include_self", include_self, None)
    np.maximum.at(input, slices(dim, index), source)
    return input


@api("numpy.minimum.at", operation="index_reduce", in_place="input", documentation="numpy.add.at")
def minimum_at(input, dim, index, source, reduce, include_self=None):
    only("reduce", reduce, "amin")
    only("include_self", include_self, None)
    np.minimum.at(input, slices(dim, index), source)
    return input


@api("numpy.take", operation="take")
def take_flat(input, index):
    return np.take(input, index)


@api("numpy.ndarray.take", operation="take")
def take_flat_method(input, index):
    return input.take(index)


@api("numpy.take(mode='wrap')", operation="take")
def take_flat_wrap(input, index):
    return np.take(input, index, mode="wrap")


@api("numpy.take(mode='clip')", operation="take")
def take_flat_clip(input, index):
    return np.take(input, index, mode="clip")


def rows_only(mask):
    """Raise Unsupported for a mask of several axes, since a condition has one."""
    if mask.ndim != 1:
        raise Unsupported("only a condition of one axis")


@api("numpy.ndarray.__getitem__", operation="masked_select")
def getitem_masked(input, mask):
    return input[mask]


@api("numpy.extract", operation="masked_select")
def extract(input, mask):
    if mask.ndim < input.ndim:
        raise Unsupported("only elements, as the array and the condition are flattened")
    return np.extract(mask, input)


@api("numpy.compress", operation="masked_select")
def compress(input, mask):
    rows_only(mask)
    return np.compress(mask, input, axis=0)


@api("numpy.ndarray.compress", operation="masked_select")
def compress_method(input, mask):
    rows_only(mask)
    return input.compress(mask, axis=0)


@api("numpy.ndarray.__setitem__", operation="masked_fill", in_place="input")
def setitem_masked_to_a_number(input, mask, value):
    input[mask] = value
    return input


@api("numpy.putmask", operation="masked_fill", in_place="input")
def putmask(input, mask, value):
    of_elements(input, mask)
    np.putmask(input, mask, value)
    return input


@api("numpy.place", operation="masked_fill", in_place="input")
def place_a_number(input, mask, value):
    of_elements(input, mask)
    np.place(input, mask, value)
    return input


@api("numpy.copyto(where=)", operation="masked_fill", in_place="input")
def copyto(input, mask, value):
    of_elements(input, mask)
    np.copyto(input, value, where=mask)
    return input


@api("numpy.where", operation="masked_fill")
def where(input, mask, value):
    of_elements(input, mask)
    return np.where(mask, value, input)


@api("numpy.place", operation="masked_scatter", in_place="input")
def place(input, mask, source):
    np.place(input, mask, source)
    return input


@api("numpy.ndarray.__setitem__", operation="masked_scatter", in_place="input")
def setitem_masked(input, mask, source):
    if source.ndim != 1 or source.size != np.count_nonzero(mask):
        raise Unsupported("only a source of one axis, with as many elements as are selected")
    input[mask] = source
    return input


@api("numpy.put", operation="put", in_place="input")
def put_flat(input, index, source, reduce=None):
    only("reduce", reduce, None)
    np.put(input, index, source)
    return input


@api("numpy.ndarray.put", operation="put", in_place="input")
def put_flat_method(input, index, source, reduce=None):
    only("reduce", reduce, None)
    input.put(index, source)
    return input


@api("numpy.put(mode='wrap')", operation="put", in_place="input")
def put_flat_wrap(input, index, source, reduce=None):
    only("reduce", reduce, None)
    np.put(input, index, source, mode="wrap")
    return input


@api("numpy.put(mode='clip')", operation="put", in_place="input")
def put_flat_clip(input, index, source, reduce=None):
    only("reduce", reduce, None)
    np.put(input, index, source, mode="clip")
    return input


@api("numpy.take(out=)", operation="take_into", follows="numpy.take")
def take_into(input, index, out):
    data, where, given = with_out(input, index, out)
    return np.take(data, where, out=given)


def with_out(data, index, out):
    """The arrays of a call, with the one for the result that the word ``out`` names."""
    length = index.shape[0]
    if out == "input":
        given = data.copy()
        return given, index, given
    if out == "index":
        given = index.copy()
        return data, given, given
    if out == "overlapping":
        memory = np.append(data, data[:1])
        return memory[:-1], index, memory[1:]
    shapes = {"empty": (0,), "longer": (length + 1,), "shorter": (length - 1,), "column": (length, 1)}
    return data, index, np.zeros(shapes.get(out, (length,)), data.dtype if out in ("fitting", *shapes) else out)


@api("numpy.ndarray.__getitem__", operation="advanced_index_get")
def getitem_advanced(input, i, j, key):
    return input[key]


@api("numpy.ndarray.__setitem__", operation="advanced_index_set", in_place="input")
def setitem_advanced(input, i, j, values, key, reduce=None):
    only("reduce", reduce, None)
    input[key] = values
    return input


@api("numpy.add.at", operation="advanced_index_set", in_place="input")
def add_at_advanced(input, i, j, values, key, reduce=None):
    only("reduce", reduce, "add")
    np.add.at(input, key, values)
    return input


@api("numpy.ndarray.__getitem__", operation="basic_index_get")
def getitem_basic(input, key, i=None, j=None):
    return input[key]


@api("numpy.ndarray.__setitem__", operation="basic_index_set", in_place="input")
def setitem_basic(input, key, values, i=None, j=None):
    input[key] = values
    return input


def view_of(target, view):
    """The part of the target that a result goes into."""
    return target[1::2] if view == "every-second" else target[:, 1]


@api("numpy.take(out=)", operation="take_into_view", follows="numpy.take", in_place="target")
def take_into_view(input, target, view, index=None, mask=None):
    only_an_index(index)
    np.take(input, index, out=view_of(target, view))
    return target


@api("numpy.ndarray.take(out=)", operation="take_into_view", follows="numpy.take", in_place="target")
def take_method_into_view(input, target, view, index=None, mask=None):
    only_an_index(index)
    input.take(index, out=view_of(target, view))
    return target


@api("numpy.compress(out=)", operation="take_into_view", follows="numpy.compress", in_place="target")
def compress_into_view(input, target, view, index=None, mask=None):
    only_a_mask(mask)
    np.compress(mask, input, out=view_of(target, view))
    return target


@api("numpy.ndarray.compress(out=)", operation="take_into_view", follows="numpy.compress", in_place="target")
def compress_method_into_view(input, target, view, index=None, mask=None):
    only_a_mask(mask)
    input.compress(mask, out=view_of(target, view))
    return target
