"""PaddlePaddle with dynamic graphs on the CPU."""

from __future__ import annotations

from typing import Any

import numpy as np
import paddle

from conformance.adapter import Unsupported, api, hook
from conformance.worker.forms import (
    cut,
    of_elements,
    one_item,
    one_part,
    only,
    only_a_mask,
    only_a_tensor,
    only_add,
    only_an_index,
    only_indices,
    slices,
)

INDEX_DTYPES = ("int64", "int32")
MOST = 2**31 - 1
"""The largest int32, which the documentation recommends for the end of an axis."""
UNBIND = {"indices.rank": "paddle.unbind"}
REDUCTIONS = {"add": "sum", "multiply": "prod"}
"""Names that scatter_reduce has and put_along_axis lacks."""


def describe() -> dict[str, Any]:
    return {"framework": "paddle", "version": paddle.__version__}


def setup(device: str, mode: str) -> None:
    if mode != "eager":
        raise ValueError(f"mode {mode!r} is not supported by this adapter; available: eager")
    if device != "cpu":
        raise ValueError(f"device {device!r} is not supported by this adapter; available: cpu")
    # Its handlers of signals print a stack trace before a process dies of the signal.
    paddle.disable_signal_handler()
    paddle.set_device(device)
    place = (paddle.to_tensor([1.0]) + 1).place
    if not place.is_cpu_place():
        raise RuntimeError(f"PaddlePaddle {paddle.__version__} computed on {place} instead of {device!r}")


def to_native(array: np.ndarray, dtype: str) -> paddle.Tensor:
    # Unlike to_tensor, from_dlpack keeps strides and shares the buffer, which the suite checks.
    if dtype == "bfloat16":
        return paddle.from_dlpack(array.view(np.int16)).view("bfloat16")
    return paddle.from_dlpack(array)


def to_numpy(value: paddle.Tensor) -> Any:
    if value.dtype == paddle.bfloat16:
        return np.from_dlpack(value.view("int16")).view(np.uint16), "bfloat16"
    return np.from_dlpack(value)


@hook("paddle.grad")
def vjp(function: Any, tensors: dict[str, paddle.Tensor], of: str, cotangent: paddle.Tensor) -> Any:
    # Of a derivative whose own derivative is computed, arguments belong to a graph.
    is_inner = any(not tensor.stop_gradient for tensor in tensors.values())
    argument = tensors[of] if not tensors[of].stop_gradient else tensors[of].detach()
    argument.stop_gradient = False
    result = of_argument(function, tensors, of)(argument)
    [derivative] = paddle.grad([result], [argument], [cotangent], create_graph=is_inner, allow_unused=True)
    return result.detach(), paddle.zeros_like(argument) if derivative is None else derivative


@hook("paddle.incubate.autograd.jvp")
def jvp(function: Any, tensors: dict[str, paddle.Tensor], of: str, tangent: paddle.Tensor) -> Any:
    result, derivative = paddle.incubate.autograd.jvp(of_argument(function, tensors, of), tensors[of], tangent)
    return result.detach(), derivative.detach()


def of_argument(function: Any, tensors: dict[str, paddle.Tensor], of: str) -> Any:
    """The function of one argument, which changes only copies if it changes its arguments in place."""

    def call(argument: paddle.Tensor) -> paddle.Tensor:
        return function(**{name: tensor.clone() for name, tensor in {**tensors, of: argument}.items()})

    return call


def per_axis(indices: paddle.Tensor) -> tuple[paddle.Tensor, ...]:
    """The components of the index vectors for indexing: a tensor for each axis."""
    return tuple(paddle.unbind(indices, -1))


@api("paddle.index_put", operation="tensor_scatter_nd_update", helpers=UNBIND)
def index_put(tensor, indices, updates):
    return paddle.index_put(tensor, per_axis(indices), updates)


@api("paddle.Tensor.index_put", operation="tensor_scatter_nd_update", helpers=UNBIND)
def index_put_method(tensor, indices, updates):
    return tensor.index_put(per_axis(indices), updates)


@api("paddle.index_put", operation="tensor_scatter_nd_add", helpers=UNBIND)
def index_put_accumulate(tensor, indices, updates):
    return paddle.index_put(tensor, per_axis(indices), updates, accumulate=True)


@api("paddle.Tensor.index_put", operation="tensor_scatter_nd_add", helpers=UNBIND)
def index_put_accumulate_method(tensor, indices, updates):
    return tensor.index_put(per_axis(indices), updates, accumulate=True)


@api("paddle.index_put_", operation="tensor_scatter_nd_update", in_place="tensor", helpers=UNBIND)
def index_put_(tensor, indices, updates):
    return paddle.index_put_(tensor, per_axis(indices), updates)


@api("paddle.Tensor.index_put_", operation="tensor_scatter_nd_update", in_place="tensor", helpers=UNBIND)
def index_put_method_(tensor, indices, updates):
    return tensor.index_put_(per_axis(indices), updates)


@api("paddle.index_put_", operation="tensor_scatter_nd_add", in_place="tensor", helpers=UNBIND)
def index_put_accumulate_(tensor, indices, updates):
    return paddle.index_put_(tensor, per_axis(indices), updates, accumulate=True)


@api("paddle.Tensor.index_put_", operation="tensor_scatter_nd_add", in_place="tensor", helpers=UNBIND)
def index_put_accumulate_method_(tensor, indices, updates):
    return tensor.index_put_(per_axis(indices), updates, accumulate=True)


@api("paddle.Tensor.__setitem__", operation="tensor_scatter_nd_update", in_place="tensor", helpers=UNBIND)
def setitem(tensor, indices, updates):
    tensor[per_axis(indices)] = updates
    return tensor


@api("paddle.scatter_nd_add", operation="tensor_scatter_nd_add")
def scatter_nd_add(tensor, indices, updates):
    return paddle.scatter_nd_add(tensor, indices, updates)


@api("paddle.Tensor.scatter_nd_add", operation="tensor_scatter_nd_add")
def scatter_nd_add_method(tensor, indices, updates):
    return tensor.scatter_nd_add(indices, updates)


@api("paddle.scatter_nd", operation="scatter_nd")
def scatter_nd(indices, updates, shape):
    return paddle.scatter_nd(indices, updates, shape)


@api("paddle.Tensor.scatter_nd", operation="scatter_nd")
def scatter_nd_method(indices, updates, shape):
    return indices.scatter_nd(updates, shape)


@api(
    "paddle.scatter(overwrite=False)",
    operation="scatter_nd",
    helpers={"indices.rank": "paddle.squeeze", "shape": "paddle.zeros"},
)
def scatter_accumulate(indices, updates, shape):
    if indices.ndim != 2 or indices.shape[-1] != 1:
        raise Unsupported("only a list of index vectors of one component")
    zeros = paddle.zeros(shape, updates.dtype)
    return paddle.scatter(zeros, indices.squeeze(-1), updates, overwrite=False)


@api("paddle.gather_nd", operation="gather_nd")
def gather_nd(params, indices):
    return paddle.gather_nd(params, indices)


@api("paddle.Tensor.gather_nd", operation="gather_nd")
def gather_nd_method(params, indices):
    return params.gather_nd(indices)


@api("paddle.Tensor.__getitem__", operation="gather_nd", helpers=UNBIND)
def getitem(params, indices):
    return params[per_axis(indices)]


@api("paddle.take_along_axis", operation="gather_elements")
def take_along_axis(input, dim, index):
    return paddle.take_along_axis(input, index, dim)


@api("paddle.Tensor.take_along_axis", operation="gather_elements")
def take_along_axis_method(input, dim, index):
    return input.take_along_axis(index, dim)


@api("paddle.take_along_axis(broadcast=False)", operation="gather_elements")
def take_along_axis_as_is(input, dim, index):
    return paddle.take_along_axis(input, index, dim, broadcast=False)


@api("paddle.gather", operation="gather_elements")
def gather_elements(input, dim, index):
    return paddle.gather(input, dim, index)


@api("paddle.Tensor.gather", operation="gather_elements")
def gather_elements_method(input, dim, index):
    return input.gather(dim, index)


@api("paddle.index_sample", operation="gather_elements")
def index_sample(input, dim, index):
    if input.ndim != 2 or dim not in (1, -1):
        raise Unsupported("only a matrix, along its last axis")
    return paddle.index_sample(input, index)


@api("paddle.Tensor.index_sample", operation="gather_elements")
def index_sample_method(input, dim, index):
    if input.ndim != 2 or dim not in (1, -1):
        raise Unsupported("only a matrix, along its last axis")
    return input.index_sample(index)


@api("paddle.take", operation="gather_elements")
def take(input, dim, index):
    if input.ndim != 1 or dim not in (0, -1):
        raise Unsupported("only a vector, as the input is flattened")
    return paddle.take(input, index)


@api("paddle.Tensor.take", operation="gather_elements")
def take_method(input, dim, index):
    if input.ndim != 1 or dim not in (0, -1):
        raise Unsupported("only a vector, as the input is flattened")
    return input.take(index)


@api("paddle.put_along_axis", operation="scatter_elements")
def put_along_axis(input, dim, index, src, reduce=None):
    return paddle.put_along_axis(input, index, src, dim, reduce or "assign")


@api("paddle.Tensor.put_along_axis", operation="scatter_elements")
def put_along_axis_method(input, dim, index, src, reduce=None):
    return input.put_along_axis(index, src, dim, reduce or "assign")


@api("paddle.put_along_axis(broadcast=False)", operation="scatter_elements")
def put_along_axis_as_is(input, dim, index, src, reduce=None):
    return paddle.put_along_axis(input, index, src, dim, reduce or "assign", broadcast=False)


@api("paddle.Tensor.put_along_axis_", operation="scatter_elements", in_place="input")
def put_along_axis_method_(input, dim, index, src, reduce=None):
    return input.put_along_axis_(index, src, dim, reduce or "assign")


@api("paddle.Tensor.put_along_axis_(broadcast=False)", operation="scatter_elements", in_place="input")
def put_along_axis_as_is_(input, dim, index, src, reduce=None):
    return input.put_along_axis_(index, src, dim, reduce or "assign", broadcast=False)


@api("paddle.scatter", operation="scatter_elements")
def scatter_elements(input, dim, index, src, reduce=None):
    return paddle.scatter(input, dim, index, src, reduce)


@api("paddle.Tensor.scatter", operation="scatter_elements")
def scatter_elements_method(input, dim, index, src, reduce=None):
    return input.scatter(dim, index, src, reduce)


@api("paddle.scatter_", operation="scatter_elements", in_place="input")
def scatter_elements_(input, dim, index, src, reduce=None):
    return paddle.scatter_(input, dim, index, src, reduce)


@api("paddle.Tensor.scatter_", operation="scatter_elements", in_place="input")
def scatter_elements_method_(input, dim, index, src, reduce=None):
    return input.scatter_(dim, index, src, reduce)


@api("paddle.scatter_add", operation="scatter_elements")
def scatter_add(input, dim, index, src, reduce=None):
    only_add(reduce, src)
    return paddle.scatter_add(input, dim, index, src)


@api("paddle.Tensor.scatter_add", operation="scatter_elements")
def scatter_add_method(input, dim, index, src, reduce=None):
    only_add(reduce, src)
    return input.scatter_add(dim, index, src)


@api("paddle.scatter_add_", operation="scatter_elements", in_place="input")
def scatter_add_(input, dim, index, src, reduce=None):
    only_add(reduce, src)
    return paddle.scatter_add_(input, dim, index, src)


@api("paddle.Tensor.scatter_add_", operation="scatter_elements", in_place="input")
def scatter_add_method_(input, dim, index, src, reduce=None):
    only_add(reduce, src)
    return input.scatter_add_(dim, index, src)


def reduction(reduce: Any, src: Any) -> str:
    """The name of a reduction for scatter_reduce, which has no call without one, or with a number."""
    if reduce is None:
        raise Unsupported("only a reduction")
    only_a_tensor("src", src)
    return REDUCTIONS.get(reduce, reduce)


@api("paddle.scatter_reduce", operation="scatter_elements")
def scatter_reduce(input, dim, index, src, reduce=None):
    return paddle.scatter_reduce(input, dim, index, src, reduction(reduce, src))


@api("paddle.Tensor.scatter_reduce", operation="scatter_elements")
def scatter_reduce_method(input, dim, index, src, reduce=None):
    return input.scatter_reduce(dim, index, src, reduction(reduce, src))


@api("paddle.index_select", operation="index_select")
def index_select(input, dim, index):
    return paddle.index_select(input, index, dim)


@api("paddle.Tensor.index_select", operation="index_select")
def index_select_method(input, dim, index):
    return input.index_select(index, dim)


@api("paddle.gather", operation="index_select")
def gather(input, dim, index):
    return paddle.gather(input, index, dim)


@api("paddle.Tensor.gather", operation="index_select")
def gather_method(input, dim, index):
    return input.gather(index, dim)


@api("paddle.Tensor.__getitem__", operation="index_select", composed=True)
def getitem_slices(input, dim, index):
    return input[slices(dim, index)]


@api("paddle.scatter", operation="index_copy")
def scatter(input, dim, index, source):
    only("dim", dim, 0)
    return paddle.scatter(input, index, source)


@api("paddle.Tensor.scatter", operation="index_copy")
def scatter_method(input, dim, index, source):
    only("dim", dim, 0)
    return input.scatter(index, source)


@api("paddle.scatter_", operation="index_copy", in_place="input")
def scatter_(input, dim, index, source):
    only("dim", dim, 0)
    return paddle.scatter_(input, index, source)


@api("paddle.Tensor.scatter_", operation="index_copy", in_place="input")
def scatter_method_(input, dim, index, source):
    only("dim", dim, 0)
    return input.scatter_(index, source)


@api("paddle.Tensor.__setitem__", operation="index_copy", composed=True, in_place="input")
def setitem_slices(input, dim, index, source):
    input[slices(dim, index)] = source
    return input


@api("paddle.index_add", operation="index_add")
def index_add(input, dim, index, source, alpha=1):
    return paddle.index_add(input, index, dim, source, alpha=alpha)


@api("paddle.Tensor.index_add", operation="index_add")
def index_add_method(input, dim, index, source, alpha=1):
    return input.index_add(index, dim, source, alpha=alpha)


@api("paddle.index_add_", operation="index_add", in_place="input")
def index_add_(input, dim, index, source, alpha=1):
    return paddle.index_add_(input, index, dim, source, alpha=alpha)


@api("paddle.Tensor.index_add_", operation="index_add", in_place="input")
def index_add_method_(input, dim, index, source, alpha=1):
    return input.index_add_(index, dim, source, alpha=alpha)


@api("paddle.index_fill", operation="index_fill")
def index_fill(input, dim, index, value):
    return paddle.index_fill(input, index, dim, value)


@api("paddle.Tensor.index_fill", operation="index_fill")
def index_fill_method(input, dim, index, value):
    return input.index_fill(index, dim, value)


@api("paddle.index_fill_", operation="index_fill", in_place="input")
def index_fill_(input, dim, index, value):
    return paddle.index_fill_(input, index, dim, value)


@api("paddle.Tensor.index_fill_", operation="index_fill", in_place="input")
def index_fill_method_(input, dim, index, value):
    return input.index_fill_(index, dim, value)


@api("paddle.masked_select", operation="masked_select")
def masked_select(input, mask):
    of_elements(input, mask)
    return paddle.masked_select(input, mask)


@api("paddle.Tensor.masked_select", operation="masked_select")
def masked_select_method(input, mask):
    of_elements(input, mask)
    return input.masked_select(mask)


@api("paddle.Tensor.__getitem__", operation="masked_select")
def getitem_masked(input, mask):
    return input[mask]


@api("paddle.masked_fill", operation="masked_fill", exists=hasattr(paddle, "masked_fill"))
def masked_fill(input, mask, value):
    of_elements(input, mask)
    return paddle.masked_fill(input, mask, value)


@api("paddle.Tensor.masked_fill", operation="masked_fill", exists=hasattr(paddle.Tensor, "masked_fill"))
def masked_fill_method(input, mask, value):
    of_elements(input, mask)
    return input.masked_fill(mask, value)


@api("paddle.masked_fill_", operation="masked_fill", in_place="input", exists=hasattr(paddle, "masked_fill_"))
def masked_fill_(input, mask, value):
    of_elements(input, mask)
    return paddle.masked_fill_(input, mask, value)


@api(
    "paddle.Tensor.masked_fill_",
    operation="masked_fill",
    in_place="input",
    exists=hasattr(paddle.Tensor, "masked_fill_"),
)
def masked_fill_method_(input, mask, value):
    of_elements(input, mask)
    return input.masked_fill_(mask, value)


@api("paddle.where", operation="masked_fill")
def where(input, mask, value):
    of_elements(input, mask)
    return paddle.where(mask, value, input)


def as_tensor(value, input):
    """A number as a tensor without axes, of the same dtype."""
    if isinstance(value, paddle.Tensor):
        return value
    made = paddle.full([], value, input.dtype)
    if not (input.is_floating_point() or input.is_complex()) and made.item() != value:
        raise Unsupported("no tensor of integers holds the number")
    return made


@api("paddle.where(tensors)", operation="masked_fill", follows="paddle.where")
def where_tensors(input, mask, value):
    of_elements(input, mask)
    return paddle.where(condition=mask, x=as_tensor(value, input), y=input)


@api("paddle.Tensor.where", operation="masked_fill")
def where_method(input, mask, value):
    of_elements(input, mask)
    return mask.where(value, input)


@api(
    "paddle.where_",
    operation="masked_fill",
    in_place="input",
    helpers={"mask.dtype": "paddle.logical_not"},
    exists=hasattr(paddle, "where_"),
)
def where_(input, mask, value):
    of_elements(input, mask)
    return paddle.where_(paddle.logical_not(mask), input, as_tensor(value, input))


@api("paddle.Tensor.__setitem__", operation="masked_fill", in_place="input")
def setitem_masked_to_a_number(input, mask, value):
    input[mask] = value
    return input


@api("paddle.masked_scatter", operation="masked_scatter", exists=hasattr(paddle, "masked_scatter"))
def masked_scatter(input, mask, source):
    return paddle.masked_scatter(input, mask, source)


@api("paddle.Tensor.masked_scatter", operation="masked_scatter", exists=hasattr(paddle.Tensor, "masked_scatter"))
def masked_scatter_method(input, mask, source):
    return input.masked_scatter(mask, source)


@api("paddle.masked_scatter_", operation="masked_scatter", in_place="input", exists=hasattr(paddle, "masked_scatter_"))
def masked_scatter_(input, mask, source):
    return paddle.masked_scatter_(input, mask, source)


@api(
    "paddle.Tensor.masked_scatter_",
    operation="masked_scatter",
    in_place="input",
    exists=hasattr(paddle.Tensor, "masked_scatter_"),
)
def masked_scatter_method_(input, mask, source):
    return input.masked_scatter_(mask, source)


@api("paddle.take", operation="take")
def take_flat(input, index):
    return paddle.take(input, index)


@api("paddle.Tensor.take", operation="take")
def take_flat_method(input, index):
    return input.take(index)


@api("paddle.take(mode='wrap')", operation="take")
def take_flat_wrap(input, index):
    return paddle.take(input, index, mode="wrap")


@api("paddle.take(mode='clip')", operation="take")
def take_flat_clip(input, index):
    return paddle.take(input, index, mode="clip")


@api("paddle.geometric.segment_sum", operation="segment_reduce")
def segment_sum(data, segment_ids, reduce):
    only("reduce", reduce, "sum")
    return paddle.geometric.segment_sum(data, segment_ids)


@api("paddle.incubate.segment_sum", operation="segment_reduce")
def incubate_segment_sum(data, segment_ids, reduce):
    only("reduce", reduce, "sum")
    return paddle.incubate.segment_sum(data, segment_ids)


@api("paddle.geometric.segment_mean", operation="segment_reduce")
def segment_mean(data, segment_ids, reduce):
    only("reduce", reduce, "mean")
    return paddle.geometric.segment_mean(data, segment_ids)


@api("paddle.incubate.segment_mean", operation="segment_reduce")
def incubate_segment_mean(data, segment_ids, reduce):
    only("reduce", reduce, "mean")
    return paddle.incubate.segment_mean(data, segment_ids)


@api("paddle.geometric.segment_max", operation="segment_reduce")
def segment_max(data, segment_ids, reduce):
    only("reduce", reduce, "amax")
    return paddle.geometric.segment_max(data, segment_ids)


@api("paddle.incubate.segment_max", operation="segment_reduce")
def incubate_segment_max(data, segment_ids, reduce):
    only("reduce", reduce, "amax")
    return paddle.incubate.segment_max(data, segment_ids)


@api("paddle.geometric.segment_min", operation="segment_reduce")
def segment_min(data, segment_ids, reduce):
    only("reduce", reduce, "amin")
    return paddle.geometric.segment_min(data, segment_ids)


@api("paddle.incubate.segment_min", operation="segment_reduce")
def incubate_segment_min(data, segment_ids, reduce):
    only("reduce", reduce, "amin")
    return paddle.incubate.segment_min(data, segment_ids)


@api("paddle.Tensor.__getitem__", operation="advanced_index_get")
def getitem_advanced(input, i, j, key):
    return input[key]


@api("paddle.Tensor.__setitem__", operation="advanced_index_set", in_place="input")
def setitem_advanced(input, i, j, values, key, reduce=None):
    only("reduce", reduce, None)
    input[key] = values
    return input


@api("paddle.index_put", operation="advanced_index_set")
def index_put_advanced(input, i, j, values, key, reduce=None):
    only_indices(key, values)
    return paddle.index_put(input, key, values, accumulate=reduce == "add")


@api("paddle.index_put_", operation="advanced_index_set", in_place="input")
def index_put_advanced_(input, i, j, values, key, reduce=None):
    only_indices(key, values)
    return paddle.index_put_(input, key, values, accumulate=reduce == "add")


@api("paddle.Tensor.__getitem__", operation="basic_index_get")
def getitem_basic(input, key, i=None, j=None):
    return input[key]


@api("paddle.Tensor.__setitem__", operation="basic_index_set", in_place="input")
def setitem_basic(input, key, values, i=None, j=None):
    input[key] = values
    return input


@api("paddle.slice", operation="basic_index_get", index_dtypes=())
def slice_by_key(input, key, i=None, j=None):
    axes, starts, ends, steps = cut(key, input.ndim, MOST)
    if set(steps) != {1}:
        raise Unsupported("only steps of one")
    return paddle.slice(input, axes, starts, ends)


@api("paddle.strided_slice", operation="basic_index_get", index_dtypes=())
def strided_slice(input, key, i=None, j=None):
    return paddle.strided_slice(input, *cut(key, input.ndim, MOST))


@api("paddle.slice_scatter", operation="basic_index_set", index_dtypes=())
def slice_scatter(input, key, values, i=None, j=None):
    only_a_tensor("values", values)
    return paddle.slice_scatter(input, values, *cut(key, input.ndim, MOST))


@api("paddle.select_scatter", operation="basic_index_set", index_dtypes=())
def select_scatter(input, key, values, i=None, j=None):
    only_a_tensor("values", values)
    dim, item = one_item(key, int)
    return paddle.select_scatter(input, values, dim, item)


@api("paddle.narrow", operation="basic_index_get", exists=hasattr(paddle, "narrow"), index_dtypes=())
def narrow(input, key, i=None, j=None):
    return paddle.narrow(input, *one_part(key, input.shape))


def view_of(target, view, *read):
    """The part of the target that a result goes into."""
    if not all(tensor.stop_gradient for tensor in (target, *read)):
        raise Unsupported("no derivative of a call that writes into out")
    return target[1::2] if view == "every-second" else target[:, 1]


@api("paddle.gather(out=)", operation="take_into_view", follows="paddle.gather", in_place="target")
def gather_into_view(input, target, view, index=None, mask=None):
    only_an_index(index)
    paddle.gather(input, index, out=view_of(target, view, input))
    return target


@api("paddle.index_select(out=)", operation="take_into_view", follows="paddle.index_select", in_place="target")
def index_select_into_view(input, target, view, index=None, mask=None):
    only_an_index(index)
    paddle.index_select(input, index, out=view_of(target, view, input))
    return target


@api(
    "paddle.masked_select(out=)",
    operation="take_into_view",
    follows="paddle.masked_select",
    in_place="target",
    index_dtypes=(),
)
def masked_select_into_view(input, target, view, index=None, mask=None):
    only_a_mask(mask)
    paddle.masked_select(input, mask, out=view_of(target, view, input))
    return target


@api("paddle.diagonal_scatter", operation="diagonal_scatter")
def diagonal_scatter(input, src, offset, dim1, dim2):
    return paddle.diagonal_scatter(input, src, offset, dim1, dim2)
