"""MindSpore, pynative."""

from __future__ import annotations

from typing import Any

import mindspore
import numpy as np
from mindspore import Tensor, mint, ops

from conformance.adapter import Unsupported, api

INTS = ("int32", "int64")
TARGETS = {"cpu": "CPU", "gpu": "GPU", "ascend": "Ascend"}


def describe() -> dict[str, Any]:
    return {"framework": "mindspore", "version": mindspore.__version__}


def setup(device: str, mode: str) -> None:
    if mode not in ("pynative", "eager"):
        raise ValueError(f"mode {mode!r} is not one that this adapter runs; it runs 'pynative'")
    kind, _, number = device.partition(":")
    target = TARGETS.get(kind.lower(), kind)
    if not mindspore.hal.is_available(target) or int(number or 0) >= mindspore.hal.device_count(target):
        raise RuntimeError(f"MindSpore {mindspore.__version__} cannot use the device {device!r}")
    mindspore.set_context(mode=mindspore.PYNATIVE_MODE)
    mindspore.set_device(target, int(number or 0))
    # Asynchronous, it can raise the error of one call out of the next ones.
    mindspore.runtime.launch_blocking()


def to_native(array: np.ndarray, dtype: str) -> Tensor:
    tensor = Tensor(array)
    return tensor.view(mindspore.bfloat16) if dtype == "bfloat16" else tensor


def to_numpy(value: Tensor) -> Any:
    array = value.asnumpy()
    return (array.view(np.uint16), "bfloat16") if value.dtype == mindspore.bfloat16 else array


@api("mindspore.ops.TensorScatterUpdate", operation="tensor_scatter_nd_update", index_dtypes=INTS)
def tensor_scatter_update(tensor, indices, updates):
    return ops.TensorScatterUpdate()(tensor, indices, updates)


@api(
    "mindspore.ops.scatter_nd_update",
    operation="tensor_scatter_nd_update",
    in_place="tensor",
    index_dtypes=INTS,
)
def scatter_nd_update(tensor, indices, updates):
    return ops.scatter_nd_update(tensor, indices, updates)


@api("mindspore.ops.tensor_scatter_add", operation="tensor_scatter_nd_add", index_dtypes=INTS)
def tensor_scatter_add(tensor, indices, updates):
    return ops.tensor_scatter_add(tensor, indices, updates)


@api("mindspore.ops.scatter_nd_add", operation="tensor_scatter_nd_add", in_place="tensor", index_dtypes=INTS)
def scatter_nd_add(tensor, indices, updates):
    return ops.scatter_nd_add(tensor, indices, updates)


@api("mindspore.ops.scatter_nd", operation="scatter_nd", index_dtypes=INTS)
def scatter_nd(indices, updates, shape):
    return ops.scatter_nd(indices, updates, shape)


@api("mindspore.ops.gather_nd", operation="gather_nd", index_dtypes=INTS)
def gather_nd(params, indices):
    return ops.gather_nd(params, indices)


@api("mindspore.ops.gather_elements", operation="gather_elements", index_dtypes=INTS)
def gather_elements(input, dim, index):
    return ops.gather_elements(input, dim, index)


@api("mindspore.mint.gather", operation="gather_elements", index_dtypes=INTS)
def gather(input, dim, index):
    return mint.gather(input, dim, index)


@api("mindspore.numpy.take_along_axis", operation="gather_elements", index_dtypes=INTS)
def take_along_axis(input, dim, index):
    return mindspore.numpy.take_along_axis(input, index, dim)


@api("mindspore.ops.tensor_scatter_elements", operation="scatter_elements", index_dtypes=INTS)
def tensor_scatter_elements(input, dim, index, src, reduce=None):
    if reduce == "multiply" or not isinstance(src, Tensor):
        raise Unsupported("only a tensor as src, and no multiplication")
    return ops.tensor_scatter_elements(input, index, src, dim, reduce or "none")


@api("mindspore.ops.scatter", operation="scatter_elements", index_dtypes=INTS)
def scatter(input, dim, index, src, reduce=None):
    if reduce is not None:
        raise Unsupported("no reduction")
    return ops.scatter(input, dim, index, src)


@api("mindspore.mint.scatter", operation="scatter_elements", index_dtypes=INTS)
def mint_scatter(input, dim, index, src, reduce=None):
    if reduce is not None:
        raise Unsupported("no reduction")
    return mint.scatter(input, dim, index, src)
