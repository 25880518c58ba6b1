"""ONNX's reference evaluator: each API is a model of one operator, in the opset that the mode names."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import ml_dtypes
import numpy as np
import onnx
from onnx import helper
from onnx.reference import ReferenceEvaluator

from conformance.adapter import Unsupported, api
from conformance.worker.forms import cut, of_elements, only_a_tensor

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
selected = SimpleNamespace(opset=18)


def describe() -> dict[str, Any]:
    return {"framework": "onnx", "version": onnx.__version__}


def variants() -> dict[str, None]:
    """The operators of ONNX's newest opset, and their attributes."""
    schemas = [schema for schema in onnx.defs.get_all_schemas() if not schema.domain]
    forms = [f"onnx.{schema.name}({attribute}=)" for schema in schemas for attribute in schema.attributes]
    return dict.fromkeys([f"onnx.{schema.name}" for schema in schemas] + forms)


def setup(device: str, mode: str) -> None:
    if device != "cpu":
        raise ValueError(f"device {device!r} is not supported by this adapter; available: cpu")
    if mode not in OPSETS:
        raise ValueError(f"mode {mode!r} is not supported by this adapter; available: {', '.join(OPSETS)}")
    selected.opset = OPSETS[mode]
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


def to_native(array: np.ndarray, dtype: str) -> np.ndarray:
    if dtype != "bfloat16":
        return array
    helper.np_dtype_to_tensor_dtype(np.dtype(ml_dtypes.bfloat16))  # raises before ONNX 1.19, which has no such arrays
    return array.view(ml_dtypes.bfloat16)


def to_numpy(value: np.ndarray) -> Any:
    return (value.view(np.uint16), "bfloat16") if value.dtype == ml_dtypes.bfloat16 else value


@functools.lru_cache(maxsize=None)
def evaluator(operator: str, inputs: tuple[tuple[int, int], ...], attributes: tuple[tuple[str, Any], ...]) -> Any:
    """A model of one operator, for inputs of these types and ranks and of any shape."""
    names = [f"x{number}" for number in range(len(inputs))]
    values = [helper.make_tensor_value_info(name, kind, [None] * rank) for name, (kind, rank) in zip(names, inputs)]  # noqa: B905 # not in Python 3.9
    node = helper.make_node(operator, names, ["y"], **dict(attributes))
    schema = onnx.defs.get_schema(operator, selected.opset)
    data = [one.type_str for one in schema.inputs].index(schema.outputs[0].type_str)  # the first of its dtype
    result = helper.make_tensor_value_info("y", inputs[data][0], None)
    graph = helper.make_graph([node], operator, values, [result])
    return ReferenceEvaluator(helper.make_model(graph, opset_imports=[helper.make_opsetid("", selected.opset)]))


def run(operator: str, *inputs: np.ndarray, **attributes: Any) -> Any:
    # `conformance export onnx` replaces this function, through which all APIs here call an operator.
    kinds = tuple((helper.np_dtype_to_tensor_dtype(value.dtype), value.ndim) for value in inputs)
    feeds = {f"x{number}": value for number, value in enumerate(inputs)}
    (result,) = evaluator(operator, kinds, tuple(attributes.items())).run(None, feeds)
    return result


def reduction(reduce: str | None) -> dict[str, str]:
    """The attribute for a reduction, which opsets before 16 do not have."""
    if reduce is None:
        return {}
    if selected.opset < REDUCTIONS_SINCE.get(reduce, 99):
        raise Unsupported(f"no reduction {reduce!r} in opset {selected.opset}")
    return {"reduction": REDUCTIONS[reduce]}


@api("onnx.Compress", operation="masked_select", documentation=schema_of("Compress"))
def compress(input, mask):
    if mask.ndim != 1:
        raise Unsupported("only a condition of one axis")
    return run("Compress", input, mask, axis=0)


def constant(value, like):
    """A number as the tensor without axes that a model has instead, of the same dtype."""
    made = np.asarray(value).astype(like.dtype)
    if like.dtype.kind in "biu" and made != value:
        raise Unsupported("operators take no numbers, and the dtype of the tensor does not hold this one")
    return made


@api("onnx.Where", operation="masked_fill", documentation=schema_of("Where"))
def where(input, mask, value):
    of_elements(input, mask)
    return run("Where", mask, value if isinstance(value, np.ndarray) else constant(value, input), input)


@api("onnx.Gather", operation="index_select", documentation=schema_of("Gather"), index_dtypes=INTS)
def gather(input, dim, index):
    return run("Gather", input, index, axis=dim)


@api(
    "onnx.GatherElements",
    operation="gather_elements",
    documentation=schema_of("GatherElements"),
    index_dtypes=INTS,
)
def gather_elements(input, dim, index):
    return run("GatherElements", input, index, axis=dim)


@api("onnx.GatherND", operation="gather_nd", documentation=schema_of("GatherND"))
def gather_nd(params, indices):
    return run("GatherND", params, indices)


@api("onnx.GatherND", operation="batched_gather_nd", documentation=schema_of("GatherND"))
def batched_gather_nd(params, indices, batch_dims):
    if selected.opset < 12:
        raise Unsupported(f"no batch_dims in opset {selected.opset}")
    return run("GatherND", params, indices, batch_dims=batch_dims)


@api(
    "onnx.ScatterElements",
    operation="scatter_elements",
    documentation=schema_of("ScatterElements"),
    index_dtypes=INTS,
)
def scatter_elements(input, dim, index, src, reduce=None):
    only_a_tensor("src", src)
    return run("ScatterElements", input, index, src, axis=dim, **reduction(reduce))


@api("onnx.ScatterND", operation="tensor_scatter_nd_update", documentation=schema_of("ScatterND"))
def scatter_nd_update(tensor, indices, updates):
    return run("ScatterND", tensor, indices, updates)


@api("onnx.ScatterND", operation="tensor_scatter_nd_add", documentation=schema_of("ScatterND"))
def scatter_nd_add(tensor, indices, updates):
    return run("ScatterND", tensor, indices, updates, **reduction("add"))


@api("onnx.ScatterND", operation="tensor_scatter_nd_reduce", documentation=schema_of("ScatterND"))
def scatter_nd_reduce(tensor, indices, updates, reduce):
    return run("ScatterND", tensor, indices, updates, **reduction("multiply" if reduce == "prod" else reduce))


@api("onnx.ScatterND", operation="scatter_nd", helpers={"shape": "numpy.zeros"}, documentation=schema_of("ScatterND"))
def scatter_nd_add_to_zeros(indices, updates, shape):
    return run("ScatterND", np.zeros(shape, updates.dtype), indices, updates, **reduction("add"))


@api("onnx.Slice", operation="basic_index_get", documentation=schema_of("Slice"), index_dtypes=())
def slice_by_key(input, key, i=None, j=None):
    axes, starts, ends, steps = (np.array(each, np.int64) for each in cut(key, input.ndim, MOST))
    return run("Slice", input, starts, ends, axes, steps)
