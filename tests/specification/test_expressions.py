from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from conformance.specification.expressions import ExpressionError, compile_expression
from conformance.specification.literals import Tensor, tensor
from conformance.specification.problems import Location, SpecError

INDICES = tensor("int32", [[0, 1], [2, 0]])


def _holds(text: str, **values: object) -> bool:
    return compile_expression(text, values).holds(values)


def test_shapes_are_tuples_that_can_be_cut_and_joined() -> None:
    assert _holds("updates.shape == indices.shape[:-1] + shape[indices.shape[-1]:]",
                  indices=INDICES, updates=tensor("int32", [1, 2]), shape=(3, 3))  # fmt: skip


def test_a_generator_sees_the_values_around_it() -> None:
    assert _holds("all(length >= indices.rank for length in shape)", indices=INDICES, shape=(2, 3))
    assert not _holds("all(length >= indices.rank for length in shape)", indices=INDICES, shape=(1, 3))


def test_offsets_rise_along_the_last_axis_alone_and_lengths_add_up_there() -> None:
    assert _holds("rises(x)", x=tensor("int64", [[0, 2, 2], [0, 1, 3]]))
    assert not _holds("rises(x)", x=tensor("int64", [[0, 2, 1], [0, 1, 3]]))
    assert _holds("adds_up(x, 3)", x=tensor("int64", [[1, 2], [3, 0]]))
    assert not _holds("adds_up(x, 3)", x=tensor("int64", [[1, 2], [3, 1]]))


def test_bounds_of_columns_are_those_of_the_last_axis() -> None:
    assert _holds("within(indices, 0, shape)", indices=INDICES, shape=(3, 2))
    assert not _holds("within(indices, 0, shape)", indices=INDICES, shape=(2, 3))


def test_a_position_counts_from_either_end_of_its_axis() -> None:
    assert _holds("within_either_end(indices, shape)", indices=tensor("int64", [[-3, 1]]), shape=(3, 2))
    assert not _holds("within_either_end(indices, shape)", indices=tensor("int64", [[1, -3]]), shape=(3, 2))
    assert not _holds("within_either_end(indices, shape[0])", indices=tensor("int64", [0, 3]), shape=(3, 2))


def test_the_largest_element_of_a_tensor_is_a_number_and_there_is_one_to_say_for_none() -> None:
    assert _holds("largest(ids, -1) == 7", ids=tensor("uint64", [[3, 7], [0, 2]]))
    assert _holds("largest(ids, -1) + 1 == 0", ids=tensor("int64", "zeros([0])"))
    assert _holds("is_integer(largest(ids, 0))", ids=tensor("float32", [2, 5]))


@pytest.mark.parametrize(
    ("ids", "holds"),
    [
        ([0, 0, 2], True),
        ([2], True),
        ([], True),
        ([0, 2, 1], False),
        ([[0, 1], [1, 3]], True),
        ([[0, 3], [1, 4]], False),
    ],
)
def test_elements_ascend_if_none_is_less_than_the_one_before(ids: list[Any], holds: bool) -> None:
    assert _holds("ascending(ids)", ids=tensor("uint8", ids or "zeros([0])")) is holds


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("count(mask) == 2", True),
        ("count(mask, (2, 3)) == 2", True),
        ("count(mask, (4, 2, 3)) == 8", True),
        ("count(mask, (5, 7)) == 2", True),
        ("mask.size == 6", True),
        ("count(column, (2, 3)) == 3", True),
        ("count(column, (1, 3)) == 3", True),
        ("count(nothing) == count(nothing, (4,)) == nothing.size", True),
        ("count(mask) == 4", False),
    ],
)
def test_the_true_elements_of_a_mask_are_counted_as_often_as_they_are_broadcast(text: str, holds: bool) -> None:
    mask = tensor("bool", [[True, False, False], [False, True, False]])
    values = {"mask": mask, "column": tensor("bool", [[True], [False]]), "nothing": tensor("bool", "zeros([0])")}
    assert _holds(text, **values) is holds


def test_the_elements_that_functions_visit_are_counted() -> None:
    long = tensor("int8", "zeros([3000000])")
    for call in ("largest(x, 0) == 0", "ascending(x)", "count(x) == 0"):
        text = f"all({call} for n in range(9))"
        with pytest.raises(SpecError, match="it visits more than"):
            compile_expression(text, ["x"]).value({"x": long})


def test_the_mask_of_a_large_call_is_counted_a_few_times() -> None:
    mask = Tensor("bool", np.zeros(20_000_000, bool), None)
    assert compile_expression("count(x) == 0", ["x"]).value({"x": mask})
    assert compile_expression("key_broadcasts('i', x)", ["x"]).value({"x": mask})
    with pytest.raises(SpecError, match="it visits more than"):
        compile_expression("all(count(x) == 0 for n in range(600))", ["x"]).value({"x": mask})


def test_what_cannot_be_evaluated_neither_holds_nor_fails() -> None:
    expression = compile_expression("shape[5] == 1", ["shape"])
    assert not expression.holds({"shape": (1,)})
    assert not expression.fails({"shape": (1,)})
    assert compile_expression("shape[0] == 2", ["shape"]).fails({"shape": (1,)})


def test_a_float_is_not_an_integer_even_if_it_is_whole() -> None:
    assert _holds("all(is_integer(length) for length in shape)", shape=(3, 2))
    assert not _holds("all(is_integer(length) for length in shape)", shape=(3.0, 2))


def test_what_cannot_be_evaluated_does_not_hold() -> None:
    assert not _holds("shape[5] == 1", shape=(1,))
    assert not _holds("1 // shape[0] == 1", shape=(0,))
    assert not _holds("shape.rank == 1", shape=(0,))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("indces.rank == 1", "undefined name 'indces'; did you mean 'indices'?"),
        ("indices.shpae == 1", "undefined attribute 'shpae'; did you mean 'shape'?"),
        ("indices.__class__", "undefined attribute '__class__'"),
        ("__import__('os')", "cannot call '__import__'; available: adds_up, all, any"),
        ("indices.shape.index(1)", "cannot call 'indices.shape.index'"),
        ("print(1)", "cannot call 'print'"),
        ("print", "undefined name 'print'"),
        ("len(*indices)", "keyword and starred arguments are not allowed"),
        ("max(indices, key=len)", "keyword and starred arguments are not allowed"),
        ("2 ** 100", "Pow is not part"),
        ("lambda: 1", "Lambda is not part"),
        ("[x for x in indices]", "ListComp is not part"),
        ("length == all(length for length in shape)", "undefined name 'length'"),
        ("all(all(y for x in y) for y in x)", "undefined name 'x'"),
        ("all(1 for indices.shape in indices)", "the variable of a comprehension is a name, not 'indices.shape'"),
        ("all(x for x in indices if x)", "a comprehension cannot have a condition"),
        ("f'{indices}'", "is not part"),
        ("(x := 1)", "is not part"),
        ("1 +", "not an expression"),
        ("", "not an expression"),
        ("1 == 1 " + " " * 500, "at most 400"),
        ("b'x' == 1", "invalid constant"),
    ],
)
def test_what_is_outside_the_language_is_refused_with_what_is_inside(text: str, said: str) -> None:
    with pytest.raises(ExpressionError) as caught:
        compile_expression(text, ["indices"])
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("sum(1 for i in range(1000000000)) == 0", "visits more than 10000 elements"),
        ("all(i >= 0 for i in range(0, -1000000000, -1))", "visits more than 10000 elements"),
        ("len(range(1000000000000000000000000000000)) == 0", "visits more than 10000 elements"),
        ("'a' in range(1000000000)", "visits more than 10000 elements"),
        (
            "all(all(all(i >= 0 for i in range(99)) for j in range(99)) for k in range(99))",
            "visits more than 10000 elements",
        ),
        ("all(all(x == y for x in shape) for y in shape)", "visits more than 10000 elements"),
        ("all(within(indices, 0, 9) for x in shape)", "visits more than 10000 elements"),
        ("len('a' * 1000000000) == 0", "* takes numbers; found a str"),
        ("len(1000000000 * (1, 2)) == 0", "* takes numbers; found a tuple"),
        ("dim" + " * 1000000000000000000000000000000000000000000000000" * 7 + " > 0", "at most 1000 are allowed"),
        ("len(sum((shape for x in shape), ())) == 0", "sum takes numbers; found a tuple"),
    ],
)
def test_an_evaluation_stops_before_it_costs_more_than_a_limit(text: str, said: str) -> None:
    values = {"dim": 7, "shape": (1,) * 999, "indices": tensor("int8", "zeros([99999])")}
    expression = compile_expression(text, values, location=Location("a.yaml", 7))
    for same in (expression, pickle.loads(pickle.dumps(expression))):
        with pytest.raises(SpecError) as caught:
            same.holds(values)
        [problem] = caught.value.problems
        assert str(problem.location) == "a.yaml:7"
        assert said in problem.message
        assert text in problem.message


def test_a_remainder_of_what_is_no_number_does_not_hold() -> None:
    assert not _holds("len('%1000000000d' % dim) == 0", dim=1)
    assert not _holds("dim % 3 == 1", dim="text")
    assert _holds("dim % 3 == 1 and 2 * dim == 8 and dim * 0.5 == 2", dim=4)
    assert _holds("sum(1 for i in range(4000)) == dim * 1000", dim=4)
