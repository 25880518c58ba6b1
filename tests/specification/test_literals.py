from __future__ import annotations

import json
from typing import Any, cast

import numpy as np
import pytest

from conformance.specification.literals import LiteralError, Tensor, argument, construct, tensor, written_form


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
        ({"int32": [1.5]}, "elements that int32 cannot represent"),
        ({"int8": [300]}, "not the elements of a int8 tensor"),
        ({"float32": "zeroes([2])"}, "undefined constructor 'zeroes'; did you mean 'zeros'?"),
        ({"float32": "zeros([2"}, "not a constructor"),
        ({"float32": "zeros([100000, 100000])"}, "more than"),
        ({"float32": "arange(0, 10000000000)"}, "more than"),
        ({"float32": "concat(0, zeros([9999999]), zeros([9999999]))"}, "[19999998] has more than"),
        ({"float32": "concat(0, arange(9999999, 0), zeros([9999999]), ones([9999999]))"}, "more than"),
        ({"float32": "reshape(" * 60 + "[1]" + ", [1])" * 60}, "constructors are nested more than 50 deep"),
        ({"float32": "full([1], " + "-" * 5000 + "1)"}, "not a"),
        ([0] * 1001, "a list of 1001 items; at most 1000 items are allowed"),
        ({"list": [[0] * 1001]}, "a list of 1001 items; at most 1000 items are allowed"),
        ("x" * 1001, "a text of 1001 characters; at most 1000 characters are allowed"),
        ({"float32": "zeros(x)"}, "not a number, a list or a constructor: 'x'"),
        ({"float32": "__import__('os')"}, "undefined constructor"),
        ({"int32": [1], "int64": [1]}, "a tensor has a single key, its dtype"),
        ({}, "a tensor has a single key, its dtype"),
        ([[1]], "a shape is a flat list"),
        (True, "true and false are not allowed here"),
        ({"scalar": 1}, "{scalar: true} passes a bool as a number; found 1"),
        ({"list": 3}, "a list is"),
        ({"int32": [[1]], "view": "transpose"}, "undefined view 'transpose'; did you mean 'transposed'?"),
        ({"int32": [1], "view": "transposed"}, "view 'transposed' needs at least two axes; this tensor has 1"),
        ({"int32": 1, "view": "strided"}, "view 'strided' needs at least one axis"),
        (
            {"int32": [1, 2], "view": "expanded"},
            "needs an axis of length two or more along which all elements are equal",
        ),
        ({"int32": [1, 2], "view": "empty"}, "view 'empty' needs a tensor without elements; this one has 2"),
        ({"list": [1], "view": "strided"}, "only a tensor can be a view"),
        ({"view": "strided"}, "a tensor has a single key, its dtype"),
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


@pytest.mark.parametrize(
    "written",
    [
        {"int32": [[1, 2], [3, 4]], "view": "transposed"},
        {"int32": [[5, 5], [3, 3]], "view": "expanded"},
        {"int32": "zeros([0, 2])", "view": "empty"},
    ],
)
def test_a_view_keeps_its_elements_and_its_name(written: Any) -> None:
    value = argument(written)
    plain = argument({key: value for key, value in written.items() if key != "view"})
    assert isinstance(value, Tensor)
    assert isinstance(plain, Tensor)
    assert value.array.tolist() == plain.array.tolist()
    assert (value.view, value.cast("int64").view) == (written["view"], written["view"])
    assert written_form(value) == written


@pytest.mark.parametrize(("dtype", "number"), [("uint64", 2**64 - 1), ("int64", -(2**63)), ("uint64", 2**63)])
def test_an_integer_may_need_all_64_bits_beside_a_small_one(dtype: str, number: int) -> None:
    assert tensor(dtype, [number, 1]).array.tolist() == [number, 1]


@pytest.mark.parametrize(
    ("dtype", "numbers"), [("uint64", [2**64 - 1, 1]), ("int64", [[-(2**63), 2**53 + 1], [0, -1]])]
)
def test_an_integer_that_a_double_cannot_hold_is_written_as_a_word_and_read_back(
    dtype: str, numbers: list[int]
) -> None:
    form = written_form(Tensor(dtype, np.array(numbers, dtype), None))
    assert json.loads(json.dumps(form)) == form
    again = argument(form)
    assert isinstance(again, Tensor)
    assert (again.dtype, again.array.tolist()) == (dtype, numbers)


@pytest.mark.parametrize("word", ["1.5", "12a", "", "0x10", "9" * 21])
def test_a_word_that_is_no_integer_is_refused_as_an_index(word: str) -> None:
    with pytest.raises(LiteralError, match="int64"):
        tensor("int64", [word])


def test_what_json_has_no_number_for_is_written_as_a_word_and_read_back() -> None:
    form = written_form(tensor("float32", [[float("nan"), 1.5], [float("inf"), float("-inf")]]))
    assert form == {"float32": [["nan", 1.5], ["inf", "-inf"]]}
    again = argument(form)
    assert isinstance(again, Tensor)
    assert np.array_equal(again.array, [[np.nan, 1.5], [np.inf, -np.inf]], equal_nan=True)


def test_a_shape_that_lists_without_elements_do_not_tell_is_written_as_an_expression() -> None:
    for shape in ((2, 0, 3), (0, 2), (3, 0), (0,)):
        value = Tensor("float32", np.zeros(shape, np.float32), None)
        assert cast(Tensor, argument(written_form(value))).shape == shape


@pytest.mark.parametrize("value", [True, False])
def test_a_bool_in_the_place_of_a_number_is_itself_and_is_written_as_it_was_read(value: bool) -> None:
    read = argument({"scalar": value})
    assert read is value
    assert written_form(read) == {"scalar": value}
