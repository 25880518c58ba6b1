"""ONNX Runtime: each API is a model of one operator, in the opset or on the execution provider that the mode names."""

from __future__ import annotations

import ctypes
import functools
import math
import os
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper
from onnxruntime import OrtValue
from onnxruntime.capi import onnxruntime_pybind11_state as registry

from conformance.adapter import NotExported, Unsupported, api
from conformance.worker.forms import cut, only_a_tensor

OPERATORS = ("Compress", "Gather", "GatherElements", "GatherND", "ScatterElements", "ScatterND", "Slice", "Where")
OPSETS = {"opset18": 18, "opset16": 16, "opset13": 13, "opset12": 12, "opset11": 11}
REDUCTIONS = {"add": "add", "multiply": "mul", "amax": "max", "amin": "min"}
"""ONNX's names of reductions."""
REDUCTIONS_SINCE = {"add": 16, "multiply": 16, "amax": 18, "amin": 18}
"""The opsets that introduced them."""
INDEX_DTYPES = ("int64",)
INTS = ("int64", "int32")
MOST = 2**63 - 1
"""The largest int64."""
CPU = "CPUExecutionProvider"
PROVIDERS = {"openvino": "OpenVINOExecutionProvider"}
"""The execution providers of modes besides that of the CPU; their models are of opset 18."""
DOMAINS = {"": "onnxruntime", "com.microsoft": "onnxruntime.com.microsoft"}
"""What the names of the operators of a domain begin with."""
selected = SimpleNamespace(opset=18, provider=CPU)


def describe() -> dict[str, Any]:
    return {"framework": "onnxruntime", "version": onnxruntime.__version__, "immutable": True, "dtypes": [*BITS]}


def variants() -> dict[str, None]:
    """The operators of ONNX and of Microsoft for which ONNX Runtime has a kernel of the CPU, and their attributes."""
    kernels = {(each.domain, each.op_name) for each in registry.get_all_opkernel_def() if each.provider == CPU}
    names = {}
    for schema in registry.get_all_operator_schema():
        if schema.domain in DOMAINS and (schema.domain, schema.name) in kernels:
            name = f"{DOMAINS[schema.domain]}.{schema.name}"
            names.update(dict.fromkeys([name, *(f"{name}({attribute}=)" for attribute in schema.attributes)]))
    return names


def setup(device: str, mode: str) -> None:
    if device != "cpu":
        raise ValueError(f"device {device!r} is not supported by this adapter; available: cpu")
    present = {
        name: provider for name, provider in PROVIDERS.items() if provider in onnxruntime.get_available_providers()
    }
    if mode not in {**OPSETS, **present}:
        raise ValueError(f"mode {mode!r} is not supported here; available: {', '.join([*OPSETS, *present])}")
    selected.opset, selected.provider = OPSETS.get(mode, 18), PROVIDERS.get(mode, CPU)
    onnxruntime.set_default_logger_severity(4)  # errors are raised as well
    for operator in OPERATORS:
        setattr(Schemas, schema_name(operator), Schema(operator))


class Schema:
    """An operator of ONNX, whose documentation is the text of its schema."""

    def __init__(self, operator: str) -> None:
        schema = onnx.defs.get_schema(operator, selected.opset)
        self.__doc__ = "\n".join([
            schema.doc,
            "Inputs:",
            *(entry(value.name, value.type_str, value.description) for value in schema.inputs),
            "Attributes:",
            *(entry(value.name, default(value), value.description) for value in schema.attributes.values()),
            "Outputs:",
            *(entry(value.name, value.type_str, value.description) for value in schema.outputs),
            "Type constraints:",
            *(entry(one.type_param_str, ", ".join(sorted(one.allowed_type_strs)), one.description)
              for one in schema.type_constraints),
        ])  # fmt: skip


class Schemas:
    """The schemas of the opset, set when it is known."""


def schema_name(operator: str) -> str:
    """Such as GatherND_12 for opset 12, which introduced this schema of GatherND."""
    return f"{operator}_{onnx.defs.get_schema(operator, selected.opset).since_version}"


def schema_of(operator: str) -> Callable[[], str]:
    return lambda: f"Schemas.{schema_name(operator)}"


def entry(name: str, about: str, description: str) -> str:
    return f"    {name} ({about}): {' '.join(description.split())}"


def default(attribute: Any) -> str:
    value = helper.get_attribute_value(attribute.default_value)
    return f"default: {value.decode() if isinstance(value, bytes) else value}"


BITS = {
    name: (getattr(TensorProto, element_type), bits)
    for name, element_type, bits in (
        ("bfloat16", "BFLOAT16", ctypes.c_uint16),
        ("float8_e4m3fn", "FLOAT8E4M3FN", ctypes.c_uint8),
        ("float8_e5m2", "FLOAT8E5M2", ctypes.c_uint8),
    )
    if hasattr(TensorProto, element_type)
}
"""The dtypes that NumPy lacks, with their types in ONNX and those of their bits."""


def to_native(array: np.ndarray, dtype: str) -> OrtValue:
    compact = np.ascontiguousarray(array).reshape(array.shape)  # whose memory the value shares
    if dtype in BITS:
        return OrtValue.ortvalue_from_numpy_with_onnx_type(compact, BITS[dtype][0])
    return OrtValue.ortvalue_from_numpy(compact)


def address(value: OrtValue) -> int:
    return value.data_ptr()


def to_numpy(value: OrtValue) -> Any:
    for name, (element_type, bits) in BITS.items():
        if value.element_type() == element_type:
            memory = (bits * math.prod(value.shape())).from_address(value.data_ptr())
            return np.array(memory, bits).reshape(value.shape()), name
    return value.numpy()


def zeros(shape: tuple[int, ...], like: OrtValue) -> OrtValue:
    for name, (element_type, bits) in BITS.items():
        if like.element_type() == element_type:
            return to_native(np.zeros(shape, bits), name)
    dtype = helper.tensor_dtype_to_np_dtype(like.element_type())
    return to_native(np.zeros(shape, dtype), dtype.name)


class Initializer(OrtValue):
    """A tensor that is an initializer of the model, as exporters write constants."""

    def __init__(self, value: OrtValue) -> None:
        super().__init__(value._ortvalue)
        self.owner = value  # it borrows the memory of an array, which it keeps alive


def prepare(function: Any, mode: str) -> Any:
    constants = {name: Initializer(value) for name, value in function.keywords.items() if isinstance(value, OrtValue)}
    return functools.partial(function, **constants) if constants else function


@functools.lru_cache(maxsize=None)
def session(operator: str, inputs: tuple[tuple[int, int], ...], attributes: tuple[tuple[str, Any], ...]) -> Any:
    """A model of one operator, for inputs of these types and ranks and of any shape."""
    return with_initializers(operator, inputs, attributes, {})


def with_initializers(
    operator: str,
    inputs: tuple[tuple[int, int], ...],
    attributes: tuple[tuple[str, Any], ...],
    initializers: dict[str, OrtValue],
) -> Any:
    """The same, with the values of some inputs in the model."""
    names = [f"x{number}" for number in range(len(inputs))]
    constants = [
        helper.make_tensor(name, value.element_type(), value.shape(), content(value), raw=True)
        for name, value in initializers.items()
    ]
    values = [helper.make_tensor_value_info(name, kind, [None] * rank)
              for name, (kind, rank) in zip(names, inputs) if name not in initializers]  # fmt: skip  # noqa: B905
    node = helper.make_node(operator, names, ["y"], **dict(attributes))
    schema = onnx.defs.get_schema(operator, selected.opset)
    data = [one.type_str for one in schema.inputs].index(schema.outputs[0].type_str)  # the first of its dtype
    result = helper.make_tensor_value_info("y", inputs[data][0], None)
    graph = helper.make_graph([node], operator, values, [result], constants)
    version = helper.make_opsetid("", selected.opset)
    model = helper.make_model(graph, opset_imports=[version], ir_version=helper.find_min_ir_version_for([version]))
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = int(os.environ.get("OMP_NUM_THREADS", "0"))
    if selected.provider == CPU:
        return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=[CPU])
    options.add_session_config_entry("session.record_ep_graph_assignment_info", "1")
    created = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=[selected.provider])
    given = {subgraph.ep_name for subgraph in created.get_provider_graph_assignment_info()}
    if given != {selected.provider}:
        where = " and ".join(sorted(given - {selected.provider})) or "ONNX Runtime itself, when the model was loaded"
        raise NotExported(f"{selected.provider} left {operator} to {where}")
    return created


def run(operator: str, *inputs: OrtValue, **attributes: Any) -> OrtValue:
    kinds = tuple((value.element_type(), len(value.shape())) for value in inputs)
    feeds = {f"x{number}": value for number, value in enumerate(inputs)}
    constants = {name: value for name, value in feeds.items() if isinstance(value, Initializer)}
    settings = operator, kinds, tuple(attributes.items())
    model = with_initializers(*settings, constants) if constants else session(*settings)
    (result,) = model.run_with_ort_values(["y"], {name: feeds[name] for name in feeds.keys() - constants.keys()})
    return result


def content(value: OrtValue) -> bytes:
    """The bytes of a tensor."""
    array, _ = to_numpy(value) if value.element_type() == TensorProto.BFLOAT16 else (value.numpy(), None)
    return bytes(array.tobytes())


def reduction(reduce: str | None) -> dict[str, str]:
    """The attribute for a reduction, which opsets before 16 do not have."""
    if reduce is None:
        return {}
    if selected.opset < REDUCTIONS_SINCE.get(reduce, 99):
        raise Unsupported(f"no reduction {reduce!r} in opset {selected.opset}")
    return {"reduction": REDUCTIONS[reduce]}


@api("onnxruntime.Compress", operation="masked_select", follows="onnx.Compress", documentation=schema_of("Compress"))
def compress(input, mask):
    if len(mask.shape()) != 1:
        raise Unsupported("only a condition of one axis")
    return run("Compress", input, mask, axis=0)


def constant(value, like):
    """A number as the tensor without axes that a model has instead, of the same dtype."""
    if like.element_type() == TensorProto.BFLOAT16:
        bits = np.asarray(value, np.float32).view(np.uint32)
        if bits & 0xFFFF:
            raise Unsupported("operators take no numbers, and bfloat16 does not hold this one")
        return to_native((bits >> 16).astype(np.uint16), "bfloat16")
    dtype = helper.tensor_dtype_to_np_dtype(like.element_type())
    made = np.asarray(value).astype(dtype)
    if dtype.kind in "biu" and made != value:
        raise Unsupported("operators take no numbers, and the dtype of the tensor does not hold this one")
    return to_native(made, dtype.name)


@api("onnxruntime.Where", operation="masked_fill", follows="onnx.Where", documentation=schema_of("Where"))
def where(input, mask, value):
    lengths = tuple(mask.shape()), tuple(input.shape())
    if len(lengths[0]) < len(lengths[1]) and lengths[0] == lengths[1][: len(lengths[0])]:
        raise Unsupported("no slices: a mask of fewer axes is one of the last axes")
    return run("Where", mask, value if isinstance(value, OrtValue) else constant(value, input), input)


@api(
    "onnxruntime.Gather",
    operation="index_select",
    follows="onnx.Gather",
    documentation=schema_of("Gather"),
    index_dtypes=INTS,
)
def gather(input, dim, index):
    return run("Gather", input, index, axis=dim)


@api(
    "onnxruntime.GatherElements",
    operation="gather_elements",
    follows="onnx.GatherElements",
    documentation=schema_of("GatherElements"),
    index_dtypes=INTS,
)
def gather_elements(input, dim, index):
    return run("GatherElements", input, index, axis=dim)


@api("onnxruntime.GatherND", operation="gather_nd", follows="onnx.GatherND", documentation=schema_of("GatherND"))
def gather_nd(params, indices):
    return run("GatherND", params, indices)


@api(
    "onnxruntime.GatherND", operation="batched_gather_nd", follows="onnx.GatherND", documentation=schema_of("GatherND")
)
def batched_gather_nd(params, indices, batch_dims):
    if selected.opset < 12:
        raise Unsupported(f"no batch_dims in opset {selected.opset}")
    return run("GatherND", params, indices, batch_dims=batch_dims)


@api(
    "onnxruntime.ScatterElements",
    operation="scatter_elements",
    follows="onnx.ScatterElements",
    documentation=schema_of("ScatterElements"),
    index_dtypes=INTS,
)
def scatter_elements(input, dim, index, src, reduce=None):
    only_a_tensor("src", src)
    return run("ScatterElements", input, index, src, axis=dim, **reduction(reduce))


@api(
    "onnxruntime.ScatterND",
    operation="tensor_scatter_nd_update",
    follows="onnx.ScatterND",
    documentation=schema_of("ScatterND"),
)
def scatter_nd_update(tensor, indices, updates):
    return run("ScatterND", tensor, indices, updates)


@api(
    "onnxruntime.ScatterND",
    operation="tensor_scatter_nd_add",
    follows="onnx.ScatterND",
    documentation=schema_of("ScatterND"),
)
def scatter_nd_add(tensor, indices, updates):
    return run("ScatterND", tensor, indices, updates, **reduction("add"))


@api(
    "onnxruntime.ScatterND",
    operation="tensor_scatter_nd_reduce",
    follows="onnx.ScatterND",
    documentation=schema_of("ScatterND"),
)
def scatter_nd_reduce(tensor, indices, updates, reduce):
    return run("ScatterND", tensor, indices, updates, **reduction("multiply" if reduce == "prod" else reduce))


@api(
    "onnxruntime.ScatterND",
    operation="scatter_nd",
    helpers={"shape": "numpy.zeros"},
    follows="onnx.ScatterND",
    documentation=schema_of("ScatterND"),
)
def scatter_nd_add_to_zeros(indices, updates, shape):
    return run("ScatterND", zeros(shape, updates), indices, updates, **reduction("add"))


@api("onnxruntime.Slice", operation="basic_index_get", documentation=schema_of("Slice"), index_dtypes=())
def slice_by_key(input, key, i=None, j=None):
    parts = cut(key, len(input.shape()), MOST)
    axes, starts, ends, steps = (to_native(np.array(each, np.int64), "int64") for each in parts)
    return run("Slice", input, starts, ends, axes, steps)
