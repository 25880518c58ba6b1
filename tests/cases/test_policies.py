"""What each policy towards an index outside gives, against numbers worked out by hand."""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from conformance.cases.build import build_cases
from conformance.cases.model import Case
from conformance.cases.policies import indistinguishable, policy_outcomes
from conformance.cases.reference import load_reference
from conformance.cases.variation import InProgram, Passed, RareForm
from conformance.data_folders import adapters_folder
from conformance.specification.applied import Applied
from conformance.specification.literals import argument
from conformance.specification.loader import load_specs
from conformance.specification.model import Call
from conformance.specification.problems import SpecError
from tests.specification.small import SPEC, write_specs

REFERENCE = load_reference(adapters_folder() / "reference" / "adapter.py")


@cache
def all_cases() -> list[Case]:
    return build_cases(load_specs(), REFERENCE)


@pytest.fixture(scope="module")
def operations() -> dict[str, Any]:
    return dict(load_specs().operations)


def _given(operation: Any, **arguments: Any) -> dict[str, list[Any]]:
    call = Applied(operation, Call({name: argument(value) for name, value in arguments.items()}))
    found: defaultdict[str, list[Any]] = defaultdict(list)
    for outcome in policy_outcomes(call, REFERENCE):
        found[outcome.policy].append(outcome.result.array.tolist())
    return dict(found)


def test_of_a_sum_into_zeros(operations: dict[str, Any]) -> None:
    given = _given(
        operations["scatter_nd"], indices={"int64": [[2], [-1], [0]]}, updates={"float32": [1, 20, 300]}, shape=[4]
    )
    assert given == {
        "ignores": [[300, 0, 1, 0]],
        "stops": [[0, 0, 1, 0]],
        "clamps": [[320, 0, 1, 0]],
        "wraps-negative": [[300, 0, 1, 20]],
    }


def test_of_a_label_past_the_end(operations: dict[str, Any]) -> None:
    given = _given(
        operations["unsorted_segment_reduce"],
        data={"float32": [[1, 2], [30, 40], [500, 600]]},
        segment_ids={"int64": [2, 4, 0]},
        num_segments=3,
        reduce="sum",
    )
    assert given == {
        "ignores": [[[500, 600], [0, 0], [1, 2]]],
        "stops": [[[0, 0], [0, 0], [1, 2]]],
        "clamps": [[[500, 600], [0, 0], [31, 42]]],
        "wraps-modulo": [[[500, 600], [30, 40], [1, 2]]],
    }


def test_of_a_negative_label_among_labels_in_order(operations: dict[str, Any]) -> None:
    given = _given(
        operations["segment_reduce"],
        data={"float32": [[1, 2], [30, 40], [500, 600]]},
        segment_ids={"int64": [-1, 0, 2]},
        reduce="sum",
    )
    assert given == {
        "ignores": [[[30, 40], [0, 0], [500, 600]]],
        "stops": [[[0, 0], [0, 0], [0, 0]]],
        "clamps": [[[31, 42], [0, 0], [500, 600]]],
        "wraps-negative": [[[30, 40], [0, 0], [501, 602]]],
    }


def test_of_a_row_past_the_end(operations: dict[str, Any]) -> None:
    given = _given(
        operations["tensor_scatter_nd_update"],
        tensor={"int32": [[10, 11], [12, 13], [14, 15]]},
        indices={"int32": [[1], [4]]},
        updates={"int32": [[1, 2], [3, 4]]},
    )
    # After the last one there is nothing to stop at.
    assert given == {
        "ignores": [[[10, 11], [1, 2], [14, 15]]],
        "clamps": [[[10, 11], [1, 2], [3, 4]]],
        "wraps-modulo": [[[10, 11], [3, 4], [14, 15]]],
    }


def test_of_one_column_of_an_index_vector(operations: dict[str, Any]) -> None:
    given = _given(operations["scatter_nd"], indices={"int64": [[1, 3]]}, updates={"float32": [5]}, shape=[2, 3])
    assert given == {
        "ignores": [[[0, 0, 0], [0, 0, 0]]],
        "clamps": [[[0, 0, 0], [0, 0, 5]]],
        "wraps-modulo": [[[0, 0, 0], [5, 0, 0]]],
    }


def test_of_what_is_read_along_an_axis(operations: dict[str, Any]) -> None:
    given = _given(operations["gather_elements"], input={"uint8": [[10, 11, 12]]}, dim=-1, index={"int64": [[2, 4, 0]]})
    assert given == {
        "fills": [[[12, 0, 10]], [[12, 255, 10]]],
        "stops": [[[12, 0, 0]], [[12, 255, 255]]],
        "clamps": [[[12, 12, 10]]],
        "wraps-modulo": [[[12, 11, 10]]],
    }


def test_of_an_axis_without_a_position(operations: dict[str, Any]) -> None:
    given = _given(
        operations["tensor_scatter_nd_add"],
        tensor={"float32": "zeros([0, 2])"},
        indices={"int64": [[0]]},
        updates={"float32": [[1, 2]]},
    )
    assert given == {"ignores": [[]]}


def test_of_an_element_read_by_a_flat_index(operations: dict[str, Any]) -> None:
    given = _given(
        operations["take"], input={"uint8": [[10, 11, 12], [13, 14, 15]]}, index={"int64": [[1, 7], [-2, 3]]}
    )
    assert sorted(given.pop("fills")) == [[[11, 0], [0, 13]], [[11, 255], [255, 13]]]
    assert sorted(given.pop("stops")) == [[[11, 0], [0, 0]], [[11, 255], [255, 255]]]
    assert given == {"clamps": [[[11, 15], [10, 13]]], "wraps-modulo": [[[11, 11], [14, 13]]]}


def test_of_an_element_of_a_tensor_without_axes(operations: dict[str, Any]) -> None:
    given = _given(operations["take"], input={"uint8": 7}, index={"int64": [0, 1]})
    assert sorted(given.pop("fills")) == [[7, 0], [7, 255]]
    assert given == {"clamps": [[7, 7]], "wraps-modulo": [[7, 7]]}


@pytest.mark.parametrize("lowest", [-(2**63), 2**31, 2**32 + 1])
def test_no_index_is_cut_to_fewer_bits(operations: dict[str, Any], lowest: int) -> None:
    given = _given(operations["scatter_nd"], indices={"int64": [[lowest]]}, updates={"int32": [5]}, shape=[7])
    assert given["wraps-modulo"] == [[5 if place == lowest % 7 else 0 for place in range(7)]]
    assert given["clamps"] == [[5, 0, 0, 0, 0, 0, 0] if lowest < 0 else [0, 0, 0, 0, 0, 0, 5]]


@pytest.mark.parametrize(("outside", "place"), [(2**32 + 1, 1), (2**63 - 3, 4), (-(2**63) + 2, 2), (-(2**32) - 1, 6)])
def test_of_an_index_that_is_inside_once_it_is_cut_to_32_bits(
    operations: dict[str, Any], outside: int, place: int
) -> None:
    given = _given(operations["scatter_nd"], indices={"int64": [[outside]]}, updates={"int32": [5]}, shape=[7])
    assert given["cut"] == [[5 if each == place else 0 for each in range(7)]]


@pytest.mark.parametrize("outside", [7, -8, 2**31 - 1, 2**31, 2**40 + 7])
def test_an_index_that_stays_outside_is_not_cut(operations: dict[str, Any], outside: int) -> None:
    given = _given(operations["scatter_nd"], indices={"int64": [[outside]]}, updates={"int32": [5]}, shape=[7])
    assert "cut" not in given


def test_none_where_every_index_is_inside_or_more_is_wrong(operations: dict[str, Any]) -> None:
    inside = {"indices": {"int64": [[1], [0]]}, "updates": {"float32": [1, 2]}, "shape": [2]}
    assert _given(operations["scatter_nd"], **inside) == {}
    assert _given(operations["scatter_nd"], **{**inside, "shape": [1], "updates": {"float32": [1]}}) == {}
    assert _given(operations["scatter_nd"], **{**inside, "shape": {"list": [1]}}) == {}
    assert _given(operations["scatter_nd"], **{**inside, "indices": {"float32": [[1], [5]]}}) == {}


def test_every_case_about_an_index_outside_can_tell_the_policies_apart() -> None:
    cases = [case for case in all_cases() if case.policies and case.device != "gpu"]
    # What is written into ``out`` is all that take_into is about, and a mask points to nothing outside. Starts that are too large
    # are moved back, and offsets say where segments end.
    others = {"take_into", "masked_select", "masked_fill", "masked_scatter"}
    others |= {"dynamic_slice", "dynamic_update_slice", "split_reduce"}
    # An index whose bounds other operations are about, and none.
    others |= {"take_into_view", "typed_gather", "diagonal_scatter"}
    assert {case.operation.name for case in cases} == {case.operation.name for case in all_cases()} - others
    assert {
        case.id
        for case in cases
        if indistinguishable(case.policies)
        and case.clause.family == "behaviour"
        # the same call passed otherwise, which the loop has too where it is no form
        and not isinstance(case.variation, RareForm | InProgram | Passed)
    } == set()


def test_results_that_a_spec_works_out_by_hand_for_a_gpu_are_what_ignoring_gives() -> None:
    cases = [case for case in all_cases() if case.device == "gpu" and case.policies]
    by_hand = [case for case in cases if getattr(case.expectation, "source", None) == "spec"]
    assert len(by_hand) >= 4
    for case in by_hand:
        [ignored] = [one.result for one in case.policies if one.policy == "ignores"]
        assert case.expectation.value.array.tolist() == ignored.array.tolist(), case.id  # type: ignore[union-attr]


def _spec(values: str) -> str:
    text = SPEC.replace("index: {tensor: integer}", "index: {tensor: integer, into: input, along: dim}")
    return (
        text
        + f"""\
behaviours:
  outside:
    states: An index outside is an error.
    cite: {{json.page: [example.2]}}
    cases:
      at-the-size:
        call: {{input: {{int32: {values}}}, dim: 0, index: {{int64: [1, 3]}}}}
        on: {{gpu: {{behaviour: wraps-modulo}}}}
"""
    )


def test_values_that_cannot_tell_policies_apart_are_an_error_of_the_spec(tmp_path: Path) -> None:
    catalogue = load_specs(write_specs(tmp_path, spec=_spec("[10, 20, 10]")))
    with pytest.raises(SpecError, match="its values do not distinguish clamps and wraps-modulo"):
        build_cases(catalogue, REFERENCE)


def test_a_spec_may_expect_what_a_policy_gives(tmp_path: Path) -> None:
    catalogue = load_specs(write_specs(tmp_path, spec=_spec("[10, 20, 30]")))
    [case] = [case for case in build_cases(catalogue, REFERENCE) if case.clause.family == "behaviour"]
    assert case.expectation.value.array.tolist() == [20, 10]  # type: ignore[union-attr] # it returns


def test_a_policy_that_gives_nothing_for_a_call_is_told_with_those_that_do(tmp_path: Path) -> None:
    text = _spec("[10, 20, 30]").replace("behaviour: wraps-modulo", "behaviour: ignores")
    with pytest.raises(
        SpecError, match="behaviour: ignores does not apply to this call; applicable: clamps, fills, wraps-modulo"
    ):
        build_cases(load_specs(write_specs(tmp_path, spec=text)), REFERENCE)
