"""MLX on the CPU, which computes a result when it is asked for, so that also errors of a call come then."""

from __future__ import annotations

import ast
from typing import Any

import mlx.core as mx
import numpy as np

from conformance.adapter import Unsupported, api, hook
from conformance.worker.forms import of_elements, only, only_a_tensor, slices

VECTORS = {"indices.rank": "mlx.core.moveaxis"}


def describe() -> dict[str, Any]:
    return {"framework": "mlx", "version": mx.__version__, "immutable": True}


def variants() -> dict[str, Any]:
    """The updates of ``x.at[key]``, and MLX's functions, whose signatures Python cannot read."""
    updates = {f"mlx.core.array.at[].{name}": None for name in dir(mx.ArrayAt) if not name.startswith("_")}
    functions = {f"mlx.core.{name}": signed(name) for name in ("put_along_axis", "take", "take_along_axis", "where")}
    return {**updates, **functions}


def signed(name: str) -> Any:
    """A function with the parameters that MLX's function has, which are written beside it as text."""
    arguments = ast.parse(f"{getattr(mx, name).__nb_signature__[0][0]}: ...").body[0].args
    for each in ast.walk(arguments):
        if isinstance(each, ast.arg):
            each.annotation = None
    return eval(f"lambda {ast.unparse(arguments)}: None")  # noqa: S307


def setup(device: str, mode: str) -> None:
    if device != "cpu":
        raise ValueError(f"device {device!r} is not supported by this adapter; available: cpu")
    mx.set_default_device(mx.cpu)


def to_native(array: np.ndarray, dtype: str) -> mx.array:
    compact = np.ascontiguousarray(array).reshape(array.shape)
    if dtype == "bfloat16":
        return mx.array(compact).view(mx.bfloat16)
    return mx.array(compact, dtype=getattr(mx, {"bool": "bool_"}.get(dtype, dtype)))


def to_numpy(value: mx.array) -> Any:
    # NumPy would lose an error of the evaluation, and read what the memory holds.
    mx.eval(value)
    if value.dtype == mx.bfloat16:
        return np.array(value.view(mx.uint16)), "bfloat16"
    return np.array(value)


@hook("mlx.core.vjp")
def vjp(function: Any, tensors: dict[str, mx.array], of: str, cotangent: mx.array) -> Any:
    [result], [derivative] = mx.vjp(of_argument(function, tensors, of), [tensors[of]], [cotangent])
    return result, derivative


@hook("mlx.core.jvp")
def jvp(function: Any, tensors: dict[str, mx.array], of: str, tangent: mx.array) -> Any:
    [result], [derivative] = mx.jvp(of_argument(function, tensors, of), [tensors[of]], [tangent])
    return result, derivative


@hook("mlx.core.vmap")
def vmap(function: Any, tensors: dict[str, mx.array], axes: dict[str, int]) -> mx.array:
    def call(*given: mx.array) -> mx.array:
        return of_copies(function, dict(zip(tensors, given, strict=True)))

    return mx.vmap(call, in_axes=tuple(axes.get(name) for name in tensors))(*tensors.values())


def of_argument(function: Any, tensors: dict[str, mx.array], of: str) -> Any:
    """The function of one argument."""
    return lambda argument: of_copies(function, {**tensors, of: argument})


def of_copies(function: Any, tensors: dict[str, mx.array]) -> mx.array:
    """The result of a call, which changes only copies if it changes its arguments in place."""
    return function(**{name: mx.array(tensor) for name, tensor in tensors.items()})


def vectors(indices: mx.array) -> tuple[mx.array, ...]:
    """The components of index vectors, each an array of indices into an axis."""
    return tuple(mx.moveaxis(indices, -1, 0))


@api("mlx.core.take_along_axis", operation="gather_elements")
def take_along_axis(input, dim, index):
    return mx.take_along_axis(input, index, dim)


@api("mlx.core.put_along_axis", operation="scatter_elements")
def put_along_axis(input, dim, index, src, reduce=None):
    only("reduce", reduce, None)
    only_a_tensor("src", src)
    return mx.put_along_axis(input, index, src, dim)


@api("mlx.core.take", operation="index_select")
def take(input, dim, index):
    return mx.take(input, index, dim)


@api("mlx.core.array.at", operation="index_add")
def add_slices(input, dim, index, source, alpha=1):
    only("alpha", alpha, 1)
    return input.at[slices(dim, index)].add(source)


@api("mlx.core.array.at", operation="tensor_scatter_nd_add", helpers=VECTORS)
def add_at(tensor, indices, updates):
    return tensor.at[vectors(indices)].add(updates)


@api("mlx.core.array.at", operation="tensor_scatter_nd_reduce", helpers=VECTORS)
def reduce_at(tensor, indices, updates, reduce):
    method = {"sub": "subtract", "prod": "multiply", "amax": "maximum", "amin": "minimum"}[reduce]
    return getattr(tensor.at[vectors(indices)], method)(updates)


@api("mlx.core.array.at", operation="scatter_nd", helpers={**VECTORS, "shape": "mlx.core.zeros"})
def add_to_zeros(indices, updates, shape):
    return mx.zeros(shape, updates.dtype).at[vectors(indices)].add(updates)


@api("mlx.core.array.__getitem__", operation="gather_nd", helpers=VECTORS)
def getitem(params, indices):
    return params[vectors(indices)]


@api("mlx.core.array.__setitem__", operation="tensor_scatter_nd_update", in_place="tensor", helpers=VECTORS)
def setitem(tensor, indices, updates):
    tensor[vectors(indices)] = updates
    return tensor


@api("mlx.core.array.__setitem__", operation="index_copy", composed=True, in_place="input")
def setitem_slices(input, dim, index, source):
    input[slices(dim, index)] = source
    return input


@api("mlx.core.take", operation="take")
def take_flat(input, index):
    return mx.take(input, index)


@api("mlx.core.where", operation="masked_fill")
def where(input, mask, value):
    of_elements(input, mask)
    return mx.where(mask, value, input)


@api("mlx.core.array.__setitem__", operation="masked_fill", in_place="input")
def setitem_masked_to_a_number(input, mask, value):
    input[mask] = value
    return input


def no_mask(i: mx.array, j: mx.array) -> None:
    """Unsupported if one of these is a mask."""
    if mx.bool_ in (i.dtype, j.dtype):
        raise Unsupported("no mask beside an index: a mask is only assigned to, and stands alone, as documented")


@api("mlx.core.array.__getitem__", operation="advanced_index_get")
def getitem_advanced(input, i, j, key):
    no_mask(i, j)
    return input[key]


@api("mlx.core.array.__setitem__", operation="advanced_index_set", in_place="input")
def setitem_advanced(input, i, j, values, key, reduce=None):
    only("reduce", reduce, None)
    no_mask(i, j)
    input[key] = values
    return input


@api("mlx.core.array.at", operation="advanced_index_set")
def add_at_advanced(input, i, j, values, key, reduce=None):
    only("reduce", reduce, "add")
    no_mask(i, j)
    return input.at[key].add(values)


@api("mlx.core.array.__getitem__", operation="basic_index_get")
def getitem_basic(input, key, i=None, j=None):
    return input[key]


@api("mlx.core.array.__setitem__", operation="basic_index_set", in_place="input")
def setitem_basic(input, key, values, i=None, j=None):
    input[key] = values
    return input


@api("mlx.core.slice", operation="dynamic_slice")
def slice_from(input, starts, sizes):
    return mx.slice(input, mx.array(starts, mx.int32), tuple(range(len(starts))), sizes)


@api("mlx.core.slice_update", operation="dynamic_update_slice")
def slice_update(input, update, starts):
    return mx.slice_update(input, update, mx.array(starts, mx.int32), tuple(range(len(starts))))
