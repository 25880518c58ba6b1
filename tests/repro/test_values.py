from __future__ import annotations

import ml_dtypes  # noqa: F401 # eval finds its dtype by name
import numpy as np
import pytest

from conformance.repro.values import forms, numpy_form, plain_form
from conformance.specification.literals import Tensor, tensor


def evaluated(text: str) -> np.ndarray:
    result: np.ndarray = eval(text, {"np": np})
    return result


@pytest.mark.parametrize(
    "value",
    [
        tensor("int32", [[4], [3]]),
        tensor("int64", [2**62 + 1]),
        tensor("uint8", 7),
        tensor("bool", [True, False]),
        tensor("float16", [0.1, 65504.0]),
        tensor("float32", [0.1, 1e-40, float("nan"), float("-inf"), -0.0]),
        tensor("float64", [0.1, 1 / 3]),
        tensor("complex64", [1 + 2j]),
        tensor("float32", "zeros([2, 0])"),
        tensor("int32", "zeros([7, 8])"),
        tensor("float32", "ones([40])"),
        tensor("float32", "full([4, 10], -1.5)"),
        tensor("int64", "reshape(arange(3, 63), [3, 4, 5])"),
        tensor("float64", "arange(0, 50)"),
    ],
    ids=lambda value: f"{value.dtype}-{value.shape}",
)
def test_the_numpy_form_gives_the_same_bytes_back(value: Tensor) -> None:
    again = evaluated(numpy_form(value))
    assert (again.dtype, again.shape) == (value.array.dtype, value.shape)
    assert again.tobytes() == value.array.tobytes()


@pytest.mark.parametrize("zeros", [[-0.0] * 30, [0.0, -0.0] * 15], ids=["all", "some"])
def test_minus_zeros_are_not_taken_for_zeros(zeros: list[float]) -> None:
    value = tensor("float32", zeros)
    assert evaluated(numpy_form(value)).tobytes() == value.array.tobytes()


def test_large_arrays_are_written_by_constructors() -> None:
    assert numpy_form(tensor("int32", "zeros([7, 8])")) == "np.zeros((7, 8), dtype=np.int32)"
    counting = tensor("int64", "reshape(arange(3, 63), [3, 20])")
    assert numpy_form(counting) == "np.arange(3, 63, dtype=np.int64).reshape(3, 20)"


def test_the_plainest_form_comes_first_and_numpy_last() -> None:
    texts = list(forms(tensor("int32", [[4], [3]]), ["torch"]))
    assert texts[:2] == ["torch.tensor([[4], [3]])", "torch.tensor([[4], [3]], dtype=torch.int32)"]
    assert texts[-1] == "torch.Tensor(np.array([[4], [3]], dtype=np.int32))"


def test_an_adapter_on_numpy_has_no_forms_of_its_own() -> None:
    assert list(forms(tensor("int32", [1]), [])) == []


def test_bfloat16_is_written_by_its_bits() -> None:
    value = tensor("bfloat16", [1.0, -2.0])
    assert evaluated(numpy_form(value)).tobytes() == value.array.tobytes()


@pytest.mark.parametrize("value", [1, -0.5, float("inf"), "add", None, (2, 3), [1, 2]])
def test_a_plain_argument_is_a_literal_of_its_value(value: object) -> None:
    assert eval(plain_form(value)) == value
