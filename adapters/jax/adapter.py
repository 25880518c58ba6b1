"""JAX, eager, compiled by ``jax.jit``, and exported by ``jax.export``."""

from __future__ import annotations

import importlib
import itertools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from conformance.adapter import NotExported, Unsupported, api, hook
from conformance.worker.forms import of_elements, only, only_a_tensor, slices

MODES = ("eager", "jit", "export")
COMPONENTS = {"indices.rank": "jax.Array.__getitem__"}
POSITIONS = dict.fromkeys(["index.shape", "index.rank", "input.shape", "input.rank", "dim"], "numpy.indices")
AT = "jax.numpy.ndarray.at"
"""The property whose text describes all updates and reads by ``.at[]``."""
transfers = itertools.count(1)
"""Counts the arrays copied to host memory."""

# A scatter has the modes clip and drop, and drops by default; a gather has the modes clip and fill.
# "promise_in_bounds" equals the others for valid indices, and for invalid ones no case can expect a result.


def describe() -> dict[str, Any]:
    dtypes = [name for name in BITS if hasattr(jnp, name)]
    return {"framework": "jax", "version": jax.__version__, "immutable": True, "dtypes": dtypes}


def variants() -> dict[str, Any]:
    """The methods of ``x.at[key]``, whose class has no public name."""
    methods = type(jnp.zeros(1).at[0])
    return {f"jax.Array.at[].{name}": getattr(methods, name) for name in dir(methods) if not name.startswith("_")}


def setup(device: str, mode: str) -> None:
    if mode not in MODES:
        raise ValueError(f"mode {mode!r} is not supported by this adapter; available: {', '.join(MODES)}")
    if not jax.config.jax_enable_x64:
        raise RuntimeError("64-bit types are off, which would change dtypes; set JAX_ENABLE_X64=1")
    if mode == "export":
        check_export()
    kind, _, number = device.partition(":")
    jax.config.update("jax_platforms", kind if kind == "cpu" else f"{kind},cpu")
    try:
        devices = jax.devices(kind)
    except RuntimeError as error:
        raise RuntimeError(f"JAX {jax.__version__} has no device {device!r}: {error}") from error
    if int(number or 0) >= len(devices):
        raise RuntimeError(f"JAX {jax.__version__} has no device {device!r}; it has {', '.join(map(str, devices))}")
    selected = devices[int(number or 0)]
    jax.config.update("jax_default_device", selected)
    actual = jnp.zeros(1).devices()
    if actual != {selected}:
        raise RuntimeError(f"JAX {jax.__version__} put an array on {actual} instead of {selected}")


def check_export() -> None:
    try:
        for name in ("jax.export", "flatbuffers"):
            importlib.import_module(name)
    except ImportError as error:
        raise RuntimeError(f"JAX {jax.__version__} cannot export and serialize a function: {error}") from error


def prepare(function: Any, mode: str) -> Any:
    if mode == "eager":
        return function
    compiled = jax.jit(function)
    return through_export(compiled) if mode == "export" else compiled


def through_export(compiled: Any) -> Any:
    """The function as it comes back from its serialized export, made once for each dtype and shape of the tensors."""
    programs: dict[Any, Any] = {}

    def call(**tensors: jax.Array) -> jax.Array:
        form = tuple((name, tensor.dtype, tensor.shape) for name, tensor in tensors.items())
        if form not in programs:
            programs[form] = jax.export.deserialize(serialized(compiled, tensors)).call
        return programs[form](**tensors)

    return call


def serialized(compiled: Any, tensors: dict[str, jax.Array]) -> Any:
    try:
        return jax.export.export(compiled)(**tensors).serialize()
    except Exception as error:
        compiled(**tensors)  # what JAX itself refuses is not the exporter's to accept
        raise NotExported(f"{type(error).__name__}: {error}") from error


BITS = {"bfloat16": np.uint16, "float8_e4m3fn": np.uint8, "float8_e5m2": np.uint8}
"""The dtypes that NumPy lacks, with the dtypes of their bits."""


def to_native(array: np.ndarray, dtype: str) -> jax.Array:
    return jax.device_put(array.view(jnp.dtype(dtype)) if dtype in BITS else array)  # without a copy on a CPU


def to_numpy(value: jax.Array) -> Any:
    array = np.asarray(value)
    if next(transfers) % 2000 == 0:
        jax.clear_caches()  # about a megabyte of compiled code for each shape
    name = array.dtype.name
    return (array.view(BITS[name]), name) if name in BITS else array


transpose = jnp.transpose
expand = jnp.broadcast_to
reshape = jnp.reshape
copy = jnp.copy


def flip(tensor: jax.Array) -> jax.Array:
    return jnp.flip(tensor, 0)


def arange(length: int, index: jax.Array) -> jax.Array:
    return jnp.arange(length, dtype=index.dtype)


def total(tensor: jax.Array) -> jax.Array:
    return jnp.sum(tensor, 0, dtype=tensor.dtype)


def stacked(tensor: jax.Array) -> jax.Array:
    return jnp.stack([tensor[row] for row in range(tensor.shape[0])])


@hook("jax.vjp")
def vjp(function: Any, tensors: dict[str, jax.Array], of: str, cotangent: jax.Array) -> Any:
    result, pull_back = jax.vjp(lambda argument: function(**{**tensors, of: argument}), tensors[of])
    return result, pull_back(cotangent)[0]


@hook("jax.jvp")
def jvp(function: Any, tensors: dict[str, jax.Array], of: str, tangent: jax.Array) -> Any:
    return jax.jvp(lambda argument: function(**{**tensors, of: argument}), (tensors[of],), (tangent,))


@hook("jax.vmap")
def vmap(function: Any, tensors: dict[str, jax.Array], axes: dict[str, int]) -> jax.Array:
    in_axes = {name: axes.get(name) for name in tensors}
    return jax.vmap(lambda given: function(**given), in_axes=(in_axes,))(tensors)


def per_axis(indices: jax.Array) -> tuple[jax.Array, ...]:
    """The components of the index vectors for indexing: an array for each axis."""
    return tuple(indices[..., axis] for axis in range(indices.shape[-1]))


def at_elements(input: jax.Array, dim: int, index: jax.Array) -> tuple[Any, ...]:
    """The full position of each element of index for indexing: its own value at dim."""
    if index.ndim != input.ndim:
        raise Unsupported("only an index with as many axes as the input, as its elements have positions there")
    position: list[Any] = list(np.indices(index.shape, sparse=True))
    position[dim] = index
    return tuple(position)


def positions(input: jax.Array, dim: int, index: jax.Array) -> jax.Array:
    """The full position of each element of index as index vectors: its own value at dim."""
    return jnp.stack(jnp.broadcast_arrays(*at_elements(input, dim, index)), axis=-1)


def beginning(src: Any, index: jax.Array) -> Any:
    """The part of src with the shape of index."""
    return src[tuple(slice(length) for length in index.shape)] if isinstance(src, jax.Array) else src


def windows(rank: int, indices: jax.Array) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The window axes of updates or of a result, and the axes of the operand that indices refer to."""
    batch, depth = indices.ndim - 1, indices.shape[-1]
    return tuple(range(batch, batch + rank - depth)), tuple(range(depth))


def scatter_axes(rank: int, indices: jax.Array) -> lax.ScatterDimensionNumbers:
    window, into = windows(rank, indices)
    return lax.ScatterDimensionNumbers(window, into, into)


@api("jax.Array.at[].set", operation="tensor_scatter_nd_update", helpers=COMPONENTS, documentation=AT)
def at_set(tensor, indices, updates):
    return tensor.at[per_axis(indices)].set(updates)


@api("jax.Array.at[].set(mode='clip')", operation="tensor_scatter_nd_update", helpers=COMPONENTS, documentation=AT)
def at_set_clip(tensor, indices, updates):
    return tensor.at[per_axis(indices)].set(updates, mode="clip")


@api("jax.lax.scatter", operation="tensor_scatter_nd_update")
def scatter(tensor, indices, updates):
    return lax.scatter(tensor, indices, updates, scatter_axes(tensor.ndim, indices))


@api("jax.Array.at[].add", operation="tensor_scatter_nd_add", helpers=COMPONENTS, documentation=AT)
def at_add(tensor, indices, updates):
    return tensor.at[per_axis(indices)].add(updates)


@api("jax.Array.at[].add(mode='clip')", operation="tensor_scatter_nd_add", helpers=COMPONENTS, documentation=AT)
def at_add_clip(tensor, indices, updates):
    return tensor.at[per_axis(indices)].add(updates, mode="clip")


@api("jax.lax.scatter_add", operation="tensor_scatter_nd_add")
def scatter_add(tensor, indices, updates):
    return lax.scatter_add(tensor, indices, updates, scatter_axes(tensor.ndim, indices))


@api(
    "jax.Array.at[].add",
    operation="scatter_nd",
    helpers={"shape": "jax.numpy.zeros", "indices.rank": "jax.Array.__getitem__"},
    documentation=AT,
)
def at_add_to_zeros(indices, updates, shape):
    return jnp.zeros(shape, updates.dtype).at[per_axis(indices)].add(updates)


@api("jax.lax.scatter_add", operation="scatter_nd", helpers={"shape": "jax.numpy.zeros"})
def scatter_add_to_zeros(indices, updates, shape):
    return lax.scatter_add(jnp.zeros(shape, updates.dtype), indices, updates, scatter_axes(len(shape), indices))


@api("jax.ops.segment_sum", operation="scatter_nd", composed=True)
def segment_sum(indices, updates, shape):
    if indices.ndim != 2 or indices.shape[1] != 1 or not isinstance(shape, tuple) or shape[1:] != updates.shape[1:]:
        raise Unsupported("only index vectors of one component, in one axis, and a length in place of a shape")
    return jax.ops.segment_sum(updates, indices[:, 0], shape[0])


@api("jax.Array.__getitem__", operation="gather_nd", helpers=COMPONENTS)
def getitem(params, indices):
    return params[per_axis(indices)]


@api("jax.Array.at[].get(mode='fill')", operation="gather_nd", helpers=COMPONENTS, documentation=AT)
def at_get_fill(params, indices):
    return params.at[per_axis(indices)].get(mode="fill")


@api("jax.Array.at[].get(mode='clip')", operation="gather_nd", helpers=COMPONENTS, documentation=AT)
def at_get_clip(params, indices):
    return params.at[per_axis(indices)].get(mode="clip")


@api("jax.lax.gather", operation="gather_nd")
def gather(params, indices):
    window, into = windows(params.ndim, indices)
    axes = lax.GatherDimensionNumbers(offset_dims=window, collapsed_slice_dims=into, start_index_map=into)
    return lax.gather(params, indices, axes, slice_sizes=(1,) * len(into) + params.shape[len(into) :])


@api("jax.numpy.take_along_axis", operation="gather_elements")
def take_along_axis(input, dim, index):
    return jnp.take_along_axis(input, index, dim)


@api("jax.numpy.take_along_axis(mode='clip')", operation="gather_elements")
def take_along_axis_clip(input, dim, index):
    return jnp.take_along_axis(input, index, dim, mode="clip")


@api("jax.Array.__getitem__", operation="gather_elements", helpers=POSITIONS)
def getitem_elements(input, dim, index):
    return input[at_elements(input, dim, index)]


@api("jax.lax.gather", operation="gather_elements", helpers=POSITIONS)
def gather_elements(input, dim, index):
    return gather(input, positions(input, dim, index))


@api("jax.numpy.put_along_axis", operation="scatter_elements", composed=True, exists=hasattr(jnp, "put_along_axis"))
def put_along_axis(input, dim, index, src, reduce=None):
    only("reduce", reduce, None)
    return jnp.put_along_axis(input, index, beginning(src, index), dim, inplace=False)


@api("jax.Array.at[].set", operation="scatter_elements", helpers=POSITIONS, documentation=AT)
def at_set_elements(input, dim, index, src, reduce=None):
    only("reduce", reduce, None)
    return input.at[at_elements(input, dim, index)].set(beginning(src, index))


@api("jax.Array.at[].add", operation="scatter_elements", helpers=POSITIONS, documentation=AT)
def at_add_elements(input, dim, index, src, reduce=None):
    only("reduce", reduce, "add")
    return input.at[at_elements(input, dim, index)].add(beginning(src, index))


@api("jax.Array.at[].multiply", operation="scatter_elements", helpers=POSITIONS, documentation=AT)
def at_multiply_elements(input, dim, index, src, reduce=None):
    only("reduce", reduce, "multiply")
    return input.at[at_elements(input, dim, index)].multiply(beginning(src, index))


@api("jax.Array.at[].max", operation="scatter_elements", helpers=POSITIONS, documentation=AT)
def at_max_elements(input, dim, index, src, reduce=None):
    only("reduce", reduce, "amax")
    return input.at[at_elements(input, dim, index)].max(beginning(src, index))


@api("jax.Array.at[].min", operation="scatter_elements", helpers=POSITIONS, documentation=AT)
def at_min_elements(input, dim, index, src, reduce=None):
    only("reduce", reduce, "amin")
    return input.at[at_elements(input, dim, index)].min(beginning(src, index))


def scatter_elements(function: Any, input: jax.Array, dim: int, index: jax.Array, src: Any) -> jax.Array:
    """One of the scatter functions of lax, with an index vector for each element."""
    only_a_tensor("src", src)
    where = positions(input, dim, index)
    return function(input, where, beginning(src, index), scatter_axes(input.ndim, where))


@api("jax.lax.scatter", operation="scatter_elements", helpers=POSITIONS)
def lax_scatter_elements(input, dim, index, src, reduce=None):
    only("reduce", reduce, None)
    return scatter_elements(lax.scatter, input, dim, index, src)


@api("jax.lax.scatter_add", operation="scatter_elements", helpers=POSITIONS)
def lax_scatter_add_elements(input, dim, index, src, reduce=None):
    only("reduce", reduce, "add")
    return scatter_elements(lax.scatter_add, input, dim, index, src)


@api("jax.lax.scatter_mul", operation="scatter_elements", helpers=POSITIONS)
def scatter_mul_elements(input, dim, index, src, reduce=None):
    only("reduce", reduce, "multiply")
    return scatter_elements(lax.scatter_mul, input, dim, index, src)


@api("jax.lax.scatter_max", operation="scatter_elements", helpers=POSITIONS)
def scatter_max_elements(input, dim, index, src, reduce=None):
    only("reduce", reduce, "amax")
    return scatter_elements(lax.scatter_max, input, dim, index, src)


@api("jax.lax.scatter_min", operation="scatter_elements", helpers=POSITIONS)
def scatter_min_elements(input, dim, index, src, reduce=None):
    only("reduce", reduce, "amin")
    return scatter_elements(lax.scatter_min, input, dim, index, src)


@api("jax.numpy.take", operation="index_select")
def take(input, dim, index):
    return jnp.take(input, index, axis=dim)


@api("jax.numpy.take(mode='clip')", operation="index_select")
def take_clip(input, dim, index):
    return jnp.take(input, index, axis=dim, mode="clip")


@api("jax.Array.at[].set", operation="index_copy", documentation=AT)
def at_set_slices(input, dim, index, source):
    return input.at[slices(dim, index)].set(source)


@api("jax.Array.at[].add", operation="index_add", documentation=AT)
def at_add_slices(input, dim, index, source, alpha=1):
    return input.at[slices(dim, index)].add(source if alpha == 1 else alpha * source)


@api("jax.Array.at[].set", operation="index_fill", documentation=AT)
def at_set_slices_to_a_number(input, dim, index, value):
    return input.at[slices(dim, index)].set(value)


@api("jax.Array.at[].multiply", operation="index_reduce", documentation=AT)
def at_multiply_slices(input, dim, index, source, reduce, include_self=None):
    only("reduce", reduce, "prod")
    only("include_self", include_self, None)
    return input.at[slices(dim, index)].multiply(source)


@api("jax.Array.at[].max", operation="index_reduce", documentation=AT)
def at_max_slices(input, dim, index, source, reduce, include_self=None):
    only("reduce", reduce, "amax")
    only("include_self", include_self, None)
    return input.at[slices(dim, index)].max(source)


@api("jax.Array.at[].min", operation="index_reduce", documentation=AT)
def at_min_slices(input, dim, index, source, reduce, include_self=None):
    only("reduce", reduce, "amin")
    only("include_self", include_self, None)
    return input.at[slices(dim, index)].min(source)


@api("jax.numpy.take", operation="take")
def take_flat(input, index):
    return jnp.take(input, index)


@api("jax.numpy.take(mode='clip')", operation="take")
def take_flat_clip(input, index):
    return jnp.take(input, index, mode="clip")


@api("jax.numpy.take(mode='wrap')", operation="take")
def take_flat_wrap(input, index):
    return jnp.take(input, index, mode="wrap")


def concrete(mask):
    """Raise Unsupported for a mask whose values a transform does not know: how many indices it stands for depends on them."""
    if isinstance(mask, jax.core.Tracer):
        raise Unsupported("only a mask of known values, since shapes depend on them (NonConcreteBooleanIndexError)")


def needs_a_size():
    """Raise Unsupported in a function that is traced for jit, where no new array has known values.

    A derivative or vmap alone leaves them known.
    """
    if isinstance(jnp.zeros(()), jax.core.Tracer):
        raise Unsupported("only with a size in a function that jit compiles, as documented")


@api("jax.Array.__getitem__", operation="masked_select")
def getitem_masked(input, mask):
    concrete(mask)
    return input[mask]


@api("jax.numpy.extract", operation="masked_select")
def extract(input, mask):
    concrete(mask)
    needs_a_size()
    if mask.ndim < input.ndim:
        raise Unsupported("only elements, as the array and the condition are flattened")
    return jnp.extract(mask, input)


@api("jax.numpy.compress", operation="masked_select")
def compress(input, mask):
    concrete(mask)
    needs_a_size()
    if mask.ndim != 1:
        raise Unsupported("only a condition of one axis")
    return jnp.compress(mask, input, axis=0)


@api("jax.numpy.where", operation="masked_fill")
def where(input, mask, value):
    of_elements(input, mask)
    return jnp.where(mask, value, input)


@api("jax.lax.select", operation="masked_fill", helpers={"value": "jax.numpy.full_like"})
def select(input, mask, value):
    of_elements(input, mask)
    return lax.select(mask, jnp.full_like(input, value), input)


@api("jax.Array.at[].set", operation="masked_fill", documentation=AT)
def at_set_masked(input, mask, value):
    concrete(mask)
    return input.at[mask].set(value)


@api("jax.numpy.place", operation="masked_fill", exists=hasattr(jnp, "place"))
def place_a_number(input, mask, value):
    of_elements(input, mask)
    return jnp.place(input, mask, value, inplace=False)


@api("jax.numpy.place", operation="masked_scatter", exists=hasattr(jnp, "place"))
def place(input, mask, source):
    return jnp.place(input, mask, source, inplace=False)


@api("jax.numpy.put", operation="put", exists=hasattr(jnp, "put"))
def put(input, index, source, reduce=None):
    only("reduce", reduce, None)
    return jnp.put(input, index, source, inplace=False)


@api("jax.numpy.put(mode='wrap')", operation="put", exists=hasattr(jnp, "put"))
def put_wrap(input, index, source, reduce=None):
    only("reduce", reduce, None)
    return jnp.put(input, index, source, mode="wrap", inplace=False)


@api("jax.ops.segment_sum", operation="unsorted_segment_reduce")
def segment_sum_of_data(data, segment_ids, num_segments, reduce):
    only("reduce", reduce, "sum")
    return jax.ops.segment_sum(data, segment_ids, num_segments)


@api("jax.ops.segment_prod", operation="unsorted_segment_reduce")
def segment_prod_of_data(data, segment_ids, num_segments, reduce):
    only("reduce", reduce, "prod")
    return jax.ops.segment_prod(data, segment_ids, num_segments)


@api("jax.ops.segment_max", operation="unsorted_segment_reduce")
def segment_max_of_data(data, segment_ids, num_segments, reduce):
    only("reduce", reduce, "amax")
    return jax.ops.segment_max(data, segment_ids, num_segments)


@api("jax.ops.segment_min", operation="unsorted_segment_reduce")
def segment_min_of_data(data, segment_ids, num_segments, reduce):
    only("reduce", reduce, "amin")
    return jax.ops.segment_min(data, segment_ids, num_segments)


@api("jax.Array.at[].subtract", operation="tensor_scatter_nd_reduce", helpers=COMPONENTS, documentation=AT)
def at_subtract(tensor, indices, updates, reduce):
    only("reduce", reduce, "sub")
    return tensor.at[per_axis(indices)].subtract(updates)


@api("jax.Array.at[].multiply", operation="tensor_scatter_nd_reduce", helpers=COMPONENTS, documentation=AT)
def at_multiply(tensor, indices, updates, reduce):
    only("reduce", reduce, "prod")
    return tensor.at[per_axis(indices)].multiply(updates)


@api("jax.Array.at[].max", operation="tensor_scatter_nd_reduce", helpers=COMPONENTS, documentation=AT)
def at_max(tensor, indices, updates, reduce):
    only("reduce", reduce, "amax")
    return tensor.at[per_axis(indices)].max(updates)


@api("jax.Array.at[].min", operation="tensor_scatter_nd_reduce", helpers=COMPONENTS, documentation=AT)
def at_min(tensor, indices, updates, reduce):
    only("reduce", reduce, "amin")
    return tensor.at[per_axis(indices)].min(updates)


@api("jax.lax.scatter_sub", operation="tensor_scatter_nd_reduce", exists=hasattr(lax, "scatter_sub"))
def scatter_sub(tensor, indices, updates, reduce):
    only("reduce", reduce, "sub")
    return lax.scatter_sub(tensor, indices, updates, scatter_axes(tensor.ndim, indices))


@api("jax.lax.scatter_mul", operation="tensor_scatter_nd_reduce")
def scatter_mul(tensor, indices, updates, reduce):
    only("reduce", reduce, "prod")
    return lax.scatter_mul(tensor, indices, updates, scatter_axes(tensor.ndim, indices))


@api("jax.lax.scatter_max", operation="tensor_scatter_nd_reduce")
def scatter_max(tensor, indices, updates, reduce):
    only("reduce", reduce, "amax")
    return lax.scatter_max(tensor, indices, updates, scatter_axes(tensor.ndim, indices))


@api("jax.lax.scatter_min", operation="tensor_scatter_nd_reduce")
def scatter_min(tensor, indices, updates, reduce):
    only("reduce", reduce, "amin")
    return lax.scatter_min(tensor, indices, updates, scatter_axes(tensor.ndim, indices))


def concrete_masks(i: jax.Array, j: jax.Array) -> None:
    """Unsupported if one of these is a mask that is an argument of what is compiled."""
    for mask in (index for index in (i, j) if index.dtype == bool):
        concrete(mask)


@api("jax.Array.__getitem__", operation="advanced_index_get")
def getitem_advanced(input, i, j, key):
    concrete_masks(i, j)
    return input[key]


@api("jax.Array.at[].get(mode='fill')", operation="advanced_index_get", documentation=AT)
def at_get_fill_advanced(input, i, j, key):
    concrete_masks(i, j)
    return input.at[key].get(mode="fill")


@api("jax.Array.at[].set", operation="advanced_index_set", documentation=AT)
def at_set_advanced(input, i, j, values, key, reduce=None):
    only("reduce", reduce, None)
    concrete_masks(i, j)
    return input.at[key].set(values)


@api("jax.Array.at[].add", operation="advanced_index_set", documentation=AT)
def at_add_advanced(input, i, j, values, key, reduce=None):
    only("reduce", reduce, "add")
    concrete_masks(i, j)
    return input.at[key].add(values)


@api("jax.Array.__getitem__", operation="basic_index_get")
def getitem_basic(input, key, i=None, j=None):
    return input[key]


@api("jax.Array.at[].set", operation="basic_index_set", documentation=AT)
def at_set_basic(input, key, values, i=None, j=None):
    return input.at[key].set(values)


@api("jax.lax.dynamic_slice", operation="dynamic_slice")
def dynamic_slice(input, starts, sizes):
    return jax.lax.dynamic_slice(input, starts, sizes)


@api("jax.lax.dynamic_update_slice", operation="dynamic_update_slice")
def dynamic_update_slice(input, update, starts):
    return jax.lax.dynamic_update_slice(input, update, starts)
