"""Calls with duplicate indices are recognized, with the values that may remain."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conformance.cases.build import build_cases
from conformance.cases.duplicates import duplicates_of
from conformance.cases.expectations import Compared, Returning
from conformance.cases.reference import load_reference
from conformance.cases.written import written_cases
from conformance.data_folders import adapters_folder
from conformance.judging.compare import compare
from conformance.specification.applied import Applied
from conformance.specification.literals import Tensor, argument
from conformance.specification.loader import load_specs
from conformance.specification.model import Call, Transform
from conformance.specification.problems import SpecError
from tests.cases.one_spec import copy_spec

CATALOGUE = load_specs()
REFERENCE = load_reference(adapters_folder() / "reference" / "adapter.py")


def found(operation: str, **written: Any) -> Compared | None:
    call = Call({name: argument(value) for name, value in written.items()})
    return duplicates_of(Applied(CATALOGUE.operations[operation], call), REFERENCE)


def backwards(call: Applied) -> Applied:
    """The call with the order of index and src reversed along dim, so that the first of several values is the last."""
    index, axis = call.arguments["index"], call.arguments["dim"]
    assert isinstance(index, Tensor)
    assert isinstance(axis, int)
    part = tuple(slice(length) for length in index.shape)
    reversed_order = {
        name: replace(value, array=np.flip(value.array[part], axis))
        for name, value in call.arguments.items()
        if name in ("index", "src") and isinstance(value, Tensor)
    }
    return call.with_arguments(reversed_order)


def permitted(returns: Compared | None, values: Any) -> bool:
    assert returns is not None
    return compare(returns, np.array(values, returns.value.array.dtype)).count == 0


def test_any_of_several_updates_to_an_element_may_remain_and_nothing_else() -> None:
    returns = found(
        "tensor_scatter_nd_update",
        tensor={"int32": [10, 11, 12]},
        indices={"int32": [[1], [1], [0]]},
        updates={"int32": [1, 2, 3]},
    )
    assert permitted(returns, [3, 1, 12])
    assert permitted(returns, [3, 2, 12])
    assert not permitted(returns, [3, 3, 12])
    assert not permitted(returns, [3, 11, 12])
    assert not permitted(returns, [2, 1, 12])


@pytest.mark.parametrize(
    "clause", ["duplicates-are-added", "duplicates-are-multiplied", "the-largest-remains", "the-smallest-remains"]
)
def test_a_written_case_of_a_reduction_tells_it_from_the_others_and_from_the_first_and_the_last_value(
    clause: str,
) -> None:
    operation = CATALOGUE.operations["scatter_elements"]
    built = (case for case in build_cases(CATALOGUE.only([operation.name]), REFERENCE) if case.clause.name == clause)
    cases = [case for case in built if not isinstance(case.call.manner, Transform)]
    assert len(cases) >= 3
    for case in cases:
        assert isinstance(case.expectation, Returning)
        expected = case.expectation.value.array
        for reduce in {*operation.arguments["reduce"].choices, None} - {case.call.arguments["reduce"]}:
            other = REFERENCE(case.call.with_arguments({"reduce": reduce}))
            assert not np.array_equal(other.array, expected), (case.id, reduce)
        first = REFERENCE(backwards(case.call).with_arguments({"reduce": None}))
        assert not np.array_equal(first.array, expected), case.id


def test_rows_are_told_apart_element_by_element_and_axis_by_axis() -> None:
    returns = found(
        "tensor_scatter_nd_update",
        tensor={"int32": [[1, 2], [3, 4], [5, 6]]},
        indices={"int32": [[[2], [0]], [[1], [2]]]},
        updates={"int32": [[[10, 20], [30, 40]], [[50, 60], [70, 80]]]},
    )
    assert permitted(returns, [[30, 40], [50, 60], [10, 80]])
    assert not permitted(returns, [[30, 40], [50, 60], [80, 10]])


def test_along_an_axis_the_source_counts_as_far_as_index_reaches() -> None:
    arguments: dict[str, Any] = {"input": {"int64": [[0, 0], [0, 0]]}, "dim": 0, "index": {"int64": [[1], [1]]}}
    returns = found("scatter_elements", **arguments, src={"int64": [[7, 8], [9, 6]]})
    assert permitted(returns, [[0, 0], [7, 0]])
    assert permitted(returns, [[0, 0], [9, 0]])
    assert not permitted(returns, [[0, 0], [8, 0]])


def test_of_what_is_added_the_sum_alone_is_permitted() -> None:
    returns = found("scatter_nd", indices={"int32": [[1], [1]]}, updates={"int32": [3, 4]}, shape=[3])
    assert permitted(returns, [0, 7, 0])
    assert not permitted(returns, [0, 4, 0])


@pytest.mark.parametrize(
    ("operation", "written"),
    [
        ("gather_nd", {"params": {"int32": [1, 2]}, "indices": {"int32": [[1], [1]]}}),
        ("gather_elements", {"input": {"int32": [1, 2]}, "dim": 0, "index": {"int64": [1, 1]}}),
        ("scatter_nd", {"indices": {"int32": [[1], [0]]}, "updates": {"int32": [3, 4]}, "shape": [3]}),
        ("scatter_nd", {"indices": {"int32": [[5], [5]]}, "updates": {"int32": [3, 4]}, "shape": [3]}),
    ],
    ids=["read", "read-along", "once", "outside"],
)
def test_what_is_read_twice_written_once_or_outside_is_no_such_call(operation: str, written: dict[str, Any]) -> None:
    assert found(operation, **written) is None


FRACTIONS = "        within: 1.0e-5\n"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (FRACTIONS, "        within: 0.2\n", "would hide a lost update of 0.1"),
        (FRACTIONS, "        within: 1.0e-5\n        digits: 2\n", "needs returns, and excludes digits"),
        ("returns: [0, 1.6, 1.2, 0]\n" + FRACTIONS, "raises: true\n" + FRACTIONS, "within: needs returns"),
        ("returns: [0, 1.6, 1.2, 0]\n" + FRACTIONS, "remains: any\n", "needs duplicate indices"),
    ],
    ids=["too-wide", "digits", "no-returns", "sums"],
)
def test_an_expectation_that_proves_nothing_is_an_error_of_the_spec(
    tmp_path: Path, old: str, new: str, said: str
) -> None:
    path = copy_spec("scatter_nd", tmp_path / "specs")
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(SpecError, match=said):
        build_cases(load_specs(path.parent), REFERENCE, sources=(written_cases,))
