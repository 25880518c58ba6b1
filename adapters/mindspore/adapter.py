"""MindSpore, pynative, and as a graph by ``mindspore.jit``."""

from __future__ import annotations

import os
from typing import Any

import mindspore
import numpy as np
from mindspore import Tensor, mint, ops

from conformance.adapter import FellBack, Unsupported, api, hook, naming_lines

INDEX_DTYPES = ("int32", "int64")
MODES = ("pynative", "eager", "graph")
TARGETS = {"cpu": "CPU", "cuda": "GPU", "ascend": "Ascend"}


def describe() -> dict[str, Any]:
    return {"framework": "mindspore", "version": mindspore.__version__}


def setup(device: str, mode: str) -> None:
    if mode not in MODES:
        raise ValueError(f"mode {mode!r} is not supported by this adapter; available: {', '.join(MODES)}")
    kind, _, number = device.partition(":")
    target = TARGETS.get(kind.lower(), kind)
    available = [name for name, device_target in TARGETS.items() if mindspore.hal.is_available(device_target)]
    if kind.lower() not in available or int(number or 0) >= mindspore.hal.device_count(target):
        raise RuntimeError(f"MindSpore {mindspore.__version__} has no device {device!r}; it has {', '.join(available)}")
    mindspore.set_context(mode=mindspore.PYNATIVE_MODE)
    mindspore.set_device(target, int(number or 0))
    # Otherwise the error of a call may be raised by a later call.
    mindspore.runtime.launch_blocking()
    actual = (Tensor(np.zeros(1, np.float32)) + 1).device
    if not actual.startswith(target):
        raise RuntimeError(f"MindSpore {mindspore.__version__} computed on {actual!r} instead of {device!r}")


def prepare(function: Any, mode: str) -> Any:
    if mode != "graph":
        return function
    # Constants are passed as arguments too: MindSpore must be able to parse the source of the function.
    compiled = mindspore.jit(function.func, fullgraph=True)
    if compiled is function.func or os.environ.get("MS_JIT") == "0":
        raise FellBack("mindspore.jit compiled nothing; unset MS_JIT")
    constants = {
        name: Tensor(value, const_arg=True) if isinstance(value, Tensor) else value
        for name, value in function.keywords.items()
    }

    def call(**values: Any) -> Any:
        free = {
            name: value if isinstance(value, Tensor) else mindspore.mutable(value) for name, value in values.items()
        }
        return compiled(**constants, **free)

    return call


def prepare_together(function: Any, mode: str) -> Any:
    return naming_lines(prepare(function, mode), function, "In file {file}:{line}")


def to_native(array: np.ndarray, dtype: str) -> Tensor:
    if dtype == "bfloat16":
        # Its bits are the upper half of a float32; before 2.8, Tensor.view does not accept a dtype.
        return Tensor(np.asarray(array.astype(np.uint32) << 16).view(np.float32), mindspore.bfloat16)
    return Tensor(array)


def to_numpy(value: Any) -> Any:
    if not isinstance(value, Tensor):
        return np.asarray(value)  # a graph may return a Python number instead of a rank-0 tensor
    array = value.asnumpy()
    return (array.view(np.uint16), "bfloat16") if value.dtype == mindspore.bfloat16 else array


@hook("mindspore.vjp")
def vjp(function: Any, tensors: dict[str, Tensor], of: str, cotangent: Tensor) -> Any:
    def call(argument: Tensor) -> Tensor:
        return function(**{name: value.copy() for name, value in {**tensors, of: argument}.items()})

    result, pull_back = mindspore.vjp(call, tensors[of])
    return result, pull_back(cotangent)[0]


def transpose(tensor):
    return tensor.T


def expand(tensor, shape):
    return ops.broadcast_to(tensor, shape)


def reshape(tensor, shape):
    return tensor.reshape(shape)


def flip(tensor):
    return ops.flip(tensor, (0,))


def copy(tensor):
    return tensor.copy()


def arange(length, index):
    return ops.arange(0, length, 1).astype(index.dtype)


def total(tensor):
    return ops.sum(tensor, 0)


def stacked(tensor):
    return ops.stack([tensor[row] for row in range(tensor.shape[0])])


def fill(tensor, number):
    tensor.copy_(ops.full_like(tensor, number))  # fill_ has no kernel on the CPU


def write(tensor, values):
    tensor.copy_(values)


def add(tensor, values):
    tensor.copy_(tensor + values)  # add_ does nothing on the CPU


@ops.constexpr
def refuse(reason: str) -> None:
    """Raise Unsupported while a graph is compiled; a running graph can only raise Python's built-in errors."""
    raise Unsupported(reason)


@ops.constexpr
def only(name: str, value: Any, allowed: Any) -> None:
    """Raise Unsupported for another value of an argument than an API has, while a graph is compiled."""
    if value != allowed:
        raise Unsupported(f"only {name}={allowed!r}")


@api("mindspore.ops.tensor_scatter_update", operation="tensor_scatter_nd_update")
def tensor_scatter_update_function(tensor, indices, updates):
    return ops.tensor_scatter_update(tensor, indices, updates)


@api("mindspore.ops.TensorScatterUpdate", operation="tensor_scatter_nd_update")
def tensor_scatter_update(tensor, indices, updates):
    return ops.TensorScatterUpdate()(tensor, indices, updates)


@api("mindspore.ops.scatter_nd_update", operation="tensor_scatter_nd_update", in_place="tensor")
def scatter_nd_update(tensor, indices, updates):
    return ops.scatter_nd_update(tensor, indices, updates)


@api(
    "mindspore.Tensor.__setitem__",
    operation="tensor_scatter_nd_update",
    in_place="tensor",
    helpers={"indices.rank": "mindspore.Tensor.unbind"},
)
def setitem_elements(tensor, indices, updates):
    tensor[indices.unbind(-1)] = updates
    return tensor


def values_at(indices, updates):
    """The values are a vector: one for each index vector, or a row for the only one."""
    if indices.ndim == 2 and updates.ndim == 2 and indices.shape[0] == 1 and updates.shape[0] == 1:
        return updates.reshape(updates.shape[1:])
    if indices.ndim != 2 or updates.ndim != 1:
        refuse("only a list of elements, or one row")
    return updates


@api(
    "mindspore.Tensor.index_put",
    operation="tensor_scatter_nd_update",
    composed=True,
    exists=hasattr(Tensor, "index_put"),
)
def index_put(tensor, indices, updates):
    values = values_at(indices, updates)
    return tensor.index_put(indices.unbind(-1), values)


@api("mindspore.ops.tensor_scatter_add", operation="tensor_scatter_nd_add")
def tensor_scatter_add(tensor, indices, updates):
    return ops.tensor_scatter_add(tensor, indices, updates)


@api("mindspore.ops.scatter_nd_add", operation="tensor_scatter_nd_add", in_place="tensor")
def scatter_nd_add(tensor, indices, updates):
    return ops.scatter_nd_add(tensor, indices, updates)


@api("mindspore.Tensor.scatter_add", operation="tensor_scatter_nd_add")
def scatter_add_vectors(tensor, indices, updates):
    return tensor.scatter_add(indices, updates)


@api(
    "mindspore.Tensor.index_put", operation="tensor_scatter_nd_add", composed=True, exists=hasattr(Tensor, "index_put")
)
def index_put_accumulate(tensor, indices, updates):
    values = values_at(indices, updates)
    return tensor.index_put(indices.unbind(-1), values, accumulate=True)


@api("mindspore.ops.scatter_nd", operation="scatter_nd")
def scatter_nd(indices, updates, shape):
    return ops.scatter_nd(indices, updates, shape)


@api("mindspore.ops.gather_nd", operation="gather_nd")
def gather_nd(params, indices):
    return ops.gather_nd(params, indices)


@api("mindspore.ops.gather_elements", operation="gather_elements")
def gather_elements(input, dim, index):
    return ops.gather_elements(input, dim, index)


@api("mindspore.ops.gather_d", operation="gather_elements")
def gather_d(input, dim, index):
    return ops.gather_d(input, dim, index)


@api("mindspore.Tensor.gather", operation="gather_elements")
def gather_method(input, dim, index):
    return input.gather(dim, index)


@api("mindspore.mint.gather", operation="gather_elements")
def gather(input, dim, index):
    return mint.gather(input, dim, index)


@api("mindspore.numpy.take_along_axis", operation="gather_elements")
def take_along_axis(input, dim, index):
    return mindspore.numpy.take_along_axis(input, index, dim)


@api("mindspore.ops.tensor_scatter_elements", operation="scatter_elements")
def tensor_scatter_elements(input, dim, index, src, reduce=None):
    if reduce not in (None, "add") or not isinstance(src, Tensor):
        refuse("only a tensor as src, and no reduction but add")
    return ops.tensor_scatter_elements(input, index, src, dim, reduce or "none")


@api("mindspore.ops.scatter", operation="scatter_elements")
def scatter(input, dim, index, src, reduce=None):
    if reduce is not None:
        refuse("no reduction")
    return ops.scatter(input, dim, index, src)


@api("mindspore.mint.scatter", operation="scatter_elements")
def mint_scatter(input, dim, index, src, reduce=None):
    if reduce is not None:
        refuse("no reduction")
    return mint.scatter(input, dim, index, src)


# In 2.10 its kernel is cached without the reduction: the first call decides what later calls of the same shapes do, those
# of ops.scatter and mint.scatter included.


@api("mindspore.Tensor.scatter", operation="scatter_elements")
def scatter_method(input, dim, index, src, reduce=None):
    if reduce not in (None, "add", "multiply"):
        refuse("no reduction but add and multiply")
    if reduce is None:
        return input.scatter(dim, index, src)
    return input.scatter(dim, index, src, reduce=reduce)


@api(
    "mindspore.Tensor.scatter_",
    operation="scatter_elements",
    in_place="input",
    devices=("ascend",),
    exists=hasattr(Tensor, "scatter_"),
)
def scatter_in_place(input, dim, index, src, reduce=None):
    if reduce not in (None, "add", "multiply"):
        refuse("no reduction but add and multiply")
    if reduce is None:
        return input.scatter_(dim, index, src)
    return input.scatter_(dim, index, src, reduce=reduce)


@api("mindspore.mint.scatter_add", operation="scatter_elements", devices=("ascend",))
def mint_scatter_add(input, dim, index, src, reduce=None):
    if reduce != "add" or not isinstance(src, Tensor):
        refuse("only reduce='add' with a tensor as src")
    return mint.scatter_add(input, dim, index, src)


@api("mindspore.Tensor.scatter_add", operation="scatter_elements", devices=("ascend",))
def scatter_add_method(input, dim, index, src, reduce=None):
    if reduce != "add" or not isinstance(src, Tensor):
        refuse("only reduce='add' with a tensor as src")
    return input.scatter_add(dim, index, src)


@api(
    "mindspore.Tensor.scatter_add_",
    operation="scatter_elements",
    in_place="input",
    devices=("ascend",),
    exists=hasattr(Tensor, "scatter_add_"),
)
def scatter_add_in_place(input, dim, index, src, reduce=None):
    if reduce != "add" or not isinstance(src, Tensor):
        refuse("only reduce='add' with a tensor as src")
    return input.scatter_add_(dim, index, src)


@api("mindspore.mint.index_select", operation="index_select", devices=("ascend",))
def mint_index_select(input, dim, index):
    return mint.index_select(input, dim, index)


@api("mindspore.ops.index_select", operation="index_select")
def index_select(input, dim, index):
    return ops.index_select(input, dim, index)


@api("mindspore.Tensor.index_select", operation="index_select")
def index_select_method(input, dim, index):
    return input.index_select(dim, index)


@api("mindspore.ops.gather", operation="batched_index_select")
def batched_gather(input, dim, index, batch_dims):
    return ops.gather(input, index, dim, batch_dims)


@api("mindspore.Tensor.gather", operation="batched_index_select")
def batched_gather_method(input, dim, index, batch_dims):
    return input.gather(index, dim, batch_dims)


@api("mindspore.ops.gather", operation="index_select")
def gather_slices(input, dim, index):
    return ops.gather(input, index, dim)


@api("mindspore.Tensor.gather", operation="index_select")
def gather_slices_method(input, dim, index):
    return input.gather(index, dim)


@api("mindspore.numpy.take", operation="index_select")
def take(input, dim, index):
    return mindspore.numpy.take(input, index, axis=dim)


@api("mindspore.Tensor.__setitem__", operation="index_copy", in_place="input", helpers={"dim": "slice"})
def setitem(input, dim, index, source):
    axis = dim if dim >= 0 else dim + input.ndim
    input[(slice(None),) * axis + (index,)] = source
    return input


@api("mindspore.ops.scatter_update", operation="index_copy", in_place="input")
def scatter_update(input, dim, index, source):
    if dim != 0:
        refuse("only along the first axis")
    return ops.scatter_update(input, index, source)


@api(
    "mindspore.Tensor.index_copy_",
    operation="index_copy",
    in_place="input",
    devices=("ascend",),
    exists=hasattr(Tensor, "index_copy_"),
)
def index_copy_in_place(input, dim, index, source):
    return input.index_copy_(dim, index, source)


@api("mindspore.ops.index_add", operation="index_add", in_place="input", index_dtypes=("int32",))
def index_add(input, dim, index, source, alpha=1):
    if alpha != 1:
        refuse("no alpha")
    return ops.index_add(input, index, source, dim)


# The compiler replaces them by IndexAddExt, which has no kernel for the CPU.
INDEX_ADD_EXT = ("ascend", "cpu[pynative]")


@api("mindspore.Tensor.index_add", operation="index_add", index_dtypes=("int32",), devices=INDEX_ADD_EXT)
def index_add_method(input, dim, index, source, alpha=1):
    return input.index_add(dim, index, source, alpha=alpha)


@api("mindspore.mint.index_add", operation="index_add", index_dtypes=("int32",), devices=INDEX_ADD_EXT)
def mint_index_add(input, dim, index, source, alpha=1):
    return mint.index_add(input, dim, index, source, alpha=alpha)


@api("mindspore.ops.inplace_index_add", operation="index_add", in_place="input", index_dtypes=("int32",))
def inplace_index_add(input, dim, index, source, alpha=1):
    if alpha != 1:
        refuse("no alpha")
    return ops.inplace_index_add(input, index, source, dim)


@api("mindspore.ops.scatter_add", operation="index_add", in_place="input")
def scatter_add(input, dim, index, source, alpha=1):
    if dim != 0 or alpha != 1:
        refuse("only along the first axis, and no alpha")
    return ops.scatter_add(input, index, source)


@api(
    "mindspore.Tensor.index_add_",
    operation="index_add",
    in_place="input",
    devices=("ascend",),
    exists=hasattr(Tensor, "index_add_"),
)
def index_add_in_place(input, dim, index, source, alpha=1):
    return input.index_add_(dim, index, source, alpha=alpha)


@api("mindspore.ops.index_fill", operation="index_fill", index_dtypes=("int32",), exists=hasattr(ops, "index_fill"))
def index_fill(input, dim, index, value):
    return ops.index_fill(input, dim, index, value)


@api("mindspore.Tensor.index_fill", operation="index_fill", index_dtypes=("int32",))
def index_fill_method(input, dim, index, value):
    return input.index_fill(dim, index, value)


@api("mindspore.ops.IndexFill", operation="index_fill", index_dtypes=("int32",))
def index_fill_class(input, dim, index, value):
    return ops.IndexFill()(input, dim, index, value)


@api(
    "mindspore.Tensor.index_fill_",
    operation="index_fill",
    in_place="input",
    devices=("ascend",),
    exists=hasattr(Tensor, "index_fill_"),
)
def index_fill_method_(input, dim, index, value):
    return input.index_fill_(dim, index, value)


def of_elements(input, mask):
    """Raise Unsupported for a mask of the first axes, since one of fewer axes is broadcast along the first."""
    if mask.ndim < input.ndim and mask.shape == input.shape[: mask.ndim]:
        refuse("no slices: a mask of fewer axes is one of the last axes")


@api("mindspore.ops.masked_select", operation="masked_select")
def masked_select(input, mask):
    of_elements(input, mask)
    return ops.masked_select(input, mask)


@api("mindspore.Tensor.masked_select", operation="masked_select")
def masked_select_method(input, mask):
    of_elements(input, mask)
    return input.masked_select(mask)


@api("mindspore.mint.masked_select", operation="masked_select", exists=hasattr(mint, "masked_select"))
def mint_masked_select(input, mask):
    of_elements(input, mask)
    return mint.masked_select(input, mask)


@api("mindspore.ops.MaskedSelect", operation="masked_select")
def masked_select_class(input, mask):
    of_elements(input, mask)
    return ops.MaskedSelect()(input, mask)


@api("mindspore.Tensor.__getitem__", operation="masked_select")
def getitem_masked(input, mask):
    return input[mask]


@api("mindspore.ops.masked_fill", operation="masked_fill", exists=hasattr(ops, "masked_fill"))
def masked_fill(input, mask, value):
    of_elements(input, mask)
    return ops.masked_fill(input, mask, value)


@api("mindspore.Tensor.masked_fill", operation="masked_fill")
def masked_fill_method(input, mask, value):
    of_elements(input, mask)
    return input.masked_fill(mask, value)


@api(
    "mindspore.Tensor.masked_fill_",
    operation="masked_fill",
    in_place="input",
    devices=("ascend",),
    exists=hasattr(Tensor, "masked_fill_"),
)
def masked_fill_method_(input, mask, value):
    of_elements(input, mask)
    input.masked_fill_(mask, value)
    return input


@api("mindspore.ops.MaskedFill", operation="masked_fill")
def masked_fill_class(input, mask, value):
    of_elements(input, mask)
    return ops.MaskedFill()(input, mask, value)


@api("mindspore.ops.where", operation="masked_fill")
def where(input, mask, value):
    of_elements(input, mask)
    return ops.where(mask, value, input)


@api("mindspore.Tensor.where", operation="masked_fill", helpers={"mask.dtype": "mindspore.ops.logical_not"})
def where_method(input, mask, value):
    of_elements(input, mask)
    return input.where(ops.logical_not(mask), value)


@api("mindspore.mint.where", operation="masked_fill", exists=hasattr(mint, "where"))
def mint_where(input, mask, value):
    of_elements(input, mask)
    return mint.where(mask, value, input)


@ops.constexpr
def hold(value: Any, dtype: Any) -> None:
    """Raise Unsupported for a number that no tensor of this dtype holds, or that is no constant of a graph."""
    if value is None:
        raise Unsupported("a graph makes tensors only of constants")
    name = str(dtype).lower()
    if (
        "float" not in name
        and "complex" not in name
        and np.asarray(value).astype(name.removeprefix("mindspore.")) != value
    ):
        raise Unsupported("no tensor of integers holds the number")


def as_tensor(value, dtype):
    """A number as a tensor without axes."""
    if isinstance(value, Tensor):
        return value
    hold(value, dtype)
    return Tensor(value, dtype)


@api("mindspore.numpy.where", operation="masked_fill")
def numpy_where(input, mask, value):
    of_elements(input, mask)
    return mindspore.numpy.where(mask, as_tensor(value, input.dtype), input)


@api("mindspore.ops.select", operation="masked_fill")
def select(input, mask, value):
    of_elements(input, mask)
    return ops.select(mask, value, input)


@api("mindspore.ops.Select", operation="masked_fill")
def select_class(input, mask, value):
    of_elements(input, mask)
    return ops.Select()(mask, value, input)


@api("mindspore.Tensor.select", operation="masked_fill", helpers={"mask.dtype": "mindspore.ops.logical_not"})
def select_method(input, mask, value):
    of_elements(input, mask)
    return input.select(ops.logical_not(mask), value)


@api(
    "mindspore.Tensor.select(tensor)",
    operation="masked_fill",
    follows="mindspore.Tensor.select",
    helpers={"mask.dtype": "mindspore.ops.logical_not"},
)
def select_method_by_a_tensor(input, mask, value):
    of_elements(input, mask)
    return input.select(ops.logical_not(mask), as_tensor(value, input.dtype))


@api("mindspore.Tensor.__setitem__", operation="masked_fill", in_place="input")
def setitem_masked_to_a_number(input, mask, value):
    input[mask] = value
    return input


@api("mindspore.Tensor.masked_scatter", operation="masked_scatter", exists=hasattr(Tensor, "masked_scatter"))
def masked_scatter(input, mask, source):
    return input.masked_scatter(mask, source)


@api("mindspore.numpy.take", operation="take")
def take_flat(input, index):
    return mindspore.numpy.take(input, index)


@api("mindspore.numpy.take(mode='wrap')", operation="take")
def take_flat_wrap(input, index):
    return mindspore.numpy.take(input, index, mode="wrap")


@api("mindspore.Tensor.take", operation="take")
def take_flat_method(input, index):
    return input.take(index)


@api("mindspore.Tensor.take(mode='wrap')", operation="take")
def take_flat_method_wrap(input, index):
    return input.take(index, mode="wrap")


@api("mindspore.ops.take", operation="take", index_dtypes=("int64",), devices=("ascend",), exists=hasattr(ops, "take"))
def ops_take(input, index):
    return ops.take(input, index)


@api(
    "mindspore.mint.take", operation="take", index_dtypes=("int64",), devices=("ascend",), exists=hasattr(mint, "take")
)
def mint_take(input, index):
    return mint.take(input, index)


@api("mindspore.ops.unsorted_segment_sum", operation="unsorted_segment_reduce")
def unsorted_segment_sum(data, segment_ids, num_segments, reduce):
    only("reduce", reduce, "sum")
    return ops.unsorted_segment_sum(data, segment_ids, num_segments)


@api("mindspore.ops.UnsortedSegmentSum", operation="unsorted_segment_reduce")
def unsorted_segment_sum_class(data, segment_ids, num_segments, reduce):
    only("reduce", reduce, "sum")
    return ops.UnsortedSegmentSum()(data, segment_ids, num_segments)


@api("mindspore.ops.unsorted_segment_prod", operation="unsorted_segment_reduce")
def unsorted_segment_prod(data, segment_ids, num_segments, reduce):
    only("reduce", reduce, "prod")
    return ops.unsorted_segment_prod(data, segment_ids, num_segments)


@api("mindspore.ops.UnsortedSegmentProd", operation="unsorted_segment_reduce")
def unsorted_segment_prod_class(data, segment_ids, num_segments, reduce):
    only("reduce", reduce, "prod")
    return ops.UnsortedSegmentProd()(data, segment_ids, num_segments)


@api("mindspore.ops.unsorted_segment_max", operation="unsorted_segment_reduce")
def unsorted_segment_max(data, segment_ids, num_segments, reduce):
    only("reduce", reduce, "amax")
    return ops.unsorted_segment_max(data, segment_ids, num_segments)


@api("mindspore.ops.UnsortedSegmentMax", operation="unsorted_segment_reduce")
def unsorted_segment_max_class(data, segment_ids, num_segments, reduce):
    only("reduce", reduce, "amax")
    return ops.UnsortedSegmentMax()(data, segment_ids, num_segments)


@api("mindspore.ops.unsorted_segment_min", operation="unsorted_segment_reduce")
def unsorted_segment_min(data, segment_ids, num_segments, reduce):
    only("reduce", reduce, "amin")
    return ops.unsorted_segment_min(data, segment_ids, num_segments)


@api("mindspore.ops.UnsortedSegmentMin", operation="unsorted_segment_reduce")
def unsorted_segment_min_class(data, segment_ids, num_segments, reduce):
    only("reduce", reduce, "amin")
    return ops.UnsortedSegmentMin()(data, segment_ids, num_segments)


@api("mindspore.ops.tensor_scatter_sub", operation="tensor_scatter_nd_reduce")
def tensor_scatter_sub(tensor, indices, updates, reduce):
    only("reduce", reduce, "sub")
    return ops.tensor_scatter_sub(tensor, indices, updates)


@api("mindspore.Tensor.scatter_sub", operation="tensor_scatter_nd_reduce")
def scatter_sub_vectors(tensor, indices, updates, reduce):
    only("reduce", reduce, "sub")
    return tensor.scatter_sub(indices, updates)


@api("mindspore.ops.scatter_nd_sub", operation="tensor_scatter_nd_reduce", in_place="tensor")
def scatter_nd_sub(tensor, indices, updates, reduce):
    only("reduce", reduce, "sub")
    return ops.scatter_nd_sub(tensor, indices, updates)


@api("mindspore.ops.tensor_scatter_mul", operation="tensor_scatter_nd_reduce")
def tensor_scatter_mul(tensor, indices, updates, reduce):
    only("reduce", reduce, "prod")
    return ops.tensor_scatter_mul(tensor, indices, updates)


@api("mindspore.Tensor.scatter_mul", operation="tensor_scatter_nd_reduce")
def scatter_mul_vectors(tensor, indices, updates, reduce):
    only("reduce", reduce, "prod")
    return tensor.scatter_mul(indices, updates)


@api("mindspore.ops.scatter_nd_mul", operation="tensor_scatter_nd_reduce", in_place="tensor")
def scatter_nd_mul(tensor, indices, updates, reduce):
    only("reduce", reduce, "prod")
    return ops.scatter_nd_mul(tensor, indices, updates)


@api("mindspore.ops.tensor_scatter_max", operation="tensor_scatter_nd_reduce")
def tensor_scatter_max(tensor, indices, updates, reduce):
    only("reduce", reduce, "amax")
    return ops.tensor_scatter_max(tensor, indices, updates)


@api("mindspore.Tensor.scatter_max", operation="tensor_scatter_nd_reduce")
def scatter_max_vectors(tensor, indices, updates, reduce):
    only("reduce", reduce, "amax")
    return tensor.scatter_max(indices, updates)


@api("mindspore.ops.scatter_nd_max", operation="tensor_scatter_nd_reduce", in_place="tensor")
def scatter_nd_max(tensor, indices, updates, reduce):
    only("reduce", reduce, "amax")
    return ops.scatter_nd_max(tensor, indices, updates)


@api("mindspore.ops.tensor_scatter_min", operation="tensor_scatter_nd_reduce")
def tensor_scatter_min(tensor, indices, updates, reduce):
    only("reduce", reduce, "amin")
    return ops.tensor_scatter_min(tensor, indices, updates)


@api("mindspore.Tensor.scatter_min", operation="tensor_scatter_nd_reduce")
def scatter_min_vectors(tensor, indices, updates, reduce):
    only("reduce", reduce, "amin")
    return tensor.scatter_min(indices, updates)


@api("mindspore.ops.scatter_nd_min", operation="tensor_scatter_nd_reduce", in_place="tensor")
def scatter_nd_min(tensor, indices, updates, reduce):
    only("reduce", reduce, "amin")
    return ops.scatter_nd_min(tensor, indices, updates)


@api("mindspore.ops.SegmentSum", operation="segment_reduce")
def segment_sum(data, segment_ids, reduce):
    only("reduce", reduce, "sum")
    return ops.SegmentSum()(data, segment_ids)


@api("mindspore.ops.SegmentMean", operation="segment_reduce")
def segment_mean(data, segment_ids, reduce):
    only("reduce", reduce, "mean")
    return ops.SegmentMean()(data, segment_ids)


@api("mindspore.ops.SegmentMax", operation="segment_reduce")
def segment_max(data, segment_ids, reduce):
    only("reduce", reduce, "amax")
    return ops.SegmentMax()(data, segment_ids)


@api("mindspore.ops.SegmentMin", operation="segment_reduce")
def segment_min(data, segment_ids, reduce):
    only("reduce", reduce, "amin")
    return ops.SegmentMin()(data, segment_ids)


@api("mindspore.ops.SegmentProd", operation="segment_reduce")
def segment_prod(data, segment_ids, reduce):
    only("reduce", reduce, "prod")
    return ops.SegmentProd()(data, segment_ids)


@api("mindspore.Tensor.__getitem__", operation="advanced_index_get")
def getitem_advanced(input, i, j, key):
    return input[key]


@api("mindspore.Tensor.__setitem__", operation="advanced_index_set", in_place="input")
def setitem_advanced(input, i, j, values, key, reduce=None):
    if reduce is not None:
        refuse("no reduction")
    input[key] = values
    return input


@api("mindspore.Tensor.__getitem__", operation="basic_index_get")
def getitem_basic(input, key, i=None, j=None):
    return input[key]


@api("mindspore.Tensor.__setitem__", operation="basic_index_set", in_place="input")
def setitem_basic(input, key, values, i=None, j=None):
    input[key] = values
    return input


@api("mindspore.ops.diagonal_scatter", operation="diagonal_scatter")
def diagonal_scatter(input, src, offset, dim1, dim2):
    return ops.diagonal_scatter(input, src, offset, dim1, dim2)


@api("mindspore.Tensor.diagonal_scatter", operation="diagonal_scatter")
def diagonal_scatter_method(input, src, offset, dim1, dim2):
    return input.diagonal_scatter(src, offset, dim1, dim2)
