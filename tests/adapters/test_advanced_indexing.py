"""The reference, which reads and writes by a key in loops, compared with NumPy's own brackets, which NumPy's adapter uses."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from random import Random
from typing import Any

import numpy as np
import pytest

from conformance.adapter import Api
from conformance.cases.draws.choices import Recorder, Rejected
from conformance.cases.draws.drawing import draw
from conformance.data_folders import adapters_folder
from conformance.specification.indices.keys import key_of
from conformance.specification.literals import Tensor
from conformance.specification.loader import load_specs
from conformance.worker import adapters
from conformance.worker.keys import Key, keyed

COUNT = 300


def _functions(adapter: str) -> dict[str, Callable[..., Any]]:
    apis = adapters.load(str(adapters_folder() / adapter / "adapter.py")).apis
    found = [api for api in apis if api.operation.startswith("advanced_index")]
    return {f"{api.operation} {api.name}": partial(_called, api) for api in found}


def _called(api: Api, **arguments: Any) -> Any:
    """What an API returns for a key in its written form."""
    key = key_of(arguments["key"])
    made, given = keyed(api, {**arguments, "key": Key(key.items, key.is_alone)})
    return made.function(**given)


def _function(adapter: str, operation: str, reduce: object = None) -> Callable[..., Any]:
    return next(
        function
        for name, function in _functions(adapter).items()
        if name.startswith(operation) and name.endswith("add.at") == (reduce == "add" and adapter == "numpy")
    )


def _drawn(operation: str) -> list[dict[str, Any]]:
    generator = Random(operation)
    calls: list[dict[str, Any]] = []
    while len(calls) < COUNT:
        try:
            call = draw(Recorder(generator), load_specs().operations[operation], None).call
        except Rejected:
            continue
        calls.append(
            {name: value.array if isinstance(value, Tensor) else value for name, value in call.arguments.items()}
        )
    return calls


@pytest.mark.parametrize("operation", ["advanced_index_get", "advanced_index_set"])
def test_the_reference_does_what_the_brackets_of_numpy_do_in_drawn_calls_of_every_key(operation: str) -> None:
    calls = _drawn(operation)
    assert {call["key"] for call in calls} == {*load_specs().operations[operation].arguments["key"].choices}
    for call in calls:
        expected = _function("numpy", operation, call.get("reduce"))(**{**call, "input": call["input"].copy()})
        actual = _function("reference", operation)(**call)
        assert actual.dtype == expected.dtype
        assert actual.tolist() == expected.tolist(), call


def test_draws_have_indices_that_are_broadcast_numbers_as_values_and_values_of_the_shape_that_the_key_reads() -> None:
    read, written = _drawn("advanced_index_get"), _drawn("advanced_index_set")
    assert any(call["i"].ndim < call["j"].ndim for call in read)
    tensors = [call for call in written if isinstance(call["values"], np.ndarray)]
    assert 0 < len(tensors) < len(written)
    for call in tensors:
        shape = key_of(call["key"]).shape(call["input"].shape, call["i"].shape, call["j"].shape)
        assert call["values"].shape == shape


@pytest.mark.parametrize("key", ["i, -9:2, j", "i, 9:, j", "i, ::-1, j", "-1, :, i, j", "i, j, None", "0, None, i, j"])
def test_the_reference_knows_keys_that_no_draw_has(key: str) -> None:
    data, i, j = np.arange(120).reshape(2, 3, 4, 5), np.array([1, 0]), np.array([[1], [0]])
    call = {"input": data, "i": i, "j": j, "key": key}
    expected = data[key_of(key).native({"i": i, "j": j})]
    assert _function("reference", "advanced_index_get")(**call).tolist() == expected.tolist()


TRUE_OF_TWO = np.array([[False, True, False], [True, False, True]])


@pytest.mark.parametrize(
    ("key", "shape", "i", "j"),
    [
        ("i, j", (3, 4, 2), [True, False, True], [3, 0]),
        ("j, i", (4, 3, 2), [True, False, True], [3]),
        ("i, :, j", (3, 2, 4), [True, False, True], [[3], [0]]),
        ("i, None, j", (2, 4), [False, False], [3]),
        ("i, j", (2, 3, 4), TRUE_OF_TWO, [3, 0, 1]),
        (":, i, None, j", (2, 2, 3, 4), TRUE_OF_TWO, [3, 0, 1]),
        ("j, ..., i", (4, 2, 3), TRUE_OF_TWO, [3]),
        ("i, :, j", (3, 2, 4), [True, False, True], [False, True, False, True]),
    ],
)
def test_the_reference_takes_a_mask_as_the_indices_of_its_true_elements(
    key: str, shape: tuple[int, ...], i: Any, j: Any
) -> None:
    data = np.arange(np.prod(shape)).reshape(shape)
    call = {"input": data, "i": np.array(i), "j": np.array(j), "key": key}
    read = _function("numpy", "advanced_index_get")(**call)
    assert _function("reference", "advanced_index_get")(**call).tolist() == read.tolist()
    values = -1 - np.arange(read.size).reshape(read.shape)
    written = _function("numpy", "advanced_index_set")(**{**call, "input": data.copy()}, values=values)
    assert _function("reference", "advanced_index_set")(**call, values=values).tolist() == written.tolist()


@pytest.mark.parametrize("mask", [[True], [True, True, False], [[True, False, True]]])
def test_a_mask_of_another_shape_is_an_error_of_the_reference(mask: Any) -> None:
    with pytest.raises(IndexError, match="mask"):
        _function("reference", "advanced_index_get")(
            input=np.zeros((2, 3, 4)), i=np.array(mask), j=np.array([0]), key="i, j"
        )


def test_values_that_cannot_be_broadcast_are_an_error_of_the_reference() -> None:
    call = {"input": np.zeros((2, 3, 4)), "i": np.array([1, 0]), "j": np.array([3, 2]), "key": "i, :, j"}
    for shape in ((3, 2), (2,), (1, 2, 3), (4, 3)):
        with pytest.raises(ValueError, match="values"):
            _function("reference", "advanced_index_set")(**call, values=np.zeros(shape))
