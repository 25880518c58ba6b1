"""Drawn calls keep every rule, or break one and nothing but what it declares, unless they have a mistake that people make."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, find, given, settings

from conformance.cases.draws.breaking import responsible
from conformance.cases.draws.generate import draw_many
from conformance.specification.applied import Applied
from conformance.specification.literals import Tensor
from conformance.strategies import Pair, breaking_calls, drawn_calls, expected, valid_calls
from tests.cases.draws import CATALOGUE, OPERATIONS, REFERENCE, RULES, rule_of

# Without shrinking: a failing test is about all draws, and one of them is enough.
QUICK = settings(
    max_examples=12,
    database=None,
    deadline=None,
    derandomize=True,
    phases=[Phase.generate],
    suppress_health_check=[HealthCheck.too_slow],
)


@pytest.mark.parametrize("name", OPERATIONS)
def test_valid_calls_keep_every_rule_and_the_reference_takes_them(name: str) -> None:
    operation = CATALOGUE.operations[name]

    @QUICK
    @given(drawn_calls(operation, None))
    def holds(drawn: Any) -> None:
        assert drawn.call.broken_rules == ()
        assert REFERENCE(drawn.call).shape == drawn.call.result_shape

    holds()


@pytest.mark.parametrize(("name", "broken"), RULES)
def test_breaking_calls_break_their_rule_and_no_other_that_it_does_not_declare(name: str, broken: str) -> None:
    operation, rule = rule_of(name, broken)

    @QUICK
    @given(drawn_calls(operation, rule))
    def holds(drawn: Any) -> None:
        rules = set(drawn.call.broken_rules)
        assert broken in rules
        if drawn.mutation.is_mistake:
            assert responsible(operation, tuple(rules)) is rule
        else:
            assert rules <= {broken, *rule.implies}
        assert drawn.control.broken_rules == ()
        REFERENCE(drawn.control)

    holds()


def _assert_labels_inside(name: str, broken: str, call: Applied) -> None:
    ids = _tensor(call, "segment_ids").array
    if name == "segment_reduce":
        assert ((ids >= 0) | (broken == "ids-not-negative")).all()
        assert (ids.reshape(-1)[:-1] <= ids.reshape(-1)[1:]).all() or broken == "ids-ascending"
    else:
        assert ((ids >= 0) & ((ids < call.arguments["num_segments"]) | (broken == "number-not-negative"))).all()


def _assert_masks_and_keyed_inside(call: Applied) -> None:
    if "mask" in call.arguments:
        mask, masked = _tensor(call, "mask"), _tensor(call, "input")
        assert mask.shape == masked.shape[: mask.rank]
    else:
        assert all((value.array >= 0).all() for name, value in call.tensors.items() if name in ("i", "j"))


@pytest.mark.parametrize(("name", "broken"), [one for one in RULES if one[1] != "index-range"])
def test_a_call_that_breaks_a_rule_about_shapes_has_no_index_outside_as_well(name: str, broken: str) -> None:
    operation, rule = rule_of(name, broken)
    slices, elements, flat = name.startswith("index_"), "elements" in name, name in ("take", "put")
    has_vectors = not (slices or elements or flat)
    target = {"scatter_nd": "shape", "gather_nd": "params"}.get(name, "tensor" if has_vectors else "input")

    @QUICK
    @given(drawn_calls(operation, rule))
    def holds(drawn: Any) -> None:
        if name.endswith("segment_reduce"):
            _assert_labels_inside(name, broken, drawn.call)
            return
        if name.startswith(("masked_", "advanced_", "basic_")):
            _assert_masks_and_keyed_inside(drawn.call)
            return
        indices = _tensor(drawn.call, "indices" if has_vectors and name != "batched_index_select" else "index").array
        if name.startswith("batched_"):
            assert (indices >= 0).all()  # The indexed axis may be left out.
            return
        bounds = _lengths(drawn.call, target)
        if flat:
            assert (indices >= 0).all()
            assert (indices < math.prod(bounds)).all()
        elif elements:
            assert (indices >= 0).all()
        elif slices:
            dim = drawn.call.arguments["dim"]
            assert (indices >= 0).all()
            assert all((indices < length).all() for length in bounds[dim : dim + 1])  # An axis may be left out.
        elif indices.ndim and indices.size:
            both = min(indices.shape[-1], len(bounds))
            assert (indices[..., :both] >= 0).all()
            assert (indices[..., :both] < np.array(bounds[:both])).all()

    holds()


@pytest.mark.parametrize("name", ["tensor_scatter_nd_update", "scatter_elements", "scatter_nd"])
def test_elements_are_nonzero_and_none_stands_twice_in_a_call(name: str) -> None:
    @QUICK
    @given(valid_calls(name))
    def holds(call: dict[str, Any]) -> None:
        data = [value for key, value in call.items() if isinstance(value, np.ndarray) and "ind" not in key]
        numbers = [number for array in data for number in array.ravel().tolist()]
        assert all(numbers)
        assert len(set(numbers)) == len(numbers)

    holds()


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "int8"])
def test_sums_are_exact_so_that_every_order_of_adding_gives_the_same_bits(dtype: str) -> None:
    @QUICK
    @given(valid_calls("tensor_scatter_nd_add", dtypes=[dtype]))
    def holds(call: dict[str, Any]) -> None:
        assert call["tensor"].dtype.name == call["updates"].dtype.name == dtype
        depth = call["indices"].shape[-1]
        total, exact = call["tensor"].copy(), call["tensor"].astype("int64")
        updates = call["updates"].reshape(-1, *call["tensor"].shape[depth:])
        for where, update in zip(call["indices"].reshape(-1, depth), updates, strict=True):
            total[tuple(where)] += update
            exact[tuple(where)] += update.astype("int64")
        assert (total.astype("int64") == exact).all()

    holds()


def test_updates_that_replace_go_to_different_places() -> None:
    @QUICK
    @given(valid_calls("tensor_scatter_nd_update"))
    def holds(call: dict[str, Any]) -> None:
        vectors = [tuple(vector) for vector in call["indices"].reshape(-1, call["indices"].shape[-1]).tolist()]
        assert len(set(vectors)) == len(vectors)

    holds()


def test_sums_have_updates_that_share_a_place_however_many_places_there_are() -> None:
    shares = []
    for kept in draw_many(CATALOGUE.operations["tensor_scatter_nd_add"], None, count=400, seed="shares"):
        indices, tensor = (_tensor(kept.drawn.call, name) for name in ("indices", "tensor"))
        vectors = [tuple(vector) for vector in indices.array.reshape(-1, indices.shape[-1]).tolist()]
        if len(vectors) > 2 and np.prod(tensor.shape[: indices.shape[-1]]) >= 10 * len(vectors):
            shares.append(len(set(vectors)) < len(vectors))
    assert len(shares) >= 15
    assert sum(shares) > len(shares) / 3


def test_batch_rank_index_depth_and_inner_rank_are_mostly_different() -> None:
    calls = _sample("tensor_scatter_nd_update")
    depths = [(call["indices"].ndim - 1, call["indices"].shape[-1], call["tensor"].ndim) for call in calls]
    assert sum(batch != depth for batch, depth, _ in depths) > 50
    assert sum(depth != rank - depth for _, depth, rank in depths) > 50
    assert sum(depth < rank for _, depth, rank in depths) > 40
    assert {batch for batch, _, _ in depths} == {1, 2, 3}
    assert {depth for _, depth, _ in depths} == {1, 2, 3, 4}
    squares = sum(any(a == b != 1 for a, b in pairwise(call["tensor"].shape)) for call in calls)
    assert squares < 50


def test_an_index_is_often_smaller_than_the_input_off_its_axis() -> None:
    calls = [call for call in _sample("gather_elements") if call["input"].ndim > 1]
    smaller = [
        any(index < length for axis, (index, length) in enumerate(_both(call)) if axis != call["dim"]) for call in calls
    ]
    assert sum(smaller) > len(calls) / 3
    assert {call["dim"] for call in calls} == {0, 1, 2}


def test_a_strategy_shrinks_to_a_call_that_a_person_can_read() -> None:
    found: Pair = find(
        breaking_calls("tensor_scatter_nd_update", "updates-batch"),
        lambda pair: pair.call["updates"].size != pair.control["updates"].size > 1,
        settings=settings(database=None, derandomize=True),
    )
    assert found.control["tensor"].size <= 4
    assert found.control["updates"].tolist() == [1, 2]


def test_arrays_cannot_be_written_to() -> None:
    call = find(valid_calls("scatter_nd"), lambda _: True, settings=settings(database=None))
    with pytest.raises(ValueError, match="read-only"):
        call["updates"][...] = 0


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: valid_calls("scater_nd"), "undefined operation 'scater_nd'; did you mean 'scatter_nd'"),
        (lambda: valid_calls("scatter_nd", dtypes=["float31"]), "undefined dtype 'float31'; did you mean 'float32'"),
        (lambda: breaking_calls("scatter_nd", "update-shape"), "undefined rule 'update-shape' of scatter_nd; did you"),
        (lambda: breaking_calls("scatter_nd", "result-shape"), "has ensure, not require"),
    ],
)
def test_a_name_that_is_none_is_refused_at_once(make: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        make()


def _sample(name: str) -> list[dict[str, Any]]:
    calls: list[dict[str, Any]] = []

    @settings(QUICK, max_examples=100)
    @given(valid_calls(name))
    def collect(call: dict[str, Any]) -> None:
        calls.append(call)

    collect()
    return calls


def _both(call: dict[str, Any]) -> list[tuple[int, int]]:
    return list(zip(call["index"].shape, call["input"].shape, strict=True))


def _tensor(call: Applied, name: str) -> Tensor:
    value = call.arguments[name]
    assert isinstance(value, Tensor)
    return value


def _lengths(call: Applied, name: str) -> tuple[int, ...]:
    value = call.arguments[name]
    if isinstance(value, Tensor):
        return tuple(value.array.tolist()) if name == "shape" else value.shape
    assert isinstance(value, tuple | list)
    return tuple(value)


@given(call=valid_calls("scatter_nd"))
@settings(max_examples=20, deadline=None)
def test_the_expected_result_of_a_call_is_that_of_its_documents(call: dict[str, Any]) -> None:
    result = np.zeros(call["shape"], call["updates"].dtype)
    np.add.at(result, tuple(np.moveaxis(call["indices"], -1, 0)), call["updates"])
    np.testing.assert_array_equal(expected("scatter_nd", call), result)


def test_a_call_that_breaks_a_rule_has_no_expected_result() -> None:
    call = {"indices": np.array([[1]]), "updates": np.array([[1.0]]), "shape": (3,)}
    with pytest.raises(ValueError, match=r"the call breaks scatter_nd\.rule\.updates-"):
        expected("scatter_nd", call)
