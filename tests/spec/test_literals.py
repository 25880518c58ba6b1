from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from conformance.spec.literals import LiteralError, Tensor, argument, construct, tensor, written_form


def test_a_tensor_is_one_dtype_with_its_elements() -> None:
    value = argument({"int32": [[1, 2], [3, 4]]})
    assert isinstance(value, Tensor)
    assert (value.dtype, value.shape, value.kind) == ("int32", (2, 2), "integer")


def test_bfloat16_is_a_dtype_like_any_other() -> None:
    assert tensor("bfloat16", [1.5]).array.astype(float).tolist() == [1.5]


def test_a_tensor_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="read-only"):
        tensor("int32", "zeros([2])").array[0] = 1


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("zeros([2, 1])", [[0], [0]]),
        ("full([2], 2.5)", [2.5, 2.5]),
        ("reshape(arange(1, 7), [2, 3])", [[1, 2, 3], [4, 5, 6]]),
        ("concat(0, ones([1, 2]), zeros([1, 2]))", [[1, 1], [0, 0]]),
        ("concat(1, [[1]], [[2]])", [[1, 2]]),
    ],
)
def test_a_constructor_names_an_array(text: str, value: list[Any]) -> None:
    assert construct(text).tolist() == value


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ({"int33": [1]}, "undefined dtype 'int33'; did you mean 'int32'?"),
        ({"int32": [1, [2]]}, "not the elements"),
        ({"int32": [1.5]}, "elements that int32 cannot hold"),
        ({"int8": [300]}, "not the elements of a int8 tensor"),
        ({"float32": "zeroes([2])"}, "undefined constructor 'zeroes'; did you mean 'zeros'?"),
        ({"float32": "zeros([2"}, "not a constructor"),
        ({"float32": "zeros([100000, 100000])"}, "more than"),
        ({"float32": "arange(0, 10000000000)"}, "more than"),
        ({"float32": "zeros(x)"}, "not a number, a list or a constructor: 'x'"),
        ({"float32": "__import__('os')"}, "undefined constructor"),
        ({"int32": [1], "int64": [1]}, "a tensor is one dtype"),
        ({}, "a tensor is one dtype"),
        ([[1]], "a shape is a flat list"),
        (True, "a truth value is no argument"),
        ({"list": 3}, "a list is"),
    ],
)
def test_a_literal_that_is_none_says_what_is_allowed(written: Any, said: str) -> None:
    with pytest.raises(LiteralError) as caught:
        argument(written)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    "written", [{"int32": [[1]]}, {"float32": "zeros([2, 2])"}, [1, 2], [], {"list": [1]}, 3, 1.5, "add", None]
)
def test_an_argument_can_be_written_back_as_it_was(written: Any) -> None:
    assert written_form(argument(written)) == written


def test_casting_keeps_the_elements() -> None:
    assert np.array_equal(tensor("int64", [1, 2]).cast("int32").array, np.array([1, 2], np.int32))
