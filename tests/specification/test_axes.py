"""Which group each axis of a call belongs to, against what one sees in the call."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest

from conformance.specification.applied import Applied
from conformance.specification.axes import axes_of
from conformance.specification.literals import argument
from conformance.specification.loader import load_specs
from conformance.specification.model import Call, Operation
from tests.specification.small import SPEC, write_specs

ROWS = {"tensor": {"int32": "zeros([6, 3])"}, "indices": {"int32": [[2], [4]]}, "updates": {"int32": "ones([2, 3])"}}
FOLDED = {"indices": {"int32": "zeros([5, 4, 2])"}, "updates": {"int32": "ones([5, 4, 9])"}, "shape": [7, 8, 9]}
ALONG = {"input": {"int32": "zeros([4, 5, 6])"}, "dim": 1, "index": {"int64": "zeros([2, 9, 6])"}}
WRITTEN = {**ALONG, "index": {"int64": "zeros([2, 3, 6])"}, "src": {"int32": "zeros([4, 4, 7])"}}

OWN = """\
operation: pick
summary: Some entries of a table.
arguments: {table: {tensor: any}, places: {tensor: integer, into: table}}
result: {shape: "places.shape[:1] + table.shape[places.shape[-1]:]", dtype: table.dtype}
axes: {many: 1, of: 1..2, rest: 0..2}
layout: {table: of... rest..., places: many... rank(of)}
drawn: two-of-a-table
behaviours:
  two-of-a-table:
    states: Two entries of a table.
    cite: {json.page: [example.1]}
    cases:
      one: {call: {table: {int32: "zeros([3, 4, 5])"}, places: {int32: [[2, 3], [0, 1]]}}, returns: "zeros([2, 5])"}
"""


@cache
def operations() -> dict[str, Operation]:
    return dict(load_specs().operations)


def _axes(operation: str, arguments: dict[str, Any]) -> dict[str, tuple[str, ...]] | None:
    call = Call({name: argument(value) for name, value in arguments.items()})
    return axes_of(Applied(operations()[operation], call))


def _groups(operation: str, arguments: dict[str, Any]) -> dict[str, list[str]]:
    found = _axes(operation, arguments)
    assert found is not None
    return {name: list(groups) for name, groups in found.items()}


def test_vectors_have_a_batch_and_a_depth_and_the_result_is_laid_out_as_the_tensor() -> None:
    assert _groups("tensor_scatter_nd_update", ROWS) == {
        "tensor": ["outer", "inner"],
        "indices": ["batch", "rank(outer)"],
        "updates": ["batch", "inner"],
        "result": ["outer", "inner"],
    }


def test_a_result_that_is_made_anew_has_the_groups_of_its_shape() -> None:
    groups = _groups("scatter_nd", FOLDED)
    assert groups["indices"] == ["batch", "batch", "rank(outer)"]
    assert groups["shape"] == groups["result"] == ["outer", "outer", "inner"]


def test_what_is_taken_out_has_a_batch_of_what_the_vectors_leave_open() -> None:
    call = {"params": {"int32": "zeros([3, 4, 5])"}, "indices": {"int32": "zeros([7, 2])"}}
    assert _groups("gather_nd", call)["result"] == ["batch", "inner"]


def test_more_axes_than_are_ever_drawn_are_told_as_well_as_none() -> None:
    deep = {"params": {"int32": "zeros([1, 1, 1, 1, 1, 2])"}, "indices": {"int32": "zeros([1, 6])"}}
    assert _groups("gather_nd", deep)["params"] == ["outer"] * 6
    assert _groups("gather_nd", {**deep, "indices": {"int32": [0, 0]}})["indices"] == ["rank(outer)"]


@pytest.mark.parametrize("dim", [1, -2])
def test_single_elements_point_along_the_axis_that_the_call_names_from_either_end(dim: int) -> None:
    groups = _groups("gather_elements", {**ALONG, "dim": dim})
    assert groups["input"] == ["before", "along", "after"]
    assert groups["index"] == groups["result"] == ["above", "picked", "below"]


def test_a_source_may_be_longer_than_the_index_or_a_number() -> None:
    assert _groups("scatter_elements", WRITTEN)["src"] == ["src_above", "src_along", "src_below"]
    assert "src" not in _groups("scatter_elements", {**WRITTEN, "src": 2.5})


@pytest.mark.parametrize(
    ("operation", "call", "change"),
    [
        ("tensor_scatter_nd_update", ROWS, {"updates": {"int32": "ones([2, 1])"}}),
        ("tensor_scatter_nd_update", ROWS, {"updates": {"int32": "ones([3, 2])"}}),
        ("tensor_scatter_nd_update", ROWS, {"indices": {"int32": "zeros([2, 3])"}}),
        ("scatter_nd", FOLDED, {"shape": [7, 8, -9]}),
        ("scatter_nd", {**FOLDED, "updates": {"int32": "ones([5, 4])"}, "shape": [7, 8]}, {"shape": [7, -8]}),
        ("scatter_nd", FOLDED, {"shape": {"list": [7, 8, 9]}, "updates": {"int32": 5}}),
        ("gather_elements", ALONG, {"index": {"int64": "zeros([5, 9, 6])"}}),
        ("gather_elements", ALONG, {"index": {"int64": [0, 1]}}),
        ("gather_elements", ALONG, {"dim": 3}),
        ("scatter_elements", WRITTEN, {"src": {"int32": "zeros([4, 2, 7])"}}),
    ],
)
def test_a_call_whose_arguments_do_not_fit_has_no_groups(
    operation: str, call: dict[str, Any], change: dict[str, Any]
) -> None:
    assert _axes(operation, call) is not None
    assert _axes(operation, {**call, **change}) is None


def test_an_operation_without_a_layout_has_none(tmp_path: Path) -> None:
    operation = load_specs(write_specs(tmp_path, spec=SPEC)).operations["gather_elements"]
    assert axes_of(Applied(operation, operation.clauses[0].written_calls[0].call)) is None


def test_an_operation_of_a_users_own_is_told_by_its_own_layout(tmp_path: Path) -> None:
    folder = write_specs(tmp_path)
    (folder / "gather_elements.yaml").unlink()
    (folder / "pick.yaml").write_text(OWN)
    operation = load_specs(folder).operations["pick"]
    found = axes_of(Applied(operation, operation.clauses[0].written_calls[0].call))
    assert found is not None
    assert found["table"] == ("of", "of", "rest")
    assert found["places"] == ("many", "rank(of)")
    assert found["result"] == ("many", "rest")


@pytest.mark.parametrize("dim", [3, -4, 2**62, -(2**62)])
def test_a_call_along_an_axis_that_does_not_exist_has_no_groups_however_far_it_is(dim: int) -> None:
    assert _axes("gather_elements", {**ALONG, "dim": dim}) is None


def test_the_length_of_the_axis_that_labels_point_along_is_a_number_of_the_call() -> None:
    arguments = {
        "data": {"float32": "zeros([3, 2])"},
        "segment_ids": {"int64": [1, 0, 1]},
        "num_segments": 5,
        "reduce": "sum",
    }
    assert _groups("unsorted_segment_reduce", arguments) == {
        "data": ["labelled", "inner"],
        "segment_ids": ["labelled"],
        "num_segments": ["segments"],
        "result": ["segments", "inner"],
    }
    assert _axes("unsorted_segment_reduce", {**arguments, "num_segments": -1}) is None


def test_an_axis_that_only_the_result_has_is_as_long_as_its_largest_label_says() -> None:
    arguments = {"data": {"float32": "zeros([3, 2])"}, "segment_ids": {"int64": [1, 1, 4]}, "reduce": "sum"}
    assert _groups("segment_reduce", arguments) == {
        "data": ["labelled", "inner"],
        "segment_ids": ["labelled"],
        "result": ["segments", "inner"],
    }
    assert _axes("segment_reduce", {**arguments, "segment_ids": {"int64": [1, 1]}}) is None


BATCH = {"input": {"float32": "zeros([2, 3, 4, 5])"}, "dim": 2, "index": {"int64": "zeros([2, 7])"}, "batch_dims": 1}


@pytest.mark.parametrize("change", [{}, {"dim": -2}, {"batch_dims": -1}])
def test_the_axes_of_a_batch_have_a_group_in_both_tensors_and_in_the_result(change: dict[str, Any]) -> None:
    assert _groups("batched_index_select", {**BATCH, **change}) == {
        "input": ["paired", "before", "along", "after"],
        "index": ["paired", "picked"],
        "result": ["paired", "before", "picked", "after"],
    }


@pytest.mark.parametrize("change", [{"batch_dims": 2}, {"batch_dims": 5}, {"batch_dims": {"scalar": True}}, {"dim": 0}])
def test_a_call_whose_batch_axes_do_not_match_has_no_groups(change: dict[str, Any]) -> None:
    assert _axes("batched_index_select", {**BATCH, **change}) is None


def test_what_a_mask_selects_has_an_axis_of_its_own_in_the_result() -> None:
    arguments = {"input": {"float32": "zeros([3, 2, 5])"}, "mask": {"bool": "ones([3, 2])"}}
    assert _groups("masked_select", arguments) == {
        "input": ["masked", "masked", "row"],
        "mask": ["masked", "masked"],
        "result": ["selected", "row"],
    }
    filled = _groups("masked_fill", {**arguments, "value": 7})
    assert filled["result"] == ["masked", "masked", "row"]
    assert _axes("masked_select", {**arguments, "mask": {"bool": "ones([3, 3])"}}) is None
