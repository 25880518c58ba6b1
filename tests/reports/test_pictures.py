"""The drawing of a call as data."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from conformance.findings.conditions import conditions_of
from conformance.reports.site.pictures import picture
from conformance.results.records import CaseRecord
from tests.findings.test_recorded_call import record

UPDATE = record(
    "tensor_scatter_nd_update",
    tensor={"int32": "zeros([3, 2])"},
    indices={"int32": [[2], [0]]},
    updates={"int32": [[1, 2], [3, 4]]},
)

SELECT = CaseRecord(
    id="index_select.example.columns/as-printed",
    clause="index_select.example.columns",
    operation="index_select",
    call={"input": {"int32": [[1, 2, 3], [4, 5, 6]]}, "dim": -1, "index": {"int64": [2, 0, 3]}},
    expectation={"raises": True},
    dtypes={},
    digest="0",
    source="index_select.yaml:1",
    axes={"input": ["before", "along"], "index": ["picked"], "result": ["before", "picked"]},
    points={"index": {"into": "input", "along": "dim", "selects": "slices"}},
)


def _parts(drawn: dict[str, Any] | None) -> dict[str, dict[str, Any]]:
    assert drawn is not None
    return {part["name"]: part for part in drawn["parts"]}


def test_the_parts_stand_as_the_eye_goes_and_say_what_their_axes_are() -> None:
    parts = _parts(picture(UPDATE))
    assert [(name, part["role"]) for name, part in parts.items()] == [
        ("indices", "index"),
        ("tensor", "target"),
        ("updates", "moved"),
    ]
    assert parts["indices"]["axes"] == [("batch", 1), ("depth", 0)]
    assert parts["tensor"]["axes"] == [("outer", 0), ("inner", 2)]
    assert parts["updates"]["axes"] == [("batch", 1), ("inner", 2)]


def test_cells_are_as_written_in_the_call_or_worked_out_or_too_many() -> None:
    large = replace(UPDATE, call={**UPDATE.call, "tensor": {"int32": "zeros([3, 50])"}})
    parts = _parts(picture(UPDATE))
    assert parts["updates"]["cells"] == ["1", "2", "3", "4"]
    assert parts["tensor"]["cells"] == ["0"] * 6
    assert _parts(picture(large))["tensor"]["cells"] is None


def test_moves_are_the_cells_of_all_three_that_belong_together() -> None:
    drawn = picture(UPDATE)
    assert drawn is not None
    assert drawn["moves"] == [[[0], [4, 5], [0, 1]], [[1], [0, 1], [2, 3]]]
    assert (drawn["out"], drawn["result"]["shape"]) == (False, [3, 2])


def test_a_relation_is_drawn_without_a_way_since_its_sides_are_other_calls() -> None:
    drawn = picture(replace(UPDATE, expectation={"relation": {"left": "a", "right": "b"}}))
    assert drawn is not None
    assert (drawn["moves"], drawn["result"]) == ([], None)


def test_arguments_that_do_not_fit_are_drawn_without_groups() -> None:
    drawn = picture(replace(UPDATE, axes={}, points={}))
    assert {part["role"] for part in _parts(drawn).values()} == {"other"}
    assert drawn is not None
    assert (drawn["moves"], drawn["fits"]) == ([], False)


def test_without_a_layout_nothing_is_said_of_what_fits() -> None:
    drawn = picture(replace(UPDATE, axes=None, points={}))
    assert drawn is not None
    assert (drawn["moves"], drawn["fits"]) == ([], True)


def test_a_result_of_another_shape_than_the_layouts_has_no_groups() -> None:
    other = {"returns": {"dtype": "int32", "shape": [6], "values": [0] * 6, "source": "spec"}}
    drawn = picture(replace(UPDATE, expectation=other))
    assert drawn is not None
    assert drawn["result"] == {"shape": [6], "axes": []}


def test_a_call_without_a_tensor_is_not_drawn() -> None:
    assert picture(replace(UPDATE, call={"shape": [2]}, axes={}, points={})) is None


def test_a_target_too_large_to_draw_has_the_positions_that_vectors_inside_point_to() -> None:
    large = replace(
        UPDATE, call={**UPDATE.call, "tensor": {"int32": "zeros([8, 50])"}, "indices": {"int32": [[9], [1]]}}
    )
    assert _parts(picture(large))["tensor"]["spots"] == [(1, [1.5 / 8])]
    assert _parts(picture(UPDATE))["tensor"]["spots"] == []


def test_an_index_of_one_axis_takes_slices_along_the_axis_that_the_call_names() -> None:
    drawn = picture(SELECT)
    assert drawn is not None
    assert drawn["moves"] == [[[0], [2, 5], [0, 3]], [[1], [0, 3], [1, 4]], [[2], [], [2, 5]]]
    assert (drawn["out"], drawn["result"]["shape"]) == (True, [2, 3])
    parts = _parts(drawn)
    assert parts["index"]["axes"] == [("picked", 1)]
    assert parts["input"]["axes"] == [("before", 2), ("along", 0)]
    assert drawn["result"]["axes"] == [("before", 2), ("picked", 1)]


def test_a_flat_index_points_to_an_element_whatever_its_axes() -> None:
    drawn = picture(
        replace(
            SELECT,
            call={"input": {"int32": [[1, 2, 3], [4, 5, 6]]}, "index": {"int64": [[5], [0], [6]]}},
            axes={"input": ["counted", "counted"], "index": ["picked", "picked"], "result": ["picked", "picked"]},
            points={"index": {"into": "input", "along": None, "selects": "flat"}},
        )
    )
    assert drawn is not None
    assert drawn["moves"] == [[[0], [5], [0]], [[1], [0], [1]], [[2], [], [2]]]
    parts = _parts(drawn)
    assert parts["input"]["axes"] == [("counted", 0)] * 2
    assert parts["index"]["axes"] == drawn["result"]["axes"] == [("picked", 1)] * 2


@pytest.mark.parametrize(
    "points",
    [{"index": {**SELECT.points["index"], "selects": "diagonals"}}, {"index": {"into": "nothing"}}, {"index": "along"}],
    ids=["another-form", "another-target", "an-older-version"],
)
def test_an_index_that_this_version_cannot_read_is_drawn_without_moves(points: Any) -> None:
    case = replace(SELECT, points=points)
    drawn = picture(case)
    assert drawn is not None
    assert {part["role"] for part in _parts(drawn).values()} == {"other"}
    assert (drawn["moves"], drawn["out"]) == ([], False)
    assert "every index in range" not in conditions_of(case, None, {})
