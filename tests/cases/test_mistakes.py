"""Draws of the mistakes that people make: each is invalid for the reason that its clause states, or for several."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from conformance.cases.draws.breaking import responsible
from conformance.cases.draws.choices import Rejected
from conformance.cases.draws.drawing import DrawnCall
from conformance.cases.draws.generate import draw_many
from conformance.cases.draws.mistakes import mistakes, with_mistake
from conformance.cases.draws.mutations import MISTAKES, NEXT_AXIS, OUTSIDE, POSITIONS, PREVIOUS_AXIS, Mutation
from conformance.cases.draws.source import drawn_case
from conformance.cases.model import Case
from conformance.cases.variation import Drawn
from conformance.specification.applied import Applied
from conformance.specification.indices.kinds import Along, Vectors
from conformance.specification.literals import Argument, Tensor, tensor
from conformance.specification.model import Call, Observed, Operation, Raises
from tests.cases.draws import CATALOGUE, REFERENCE, RULES, rule_of

SCATTER, GATHER, ADD = (CATALOGUE.operations[name] for name in ("scatter_nd", "gather_elements", "index_add"))


def applied(operation: Operation, **arguments: Argument) -> Applied:
    return Applied(operation, Call(arguments))


SLICES = applied(
    SCATTER,
    indices=tensor("int32", [[3], [1]]),
    updates=tensor("int32", [[1, 2, 3], [4, 5, 6]]),
    shape=(5, 3),
)
SCALARS_IN_TWO_ROWS = applied(
    SCATTER,
    indices=tensor("int32", [[[3], [1]], [[0], [2]]]),
    updates=tensor("int32", [[5, 6], [7, 8]]),
    shape=(5,),
)
ROWS = applied(
    ADD,
    input=tensor("int32", np.arange(12).reshape(4, 3).tolist()),
    dim=0,
    index=tensor("int32", [3, 1]),
    source=tensor("int32", [[1, 2, 3], [4, 5, 6]]),
)
COLUMNS = ROWS.with_arguments(
    {"dim": 1, "index": tensor("int32", [2]), "source": tensor("int32", [[1], [2], [3], [4]])}
)


def written(value: Argument) -> object:
    return value.array.tolist() if isinstance(value, Tensor) else value


def changed(call: Applied, kind: str) -> dict[str, object]:
    """The arguments that a mistake changes."""
    [mutation] = [mutation for mutation in mistakes(call) if mutation.kind == kind]
    mistaken = with_mistake(mutation, call)
    return {name: written(value) for name, value in mistaken.arguments.items() if value is not call.arguments[name]}


@pytest.mark.parametrize(
    ("call", "kind", "expected"),
    [
        (SLICES, "inner-axis-left-out", {"indices": [3, 1]}),
        (SLICES, "inner-axis-first", {"indices": [[3, 1]]}),
        (SLICES, "one-row", {"updates": [1, 2, 3]}),
        (SLICES, "flat", {"updates": [1, 2, 3, 4, 5, 6]}),
        (SLICES, "index-axes-last", {"updates": [[1, 4], [2, 5], [3, 6]]}),
        (SCALARS_IN_TWO_ROWS, POSITIONS, {"indices": [3, 1, 0, 2], "updates": [5, 6, 7, 8]}),
        (SCALARS_IN_TWO_ROWS, "one-row", {"updates": 5}),
        (ROWS, NEXT_AXIS, {"dim": 1}),
        (ROWS, "one-row", {"source": [1, 2, 3]}),
        (ROWS, "index-axes-last", {"source": [[1, 4], [2, 5], [3, 6]]}),
        (COLUMNS, PREVIOUS_AXIS, {"dim": 0}),
        (COLUMNS, "index-axes-first", {"source": [[1, 2, 3, 4]]}),
    ],
)
def test_a_mistake_changes_only_what_it_says(call: Applied, kind: str, expected: dict[str, object]) -> None:
    assert call.broken_rules == ()
    assert changed(call, kind) == expected


@pytest.mark.parametrize(
    ("kind", "target"),
    [("one-row", "updates"), ("index-axes-last", "updates"), (POSITIONS, "indices"), (NEXT_AXIS, "shape")],
)
def test_a_mistake_that_a_call_has_no_axes_for_is_rejected(kind: str, target: str) -> None:
    call = SCALARS_IN_TWO_ROWS.with_arguments({"updates": tensor("int32", 7)})
    with pytest.raises(Rejected):
        with_mistake(Mutation(kind, target), call)


def test_data_of_a_second_index_keeps_the_axes_that_this_index_has() -> None:
    layout = ADD.layout
    assert layout is not None
    columns = replace(layout.indices["index"], indexing=Along("input", "axis"))
    of_values = [
        replace(part, group="chosen") if part.group == "picked" else part for part in layout.arguments["source"]
    ]
    two = replace(
        ADD,
        arguments={
            **ADD.arguments,
            "axis": ADD.arguments["dim"],
            "columns": replace(ADD.arguments["index"], name="columns"),
            "values": replace(ADD.arguments["source"], name="values"),
        },
        layout=replace(
            layout,
            groups={**layout.groups, "chosen": replace(layout.groups["picked"], name="chosen")},
            arguments={
                **layout.arguments,
                "axis": layout.arguments["dim"],
                "columns": (replace(layout.arguments["index"][0], group="chosen"),),
                "values": tuple(of_values),
            },
            indices={**layout.indices, "columns": columns},
        ),
    )
    values = tensor("int32", [[1, 2], [3, 4], [5, 6], [7, 8]])
    call = applied(two, **ROWS.arguments, axis=1, columns=tensor("int32", [2, 0]), values=values)
    kinds = {kind for kind in MISTAKES if Mutation(kind, "values") in {*mistakes(call)}}
    assert kinds == {"one-row", "flat", "index-axes-first"}
    [one_row] = {mutation for mutation in mistakes(call) if mutation == Mutation("one-row", "values")}
    assert written(with_mistake(one_row, call).arguments["values"]) == [1, 3, 5, 7]


def test_dim_stays_within_the_axes_so_that_it_is_not_an_error_of_its_own() -> None:
    kinds = {call.arguments["dim"]: {mutation.kind for mutation in mistakes(call)} for call in (ROWS, COLUMNS)}
    assert PREVIOUS_AXIS not in kinds[0]
    assert NEXT_AXIS not in kinds[1]


def drawn(name: str, broken: str, count: int = 300) -> Iterator[DrawnCall]:
    operation, rule = rule_of(name, broken)
    for recorded in draw_many(operation, rule, count=count, seed="mistakes"):
        yield recorded.drawn


@pytest.mark.parametrize("name", ["scatter_nd", "tensor_scatter_nd_add", "tensor_scatter_nd_update", "index_add"])
def test_calls_that_break_several_rules_are_drawn_for_one_of_them(name: str) -> None:
    several = set()
    for rule in [rule for operation_, rule in RULES if operation_ == name]:
        for call in (drawn_call.call for drawn_call in drawn(name, rule) if drawn_call.mutation.is_mistake):  # type: ignore[union-attr]
            broken = call.broken_rules
            assert responsible(call.operation, broken).name == rule
            several.add(broken)
    assert any(len(broken) > 1 for broken in several)


def test_a_rule_whose_breach_is_only_observed_is_not_responsible_if_another_requires_an_error() -> None:
    assert responsible(SCATTER, ("indices-integer", "indices-dtype")).name == "indices-integer"
    assert responsible(SCATTER, ("indices-dtype",)).name == "indices-dtype"
    swapped = replace(SCATTER, clauses=tuple(reversed(SCATTER.clauses)))
    assert responsible(swapped, ("indices-integer", "indices-dtype")).name == "indices-integer"


def case_of(operation: Operation, broken: str, drawn_call: DrawnCall) -> Case:
    [clause] = [clause for clause in operation.clauses if clause.rule and clause.rule.name == broken]
    return drawn_case(clause, f"{clause.id}/draw.1", drawn_call, Drawn(clause.rule, 1, 1, (), REFERENCE))


def test_a_mistake_must_raise_and_its_note_names_the_rules_that_it_breaks() -> None:
    of_mistake = next(
        drawn_call
        for drawn_call in drawn("scatter_nd", "updates-shape")
        if drawn_call.mutation is not None and drawn_call.mutation.kind == "inner-axis-left-out"
    )
    case = case_of(SCATTER, "updates-shape", of_mistake)
    assert case.expectation == Raises()
    assert case.control is of_mistake.control
    broken = case.call.broken_rules
    assert case.entry.note == f"indices: inner axis left out; breaks {', '.join(broken)}"
    assert len(broken) > 1


@pytest.mark.parametrize(
    ("rule_expects", "several", "expected"),
    [
        (Raises("ValueError"), True, Raises()),
        (Raises("ValueError"), False, Raises("ValueError")),
        (Observed("unknown"), False, Observed("unknown")),
    ],
)
def test_the_type_of_an_error_binds_only_where_no_other_rule_is_broken(
    rule_expects: Raises | Observed, several: bool, expected: Raises | Observed
) -> None:
    clauses = tuple(
        replace(clause, rule=replace(clause.rule, broken=rule_expects))
        if clause.rule and clause.rule.name == "updates-shape"
        else clause
        for clause in SCATTER.clauses
    )
    operation = replace(SCATTER, clauses=clauses)
    of_mistakes = [
        drawn_call
        for drawn_call in drawn("scatter_nd", "updates-shape")
        if drawn_call.mutation is not None and drawn_call.mutation.is_mistake
    ]
    call = next(call for call in of_mistakes if (len(call.call.broken_rules) > 1) is several)
    assert case_of(operation, "updates-shape", call).expectation == expected


def test_an_index_that_another_axis_puts_out_of_bounds_breaks_only_the_rule_about_bounds() -> None:
    of_axis = [call for call in drawn("gather_elements", "index-range") if call.mutation and call.mutation.of_axis]
    assert len(of_axis) > 20
    for drawn_call in of_axis:
        assert drawn_call.call.broken_rules == ("index-range",)
        [geometry] = drawn_call.call.geometries.values()
        assert geometry.fits
        assert case_of(GATHER, "index-range", drawn_call).policies


@pytest.mark.parametrize(
    ("name", "broken"), [rule for rule in RULES if rule[1] != "index-range" and rule[0] != "segment_reduce"]
)
def test_no_index_is_out_of_bounds_where_a_rule_is_about_something_else(name: str, broken: str) -> None:
    for drawn_call in drawn(name, broken, 60):
        assert drawn_call.mutation is not None
        assert drawn_call.mutation.kind not in OUTSIDE
        # Nothing is inside of fewer positions than none.
        call = drawn_call.control if broken == "number-not-negative" else drawn_call.call
        assert call is not None
        assert all(geometry.inside.all() for geometry in call.geometries.values())


NO_MASKS = ("gather_elements", "batched_index_select", "batched_gather_nd")
"""Operations whose indices cannot have the shape of what they select from."""
MASKS = [(name, rule) for name, rule in RULES if rule in ("indices-integer", "index-dtype") and name not in NO_MASKS]


@pytest.mark.parametrize(("name", "broken"), MASKS)
def test_a_boolean_index_is_right_as_a_mask_and_as_numbers_but_for_its_dtype(name: str, broken: str) -> None:
    masks = [call for call in drawn(name, broken) if call.mutation and call.mutation.kind == "as-bool"]
    assert len(masks) > 20
    for drawn_call in masks:
        assert drawn_call.mutation is not None
        index = drawn_call.call.arguments[drawn_call.mutation.target]
        assert isinstance(index, Tensor)
        assert index.array.all()
        as_numbers = drawn_call.call.with_arguments({drawn_call.mutation.target: index.cast("int64")})
        assert as_numbers.broken_rules == ()
        [geometry] = as_numbers.geometries.values()
        assert geometry.inside.all()
        assert index.shape[0] == geometry.shape[geometry.axes[0]]
        if isinstance(geometry.indexing, Vectors) and index.shape[-1] > 1:
            assert index.shape == geometry.shape[:2]


def test_a_shape_given_as_a_tensor_has_the_dtype_of_the_indices() -> None:
    tensors = [call.call.arguments for call in drawn("scatter_nd", "shape-tuple", 60)]
    dtypes = {
        (shape.dtype, indices.dtype)
        for shape, indices in ((arguments["shape"], arguments["indices"]) for arguments in tensors)
        if isinstance(shape, Tensor) and isinstance(indices, Tensor)
    }
    assert dtypes == {("int32", "int32"), ("int64", "int64")}


def test_the_kinds_of_mistakes_are_those_that_are_drawn_for_the_suite() -> None:
    kinds = {
        drawn_call.mutation.kind
        for name, rule in RULES
        for drawn_call in drawn(name, rule, 60)
        if drawn_call.mutation is not None and drawn_call.mutation.is_mistake
    }
    assert kinds == set(MISTAKES)


def test_the_data_of_a_call_are_shuffled_across_its_arguments() -> None:
    """Else the larger of an element and its update would always be the element."""
    larger = set()
    for recorded in draw_many(CATALOGUE.operations["scatter_elements"], None, count=60, seed="data"):
        tensors = [recorded.drawn.call.arguments[name] for name in ("input", "src")]
        if all(isinstance(value, Tensor) for value in tensors):
            first, second = (value.array.max() for value in tensors)  # type: ignore[union-attr]
            larger.add("input" if first > second else "src")
    assert larger == {"input", "src"}


def test_a_number_differs_from_all_elements() -> None:
    compared = 0
    for recorded in draw_many(CATALOGUE.operations["scatter_elements"], None, count=200, seed="numbers"):
        arguments = recorded.drawn.call.arguments
        if isinstance(arguments["src"], int) and isinstance(arguments["input"], Tensor):
            compared += 1
            assert arguments["src"] not in arguments["input"].array
    assert compared > 20
