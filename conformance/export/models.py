"""Models and tensors as the files of ONNX's backend tests."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import ModelProto, ValueInfoProto, helper, numpy_helper

from conformance.export.operators import Node

Array = np.ndarray[Any, Any]
Lengths = Sequence[int | None]
"""None for an axis of any length."""


def model_of(node: Node, opset: int, name: str, text: str, lengths: Lengths | None) -> bytes:
    """A model of one node, whose inputs have the dtypes and shapes of the node's.

    lengths: those of the output's axes; None if it has no shape.
    """
    inputs = [_value(name, array) for name, array in zip(node.proto.input, node.inputs, strict=True)]
    [output] = node.proto.output
    schema = onnx.defs.get_schema(node.proto.op_type, opset)
    kinds = [value.type_str for value in schema.inputs]
    like = node.inputs[kinds.index(schema.outputs[0].type_str)]  # an input with the dtype of the output
    result = helper.make_tensor_value_info(output, _dtype(like), lengths)
    graph = helper.make_graph([node.proto], name, inputs, [result], doc_string=text)
    version = helper.make_opsetid("", opset)
    oldest = helper.find_min_ir_version_for([version])
    return _serialized(
        helper.make_model(graph, opset_imports=[version], ir_version=oldest, producer_name="conformance")
    )


def tensor_of(name: str, array: Array) -> bytes:
    """The content of ``input_0.pb`` and the like."""
    return _serialized(numpy_helper.from_array(array, name))


def array_in(file: Path) -> Array:
    """The array in an ``input_0.pb`` and the like."""
    array: Array = numpy_helper.to_array(onnx.load_tensor(str(file)))
    return array


def _value(name: str, array: Array) -> ValueInfoProto:
    return helper.make_tensor_value_info(name, _dtype(array), array.shape)


def _dtype(array: Array) -> int:
    return int(helper.np_dtype_to_tensor_dtype(array.dtype))


def _serialized(proto: ModelProto | Any) -> bytes:
    content: bytes = proto.SerializeToString(deterministic=True)
    return content
