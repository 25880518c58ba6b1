"""What meets in a call, against what one sees in it."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from conformance.cases.expectations import Returning
from conformance.cases.model import Case
from conformance.cases.reference import load_reference
from conformance.cases.written import written_cases
from conformance.data_folders import adapters_folder
from conformance.findings.recorded_call import Move, RecordedCall, recorded_call
from conformance.results.describe import case_record
from conformance.results.records import CaseRecord
from conformance.specification.axes import axes_of
from conformance.specification.indices.declarations import indexing_record
from conformance.specification.indices.kinds import RESULT
from conformance.specification.literals import argument
from conformance.specification.loader import load_specs
from conformance.specification.model import Call, Operation


@cache
def operations() -> dict[str, Operation]:
    return dict(load_specs().operations)


def record(operation: str, **arguments: Any) -> CaseRecord:
    """The record of a case with this call, as a run would write it."""
    spec = operations()[operation]
    found = axes_of(spec, Call({name: argument(value) for name, value in arguments.items()})) or {}
    axes = {name: list(groups) for name, groups in found.items()}
    declared = {name: one.indexing for name, one in spec.arguments.items() if one.indexing and name in axes}
    points = {name: indexing_record(indexing) for name, indexing in declared.items()}
    return CaseRecord(
        "it/1", "it", operation, arguments, {"raises": True}, {}, "0", "it.yaml:1", axes=axes, points=points
    )


def _read(operation: str, **arguments: Any) -> RecordedCall:
    call = recorded_call(record(operation, **arguments))
    assert call is not None
    return call


def test_a_vector_meets_its_slice_and_its_update() -> None:
    call = _read(
        "tensor_scatter_nd_update",
        tensor={"int32": [[1, 2, 3], [4, 5, 6], [7, 8, 9]]},
        indices={"int32": [[2], [0]]},
        updates={"int32": [[10, 20, 30], [40, 50, 60]]},
    )
    assert (call.index, call.target, call.moved) == ("indices", "tensor", "updates")
    assert list(call.moves()) == [Move((0,), (6, 7, 8), (0, 1, 2)), Move((1,), (0, 1, 2), (3, 4, 5))]


def test_what_is_made_anew_is_pointed_into_though_no_argument_holds_it() -> None:
    call = _read("scatter_nd", indices={"int32": [[[1, 0]], [[0, 1]]]}, updates={"int32": [[5], [6]]}, shape=[2, 2])
    assert call.target == "result"
    assert list(call.moves()) == [Move((0, 1), (2,), (0,)), Move((2, 3), (1,), (1,))]


def test_what_is_taken_out_goes_into_the_result() -> None:
    call = _read("gather_nd", params={"int32": [[1, 2], [3, 4], [5, 6]]}, indices={"int32": [[2], [0]]})
    assert (call.target, call.moved) == ("params", "result")
    assert list(call.moves()) == [Move((0,), (4, 5), (0, 1)), Move((1,), (0, 1), (2, 3))]


def test_a_mask_meets_what_it_selects_only_where_it_is_true() -> None:
    mask = {"bool": [[True, False], [False, False], [False, True]]}
    matrix = {"int32": [[1, 2], [3, 4], [5, 6]]}
    call = _read("masked_select", input=matrix, mask=mask)
    assert (call.index, call.target, call.moved) == ("mask", "input", "result")
    assert list(call.moves()) == [Move((0,), (0,), (0,)), Move((5,), (5,), (1,))]
    call = _read("masked_select", input=matrix, mask={"bool": [False, False, True]})
    assert list(call.moves()) == [Move((2,), (4, 5), (0, 1))]
    call = _read("masked_scatter", input=matrix, mask=mask, source={"int32": [[7, 8], [9, 0], [1, 2]]})
    assert list(call.moves()) == [Move((0,), (0,), (0,)), Move((5,), (5,), (1,))]
    call = _read("masked_fill", input=matrix, mask=mask, value=7)
    assert call.moved is None
    assert list(call.moves()) == [Move((0,), (0,), ()), Move((5,), (5,), ())]


def test_single_elements_point_along_the_axis_and_stay_where_they_are_on_the_others() -> None:
    call = _read(
        "scatter_elements",
        input={"int32": "zeros([3, 2])"},
        dim=0,
        index={"int64": [[2, 0]]},
        src={"int32": [[1, 2, 3], [4, 5, 6]]},
    )
    assert call.geometry is not None
    assert call.geometry.bounds == (3,)
    assert list(call.moves()) == [Move((0,), (4,), (0,)), Move((1,), (1,), (1,))]


def test_a_number_that_is_put_everywhere_has_no_elements_to_meet() -> None:
    call = _read("scatter_elements", input={"int32": [0, 0]}, dim=0, index={"int64": [1]}, src=2.5)
    assert call.moved is None
    assert list(call.moves()) == [Move((0,), (1,), ())]


def test_a_vector_without_a_component_meets_the_whole() -> None:
    call = _read("gather_nd", params={"int32": [5, 6]}, indices={"int32": "zeros([2, 0])"})
    assert list(call.moves()) == [Move((), (0, 1), (0, 1)), Move((), (0, 1), (2, 3))]


@pytest.mark.parametrize("index", [-1, 3])
def test_an_index_outside_meets_nothing_but_its_update(index: int) -> None:
    call = _read(
        "tensor_scatter_nd_update",
        tensor={"int32": [1, 2, 3]},
        indices={"int32": [[index], [1]]},
        updates={"int32": [7, 8]},
    )
    assert list(call.moves()) == [Move((0,), (), (0,)), Move((1,), (1,), (1,))]


def test_in_a_large_tensor_no_elements_are_told_but_what_is_outside_is() -> None:
    call = _read("gather_nd", params={"int32": "zeros([100, 100])"}, indices={"int32": [[3, 4], [100, 0]]})
    assert [move.target for move in call.moves()] == [None, ()]


def test_arguments_that_do_not_fit_meet_nowhere() -> None:
    call = _read("gather_nd", params={"int32": [1]}, indices={"int32": [[0, 0]]})
    assert (call.index, call.target, call.geometry, list(call.moves())) == (None, None, None, [])


def test_indices_that_are_no_integers_point_nowhere() -> None:
    call = _read("gather_nd", params={"int32": [1, 2]}, indices={"float32": [[0.0]]})
    assert call.index is None


def test_a_literal_of_another_version_is_no_call() -> None:
    assert (
        recorded_call(CaseRecord("it/1", "it", "gather_nd", {"params": {"float4": [1]}}, {}, {}, "0", "it:1")) is None
    )


REFERENCE = load_reference(adapters_folder() / "reference" / "adapter.py")
MOVING = ("gather_nd", "gather_elements", "tensor_scatter_nd_update", "scatter_elements", "masked_select")


@pytest.mark.parametrize("operation", MOVING)
def test_moving_the_elements_of_every_written_call_gives_what_is_expected(operation: str) -> None:
    tried = 0
    for case in written_cases(operations()[operation], REFERENCE):
        assert isinstance(case, Case)
        if isinstance(case.expectation, Returning) and case.expectation.digits is None and not case.policies:
            tried += _moves_give(case, case.expectation.value.array)
    assert tried >= 10


def _moves_give(case: Case, expected: np.ndarray[Any, Any]) -> bool:
    """Whether there was anything to move; it fails where that is not what is expected."""
    call = recorded_call(case_record(case))
    assert call is not None
    if call.target is None or call.moved is None or case.call.arguments.get("reduce") is not None:
        return False
    target, moves = call.tensors[call.target].array, list(call.moves())
    got = np.zeros_like(expected).ravel() if call.moved == RESULT else target.ravel().copy()
    for move in moves:
        if move.target is None or move.moved is None:
            return False
        if not move.target:
            continue  # outside, which GPUs pass over
        if call.moved == RESULT:
            got[list(move.moved)] = target.ravel()[list(move.target)]
        else:
            got[list(move.target)] = call.tensors[call.moved].array.ravel()[list(move.moved)]
    if not moves:
        return False  # too many to be told
    np.testing.assert_array_equal(got.reshape(expected.shape), expected)
    return True


@pytest.mark.parametrize("other", [{"int32": False}, {"int32": [[1, 2]]}])
def test_an_argument_with_other_axes_than_its_record_names_tells_no_lengths(other: dict[str, Any]) -> None:
    whole = record("index_select", input={"float32": [1.0, 2.0]}, index={"int64": [1]}, dim=0)
    call = recorded_call(replace(whole, call={**whole.call, "index": other}))
    assert call is not None
    assert call.shape(RESULT) is None
    assert all(move.moved is None for move in call.moves())
