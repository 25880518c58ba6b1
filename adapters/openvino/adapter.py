"""OpenVINO: each API is a model of one operation, compiled for the CPU with the shapes that the mode asks for."""

from __future__ import annotations

import functools
import os
from types import SimpleNamespace
from typing import Any

import numpy as np
import openvino
from openvino import opset3, opset4, opset5, opset7, opset15

from conformance.adapter import Unsupported, api
from conformance.worker.forms import cut, of_elements, only, only_a_tensor

MODES = ("static", "dynamic")
REDUCTIONS = {"add": "sum", "multiply": "prod", "amax": "max", "amin": "min", "mean": "mean"}
"""OpenVINO's names of reductions."""
INTS = ("int64", "int32")
MOST = 2**63 - 1
"""The largest int64."""
selected = SimpleNamespace(mode="static")


def describe() -> dict[str, Any]:
    return {"framework": "openvino", "version": openvino.__version__.partition("-")[0]}


def setup(device: str, mode: str) -> None:
    if device != "cpu":
        raise ValueError(f"device {device!r} is not supported by this adapter; available: cpu")
    if mode not in MODES:
        raise ValueError(f"mode {mode!r} is not supported by this adapter; available: {', '.join(MODES)}")
    selected.mode = mode
    core()


@functools.lru_cache(maxsize=None)
def core() -> openvino.Core:
    created = openvino.Core()
    # Without this hint, CPUs that can compute in bfloat16 or float16 do so also for float32.
    created.set_property("CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    # With a single thread, errors during inference are lost, and what is returned is whatever the memory holds.
    threads = int(os.environ.get("OMP_NUM_THREADS", "0"))
    created.set_property("CPU", {"INFERENCE_NUM_THREADS": threads and max(threads, 2)})
    return created


def to_native(array: np.ndarray, dtype: str) -> openvino.Tensor:
    compact = np.ascontiguousarray(array).reshape(array.shape)
    if dtype == "bfloat16":
        return openvino.Tensor(compact, openvino.Shape(array.shape), openvino.Type.bf16)
    return openvino.Tensor(compact, shared_memory=True)


def to_numpy(value: openvino.Tensor) -> Any:
    if value.element_type == openvino.Type.bf16:
        return value.data.view(np.uint16), "bfloat16"
    return value.data


def zeros(shape: tuple[int, ...], like: openvino.Tensor) -> openvino.Tensor:
    tensor = openvino.Tensor(like.element_type, openvino.Shape(shape))
    tensor.data[...] = 0
    return tensor


class Constant(openvino.Tensor):
    """A tensor that is a constant of the model."""


def prepare(function: Any, mode: str) -> Any:
    constants = {
        name: constant(value) for name, value in function.keywords.items() if isinstance(value, openvino.Tensor)
    }
    return functools.partial(function, **constants) if constants else function


def constant(value: openvino.Tensor) -> Constant:
    created = Constant(value.element_type, value.shape)  # with memory of its own
    value.copy_to(created)
    return created


@functools.lru_cache(maxsize=None, typed=True)  # True equals 1
def compiled(operation: Any, types: tuple[Any, ...], shapes: tuple[tuple[int, ...], ...], *values: Any) -> Any:
    """A model of one operation, for inputs of these types and shapes, where a length of -1 is left open."""
    inputs = [opset15.parameter(list(shape), kind) for kind, shape in zip(types, shapes)]  # noqa: B905 # not in Python 3.9
    return core().compile_model(openvino.Model([operation(*inputs, *values)], inputs), "CPU")


def with_constants(operation: Any, inputs: Any, types: Any, shapes: Any, values: tuple[Any, ...]) -> Any:
    """The same, with inputs that are constants of the model."""
    nodes = [
        openvino.op.Constant(value) if isinstance(value, Constant) else opset15.parameter(list(shape), kind)
        for value, kind, shape in zip(inputs, types, shapes)  # noqa: B905 # not in Python 3.9
    ]
    free = [node for node, value in zip(nodes, inputs) if not isinstance(value, Constant)]  # noqa: B905
    return core().compile_model(openvino.Model([operation(*nodes, *values)], free), "CPU")


def run(
    operation: Any, *inputs: openvino.Tensor, values: tuple[Any, ...] = (), vectors: bool = False
) -> openvino.Tensor:
    """Infer with a model that is compiled once; each call has a request, and so a result, of its own."""
    shapes = [tuple(value.shape) for value in inputs]
    if selected.mode == "dynamic":
        shapes = [(-1,) * len(shape) for shape in shapes]
    if vectors and len(inputs[1].shape):
        shapes[1] = (*shapes[1][:-1], inputs[1].shape[-1])  # this length decides about the rank of the result
    types = tuple(value.element_type for value in inputs)
    if any(isinstance(value, Constant) for value in inputs):
        model = with_constants(operation, inputs, types, shapes, values)
    else:
        model = compiled(operation, types, tuple(shapes), *values)
    request = model.create_infer_request()
    for number, value in enumerate(value for value in inputs if not isinstance(value, Constant)):
        request.set_input_tensor(number, value)
    request.infer()
    return request.get_output_tensor()


@api("openvino.opset15.gather_elements", operation="gather_elements", index_dtypes=INTS)
def gather_elements(input, dim, index):
    return run(opset15.gather_elements, input, index, values=(dim,))


@api("openvino.opset15.gather_nd", operation="gather_nd")
def gather_nd(params, indices):
    return run(opset15.gather_nd, params, indices, vectors=True)


@api("openvino.opset15.gather_nd", operation="batched_gather_nd")
def batched_gather_nd(params, indices, batch_dims):
    return run(opset15.gather_nd, params, indices, values=(batch_dims,), vectors=True)


@api("openvino.opset5.gather_nd", operation="batched_gather_nd")
def batched_gather_nd_5(params, indices, batch_dims):
    if batch_dims > 1:
        raise Unsupported("one batch axis at most: GatherND-5 makes one axis of several")
    return run(opset5.gather_nd, params, indices, values=(batch_dims,), vectors=True)


@api("openvino.opset15.gather", operation="batched_index_select")
def batched_gather(input, dim, index, batch_dims):
    return run(opset15.gather, input, index, values=(dim, batch_dims))


@api("openvino.opset7.gather", operation="batched_index_select")
def batched_gather_7(input, dim, index, batch_dims):
    return run(opset7.gather, input, index, values=(dim, batch_dims))


@api("openvino.opset15.gather", operation="index_select")
def gather(input, dim, index):
    return run(opset15.gather, input, index, values=(dim,))


@api("openvino.opset15.scatter_elements_update", operation="scatter_elements")
def scatter_elements_update(input, dim, index, src, reduce=None):
    only_a_tensor("src", src)
    return run(opset15.scatter_elements_update, input, index, src, values=(dim, REDUCTIONS.get(reduce, "none")))


@api("openvino.opset3.scatter_elements_update", operation="scatter_elements")
def scatter_elements_update_3(input, dim, index, src, reduce=None):
    only("reduce", reduce, None)
    only_a_tensor("src", src)
    return run(opset3.scatter_elements_update, input, index, src, values=(dim,))


@api("openvino.opset15.scatter_nd_update", operation="tensor_scatter_nd_update", index_dtypes=INTS)
def scatter_nd_update(tensor, indices, updates):
    return run(opset15.scatter_nd_update, tensor, indices, updates, vectors=True)


@api("openvino.opset4.scatter_nd_update", operation="tensor_scatter_nd_update", index_dtypes=INTS)
def scatter_nd_update_4(tensor, indices, updates):
    return run(opset4.scatter_nd_update, tensor, indices, updates, vectors=True)


@api("openvino.opset15.scatter_nd_update", operation="tensor_scatter_nd_add", index_dtypes=INTS)
def scatter_nd_add(tensor, indices, updates):
    return run(opset15.scatter_nd_update, tensor, indices, updates, values=("sum",), vectors=True)


@api("openvino.opset15.scatter_nd_update", operation="tensor_scatter_nd_reduce", index_dtypes=INTS)
def scatter_nd_reduce(tensor, indices, updates, reduce):
    word = {"amax": "max", "amin": "min"}.get(reduce, reduce)
    return run(opset15.scatter_nd_update, tensor, indices, updates, values=(word,), vectors=True)


@api(
    "openvino.opset15.scatter_nd_update",
    operation="scatter_nd",
    helpers={"shape": "openvino.Tensor"},
    index_dtypes=INTS,
)
def scatter_nd_add_to_zeros(indices, updates, shape):
    tensor = zeros(shape, updates)
    return run(opset15.scatter_nd_update, tensor, indices, updates, values=("sum",), vectors=True)


@api("openvino.opset15.scatter_update", operation="index_copy")
def scatter_update(input, dim, index, source):
    return run(opset15.scatter_update, input, index, source, values=(dim,))


def constant_like(value: Any, like: openvino.Tensor) -> openvino.Tensor:
    """A number as the tensor without axes that a model has instead, of the same type."""
    if like.element_type == openvino.Type.bf16:
        bits = np.asarray(value, np.float32).view(np.uint32)
        if bits & 0xFFFF:
            raise Unsupported("operations take no numbers, and bfloat16 does not hold this one")
        return to_native((bits >> 16).astype(np.uint16), "bfloat16")
    made = np.asarray(value).astype(like.element_type.to_dtype())
    if made.dtype.kind in "biu" and made != value:
        raise Unsupported("operations take no numbers, and the type of the tensor does not hold this one")
    return to_native(made, made.dtype.name)


@api("openvino.opset15.select", operation="masked_fill")
def select(input, mask, value):
    of_elements(input, mask)
    if not isinstance(value, openvino.Tensor):
        value = constant_like(value, input)
    return run(opset15.select, mask, value, input)


def sliced(data: Any, *parts: Any) -> Any:
    axes, starts, stops, steps = (np.array(each, np.int64) for each in parts)
    return opset15.slice(data, starts, stops, steps, axes)


def slice_scattered(data: Any, updates: Any, *parts: Any) -> Any:
    axes, starts, stops, steps = (np.array(each, np.int64) for each in parts)
    return opset15.slice_scatter(data, updates, starts, stops, steps, axes)


@api("openvino.opset15.slice", operation="basic_index_get")
def slice_by_key(input, key, i=None, j=None):
    return run(sliced, input, values=tuple(map(tuple, cut(key, len(input.shape), MOST))))


@api("openvino.opset15.slice_scatter", operation="basic_index_set")
def slice_scatter(input, key, values, i=None, j=None):
    only_a_tensor("values", values)
    if len(values.shape) != len(input.shape):
        raise Unsupported("only updates with as many axes as the data, which do not broadcast")
    return run(slice_scattered, input, values, values=tuple(map(tuple, cut(key, len(input.shape), MOST))))
