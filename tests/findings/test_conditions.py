"""What is particular about a call, against what one sees in it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from conformance.findings.conditions import conditions_of, points_of, usual_forms
from conformance.results.records import ClauseRecord
from conformance.results.variations import InProgramRecord
from tests.findings.test_recorded_call import record

RULE = ClauseRecord("it.rule.fits", "it", "rule", "It fits.", [], "it.yaml:1", name="fits")
GATHER = {"params": {"float32": "arange(0, 12)"}, "indices": {"int64": [[3], [0]]}}
UPDATE = {"tensor": {"int8": "zeros([3, 2])"}, "indices": {"int32": [[1], [0]]}, "updates": {"int8": "ones([2, 2])"}}
WRITE = {
    "input": {"int32": "zeros([4, 3])"},
    "dim": 0,
    "index": {"int64": [[3, 0, 1]]},
    "src": {"int32": [[5, 6, 7]]},
}
KEYED = {
    "input": {"float32": "zeros([2, 2, 2, 3])"},
    "i": {"int64": [1, 0]},
    "j": {"int64": [2, 0]},
    "key": "0, i, :, j",
}


def _conditions(operation: str, *calls: dict[str, Any]) -> set[str]:
    """Of a call that is made of parts, the later ones over the earlier."""
    arguments: dict[str, Any] = {}
    for call in calls:
        arguments |= call
    return set(conditions_of(record(operation, **arguments), None, {}))


@pytest.mark.parametrize(
    ("indices", "expected"),
    [
        ([[3], [0]], {"every index in range"}),
        ([[12], [0]], {"an index equal to the length"}),
        ([[13], [0]], {"an index greater than the length"}),
        ([[-1], [0]], {"a negative index in range"}),
        ([[-12], [0]], {"a negative index in range"}),
        ([[-13], [12]], {"a negative index out of bounds", "an index equal to the length"}),
    ],
)
def test_where_indices_point(indices: list[list[int]], expected: set[str]) -> None:
    found = _conditions("gather_nd", GATHER, {"indices": {"int64": indices}})
    assert {one for one in found if one.startswith(("an index", "a negative index", "every index"))} == expected


def test_each_column_has_a_length_of_its_own() -> None:
    table = {"params": {"int32": "zeros([2, 5])"}}
    assert "every index in range" in _conditions("gather_nd", table, {"indices": {"int32": [[1, 4]]}})
    assert "an index equal to the length" in _conditions("gather_nd", table, {"indices": {"int32": [[2, 4]]}})


@pytest.mark.parametrize(("indices", "twice"), [([[1], [0]], False), ([[1], [1]], True)])
def test_vectors_that_are_the_same(indices: list[list[int]], twice: bool) -> None:
    found = _conditions("gather_nd", GATHER, {"indices": {"int64": indices}})
    assert ("duplicate indices" in found, "no duplicates" in found) == (twice, not twice)


def test_the_same_vector_twice_without_elements_to_write() -> None:
    hollow = {"tensor": {"int8": "zeros([3, 0, 3])"}, "updates": {"int8": "zeros([2, 0, 3])"}}
    found = _conditions("tensor_scatter_nd_update", UPDATE, hollow, {"indices": {"int32": [[1], [1]]}})
    assert "duplicate indices with equal elements" in found


def test_the_same_index_on_another_line_is_not_twice() -> None:
    assert "no duplicates" in _conditions("scatter_elements", WRITE, {"index": {"int64": [[1, 1, 1]]}})
    down = {"index": {"int64": [[1], [1]]}, "src": {"int32": [[5], [6]]}}
    assert "duplicate indices" in _conditions("scatter_elements", WRITE, down)


def test_nothing_to_point_with_and_nothing_to_point_into() -> None:
    nothing = {"indices": {"int32": "zeros([0, 1])"}, "updates": {"int8": "zeros([0, 2])"}}
    assert "no indices" in _conditions("tensor_scatter_nd_update", UPDATE, nothing)
    hollow = {"tensor": {"int8": "zeros([3, 0])"}, "updates": {"int8": "zeros([2, 0])"}}
    assert "an axis of length zero" in _conditions("tensor_scatter_nd_update", UPDATE, hollow)
    assert "index vectors of length 0" in _conditions("gather_nd", GATHER, {"indices": {"int64": "zeros([2, 0])"}})


def test_dtypes_and_ranks_are_named() -> None:
    assert {
        "data in int8",
        "indices in int32",
        "a target of rank 2",
        "1 batch axis",
        "index vectors of 1",
        "slices",
        "no views",
    } <= _conditions("tensor_scatter_nd_update", UPDATE)


def test_lengths_beside_the_axis_are_compared() -> None:
    short = {"index": {"int64": [[3]]}}
    assert {
        "not along the last axis",
        "an index as long as the input along the other axes",
        "a source as long as the index",
    } <= (_conditions("scatter_elements", WRITE))
    assert {"an index shorter than the input along the other axes", "a source longer than the index"} <= _conditions(
        "scatter_elements", WRITE, short
    )


def test_a_flat_index_has_words_of_its_own() -> None:
    case = replace(
        record("gather_nd", **GATHER),
        call={"input": {"int32": "zeros([2, 3])"}, "index": {"int64": [[5], [6]]}},
        axes={"input": ["counted", "counted"], "index": ["picked", "picked"]},
        points={"index": {"into": "input", "along": None, "selects": "flat"}},
    )
    found = set(conditions_of(case, None, {}))
    assert {"an index equal to the length", "no duplicates", "a target of rank 2", "an index of rank 2"} <= found
    assert not {name for name in found if "axis" in name}


@pytest.mark.parametrize(
    ("index", "dim", "expected"),
    [
        ([2, 0], 1, {"every index in range", "no duplicates", "along the last axis"}),
        ([1, 1], 0, {"every index in range", "duplicate indices", "not along the last axis"}),
        ([3, 0], -1, {"an index equal to the length", "no duplicates", "along the last axis"}),
    ],
)
def test_an_index_of_one_axis_has_its_words_as_well(index: list[int], dim: int, expected: set[str]) -> None:
    call = {"input": {"int32": "zeros([2, 3])"}, "dim": dim, "index": {"int64": index}}
    points: dict[str, dict[str, str | None]] = {"index": {"into": "input", "along": "dim", "selects": "slices"}}
    axes = {"input": ["axes", "axes"], "index": ["picked"]}
    case = replace(record("gather_nd", **GATHER), call=call, axes=axes, points=points)
    said = {
        "every index in range",
        "an index equal to the length",
        "no duplicates",
        "duplicate indices",
        "along the last axis",
    }
    assert set(conditions_of(case, None, {})) & {*said, "not along the last axis"} == expected


def test_each_of_several_indices_has_conditions_of_its_own() -> None:
    found = _conditions("advanced_index_get", KEYED, {"j": {"int8": [3, -1]}})
    assert {
        "index i: every index in range",
        "index j: an index equal to the length",
        "index j: a negative index in range",
        "index i: indices in int64",
        "index j: indices in int8",
        "index i: not along the last axis",
        "index j: along the last axis",
        "data in float32",
        "a target of rank 4",
        "no duplicates",
    } <= found
    assert not [
        name for name in found if name.startswith(("every", "an index", "a negative", "indices", "along", "not"))
    ]


def test_indices_in_one_key_select_together() -> None:
    assert "no duplicates" in _conditions("advanced_index_get", KEYED, {"i": {"int64": [1, 1]}})
    twice = {"i": {"int64": [1, 1]}, "j": {"int64": [2, 2]}}
    assert "duplicate indices" in _conditions("advanced_index_get", KEYED, twice)


MATRIX = {"input": {"float32": "zeros([2, 3])"}, "i": {"int64": [1, 0]}, "j": {"int64": [3, 0]}, "key": "i, j"}
DECLARED = points_of([record("advanced_index_set", **KEYED, values={"float32": [1.0, 2.0]})])


def test_what_a_case_without_the_axes_of_the_layout_points_into_is_told_by_the_others() -> None:
    case = record("advanced_index_get", **MATRIX)
    assert (case.axes, case.points) == ({}, {})
    found = set(conditions_of(case, None, {}, DECLARED))
    assert {"index i: every index in range", "index j: an index equal to the length", "data in float32"} <= found
    assert "incompatible arguments" not in found


def test_an_index_without_elements_is_the_one_that_is_named() -> None:
    case = record("advanced_index_get", **{**MATRIX, "i": {"int64": [[0]]}, "j": {"int64": "zeros([0])"}})
    found = set(conditions_of(case, None, {}, DECLARED))
    assert "index j: no indices" in found
    assert not {"no indices", "index i: no indices", "an axis of length zero"} & found


@pytest.mark.parametrize(
    "wrong",
    [
        {"i": {"int64": [0, 1, 1]}},
        {"input": {"float32": [1.0, 2.0]}},
        {"i": {"bool": [True]}},
        {"i": {"float32": [0.0, 1.0]}},
        {"values": {"float32": [1.0, 2.0, 3.0]}},
    ],
)
def test_a_key_and_what_is_written_fit_or_not_whatever_the_layout(wrong: dict[str, Any]) -> None:
    fitting = record("advanced_index_set", **MATRIX, values={"float32": [7.0]})
    assert "incompatible arguments" not in conditions_of(fitting, None, {}, DECLARED)
    case = replace(fitting, call={**fitting.call, **wrong})
    assert "incompatible arguments" in conditions_of(case, None, {}, DECLARED)


PROGRAM = (
    "def program(params, indices):\n    {}\n    result = gather_nd(params=params, indices=indices)\n    return result\n"
)


def test_what_a_program_cuts_off_is_no_index() -> None:
    case = record(
        "gather_nd", **{**GATHER, "indices": {"int64": [[85, 85, 85], [85, 3, 85], [85, 3, 85], [85, 85, 85]]}}
    )
    cut = replace(case, variation=InProgramRecord(PROGRAM.format("indices = indices[1:-1, 1:-1]")))
    found = set(conditions_of(cut, None, {}, points_of([record("gather_nd", **GATHER)])))
    assert {"every index in range", "duplicate indices", "a view: offset", "a program around the call"} <= found
    assert not {"an index greater than the length", "incompatible arguments", "no views"} & found


def test_a_program_that_is_not_understood_tells_nothing_of_what_the_call_receives() -> None:
    text = PROGRAM.format("params = gather_nd(params, indices)")
    case = replace(record("gather_nd", **GATHER), variation=InProgramRecord(text))
    assert set(conditions_of(case, None, {})) == {"a program around the call", "other calls of it"}


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["nan", 1.0], {"non-finite values"}),
        ([-0.0, 1.0], {"negative zero"}),
        ([0.0, 1.0], set()),
        ([1e-40, 1.0], {"subnormal values"}),
    ],
)
def test_values_that_are_seldom_tried(values: list[Any], expected: set[str]) -> None:
    found = _conditions("gather_nd", {"params": {"float32": values}, "indices": {"int64": [[0]]}})
    every = {"non-finite values", "negative zero", "subnormal values"}
    assert found & every == expected


def test_views_and_words_are_named() -> None:
    view = {"params": {"float32": [1.0, 2.0], "view": "strided"}, "indices": {"int64": [[0]]}}
    found = _conditions("gather_nd", view)
    assert "a view: strided" in found
    assert "no views" not in found
    assert {"reduce add", "negative dim"} <= _conditions("scatter_elements", WRITE, {"reduce": "add", "dim": -2})


def test_an_argument_in_another_form_than_usual_or_left_out() -> None:
    usual = usual_forms([(record("scatter_elements", **WRITE, reduce="add"), 2)])
    assert usual == {
        "input": "a tensor",
        "dim": "a number",
        "index": "a tensor",
        "src": "a tensor",
        "reduce": "a string",
    }
    found = conditions_of(record("scatter_elements", **{**WRITE, "src": 2.5}), None, usual)
    assert {"src as a number", "no reduce"} <= set(found)
    found = conditions_of(record("scatter_elements", **{**WRITE, "dim": {"scalar": True}}), None, usual)
    assert "dim as a bool" in found


def test_arguments_that_do_not_fit_have_no_ranges_and_say_so() -> None:
    found = _conditions("gather_nd", {"params": {"int32": [1]}, "indices": {"int32": [[0, 0]]}})
    assert found == {"incompatible arguments", "no views", "other calls of it"}


def test_without_a_layout_nobody_knows_whether_arguments_fit() -> None:
    case = replace(record("gather_nd", **GATHER), axes=None, points={})
    assert set(conditions_of(case, None, {})) == {"no views", "other calls of it"}


def test_a_rule_that_a_call_breaks_is_named_and_one_that_it_keeps_is_not() -> None:
    case = replace(record("gather_nd", **GATHER), id="it.rule.fits/break.1", clause="it.rule.fits")
    assert "breaks rule fits" in conditions_of(case, RULE, {})
    kept = replace(case, id="it.rule.fits/keep.1", expectation={"observed": "nobody says"})
    assert "breaks rule fits" not in conditions_of(kept, RULE, {})
    assert list(conditions_of(kept, RULE, {}))[-1] == "other calls of it.rule.fits"
