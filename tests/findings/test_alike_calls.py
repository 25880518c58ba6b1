"""Calls that are alike have the same conditions, and only they."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from conformance.findings.conditions import conditions_of_call
from conformance.results.alike_calls import AlikeCalls
from conformance.results.records import CaseRecord
from conformance.results.variations import InProgramRecord
from tests.findings.test_recorded_call import record


def _are_alike(first: CaseRecord, second: CaseRecord) -> bool:
    cases = {"first": replace(first, id="first"), "second": replace(second, id="second")}
    alike = AlikeCalls(cases)
    return [alike.first(case).id for case in cases.values()] == ["first", "first"]


def _write(values: Any, dtype: str = "float32", index: Any = (2, 0)) -> CaseRecord:
    sound = record(
        "tensor_scatter_nd_update",
        tensor={dtype: "zeros([3])"},
        indices={"int32": [[each] for each in index]},
        updates={dtype: [0] * len(values)},
    )
    # A file that was edited may have elements that a dtype lacks.
    return replace(sound, call={**sound.call, "updates": {dtype: values}})


def test_calls_that_differ_in_elements_of_data_are_alike() -> None:
    assert _are_alike(_write([1.0, 2.5]), _write([-7.0, 3.0]))
    assert _are_alike(_write([1, 2], "int8"), _write([-7, 3], "int8"))


@pytest.mark.parametrize(
    "other",
    [
        _write([1.0, 2.5], index=(0, 2)),
        _write([1.0, 2.5], "float64"),
        _write([1.0, 2.5, 3.0], index=(2, 0, 1)),
        _write([1.0, 1.0]),
        _write([1, 1.0]),
        _write(["nan", 2.5]),
        _write([-0.0, 2.5]),
        _write([1e-40, 2.5]),
        _write([16777216.0, 16777217.0]),
        replace(_write([1.0, 2.5]), axes={}, points={}),
        replace(_write([1.0, 2.5]), operation="scatter_nd_update"),
        replace(_write([1.0, 2.5]), variation=InProgramRecord("return call(tensor, indices, updates)")),
    ],
)
def test_calls_of_which_something_else_may_be_said_are_not_alike(other: CaseRecord) -> None:
    assert not _are_alike(_write([1.0, 2.5]), other)


@pytest.mark.parametrize(
    ("dtype", "values"),
    [("int8", [1, 300]), ("uint8", [1, -1]), ("float16", [1.0, 70000.0]), ("int32", [1, 0.5]), ("uint32", [1, "x"])],
)
def test_a_call_with_an_element_that_its_dtype_lacks_is_like_no_valid_one(dtype: str, values: Any) -> None:
    assert not _are_alike(_write([1, 2], dtype), _write(values, dtype))


def test_an_argument_that_is_an_index_in_another_call_of_the_operation_is_one_in_all() -> None:
    cut = {index: replace(_write([1.0, 2.5], index=index), axes={}, points={}) for index in ((2, 0), (1, 0))}
    cases = {str(index): replace(case, id=str(index)) for index, case in cut.items()}
    alike = AlikeCalls({"whole": _write([1.0, 2.5]), **cases})
    assert [alike.first(case).id for case in cases.values()] == list(cases)


ELEMENTS = some.sampled_from(
    [0, 1, 2, -1, 12, 255, 256, 257, 2049, 0.5, -0.0, 1e-7, 1e-45, 3e38, "nan", "inf", 1.0, 2.0]
)


@settings(max_examples=300)
@given(
    some.sampled_from(["int8", "uint8", "int32", "float16", "bfloat16", "float32", "float64", "complex64", "bool"]),
    some.lists(ELEMENTS, min_size=2, max_size=2),
    some.lists(ELEMENTS, min_size=2, max_size=2),
    some.sampled_from([(2, 0), (1, 1)]),
)
def test_whatever_the_elements_alike_calls_have_the_same_conditions(
    dtype: str, first: list[Any], second: list[Any], index: tuple[int, int]
) -> None:
    one, other = _write(first, dtype, index), _write(second, dtype, index)
    if _are_alike(one, other):
        with np.errstate(all="ignore"):
            assert conditions_of_call(one, {}) == conditions_of_call(other, {})


def test_a_call_counts_with_all_that_are_like_it() -> None:
    cases = {str(number): replace(_write([1.0, number + 2.0]), id=str(number)) for number in range(3)}
    cases["other"] = replace(_write([1.0, 1.0]), id="other")
    assert [(first.id, number) for first, number in AlikeCalls(cases).counted(cases.values())] == [
        ("0", 3),
        ("other", 1),
    ]
