"""Models and tensors as the files of ONNX's backend tests."""

from __future__ import annotations

from typing import Any

import numpy as np
from onnx import ModelProto, ValueInfoProto, helper, numpy_helper

from conformance.export.operators import Node

Array = np.ndarray[Any, Any]


def model_of(node: Node, opset: int, name: str, text: str, expected: Array | None) -> bytes:
    """A model of one node whose inputs have the node's dtypes and shapes; without an expected result its output has no shape."""
    inputs = [_value(name, array) for name, array in zip(node.proto.input, node.inputs, strict=True)]
    [output] = node.proto.output
    dtype = helper.np_dtype_to_tensor_dtype(node.inputs[0].dtype)
    result = _value(output, expected) if expected is not None else helper.make_tensor_value_info(output, dtype, None)
    graph = helper.make_graph([node.proto], name, inputs, [result], doc_string=text)
    version = helper.make_opsetid("", opset)
    oldest = helper.find_min_ir_version_for([version])
    return _serialized(
        helper.make_model(graph, opset_imports=[version], ir_version=oldest, producer_name="conformance")
    )


def tensor_of(name: str, array: Array) -> bytes:
    """The content of ``input_0.pb`` and the like."""
    return _serialized(numpy_helper.from_array(array, name))


def _value(name: str, array: Array) -> ValueInfoProto:
    return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)


def _serialized(proto: ModelProto | Any) -> bytes:
    content: bytes = proto.SerializeToString(deterministic=True)
    return content
