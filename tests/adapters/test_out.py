"""What the words for ``out`` of ``take_into`` pass to an API, seen from NumPy's adapter."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from conformance.data_folders import adapters_folder
from conformance.worker.adapters import load

FLOATS = np.array([10, 20, 30], np.float32)
NUMBERS = np.array([1, 2, 0])


@pytest.fixture(scope="module")
def take_into() -> Callable[..., Any]:
    adapter = load(str(adapters_folder() / "numpy" / "adapter.py"))
    [function] = [api.function for api in adapter.apis if api.operation == "take_into"]
    return function


@pytest.mark.parametrize("word", ["empty", "longer", "shorter", "column"])
def test_a_word_for_another_shape_passes_an_array_that_numpy_refuses(take_into: Callable[..., Any], word: str) -> None:
    with pytest.raises(ValueError, match="output array"):
        take_into(input=FLOATS, index=np.array([2, 0]), out=word)


@pytest.mark.parametrize(("word", "dtype"), [("fitting", "float32"), ("float16", "float16"), ("bool", "bool")])
def test_the_result_has_the_dtype_that_the_word_names(take_into: Callable[..., Any], word: str, dtype: str) -> None:
    result = take_into(input=FLOATS, index=np.array([2, 0]), out=word)
    assert (result.dtype, result.shape) == (np.dtype(dtype), (2,))


@pytest.mark.parametrize("word", ["input", "index", "overlapping"])
def test_an_array_that_is_an_argument_is_a_copy_of_that_of_the_call(take_into: Callable[..., Any], word: str) -> None:
    data, index = NUMBERS.copy(), np.array([2, 2, 0])
    assert take_into(input=data, index=index, out=word).tolist() == [0, 0, 1]
    assert (data.tolist(), index.tolist()) == (NUMBERS.tolist(), [2, 2, 0])
