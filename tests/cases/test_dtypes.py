"""Numbers keep their meaning in another dtype, or are replaced by a rule; nothing is rounded on the way."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from conformance.cases.build import build_cases
from conformance.cases.data_in_dtype import Data, in_dtype
from conformance.cases.expectations import Returning, Returns, ToDigits
from conformance.cases.model import Case
from conformance.cases.reference import Reference, load_reference
from conformance.cases.variants.dtypes import dtype_cases
from conformance.data_folders import adapters_folder
from conformance.specification.dtypes import FLOAT8, INTEGERS, NAMES
from conformance.specification.literals import Tensor, argument, tensor, written_form
from conformance.specification.loader import load_specs

UPDATE = "tensor_scatter_nd_update.example.insert-four-scalars/as-printed"
MULTIPLY = "scatter_elements.example.multiply-by-a-scalar/as-printed"


@pytest.fixture(scope="module")
def reference() -> Reference:
    return load_reference(adapters_folder() / "reference" / "adapter.py")


@pytest.fixture(scope="module")
def cases(reference: Reference) -> dict[str, Case]:
    return {case.id: case for case in build_cases(load_specs(), reference, sources=[dtype_cases])}


COUNT = {
    "documents.yaml": """\
documents:
  mine.count:
    title: A page about a function that does not exist
    official: true
    framework: mine
    describes: [mine.count]
    claims: {counted: How often each number occurs is counted.}
""",
    "count.yaml": """\
operation: count
summary: Count how often each number occurs, or add up weights.
arguments:
  numbers: {tensor: integer, into: result, labels: weights}
  weights: {tensor: any, optional: true}
result: {shape: "(largest(numbers, -1) + 1,)", dtype: undocumented, accumulates: true}
behaviours:
  counted:
    states: How often each number occurs is counted.
    cite: {mine.count: [counted]}
    cases: {of-three: {call: {numbers: {int64: [3, 1, 1]}}, returns: [0, 2, 0, 1]}}
""",
    "reference.py": """\
import numpy as np
from conformance.adapter import api

def describe():
    return {"framework": "reference"}

@api("reference.count", operation="count")
def count(numbers, weights=None):
    return np.bincount(numbers.astype(np.int64), weights)
""",
}


def test_a_call_without_its_optional_data_is_made_in_other_dtypes_of_its_indices_alone(tmp_path: Path) -> None:
    for name, text in COUNT.items():
        (tmp_path / name).write_text(text)
    own = load_reference(tmp_path / "reference.py")
    made = build_cases(load_specs(tmp_path), own, sources=[dtype_cases])
    assert [case.id.rpartition(".")[2] for case in made] == [f"index-{name}" for name in INTEGERS if name != "int64"]


def _made(dtype: str, values: list[float], *, accumulates: bool = False) -> list[object] | None:
    source = tensor("float64", values)
    made = in_dtype(Data({"x": source}, {}), dtype, accumulates=accumulates)
    if made is None:
        return None
    value = made["x"]
    assert isinstance(value, Tensor)
    assert value.dtype == dtype
    return list(value.array.tolist())


def test_numbers_that_fit_stay_as_they_are() -> None:
    assert _made("int8", [-3, 0, 127]) == [-3, 0, 127]
    assert _made("float16", [0.5, 2048]) == [0.5, 2048.0]


def test_a_complex_tensor_without_axes_is_an_array() -> None:
    made = in_dtype(Data({"x": tensor("float32", 3)}, {}), "complex64", accumulates=False)
    assert made is not None
    value = made["x"]
    assert isinstance(value, Tensor)
    assert isinstance(value.array, np.ndarray)
    assert value.array.tolist() == 3 - 3j


def test_where_one_number_does_not_fit_each_is_replaced_by_its_place() -> None:
    assert _made("int8", [0, 500, -7, 500]) == [0, 1, 2, 1]
    assert _made("uint8", [-7, 3]) == [1, 2]
    assert _made("int32", [0.5, 2]) == [1, 2]
    assert _made("float16", [2049, 1]) == [1.0, 2.0]


def test_a_bool_keeps_whether_a_place_is_odd() -> None:
    assert _made("bool", [9, 0, 10, 11]) == [True, False, False, True]
    assert _made("bool", [1, 0, 1]) == [True, False, True]


def test_a_number_beside_data_of_bool_is_a_truth_and_not_an_int_which_is_promoted_with_them(
    cases: dict[str, Case],
) -> None:
    made = in_dtype(Data({"x": tensor("float64", [3, 4])}, {"value": 0.5}), "bool", accumulates=False)
    assert made is not None
    assert made["value"] is True
    filling = [case.call.arguments for case in cases.values() if case.operation.name in ("masked_fill", "index_fill")]
    of_bool = [call["value"] for call in filling if isinstance(call["input"], Tensor) and call["input"].dtype == "bool"]
    assert of_bool
    assert all(isinstance(value, bool) for value in of_bool)


def test_a_complex_number_has_an_imaginary_part_to_lose() -> None:
    assert _made("complex64", [2, 0]) == [2 - 2j, 0]


def test_numbers_that_are_added_stay_exact_in_every_order() -> None:
    assert _made("bfloat16", [200, 100]) == [200.0, 100.0]
    assert _made("bfloat16", [200, 100], accumulates=True) == [1.0, 2.0]
    assert _made("float32", [0.1, 0.2], accumulates=True) == [1.0, 2.0]


def test_numbers_of_which_even_the_places_do_not_fit_are_left_out() -> None:
    assert _made("int8", [float(number) for number in range(1, 300)]) is None


def test_every_example_is_tried_in_every_dtype_and_with_every_integer_dtype_of_indices(cases: dict[str, Case]) -> None:
    given = {one.removeprefix(f"{UPDATE}.") for one in cases if one.startswith(UPDATE)}
    assert given == {*NAMES, *(f"index-{dtype}" for dtype in INTEGERS)} - {"int32", "index-int32", *FLOAT8}


def test_what_is_expected_is_the_example_in_that_dtype(cases: dict[str, Case]) -> None:
    expectation = cases[f"{UPDATE}.bfloat16"].expectation
    assert isinstance(expectation, Returning)
    assert expectation.value.dtype == "bfloat16"
    assert expectation.value.array.astype(int).tolist() == [0, 9, 0, 10, 11, 0, 0, 12]


def test_a_number_that_stands_for_a_tensor_is_replaced_with_the_others(cases: dict[str, Case]) -> None:
    case = cases[f"{MULTIPLY}.int8"]
    assert case.call.arguments["src"] == 2
    assert isinstance(case.expectation, Returning)
    assert case.expectation.value.array.tolist() == [[1, 1, 2, 1], [1, 1, 1, 2]]


def test_indices_in_another_dtype_leave_the_data_and_its_digits_alone(cases: dict[str, Case]) -> None:
    case = cases[f"{MULTIPLY}.index-uint8"]
    assert (case.dtypes_tested, case.call.arguments["src"]) == ({"index": "uint8"}, 1.23)
    assert isinstance(case.expectation, Returns)
    assert case.expectation.tolerance == ToDigits(4)


def _written(cases: dict[str, Case]) -> Iterator[Tensor]:
    for case in cases.values():
        yield from (value for value in case.call.arguments.values() if isinstance(value, Tensor))


def test_every_derived_tensor_reads_back_from_the_way_it_is_written(cases: dict[str, Case]) -> None:
    tensors = list(_written(cases))
    assert len(tensors) > 1000
    for value in tensors:
        again = argument(written_form(value))
        assert isinstance(again, Tensor)
        assert again.dtype == value.dtype
        assert np.array_equal(again.array, value.array)
