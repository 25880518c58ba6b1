"""Second derivatives: what the suite expects of the derivative of a derivative, and of which calls."""

from __future__ import annotations

import numpy as np
import pytest

from conformance.cases.build import build_cases
from conformance.cases.expectations import Choice, ReturnsDerivative
from conformance.cases.model import Case
from conformance.cases.reference import Reference, load_reference
from conformance.cases.variation import TwiceDifferentiated
from conformance.cases.wire import manner_of, to_wire
from conformance.data_folders import reference_adapter
from conformance.execution.target import can_run
from conformance.specification.loader import load_specs
from conformance.specification.model import SecondDerivative
from conformance.worker.transforms import INNER_SEED, SEED

Array = np.ndarray


@pytest.fixture(scope="module")
def reference() -> Reference:
    return load_reference(reference_adapter())


@pytest.fixture(scope="module")
def cases(reference: Reference) -> list[Case]:
    """Of an operation with two tensors of data, and of one with a single one."""
    built = build_cases(load_specs().only(["tensor_scatter_nd_reduce", "unsorted_segment_reduce"]), reference)
    return [case for case in built if isinstance(case.variation, TwiceDifferentiated)]


def manner(case: Case) -> SecondDerivative:
    assert isinstance(case.call.manner, SecondDerivative)
    return case.call.manner


def choice(case: Case) -> Choice:
    assert isinstance(case.expectation, ReturnsDerivative)
    [one] = case.expectation.choices
    return one


def product(case: Case, data: dict[str, Array]) -> Array:
    """The result by a loop over index vectors or ids: each position is the product of what is written there."""
    if "tensor" in data:
        result, updates = data["tensor"].copy(), data["updates"]
        for place in np.ndindex(case.call.tensors["indices"].shape[:-1]):
            result[tuple(case.call.tensors["indices"].array[place])] *= updates[place]
        return result
    ids = case.call.tensors["segment_ids"].array
    result = np.ones((case.call.arguments["num_segments"], *data["data"].shape[ids.ndim :]))
    for place in np.ndindex(ids.shape):
        if ids[place] >= 0:
            result[ids[place]] *= data["data"][place]
    return result


def gradient(case: Case, data: dict[str, Array]) -> Array:
    """The first derivative by central differences, of a product exact but for rounding."""
    first = manner(case).first
    found = np.zeros(data[first.of].shape)
    for place in np.ndindex(found.shape):
        ends = []
        for step in (-0.5, 0.5):
            moved = {name: value.copy() for name, value in data.items()}
            moved[first.of][place] += step
            ends.append(np.sum(product(case, moved) * first.seed.array))
        found[place] = ends[1] - ends[0]
    return found


def test_the_numbers_are_those_of_differences_of_differences(cases: list[Case]) -> None:
    assert len(cases) > 15
    for case in cases:
        second = manner(case).second
        data = {name: value.array.astype(float) for name, value in case.call.data.items()}
        expected = choice(case)
        assert np.allclose(expected.result.array, gradient(case, data))
        slopes = []
        for place in np.ndindex(data[second.of].shape):
            moved = {name: value.copy() for name, value in data.items()}
            moved[second.of][place] += 1
            slopes.append(gradient(case, moved) - gradient(case, data))
        seed = second.seed.array
        in_reverse = [np.sum(slope * seed) for slope in slopes] if second.kind == "vjp" else []
        forward = (
            sum(slope * part for slope, part in zip(slopes, seed.reshape(-1), strict=True)) if not in_reverse else 0
        )
        due = np.reshape(in_reverse, data[second.of].shape) if in_reverse else forward
        assert np.allclose(expected.derivative.array, due), case.id
        assert np.any(due)


def test_each_pair_of_factors_has_both_kinds_several_factors_and_a_factor_that_is_zero(cases: list[Case]) -> None:
    pairs = {(manner(case).first.of, manner(case).second.of, manner(case).kind) for case in cases}
    expected = [("tensor", "updates"), ("updates", "tensor"), ("updates", "updates"), ("data", "data")]
    assert pairs == {(*pair, kind) for pair in expected for kind in ("vjp-vjp", "jvp-vjp")}
    for pair in expected:
        zeros = {
            bool(np.any(product(case, {name: value.array for name, value in case.call.data.items()}) == 0))
            for case in cases
            if (manner(case).first.of, manner(case).second.of) == pair
        }
        assert zeros == {True, False}


def test_nothing_that_does_not_multiply_has_one(cases: list[Case], reference: Reference) -> None:
    assert {value for case in cases for value in case.call.arguments.values() if isinstance(value, str)} == {"prod"}
    others = build_cases(load_specs().only(["index_add", "gather_nd"]), reference)
    assert not any(isinstance(case.variation, TwiceDifferentiated) for case in others)


def test_a_worker_gets_the_outer_hook_first_and_a_seed_for_each(cases: list[Case]) -> None:
    for case in cases:
        one = manner(case)
        assert manner_of(case.call).transform == ((one.second.kind, one.second.of), ("vjp", one.first.of))
        wire = to_wire(case.call)
        assert wire[SEED][0].tolist() == one.second.seed.array.tolist()
        assert wire[INNER_SEED][0].tolist() == one.first.seed.array.tolist()


def test_forward_mode_of_reverse_mode_needs_both_hooks(cases: list[Case]) -> None:
    for case in cases:
        assert can_run(case, ["vjp"]) is (manner(case).kind == "vjp-vjp")
        assert can_run(case, ["vjp", "jvp"])
