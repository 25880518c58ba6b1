"""TensorFlow, eager, as a graph by ``tf.function``, compiled by XLA, and converted for TFLite's interpreter."""

from __future__ import annotations

import inspect
import warnings
from types import SimpleNamespace
from typing import Any

import numpy as np
import tensorflow as tf
from tensorflow.lite.tools import flatbuffer_utils

from conformance.adapter import NotExported, Unsupported, api, hook
from conformance.worker.forms import of_elements, only, only_a_tensor, only_add

INDEX_DTYPES = ("int32", "int64")
MODES = ("eager", "function", "xla", "tflite")
GRID = {"dim": "tf.meshgrid", "index.rank": "tf.meshgrid", "input.rank": "tf.meshgrid"}
SLICE = {"index.shape": "tf.slice", "src.rank": "tf.slice", "src.shape": "tf.slice"}
MOVEAXIS = {"dim": "tf.experimental.numpy.moveaxis"}
TAPES: list[Any] = []
"""The tape that records the current call, if any."""
BUILT_WITH = {"cuda": tf.test.is_built_with_cuda, "rocm": tf.test.is_built_with_rocm}
WITHOUT_XLA = tuple(f"{device}[{mode}]" for device in ("cpu", *BUILT_WITH) for mode in MODES if mode != "xla")
"""The devices and modes of an operation that XLA cannot compile."""


def describe() -> dict[str, Any]:
    return {"framework": "tensorflow", "version": tf.__version__, "immutable": True, "dtypes": [*BITS]}


def setup(device: str, mode: str) -> None:
    if mode not in MODES:
        raise ValueError(f"mode {mode!r} is not supported by this adapter; available: {', '.join(MODES)}")
    kind, _, number = device.partition(":")
    built = BUILT_WITH[kind]() if kind in BUILT_WITH else True
    kind = "GPU" if kind in BUILT_WITH else kind.upper()
    selected = tf.config.list_physical_devices(kind)[int(number or 0) :][:1]
    if not (built and selected):
        available = ", ".join(physical.name for physical in tf.config.list_physical_devices())
        raise RuntimeError(f"TensorFlow {tf.__version__} has no device {device!r}; it has {available}")
    # Operations run on the first visible accelerator and cannot use an invisible one.
    for accelerator in ("GPU", "TPU"):
        tf.config.set_visible_devices(selected if accelerator == kind else [], accelerator)
    if mode == "tflite" and kind != "CPU":
        raise ValueError("TFLite's interpreter runs on the CPU only")
    actual = (tf.zeros(1) + 1).device
    if not actual.endswith(f":{kind}:0"):
        raise RuntimeError(f"TensorFlow {tf.__version__} computed on {actual!r} instead of {device!r}")


def prepare(function: Any, mode: str) -> Any:
    if mode == "eager":
        return function
    # With jit_compile=True there is no fallback: XLA raises for what it cannot compile.
    graph = tf.function(with_constants(function), autograph=False, jit_compile=mode == "xla")
    compiled = on_tflite(graph) if mode == "tflite" else graph

    def call(**values: Any) -> Any:
        # A number would be a constant of a graph of its own.
        return compiled(**{name: tf.convert_to_tensor(value) for name, value in values.items()})

    return call


def with_constants(function: Any) -> Any:
    """The function with its constant tensors as constants of its graph, which would have large ones as arguments."""
    constants = {name: value.numpy() for name, value in function.keywords.items() if isinstance(value, tf.Tensor)}
    if not constants:
        return function
    return lambda **tensors: function(**{name: tf.constant(array) for name, array in constants.items()}, **tensors)


def on_tflite(graph: Any) -> Any:
    """The graph run by TFLite's interpreter, converted once for each dtype and shape of the tensors."""
    runners: dict[Any, Any] = {}

    def call(**tensors: tf.Tensor) -> Any:
        form = tuple((name, tensor.dtype, tuple(tensor.shape)) for name, tensor in tensors.items())
        if form not in runners:
            runners[form] = runner(converted(graph, tensors)), several(graph, tensors)
        run, has_several = runners[form]
        # The model lacks inputs that cannot change its result, such as updates without elements.
        outputs = run(**{name: tensors[name].numpy() for name in run.get_input_details()})
        results = [tf.constant(outputs[name]) for name in sorted(outputs, key=position)]
        return tuple(results) if has_several else results[0]

    return call


def one_or_several(results: list[tf.Tensor]) -> Any:
    """What a model returns: a program around a call may return several tensors."""
    return results[0] if len(results) == 1 else tuple(results)


def several(graph: Any, tensors: dict[str, tf.Tensor]) -> bool:
    """Whether the graph returns a tuple of tensors."""
    return isinstance(graph.get_concrete_function(**specs_of(tensors)).structured_outputs, tuple)


def position(output: str) -> int:
    """The place of a result in the tuple that a graph returns, whose outputs are ``output_0``, ``output_1``, ..."""
    number = output.rpartition("_")[2]
    return int(number) if number.isdecimal() else 0


def specs_of(tensors: dict[str, tf.Tensor]) -> dict[str, tf.TensorSpec]:
    return {name: tf.TensorSpec(tensor.shape, tensor.dtype, name) for name, tensor in tensors.items()}


def converted(graph: Any, tensors: dict[str, tf.Tensor]) -> bytes:
    """The graph as a model of TFLite's own operations, without those that TensorFlow would have to perform for it."""
    concrete, module = graph.get_concrete_function(**specs_of(tensors)), tf.Module()
    module.graph = graph
    try:
        return tf.lite.TFLiteConverter.from_concrete_functions([concrete], module).convert()
    except Exception as error:
        graph(**tensors)  # raises what TensorFlow itself raises for these tensors
        # The first error of MLIR, without the source lines and calls that its message quotes.
        first = str(error).partition("error: ")[2].partition("\n")[0]
        raise NotExported(first or f"{type(error).__name__}: {error}") from naming_lines_of(error)


def naming_lines_of(error: Exception) -> Exception:
    """The error of a conversion with the lines of the functions that it is about, which its message lacks, as its cause."""
    places = [call.source for one in getattr(error, "errors", ()) for call in one.location.call]
    error.__cause__ = SyntaxError("\n".join(f'File "{place.filename}", line {place.line}' for place in places))
    return error


def runner(model: bytes) -> Any:
    """The model in an interpreter with its defaults, among them the delegate XNNPACK."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a warning says that there is another package with the interpreter
        return tf.lite.Interpreter(model_content=model).get_signature_runner()


def intermediate(function: Any, mode: str) -> Any:
    """The converted model, whose operations TensorFlow's own kernels perform one by one."""
    graph = tf.function(with_constants(function), autograph=False)

    def call(**values: Any) -> Any:
        tensors = {name: tf.convert_to_tensor(value) for name, value in values.items()}
        model = flatbuffer_utils.convert_bytearray_to_object(converted(graph, tensors))
        main, [signature] = model.subgraphs[0], model.signatureDefs
        values = {number: constant(model, tensor) for number, tensor in enumerate(main.tensors)}
        values.update((entry.tensorIndex, tensors[entry.name.decode()]) for entry in signature.inputs)
        for operator in main.operators:
            name = flatbuffer_utils.opcode_to_name(model, operator.opcodeIndex)
            if name not in KERNELS:
                raise Unsupported(f"no counterpart of TFLite's {name}")
            [output] = operator.outputs
            settings = SimpleNamespace(dtype=dtype_of(main.tensors[output]), options=operator.builtinOptions)
            values[output] = KERNELS[name](settings, *(values[number] for number in operator.inputs))
        outputs = sorted(signature.outputs, key=lambda entry: entry.name)
        return one_or_several([values[entry.tensorIndex] for entry in outputs])

    return call


def constant(model: Any, tensor: Any) -> Any:
    """The value that the model has for one of its tensors; None for one that is computed."""
    data = model.buffers[tensor.buffer].data
    if data is None:
        return None
    shape = () if tensor.shape is None else tensor.shape
    return tf.constant(np.frombuffer(bytes(data), dtype_of(tensor).as_numpy_dtype).reshape(shape))


def dtype_of(tensor: Any) -> tf.DType:
    return tf.as_dtype(flatbuffer_utils.type_to_name(tensor.type).lower())


KERNELS = {
    "ADD": lambda _, x, y: tf.add(x, y),
    "BROADCAST_TO": lambda _, x, shape: tf.broadcast_to(x, shape),
    "CAST": lambda settings, x: tf.cast(x, settings.dtype),
    "GATHER": lambda settings, x, index: tf.gather(
        x, index, axis=settings.options.axis, batch_dims=settings.options.batchDims
    ),
    "GATHER_ND": lambda _, x, indices: tf.gather_nd(x, indices),
    "LESS": lambda _, x, y: tf.less(x, y),
    "MAXIMUM": lambda _, x, y: tf.maximum(x, y),
    "MINIMUM": lambda _, x, y: tf.minimum(x, y),
    "MUL": lambda _, x, y: tf.multiply(x, y),
    "PACK": lambda settings, *values: tf.stack(values, axis=settings.options.axis),
    "RESHAPE": lambda _, x, shape: tf.reshape(x, shape),
    "SCATTER_ND": lambda _, indices, updates, shape: tf.scatter_nd(indices, updates, shape),
    "SELECT": lambda _, condition, x, y: tf.where(condition, x, y),
    "SELECT_V2": lambda _, condition, x, y: tf.where(condition, x, y),
    "SLICE": lambda _, x, begin, size: tf.slice(x, begin, size),
    "SUB": lambda _, x, y: tf.subtract(x, y),
    "TRANSPOSE": lambda _, x, order: tf.transpose(x, order),
}
"""TensorFlow's counterparts of the operations in converted models, by TFLite's names."""


BITS = {"bfloat16": np.uint16, "float8_e4m3fn": np.uint8, "float8_e5m2": np.uint8}
"""The dtypes that NumPy lacks, with the dtypes of their bits."""


def to_native(array: np.ndarray, dtype: str) -> tf.Tensor:
    return tf.constant(array.view(tf.as_dtype(dtype).as_numpy_dtype) if dtype in BITS else array)


def to_numpy(value: Any) -> Any:
    array, name = np.asarray(value.numpy()), value.dtype.name
    return (array.view(BITS[name]), name) if name in BITS else array


transpose = tf.transpose
expand = tf.broadcast_to
reshape = tf.reshape
copy = tf.identity


def flip(tensor: tf.Tensor) -> tf.Tensor:
    return tf.reverse(tensor, [0])


def arange(length: int, index: tf.Tensor) -> tf.Tensor:
    return tf.range(length, dtype=index.dtype)


def total(tensor: tf.Tensor) -> tf.Tensor:
    return tf.reduce_sum(tensor, 0)


def stacked(tensor: tf.Tensor) -> tf.Tensor:
    return tf.stack([tensor[row] for row in range(tensor.shape[0])])


@hook([f"tf.GradientTape{part}" for part in ("", ".__init__", ".watch", ".gradient")])
def vjp(function: Any, tensors: dict[str, tf.Tensor], of: str, cotangent: tf.Tensor) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(tensors[of])
        result = recorded(function, tensors, tape)
    derivative = tape.gradient(result, tensors[of], output_gradients=cotangent, unconnected_gradients="zero")
    return result, tf.convert_to_tensor(derivative)  # slices become a dense tensor


@hook([f"tf.autodiff.ForwardAccumulator{part}" for part in ("", ".__init__", ".jvp")])
def jvp(function: Any, tensors: dict[str, tf.Tensor], of: str, tangent: tf.Tensor) -> Any:
    with tf.autodiff.ForwardAccumulator(tensors[of], tangent) as accumulator:
        result = recorded(function, tensors, accumulator)
    return result, tf.convert_to_tensor(accumulator.jvp(result, unconnected_gradients="zero"))


@hook("tf.vectorized_map")
def vmap(function: Any, tensors: dict[str, tf.Tensor], axes: dict[str, int]) -> tf.Tensor:
    if any(axes.values()):
        raise Unsupported("tf.vectorized_map batches along the first axis")
    refused: list[Unsupported] = []

    def call(given: dict[str, tf.Tensor]) -> tf.Tensor:
        try:
            return function(**{**tensors, **given})
        except Unsupported as reason:
            refused.append(reason)
            raise

    try:
        return tf.vectorized_map(call, {name: tensors[name] for name in axes})
    except Unsupported:  # AutoGraph raises another, whose message also says where
        raise refused[0] from None


def recorded(function: Any, tensors: dict[str, tf.Tensor], tape: Any) -> tf.Tensor:
    """The result of a function whose operations a tape records."""
    TAPES.append(tape)
    try:
        return function(**tensors)
    finally:
        TAPES.clear()


def takes_policy(function: Any) -> bool:
    return "bad_indices_policy" in inspect.signature(function).parameters


def listed(tensor: tf.Tensor) -> Any:
    """The values as a Python list, from which TensorFlow infers the same dtype and shape."""
    if TAPES:
        raise Unsupported("a list is no tensor with a derivative")
    if not tf.executing_eagerly() or tensor.dtype not in (tf.int32, tf.float32) or 0 in tensor.shape:
        raise Unsupported("only values in eager mode that a list keeps: some of them, in int32 or float32")
    return tensor.numpy().tolist()


def variable(value: tf.Tensor) -> tf.Variable:
    """The variable that a method belongs to, which is an argument of the method rather than another call."""
    if TAPES:
        raise Unsupported("a variable has a value, but no derivative with respect to the tensor that it was made of")
    if not tf.executing_eagerly():
        raise Unsupported("a variable cannot be created in a compiled function")
    return tf.Variable(value)


def slices(source: tf.Tensor, index: tf.Tensor, dim: int) -> tf.IndexedSlices:
    only("dim", dim, 0)
    return tf.IndexedSlices(source, index)


def full_indices(index: tf.Tensor, dim: int) -> tf.Tensor:
    """The full index vector of each element of index: its own value at dim."""
    # In int64, since tf.range has kernels for fewer dtypes than those that take indices.
    grid = tf.meshgrid(*[tf.range(size, dtype=tf.int64) for size in index.shape], indexing="ij")
    vectors = [tf.cast(each, index.dtype) for each in grid]
    vectors[dim] = index
    return tf.stack(vectors, axis=-1)


def lengths(shape: Any, indices: tf.Tensor) -> Any:
    """The shape, which TensorFlow would convert to the dtype of the indices: bool holds no lengths."""
    return tf.constant(shape) if isinstance(shape, tuple) and indices.dtype == tf.bool else shape


@api("tf.tensor_scatter_nd_update", operation="tensor_scatter_nd_update")
def tensor_scatter_nd_update(tensor, indices, updates):
    return tf.tensor_scatter_nd_update(tensor, indices, updates)


@api("tf.tensor_scatter_nd_update(lists)", operation="tensor_scatter_nd_update", follows="tf.tensor_scatter_nd_update")
def tensor_scatter_nd_update_lists(tensor, indices, updates):
    if tensor.dtype != updates.dtype:
        raise Unsupported("a list has no dtype that could differ from the tensor's")
    return tf.tensor_scatter_nd_update(
        tensor=listed(tensor), indices=listed(indices), updates=listed(updates), name="scatter"
    )


@api("tf.raw_ops.TensorScatterUpdate", operation="tensor_scatter_nd_update")
def raw_tensor_scatter_update(tensor, indices, updates):
    return tf.raw_ops.TensorScatterUpdate(tensor=tensor, indices=indices, updates=updates)


@api(
    "tf.raw_ops.TensorScatterUpdate(bad_indices_policy='IGNORE')",
    operation="tensor_scatter_nd_update",
    exists=takes_policy(tf.raw_ops.TensorScatterUpdate),
)
def raw_tensor_scatter_update_ignore(tensor, indices, updates):
    return tf.raw_ops.TensorScatterUpdate(tensor=tensor, indices=indices, updates=updates, bad_indices_policy="IGNORE")


@api("tf.Variable.scatter_nd_update", operation="tensor_scatter_nd_update")
def variable_scatter_nd_update(tensor, indices, updates):
    return variable(tensor).scatter_nd_update(indices, updates)


@api("tf.tensor_scatter_nd_add", operation="tensor_scatter_nd_add")
def tensor_scatter_nd_add(tensor, indices, updates):
    return tf.tensor_scatter_nd_add(tensor, indices, updates)


@api(
    "tf.tensor_scatter_nd_add(bad_indices_policy='IGNORE')",
    operation="tensor_scatter_nd_add",
    exists=takes_policy(tf.tensor_scatter_nd_add),
)
def tensor_scatter_nd_add_ignore(tensor, indices, updates):
    return tf.tensor_scatter_nd_add(tensor, indices, updates, bad_indices_policy="IGNORE")


@api("tf.raw_ops.TensorScatterAdd", operation="tensor_scatter_nd_add")
def raw_tensor_scatter_add(tensor, indices, updates):
    return tf.raw_ops.TensorScatterAdd(tensor=tensor, indices=indices, updates=updates)


@api(
    "tf.raw_ops.TensorScatterAdd(bad_indices_policy='IGNORE')",
    operation="tensor_scatter_nd_add",
    exists=takes_policy(tf.raw_ops.TensorScatterAdd),
)
def raw_tensor_scatter_add_ignore(tensor, indices, updates):
    return tf.raw_ops.TensorScatterAdd(tensor=tensor, indices=indices, updates=updates, bad_indices_policy="IGNORE")


@api("tf.raw_ops.ScatterNdNonAliasingAdd", operation="tensor_scatter_nd_add", devices=WITHOUT_XLA)
def scatter_nd_non_aliasing_add(tensor, indices, updates):
    return tf.raw_ops.ScatterNdNonAliasingAdd(input=tensor, indices=indices, updates=updates)


@api(
    "tf.raw_ops.ScatterNdNonAliasingAdd(bad_indices_policy='IGNORE')",
    operation="tensor_scatter_nd_add",
    exists=takes_policy(tf.raw_ops.ScatterNdNonAliasingAdd),
    devices=WITHOUT_XLA,
)
def scatter_nd_non_aliasing_add_ignore(tensor, indices, updates):
    return tf.raw_ops.ScatterNdNonAliasingAdd(
        input=tensor, indices=indices, updates=updates, bad_indices_policy="IGNORE"
    )


@api("tf.Variable.scatter_nd_add", operation="tensor_scatter_nd_add")
def variable_scatter_nd_add(tensor, indices, updates):
    return variable(tensor).scatter_nd_add(indices, updates)


@api("tf.scatter_nd", operation="scatter_nd", follows="tf.raw_ops.ScatterNd", documentation="tf.scatter_nd")
def scatter_nd(indices, updates, shape):
    return tf.scatter_nd(indices, updates, lengths(shape, indices))


@api("tf.scatter_nd(bad_indices_policy='ERROR')", operation="scatter_nd", exists=takes_policy(tf.scatter_nd))
def scatter_nd_error(indices, updates, shape):
    return tf.scatter_nd(indices, updates, lengths(shape, indices), bad_indices_policy="ERROR")


@api("tf.scatter_nd(bad_indices_policy='IGNORE')", operation="scatter_nd", exists=takes_policy(tf.scatter_nd))
def scatter_nd_ignore(indices, updates, shape):
    return tf.scatter_nd(indices, updates, lengths(shape, indices), bad_indices_policy="IGNORE")


@api("tf.raw_ops.ScatterNd", operation="scatter_nd")
def raw_scatter_nd(indices, updates, shape):
    return tf.raw_ops.ScatterNd(indices=indices, updates=updates, shape=lengths(shape, indices))


@api(
    "tf.raw_ops.ScatterNd(bad_indices_policy='IGNORE')",
    operation="scatter_nd",
    exists=takes_policy(tf.raw_ops.ScatterNd),
)
def raw_scatter_nd_ignore(indices, updates, shape):
    return tf.raw_ops.ScatterNd(
        indices=indices, updates=updates, shape=lengths(shape, indices), bad_indices_policy="IGNORE"
    )


@api("tf.gather_nd", operation="gather_nd")
def gather_nd(params, indices):
    return tf.gather_nd(params, indices)


@api("tf.gather_nd(bad_indices_policy='IGNORE')", operation="gather_nd", exists=takes_policy(tf.gather_nd))
def gather_nd_ignore(params, indices):
    return tf.gather_nd(params, indices, bad_indices_policy="IGNORE")


@api("tf.raw_ops.GatherNd", operation="gather_nd")
def raw_gather_nd(params, indices):
    return tf.raw_ops.GatherNd(params=params, indices=indices)


@api(
    "tf.raw_ops.GatherNd(bad_indices_policy='IGNORE')", operation="gather_nd", exists=takes_policy(tf.raw_ops.GatherNd)
)
def raw_gather_nd_ignore(params, indices):
    return tf.raw_ops.GatherNd(params=params, indices=indices, bad_indices_policy="IGNORE")


@api("tf.Variable.gather_nd", operation="gather_nd")
def variable_gather_nd(params, indices):
    return variable(params).gather_nd(indices)


@api("tf.gather_nd", operation="batched_gather_nd")
def batched_gather_nd(params, indices, batch_dims):
    return tf.gather_nd(params, indices, batch_dims=batch_dims)


@api("tf.experimental.numpy.take_along_axis", operation="gather_elements")
def take_along_axis(input, dim, index):
    return tf.experimental.numpy.take_along_axis(input, index, dim)


@api("tf.gather", operation="gather_elements")
def gather(input, dim, index):
    if dim not in (-1, len(input.shape) - 1):
        raise Unsupported("only along the last axis: batch_dims pairs the leading axes")
    return tf.gather(input, index, axis=dim, batch_dims=len(input.shape) - 1)


@api("tf.gather_nd", operation="gather_elements", helpers=GRID)
def gather_nd_elements(input, dim, index):
    return tf.gather_nd(input, full_indices(index, dim))


@api("tf.tensor_scatter_nd_update", operation="scatter_elements", helpers={**GRID, **SLICE})
def tensor_scatter_nd_update_elements(input, dim, index, src, reduce=None):
    only("reduce", reduce, None)
    only_a_tensor("src", src)
    updates = tf.slice(src, [0] * len(index.shape), index.shape)
    return tf.tensor_scatter_nd_update(input, full_indices(index, dim), updates)


@api("tf.tensor_scatter_nd_add", operation="scatter_elements", helpers={**GRID, **SLICE})
def tensor_scatter_nd_add_elements(input, dim, index, src, reduce=None):
    only_add(reduce, src)
    updates = tf.slice(src, [0] * len(index.shape), index.shape)
    return tf.tensor_scatter_nd_add(input, full_indices(index, dim), updates)


@api("tf.Variable.batch_scatter_update", operation="scatter_elements")
def variable_batch_scatter_update(input, dim, index, src, reduce=None):
    only("reduce", reduce, None)
    only_a_tensor("src", src)
    if dim not in (-1, len(input.shape) - 1):
        raise Unsupported("only along the last axis")
    return variable(input).batch_scatter_update(tf.IndexedSlices(src, index))


@api("tf.gather", operation="batched_index_select")
def batched_gather(input, dim, index, batch_dims):
    return tf.gather(input, index, axis=dim, batch_dims=batch_dims)


@api("tf.raw_ops.GatherV2", operation="batched_index_select")
def raw_batched_gather(input, dim, index, batch_dims):
    return tf.raw_ops.GatherV2(params=input, indices=index, axis=dim, batch_dims=batch_dims)


@api("tf.gather", operation="index_select")
def gather_slices(input, dim, index):
    return tf.gather(input, index, axis=dim)


@api("tf.Variable.sparse_read", operation="index_select")
def variable_sparse_read(input, dim, index):
    only("dim", dim, 0)
    return variable(input).sparse_read(index)


@api("tf.experimental.numpy.take", operation="index_select")
def take(input, dim, index):
    return tf.experimental.numpy.take(input, index, axis=dim)


@api("tf.tensor_scatter_nd_update", operation="index_copy", helpers=MOVEAXIS)
def tensor_scatter_nd_update_slices(input, dim, index, source):
    rows, updates = tf.experimental.numpy.moveaxis(input, dim, 0), tf.experimental.numpy.moveaxis(source, dim, 0)
    updated = tf.tensor_scatter_nd_update(rows, tf.expand_dims(index, -1), updates)
    return tf.experimental.numpy.moveaxis(updated, 0, dim)


# tf.raw_ops.InplaceUpdate only accepts int32 indices; index_copy documents int64.


@api("tf.Variable.scatter_update", operation="index_copy")
def variable_scatter_update(input, dim, index, source):
    return variable(input).scatter_update(slices(source, index, dim))


@api("tf.tensor_scatter_nd_add", operation="index_add", helpers=MOVEAXIS)
def tensor_scatter_nd_add_slices(input, dim, index, source, alpha=1):
    rows, updates = tf.experimental.numpy.moveaxis(input, dim, 0), tf.experimental.numpy.moveaxis(source, dim, 0)
    updates = updates if alpha == 1 else updates * tf.cast(alpha, updates.dtype)
    summed = tf.tensor_scatter_nd_add(rows, tf.expand_dims(index, -1), updates)
    return tf.experimental.numpy.moveaxis(summed, 0, dim)


@api("tf.raw_ops.InplaceAdd", operation="index_add", in_place="input", index_dtypes=("int32",), devices=WITHOUT_XLA)
def inplace_add(input, dim, index, source, alpha=1):
    only("dim", dim, 0)
    only("alpha", alpha, 1)
    return tf.raw_ops.InplaceAdd(x=input, i=index, v=source)


@api("tf.Variable.scatter_add", operation="index_add")
def variable_scatter_add(input, dim, index, source, alpha=1):
    only("alpha", alpha, 1)
    return variable(input).scatter_add(slices(source, index, dim))


@api("tf.Variable.scatter_sub", operation="index_add")
def variable_scatter_sub(input, dim, index, source, alpha=1):
    only("alpha", alpha, -1)
    return variable(input).scatter_sub(slices(source, index, dim))


@api("tf.Variable.scatter_mul", operation="index_reduce")
def variable_scatter_mul(input, dim, index, source, reduce, include_self=None):
    only("reduce", reduce, "prod")
    only("include_self", include_self, None)
    return variable(input).scatter_mul(slices(source, index, dim))


@api("tf.Variable.scatter_max", operation="index_reduce")
def variable_scatter_max(input, dim, index, source, reduce, include_self=None):
    only("reduce", reduce, "amax")
    only("include_self", include_self, None)
    return variable(input).scatter_max(slices(source, index, dim))


@api("tf.Variable.scatter_min", operation="index_reduce")
def variable_scatter_min(input, dim, index, source, reduce, include_self=None):
    only("reduce", reduce, "amin")
    only("include_self", include_self, None)
    return variable(input).scatter_min(slices(source, index, dim))


@api("tf.boolean_mask", operation="masked_select")
def boolean_mask(input, mask):
    return tf.boolean_mask(input, mask)


@api("tf.experimental.numpy.compress", operation="masked_select")
def compress(input, mask):
    if len(mask.shape) != 1:
        raise Unsupported("only a condition of one axis")
    return tf.experimental.numpy.compress(mask, input, axis=0)


@api("tf.where", operation="masked_fill")
def where(input, mask, value):
    of_elements(input, mask)
    return tf.where(mask, value, input)


@api("tf.where(tensors)", operation="masked_fill", follows="tf.where")
def where_tensors(input, mask, value):
    of_elements(input, mask)
    if not tf.is_tensor(value):
        if (input.dtype.is_integer or input.dtype.is_bool) and np.asarray(value).astype(
            input.dtype.as_numpy_dtype
        ) != value:
            raise Unsupported("no tensor of integers holds the number")
        value = tf.constant(value, input.dtype)
    return tf.where(condition=mask, x=value, y=input)


@api("tf.experimental.numpy.where", operation="masked_fill")
def numpy_where(input, mask, value):
    of_elements(input, mask)
    return tf.experimental.numpy.where(mask, value, input)


@api("tf.experimental.numpy.take", operation="take")
def take_flat(input, index):
    return tf.experimental.numpy.take(input, index)


@api("tf.math.unsorted_segment_sum", operation="unsorted_segment_reduce")
def unsorted_segment_sum(data, segment_ids, num_segments, reduce):
    only("reduce", reduce, "sum")
    return tf.math.unsorted_segment_sum(data, segment_ids, num_segments)


@api("tf.raw_ops.UnsortedSegmentSum", operation="unsorted_segment_reduce")
def raw_unsorted_segment_sum(data, segment_ids, num_segments, reduce):
    only("reduce", reduce, "sum")
    return tf.raw_ops.UnsortedSegmentSum(data=data, segment_ids=segment_ids, num_segments=num_segments)


@api("tf.math.unsorted_segment_prod", operation="unsorted_segment_reduce")
def unsorted_segment_prod(data, segment_ids, num_segments, reduce):
    only("reduce", reduce, "prod")
    return tf.math.unsorted_segment_prod(data, segment_ids, num_segments)


@api("tf.raw_ops.UnsortedSegmentProd", operation="unsorted_segment_reduce")
def raw_unsorted_segment_prod(data, segment_ids, num_segments, reduce):
    only("reduce", reduce, "prod")
    return tf.raw_ops.UnsortedSegmentProd(data=data, segment_ids=segment_ids, num_segments=num_segments)


@api("tf.math.unsorted_segment_max", operation="unsorted_segment_reduce")
def unsorted_segment_max(data, segment_ids, num_segments, reduce):
    only("reduce", reduce, "amax")
    return tf.math.unsorted_segment_max(data, segment_ids, num_segments)


@api("tf.raw_ops.UnsortedSegmentMax", operation="unsorted_segment_reduce")
def raw_unsorted_segment_max(data, segment_ids, num_segments, reduce):
    only("reduce", reduce, "amax")
    return tf.raw_ops.UnsortedSegmentMax(data=data, segment_ids=segment_ids, num_segments=num_segments)


@api("tf.math.unsorted_segment_min", operation="unsorted_segment_reduce")
def unsorted_segment_min(data, segment_ids, num_segments, reduce):
    only("reduce", reduce, "amin")
    return tf.math.unsorted_segment_min(data, segment_ids, num_segments)


@api("tf.raw_ops.UnsortedSegmentMin", operation="unsorted_segment_reduce")
def raw_unsorted_segment_min(data, segment_ids, num_segments, reduce):
    only("reduce", reduce, "amin")
    return tf.raw_ops.UnsortedSegmentMin(data=data, segment_ids=segment_ids, num_segments=num_segments)


@api("tf.math.unsorted_segment_mean", operation="unsorted_segment_reduce")
def unsorted_segment_mean(data, segment_ids, num_segments, reduce):
    only("reduce", reduce, "mean")
    return tf.math.unsorted_segment_mean(data, segment_ids, num_segments)


@api("tf.tensor_scatter_nd_sub", operation="tensor_scatter_nd_reduce")
def tensor_scatter_nd_sub(tensor, indices, updates, reduce):
    only("reduce", reduce, "sub")
    return tf.tensor_scatter_nd_sub(tensor, indices, updates)


@api(
    "tf.tensor_scatter_nd_sub(bad_indices_policy='IGNORE')",
    operation="tensor_scatter_nd_reduce",
    exists=takes_policy(tf.tensor_scatter_nd_sub),
)
def tensor_scatter_nd_sub_ignore(tensor, indices, updates, reduce):
    only("reduce", reduce, "sub")
    return tf.tensor_scatter_nd_sub(tensor, indices, updates, bad_indices_policy="IGNORE")


@api("tf.raw_ops.TensorScatterSub", operation="tensor_scatter_nd_reduce")
def raw_tensor_scatter_sub(tensor, indices, updates, reduce):
    only("reduce", reduce, "sub")
    return tf.raw_ops.TensorScatterSub(tensor=tensor, indices=indices, updates=updates)


@api(
    "tf.raw_ops.TensorScatterSub(bad_indices_policy='IGNORE')",
    operation="tensor_scatter_nd_reduce",
    exists=takes_policy(tf.raw_ops.TensorScatterSub),
)
def raw_tensor_scatter_sub_ignore(tensor, indices, updates, reduce):
    only("reduce", reduce, "sub")
    return tf.raw_ops.TensorScatterSub(tensor=tensor, indices=indices, updates=updates, bad_indices_policy="IGNORE")


@api("tf.tensor_scatter_nd_max", operation="tensor_scatter_nd_reduce")
def tensor_scatter_nd_max(tensor, indices, updates, reduce):
    only("reduce", reduce, "amax")
    return tf.tensor_scatter_nd_max(tensor, indices, updates)


@api(
    "tf.tensor_scatter_nd_max(bad_indices_policy='IGNORE')",
    operation="tensor_scatter_nd_reduce",
    exists=takes_policy(tf.tensor_scatter_nd_max),
)
def tensor_scatter_nd_max_ignore(tensor, indices, updates, reduce):
    only("reduce", reduce, "amax")
    return tf.tensor_scatter_nd_max(tensor, indices, updates, bad_indices_policy="IGNORE")


@api("tf.raw_ops.TensorScatterMax", operation="tensor_scatter_nd_reduce")
def raw_tensor_scatter_max(tensor, indices, updates, reduce):
    only("reduce", reduce, "amax")
    return tf.raw_ops.TensorScatterMax(tensor=tensor, indices=indices, updates=updates)


@api(
    "tf.raw_ops.TensorScatterMax(bad_indices_policy='IGNORE')",
    operation="tensor_scatter_nd_reduce",
    exists=takes_policy(tf.raw_ops.TensorScatterMax),
)
def raw_tensor_scatter_max_ignore(tensor, indices, updates, reduce):
    only("reduce", reduce, "amax")
    return tf.raw_ops.TensorScatterMax(tensor=tensor, indices=indices, updates=updates, bad_indices_policy="IGNORE")


@api("tf.tensor_scatter_nd_min", operation="tensor_scatter_nd_reduce")
def tensor_scatter_nd_min(tensor, indices, updates, reduce):
    only("reduce", reduce, "amin")
    return tf.tensor_scatter_nd_min(tensor, indices, updates)


@api(
    "tf.tensor_scatter_nd_min(bad_indices_policy='IGNORE')",
    operation="tensor_scatter_nd_reduce",
    exists=takes_policy(tf.tensor_scatter_nd_min),
)
def tensor_scatter_nd_min_ignore(tensor, indices, updates, reduce):
    only("reduce", reduce, "amin")
    return tf.tensor_scatter_nd_min(tensor, indices, updates, bad_indices_policy="IGNORE")


@api("tf.raw_ops.TensorScatterMin", operation="tensor_scatter_nd_reduce")
def raw_tensor_scatter_min(tensor, indices, updates, reduce):
    only("reduce", reduce, "amin")
    return tf.raw_ops.TensorScatterMin(tensor=tensor, indices=indices, updates=updates)


@api(
    "tf.raw_ops.TensorScatterMin(bad_indices_policy='IGNORE')",
    operation="tensor_scatter_nd_reduce",
    exists=takes_policy(tf.raw_ops.TensorScatterMin),
)
def raw_tensor_scatter_min_ignore(tensor, indices, updates, reduce):
    only("reduce", reduce, "amin")
    return tf.raw_ops.TensorScatterMin(tensor=tensor, indices=indices, updates=updates, bad_indices_policy="IGNORE")


@api("tf.Variable.scatter_nd_sub", operation="tensor_scatter_nd_reduce")
def variable_scatter_nd_sub(tensor, indices, updates, reduce):
    only("reduce", reduce, "sub")
    return variable(tensor).scatter_nd_sub(indices, updates)


@api("tf.math.segment_sum", operation="segment_reduce", devices=WITHOUT_XLA)
def segment_sum(data, segment_ids, reduce):
    only("reduce", reduce, "sum")
    return tf.math.segment_sum(data, segment_ids)


@api("tf.raw_ops.SegmentSum", operation="segment_reduce", devices=WITHOUT_XLA)
def raw_segment_sum(data, segment_ids, reduce):
    only("reduce", reduce, "sum")
    return tf.raw_ops.SegmentSum(data=data, segment_ids=segment_ids)


@api("tf.math.segment_mean", operation="segment_reduce", devices=WITHOUT_XLA)
def segment_mean(data, segment_ids, reduce):
    only("reduce", reduce, "mean")
    return tf.math.segment_mean(data, segment_ids)


@api("tf.raw_ops.SegmentMean", operation="segment_reduce", devices=WITHOUT_XLA)
def raw_segment_mean(data, segment_ids, reduce):
    only("reduce", reduce, "mean")
    return tf.raw_ops.SegmentMean(data=data, segment_ids=segment_ids)


@api("tf.math.segment_max", operation="segment_reduce", devices=WITHOUT_XLA)
def segment_max(data, segment_ids, reduce):
    only("reduce", reduce, "amax")
    return tf.math.segment_max(data, segment_ids)


@api("tf.raw_ops.SegmentMax", operation="segment_reduce", devices=WITHOUT_XLA)
def raw_segment_max(data, segment_ids, reduce):
    only("reduce", reduce, "amax")
    return tf.raw_ops.SegmentMax(data=data, segment_ids=segment_ids)


@api("tf.math.segment_min", operation="segment_reduce", devices=WITHOUT_XLA)
def segment_min(data, segment_ids, reduce):
    only("reduce", reduce, "amin")
    return tf.math.segment_min(data, segment_ids)


@api("tf.raw_ops.SegmentMin", operation="segment_reduce", devices=WITHOUT_XLA)
def raw_segment_min(data, segment_ids, reduce):
    only("reduce", reduce, "amin")
    return tf.raw_ops.SegmentMin(data=data, segment_ids=segment_ids)


@api("tf.math.segment_prod", operation="segment_reduce", devices=WITHOUT_XLA)
def segment_prod(data, segment_ids, reduce):
    only("reduce", reduce, "prod")
    return tf.math.segment_prod(data, segment_ids)


@api("tf.raw_ops.SegmentProd", operation="segment_reduce", devices=WITHOUT_XLA)
def raw_segment_prod(data, segment_ids, reduce):
    only("reduce", reduce, "prod")
    return tf.raw_ops.SegmentProd(data=data, segment_ids=segment_ids)


@api("tf.Tensor.__getitem__", operation="basic_index_get")
def getitem_basic(input, key, i=None, j=None):
    return input[key]


def strided(key: Any) -> dict[str, Any]:
    """A key as the arguments of a strided slice; Unsupported for True, False and tensors."""
    begin, end, strides = [], [], []
    masks = dict.fromkeys(("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask"), 0)
    for place, item in enumerate(key if isinstance(key, tuple) else (key,)):
        first, last, step = 0, 0, 1
        if isinstance(item, slice):
            first, last, step = item.start or 0, item.stop or 0, 1 if item.step is None else item.step
            masks["begin_mask"] |= (item.start is None) << place
            masks["end_mask"] |= (item.stop is None) << place
        elif item is None or item is ...:
            masks["new_axis_mask" if item is None else "ellipsis_mask"] |= 1 << place
        elif type(item) is int:
            first, last = item, item + 1
            masks["shrink_axis_mask"] |= 1 << place
        else:
            raise Unsupported("only slices, numbers, dots and None")
        begin.append(first)
        end.append(last)
        strides.append(step)
    return {"begin": begin, "end": end, "strides": strides, **masks}


@api("tf.strided_slice", operation="basic_index_get", index_dtypes=())
def strided_slice(input, key, i=None, j=None):
    return tf.strided_slice(input, **strided(key))


@api("tf.raw_ops.TensorStridedSliceUpdate", operation="basic_index_set", index_dtypes=())
def tensor_strided_slice_update(input, key, values, i=None, j=None):
    only_a_tensor("values", values)
    return tf.raw_ops.TensorStridedSliceUpdate(input=input, value=values, **strided(key))


@api("tf.slice", operation="dynamic_slice")
def slice_from(input, starts, sizes):
    return tf.slice(input, starts, sizes)


@api("tf.raw_ops.Slice", operation="dynamic_slice")
def raw_slice(input, starts, sizes):
    return tf.raw_ops.Slice(input=input, begin=starts, size=sizes)


@api("tf.raw_ops.ResourceGather", operation="typed_gather")
def resource_gather_typed(input, index, dtype):
    given = input.dtype if dtype == "its-own" else getattr(tf, dtype)
    return tf.raw_ops.ResourceGather(resource=variable(input).handle, indices=index, dtype=given)


@api("tf.raw_ops.ResourceGatherNd", operation="typed_gather", composed=True)
def resource_gather_nd_typed(input, index, dtype):
    given = input.dtype if dtype == "its-own" else getattr(tf, dtype)
    vectors = tf.expand_dims(index, -1)
    return tf.raw_ops.ResourceGatherNd(resource=variable(input).handle, indices=vectors, dtype=given)


def through_handle(operator, tensor, indices, updates):
    """The value of a variable after an operator that takes its handle."""
    holder = variable(tensor)
    operator(ref=holder.handle, indices=indices, updates=updates)
    return holder.value()


@api("tf.raw_ops.ResourceScatterNdUpdate", operation="tensor_scatter_nd_update")
def resource_scatter_nd_update(tensor, indices, updates):
    return through_handle(tf.raw_ops.ResourceScatterNdUpdate, tensor, indices, updates)


@api("tf.raw_ops.ResourceScatterNdAdd", operation="tensor_scatter_nd_add")
def resource_scatter_nd_add(tensor, indices, updates):
    return through_handle(tf.raw_ops.ResourceScatterNdAdd, tensor, indices, updates)


@api("tf.raw_ops.ResourceScatterNdSub", operation="tensor_scatter_nd_reduce")
def resource_scatter_nd_sub(tensor, indices, updates, reduce):
    only("reduce", reduce, "sub")
    return through_handle(tf.raw_ops.ResourceScatterNdSub, tensor, indices, updates)


@api("tf.raw_ops.ResourceScatterNdMax", operation="tensor_scatter_nd_reduce")
def resource_scatter_nd_max(tensor, indices, updates, reduce):
    only("reduce", reduce, "amax")
    return through_handle(tf.raw_ops.ResourceScatterNdMax, tensor, indices, updates)


@api("tf.raw_ops.ResourceScatterNdMin", operation="tensor_scatter_nd_reduce")
def resource_scatter_nd_min(tensor, indices, updates, reduce):
    only("reduce", reduce, "amin")
    return through_handle(tf.raw_ops.ResourceScatterNdMin, tensor, indices, updates)
