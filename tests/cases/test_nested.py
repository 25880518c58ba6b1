"""Nested transforms: what the suite expects of the derivative of each call of a batch and of that of a batch, and of which calls."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from conformance.cases.build import build_cases
from conformance.cases.expectations import Choice, ReturnsDerivative
from conformance.cases.model import Case
from conformance.cases.reference import Reference, load_reference
from conformance.cases.variants.batches import SIZE
from conformance.cases.variants.linear_maps import derivatives, linear_maps
from conformance.cases.variants.permitted import permitted_by
from conformance.cases.variation import NestedTransform
from conformance.cases.wire import manner_of, to_wire
from conformance.data_folders import reference_adapter
from conformance.execution.target import can_run
from conformance.specification.applied import Applied
from conformance.specification.literals import Tensor, frozen
from conformance.specification.loader import load_specs
from conformance.specification.model import AsUsual, Nested
from conformance.worker.transforms import SEED

EXPENSIVE = 0.1
TWICE = "index_copy.behaviour.which-duplicate-remains/three-of-four-elements"


@pytest.fixture(scope="module")
def reference() -> Reference:
    return load_reference(reference_adapter())


@pytest.fixture(scope="module")
def cases(reference: Reference) -> list[Case]:
    cases = build_cases(load_specs().only(["index_copy"]), reference)
    return [case for case in cases if isinstance(case.variation, NestedTransform)]


def manner_of_case(case: Case) -> Nested:
    assert isinstance(case.call.manner, Nested)
    return case.call.manner


def choices(case: Case) -> Sequence[Choice]:
    assert isinstance(case.expectation, ReturnsDerivative)
    return case.expectation.choices


def singles(case: Case) -> list[tuple[Applied, Tensor]]:
    """The calls of a batch, read from its stacks, each with its cotangent."""
    manner = manner_of_case(case)
    axis = 0 if manner.batch.axis == "first" else -1

    def single(stack: Tensor, axis: int, number: int) -> Tensor:
        return Tensor(stack.dtype, frozen(np.ascontiguousarray(np.moveaxis(stack.array, axis, 0)[number])), None)

    plain, seed = case.call.made(AsUsual()), manner.derivative.seed
    return [
        (
            plain.with_arguments({name: single(stack, axis, number) for name, stack in manner.batch.stacks.items()}),
            single(seed, 0, number),
        )
        for number in range(SIZE)
    ]


def derivatives_of_singles(case: Case, reference: Reference) -> list[Sequence[Choice]]:
    """Of each call of the batch by itself, each permitted result with its derivative."""
    of = manner_of_case(case).derivative.of
    found: list[Sequence[Choice]] = []
    for call, cotangent in singles(case):
        argument = call.arguments[of]
        assert isinstance(argument, Tensor)
        one = derivatives(linear_maps(call, of, permitted_by(reference)), argument, cotangent)
        assert one
        found.append(one)
    return found


def test_each_call_of_a_batch_has_the_derivative_that_it_has_alone(cases: list[Case], reference: Reference) -> None:
    of_each = [case for case in cases if manner_of_case(case).kind == "vmap-vjp" and len(choices(case)) == 1]
    assert len(of_each) > 20
    for case in of_each:
        [expected] = choices(case)
        alone = [one.derivative.array for [one] in derivatives_of_singles(case, reference)]
        assert np.array_equal(expected.derivative.array, np.stack(alone))


def test_the_derivative_of_a_batch_adds_up_those_of_a_shared_argument_and_stacks_the_others(
    cases: list[Case], reference: Reference
) -> None:
    seen = set()
    for case in cases:
        manner = manner_of_case(case)
        if manner.kind != "vjp-vmap" or len(choices(case)) > 1:
            continue
        [expected] = choices(case)
        alone = [one.derivative.array for [one] in derivatives_of_singles(case, reference)]
        is_stacked = manner.derivative.of in manner.batch.stacks
        axis = 0 if manner.batch.axis == "first" else -1
        assert np.array_equal(expected.derivative.array, np.stack(alone, axis) if is_stacked else sum(alone))
        seen.add((is_stacked, axis))
    assert seen == {(True, 0), (True, -1), (False, 0), (False, -1)}


def test_each_call_of_a_batch_may_have_any_permitted_result_with_the_derivative_that_belongs_to_it(
    cases: list[Case],
) -> None:
    case = next(case for case in cases if case.id.startswith(f"{TWICE}.vmap-vjp.source."))
    assert len(choices(case)) == 3**SIZE
    belonging: dict[tuple[int, bytes], set[bytes]] = {}
    for one in choices(case):
        for number, (result, derivative) in enumerate(zip(one.result.array, one.derivative.array, strict=True)):
            belonging.setdefault((number, result.tobytes()), set()).add(derivative.tobytes())
    assert all(len(derivatives) == 1 for derivatives in belonging.values())


def test_a_result_is_never_chosen_among_equal_elements(reference: Reference) -> None:
    cases = build_cases(load_specs().only(["index_reduce"]), reference)
    chosen = [
        case for case in cases if isinstance(case.variation, NestedTransform) and "amax" in case.call.values.values()
    ]
    assert len(chosen) > 10
    for case in chosen:
        for call, _ in singles(case):
            elements = np.concatenate([one.array.astype(float).reshape(-1) for one in call.data.values()])
            assert len({*elements}) == len(elements)


def test_an_expensive_mode_makes_one_of_each_kind_by_each_argument_on_an_api(cases: list[Case]) -> None:
    for api in range(7):
        made = [manner_of_case(case) for case in cases if not case.variation.is_left_out(EXPENSIVE, api)]
        expected = [(kind, of) for kind in ("vjp-vmap", "vmap-vjp") for of in ("input", "source")]
        for is_program in (False, True):  # those of a program are a series of their own
            assert expected == sorted(
                (one.kind, one.derivative.of) for one in made if (one.around is not None) == is_program
            )


def test_only_a_target_with_both_hooks_has_them(cases: list[Case]) -> None:
    assert not can_run(cases[0], ["vjp"])
    assert not can_run(cases[0], ["vmap"])
    assert can_run(cases[0], ["vjp", "vmap"])


def test_a_worker_gets_the_hooks_in_their_order_and_the_cotangents(cases: list[Case]) -> None:
    for case in cases:
        manner = manner_of_case(case)
        steps = {"vmap": manner.batch.of, "vjp": manner.derivative.of}
        hooks = ["vmap", "vjp"] if manner.kind == "vmap-vjp" else ["vjp", "vmap"]
        assert manner_of(case.call).transform == tuple((hook, steps[hook]) for hook in hooks)
        array, dtype = to_wire(case.call)[SEED]
        assert (array.shape, dtype) == (manner.derivative.seed.shape, manner.derivative.seed.dtype)
