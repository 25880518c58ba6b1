"""ONNX's own test vectors of its operators agree with the suite's reference, to which cases are compared."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import onnx
import pytest
from onnx.backend.test.case import node
from onnx.backend.test.case.test_case import TestCase

from conformance.data_folders import adapters_folder
from conformance.worker import adapters

Array = np.ndarray[Any, Any]
OPERATIONS = {
    "Gather": "index_select",
    "GatherElements": "gather_elements",
    "GatherND": "gather_nd",
    "ScatterElements": "scatter_elements",
}
REDUCTIONS = {"none": None, "add": "add", "mul": "multiply", "max": "amax", "min": "amin"}
REFERENCE = {api.operation: api.function for api in adapters.load(str(adapters_folder() / "reference/adapter.py")).apis}


@pytest.fixture(scope="module")
def vectors() -> dict[str, list[TestCase]]:
    """By operator, the tests of models of one node; they can be collected once.

    They are made when their modules are imported: those of these operators, 4 of nearly 200.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(node, "import_recursive", lambda package: None)
        for name in OPERATIONS:
            importlib.import_module(f"{node.__name__}.{name.lower()}")
        collected = node.collect_testcases()
    single = [test for test in collected if test.model is not None and len(test.model.graph.node) == 1]
    return {name: [test for test in single if test.model.graph.node[0].op_type == name] for name in OPERATIONS}


@pytest.mark.parametrize("operator", OPERATIONS)
def test_the_vectors_of_onnx_are_what_the_reference_returns(operator: str, vectors: dict[str, list[TestCase]]) -> None:
    compared = 0
    for test in vectors[operator]:
        [only] = test.model.graph.node
        attributes = {one.name: onnx.helper.get_attribute_value(one) for one in only.attribute}
        operation = "batched_gather_nd" if "batch_dims" in attributes else OPERATIONS[operator]
        for inputs, [expected] in test.data_sets:
            returned = REFERENCE[operation](**_arguments(operator, inputs, attributes))
            assert (returned.dtype, returned.shape) == (expected.dtype, expected.shape), test.name
            np.testing.assert_array_equal(returned, expected, err_msg=test.name)
            compared += 1
    assert compared >= 2, operator


def _arguments(operator: str, inputs: list[Array], attributes: dict[str, Any]) -> dict[str, Any]:
    data, indices, *updates = inputs
    if operator == "GatherND":
        batch = {"batch_dims": attributes["batch_dims"]} if "batch_dims" in attributes else {}
        return {"params": data, "indices": indices, **batch}
    dim = attributes.get("axis", 0)
    # Counted from the start: that an index below zero counts from the end is a claim of ONNX, and not what the reference does.
    arguments = {"input": data, "dim": dim, "index": np.where(indices < 0, indices + data.shape[dim], indices)}
    if updates:
        reduction = attributes.get("reduction", b"none").decode()
        return {**arguments, "src": updates[0], "reduce": REDUCTIONS[reduction]}
    return arguments
