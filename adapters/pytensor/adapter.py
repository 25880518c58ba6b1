"""PyTensor: a graph for each call, compiled by one of its linkers for tensors of any lengths."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytensor
import pytensor.tensor as pt
from pytensor.compile.mode import Mode
from pytensor.tensor.variable import TensorConstant

from conformance.adapter import Unsupported, api
from conformance.worker.forms import only, slices

MODES = {"numba": "NUMBA", "cvm": "CVM", "jax": "JAX"}
"""The names of linkers, and of the modes of PyTensor that have them."""
VECTORS = {"indices.rank": "pytensor.tensor.TensorVariable.__getitem__"}


def describe() -> dict[str, Any]:
    return {"framework": "pytensor", "version": pytensor.__version__, "immutable": True}


def setup(device: str, mode: str) -> None:
    if device != "cpu":
        raise ValueError(f"device {device!r} is not supported by this adapter; available: cpu")
    if mode not in MODES:
        raise ValueError(f"mode {mode!r} is not supported by this adapter; available: {', '.join(MODES)}")
    one = pt.vector("one", dtype="float32")
    try:
        pytensor.function([one], one + 1, mode=MODES[mode])(np.zeros(1, np.float32))
    except ImportError as error:
        raise RuntimeError(f"PyTensor {pytensor.__version__} cannot use the linker {mode}: {error}") from error


def prepare(function: Any, mode: str) -> Any:
    compiled: dict[Any, Any] = {}

    def call(**tensors: TensorConstant) -> Any:
        form = tuple((name, tensor.dtype, *lengths(name, tensor)) for name, tensor in tensors.items())
        if form not in compiled:
            symbols = {name: pt.tensor(name, dtype=dtype, shape=shape) for name, dtype, *shape in form}
            graph = function(**symbols)
            compiled[form] = pytensor.function([*symbols.values()], graph, mode=MODES[mode], on_unused_input="ignore")
        run = compiled[form]
        return run(*(tensor.data for tensor in tensors.values()))

    return call


def lengths(name: str, tensor: TensorConstant) -> list[int | None]:
    """What a graph knows of the lengths of a tensor: those of one, which alone broadcast, and of index vectors how many components they have."""
    known = [length if length == 1 else None for length in tensor.data.shape]
    return [*known[:-1], *tensor.data.shape[-1:]] if name == "indices" else known


def to_native(array: np.ndarray, dtype: str) -> TensorConstant:
    if dtype == "bfloat16":
        raise TypeError("PyTensor has no bfloat16")
    return pt.constant(array)


def to_numpy(value: Any) -> np.ndarray:
    if isinstance(value, TensorConstant):
        return value.data
    if isinstance(value, pt.TensorVariable):  # of a call that was not compiled, which PyTensor's Python code computes
        value = value.eval(mode=Mode(linker="py", optimizer=None))
    return np.asarray(value)


def vectors(indices: Any) -> tuple[Any, ...]:
    """The components of index vectors, each a tensor of indices into an axis."""
    return tuple(indices[..., component] for component in range(indices.type.shape[-1]))


@api("pytensor.tensor.take_along_axis", operation="gather_elements", follows="numpy.take_along_axis")
def take_along_axis(input, dim, index):
    return pt.take_along_axis(input, index, axis=dim)


@api("pytensor.tensor.take", operation="index_select", follows="numpy.take")
def take(input, dim, index):
    return pt.take(input, index, axis=dim)


@api("pytensor.tensor.TensorVariable.take", operation="index_select", follows="numpy.take")
def take_method(input, dim, index):
    return input.take(index, axis=dim)


@api("pytensor.tensor.take", operation="take", follows="numpy.take")
def take_flat(input, index):
    return pt.take(input, index)


@api("pytensor.tensor.TensorVariable.take", operation="take", follows="numpy.take")
def take_flat_method(input, index):
    return input.take(index)


@api("pytensor.tensor.take(mode='wrap')", operation="take", follows="numpy.take(mode='wrap')")
def take_flat_wrap(input, index):
    return pt.take(input, index, mode="wrap")


@api("pytensor.tensor.take(mode='clip')", operation="take", follows="numpy.take(mode='clip')")
def take_flat_clip(input, index):
    return pt.take(input, index, mode="clip")


@api(
    "pytensor.tensor.TensorVariable.__getitem__",
    operation="gather_nd",
    follows="numpy.ndarray.__getitem__",
    helpers=VECTORS,
)
def getitem(params, indices):
    return params[vectors(indices)]


@api(
    "pytensor.tensor.set_subtensor",
    operation="tensor_scatter_nd_update",
    follows="numpy.ndarray.__setitem__",
    helpers=VECTORS,
)
def set_vectors(tensor, indices, updates):
    return pt.set_subtensor(tensor[vectors(indices)], updates)


@api("pytensor.tensor.inc_subtensor", operation="tensor_scatter_nd_add", follows="numpy.add.at", helpers=VECTORS)
def inc_vectors(tensor, indices, updates):
    return pt.inc_subtensor(tensor[vectors(indices)], updates)


@api(
    "pytensor.tensor.inc_subtensor",
    operation="scatter_nd",
    follows="numpy.add.at",
    helpers={**VECTORS, "shape": "pytensor.tensor.zeros"},
)
def inc_zeros(indices, updates, shape):
    return pt.inc_subtensor(pt.zeros(shape, dtype=updates.dtype)[vectors(indices)], updates)


@api("pytensor.tensor.set_subtensor", operation="index_copy", follows="numpy.ndarray.__setitem__")
def set_slices(input, dim, index, source):
    return pt.set_subtensor(input[slices(dim, index)], source)


@api("pytensor.tensor.set_subtensor", operation="index_fill", follows="numpy.ndarray.__setitem__")
def set_slices_to_a_number(input, dim, index, value):
    return pt.set_subtensor(input[slices(dim, index)], value)


@api("pytensor.tensor.inc_subtensor", operation="index_add", follows="numpy.add.at")
def inc_slices(input, dim, index, source, alpha=1):
    only("alpha", alpha, 1)
    return pt.inc_subtensor(input[slices(dim, index)], source)


@api("pytensor.tensor.TensorVariable.__getitem__", operation="masked_select", follows="numpy.ndarray.__getitem__")
def getitem_masked(input, mask):
    return input[mask]


@api("pytensor.tensor.compress", operation="masked_select", follows="numpy.compress")
def compress(input, mask):
    if mask.ndim != 1:
        raise Unsupported("only a condition of one axis")
    return pt.compress(mask, input, axis=0)


@api("pytensor.tensor.where", operation="masked_fill", follows="numpy.where")
def where(input, mask, value):
    if mask.ndim < input.ndim:
        raise Unsupported("no slices: a mask of fewer axes is one of the last axes")
    return pt.where(mask, value, input)


@api("pytensor.tensor.switch", operation="masked_fill", follows="numpy.where")
def switch(input, mask, value):
    if mask.ndim < input.ndim:
        raise Unsupported("no slices: a mask of fewer axes is one of the last axes")
    return pt.switch(mask, value, input)


@api("pytensor.tensor.set_subtensor", operation="masked_fill", follows="numpy.ndarray.__setitem__")
def set_masked(input, mask, value):
    return pt.set_subtensor(input[mask], value)


@api("pytensor.tensor.TensorVariable.__getitem__", operation="advanced_index_get", follows="numpy.ndarray.__getitem__")
def getitem_advanced(input, i, j, key):
    return input[key]


@api("pytensor.tensor.set_subtensor", operation="advanced_index_set", follows="numpy.ndarray.__setitem__")
def set_advanced(input, i, j, values, key, reduce=None):
    only("reduce", reduce, None)
    return pt.set_subtensor(input[key], values)


@api("pytensor.tensor.TensorVariable.set", operation="advanced_index_set", follows="numpy.ndarray.__setitem__")
def set_method_advanced(input, i, j, values, key, reduce=None):
    only("reduce", reduce, None)
    return input[key].set(values)


@api("pytensor.tensor.inc_subtensor", operation="advanced_index_set", follows="numpy.add.at")
def inc_advanced(input, i, j, values, key, reduce=None):
    only("reduce", reduce, "add")
    return pt.inc_subtensor(input[key], values)


@api("pytensor.tensor.TensorVariable.inc", operation="advanced_index_set", follows="numpy.add.at")
def inc_method_advanced(input, i, j, values, key, reduce=None):
    only("reduce", reduce, "add")
    return input[key].inc(values)


@api("pytensor.tensor.TensorVariable.__getitem__", operation="basic_index_get", follows="numpy.ndarray.__getitem__")
def getitem_basic(input, key, i=None, j=None):
    return input[key]


@api("pytensor.tensor.set_subtensor", operation="basic_index_set", follows="numpy.ndarray.__setitem__")
def set_basic(input, key, values, i=None, j=None):
    return pt.set_subtensor(input[key], values)
