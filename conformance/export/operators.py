"""Calls as nodes of ONNX's operators, by the mapping of the adapter of ONNX's reference evaluator, and what the schemas promise."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx
from onnx import helper

from conformance.adapter import Api
from conformance.cases.wire import to_wire
from conformance.data_folders import adapters_folder
from conformance.documentation.speaking import DocumentedApi, documents_of, hashes, spoken
from conformance.judging.standing import DescribedApi
from conformance.specification.applied import Applied
from conformance.specification.model import Document
from conformance.worker import adapters
from conformance.worker.adapters import Adapter
from conformance.worker.arguments import is_tensor
from conformance.worker.documentation import documentation
from conformance.worker.keys import keyed

_FRAMEWORK = "onnx"


@dataclass(frozen=True)
class Node:
    """One operator and the values of its inputs."""

    proto: onnx.NodeProto
    inputs: tuple[np.ndarray[Any, Any], ...]


@dataclass(frozen=True)
class Operator:
    """An operator of an opset that does the same as an operation."""

    opset: int
    described: DescribedApi
    """Its name, and the claims that its schema makes in this opset."""
    index_dtypes: tuple[str, ...]
    promised: Collection[str]
    """Dtypes that the adapter promises, in addition to the schema."""
    node: Callable[[Applied], Node]
    """A call as a node; ``Unsupported`` for a form that the operator lacks, any other error for what no node can hold."""


def opsets() -> list[int]:
    """The opsets in which one of the operators changed, oldest first."""
    return sorted(_load().namespace["OPSETS"].values())


def operators(opset: int, documents: Iterable[Document]) -> dict[str, Operator]:
    """The operators of an opset by operation. An operation that needs several operators has none."""
    adapter = _load()
    modes = {number: mode for mode, number in adapter.namespace["OPSETS"].items()}
    adapter.setup("cpu", modes[opset])
    _replace(adapter, "run", lambda operator, *inputs, **attributes: _node(opset, operator, inputs, attributes))
    described = _described(adapter, documents)
    return {
        api.operation: Operator(opset, described[api.name], api.index_dtypes, api.dtypes, _nodes(adapter, api))
        for api in adapter.apis
        if not api.composed
    }


def version_of(node: Node, opset: int) -> int:
    """The opset that introduced the version of the node's operator that an opset has."""
    return int(onnx.defs.get_schema(node.proto.op_type, opset).since_version)


def _load() -> Adapter:
    return adapters.load(str(adapters_folder() / _FRAMEWORK / "adapter.py"))


def _replace(adapter: Adapter, name: str, function: Callable[..., Any]) -> None:
    """Replace a function of the adapter, which its other functions call."""
    assert isinstance(adapter.namespace, dict)
    assert name in adapter.namespace
    adapter.namespace[name] = function


def _node(opset: int, operator: str, inputs: tuple[Any, ...], attributes: dict[str, Any]) -> Node:
    schema = onnx.defs.get_schema(operator, opset)
    names = [value.name for value in schema.inputs]
    return Node(helper.make_node(operator, names, [schema.outputs[0].name], **attributes), inputs)


def _nodes(adapter: Adapter, api: Api) -> Callable[[Applied], Node]:
    def node(call: Applied) -> Node:
        made, given = keyed(api, to_wire(call))
        arguments = {name: adapter.to_native(*value) if is_tensor(value) else value for name, value in given.items()}
        result = made.function(**arguments)
        assert isinstance(result, Node)
        return result

    return node


def _described(adapter: Adapter, documents: Iterable[Document]) -> dict[str, DescribedApi]:
    """By API, what the schemas of the opset say."""
    apis = {api.name: DocumentedApi(api.name, api.follows, api.documented_by()) for api in adapter.apis}
    entries = documentation(adapter.namespace, {name for api in apis.values() for name in api.documentation})
    texts = {name: hashes(entry["text"]) for name, entry in entries.items()}
    about = documents_of(documents, _FRAMEWORK, apis.values())
    said = {name: spoken(about, _FRAMEWORK, api, texts) for name, api in apis.items()}
    return {
        name: DescribedApi(_FRAMEWORK, onnx.__version__, name, api.follows, said[name].citations)
        for name, api in apis.items()
    }
