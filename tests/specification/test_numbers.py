from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from conformance.specification.dtypes import NAMES, numpy_dtype
from conformance.specification.numbers import elements

SPECIAL: dict[str, list[Any]] = {
    "int64": [2**63 - 1, -(2**63), 2**53 + 1, 0],
    "uint64": [2**64 - 1, 1],
    "float64": [np.nan, np.inf, -np.inf, -0.0, 1e-310, 0.1],
    "float32": [np.nan, 3.2, -0.0, 1e-45],
    "float16": [65504, 0.1],
    "bfloat16": [3.140625, np.inf, np.nan],
    "complex64": [1 + 2j, complex(np.nan, -np.inf)],
    "complex128": [-0.0 - 1j],
    "bool": [True, False],
}


@pytest.mark.parametrize("dtype", NAMES)
def test_elements_survive_json_and_back_to_the_last_bit(dtype: str) -> None:
    array = np.array(SPECIAL.get(dtype, [0, 1, 2]), numpy_dtype(dtype))
    text = json.dumps(elements(array), allow_nan=False)
    back = from_elements(dtype, list(array.shape), json.loads(text))
    assert back.dtype == array.dtype
    assert np.array_equal(np.isnan(back), np.isnan(array))
    assert back[~np.isnan(back)].tobytes() == array[~np.isnan(array)].tobytes()


def test_integers_that_a_double_cannot_hold_are_strings() -> None:
    assert elements(np.array([2**53, 2**53 + 1])) == [2**53, str(2**53 + 1)]


def test_floats_are_the_shortest_decimals_of_their_dtype() -> None:
    assert elements(np.array([[3.2], [1.1]], np.float32)) == [[3.2], [1.1]]


@pytest.mark.parametrize("shape", [(), (0,), (2, 0), (1, 2, 3)])
def test_every_shape_survives(shape: tuple[int, ...]) -> None:
    array = np.arange(np.prod(shape, dtype=int)).reshape(shape)
    back = from_elements("int64", list(shape), elements(array))
    assert back.shape == shape
    assert np.array_equal(back, array)


def from_elements(dtype: str, shape: list[int], values: Any) -> np.ndarray[Any, Any]:
    """The array back, as a reader has it that knows NumPy."""
    flat = list(_flatten(values))
    array = np.empty(len(flat), numpy_dtype(dtype))
    for number, value in enumerate(flat):
        array[number] = _back(value, array.dtype)
    return array.reshape(shape)


def _back(value: Any, dtype: np.dtype[Any]) -> Any:
    if not isinstance(value, str):
        return value
    if dtype.kind in "iu":
        return int(value)
    return complex(value) if dtype.kind == "c" else float(value)


def _flatten(values: Any) -> Any:
    if isinstance(values, list):
        for value in values:
            yield from _flatten(value)
    else:
        yield values
