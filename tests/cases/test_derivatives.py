"""Derivatives: what the suite expects of them, and of which calls it has them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pytest

from conformance.cases.build import build_cases
from conformance.cases.expectations import Returns, ReturnsDerivative
from conformance.cases.model import Case
from conformance.cases.policies import policy_outcomes
from conformance.cases.reference import Reference, load_reference
from conformance.cases.variants.derivatives import derivative_cases, spread
from conformance.cases.variants.linear_maps import derivatives, linear_maps
from conformance.cases.variants.permitted import permitted_by, permitted_results
from conformance.cases.variation import Differentiated
from conformance.cases.written import written_cases
from conformance.data_folders import adapters_folder
from conformance.execution.budget import left_out
from conformance.execution.target import can_run
from conformance.results.describe import case_record
from conformance.results.variations import DerivativeRecord
from conformance.specification.applied import Applied
from conformance.specification.literals import Argument, Tensor, tensor
from conformance.specification.loader import load_specs
from conformance.specification.model import AsUsual, Call, Catalogue, Derivative

SPECS = adapters_folder().parent / "specs"
OPERATIONS = load_specs(SPECS).operations


@pytest.fixture(scope="module")
def reference() -> Reference:
    return load_reference(adapters_folder() / "reference" / "adapter.py")


@pytest.fixture(scope="module")
def cases(reference: Reference) -> list[Case]:
    catalogue = load_specs(SPECS)
    one = Catalogue({"index_copy": catalogue.operations["index_copy"]}, catalogue.documents, "")
    return [case for case in build_cases(one, reference) if isinstance(case.call.manner, Derivative)]


def derivative_of(case: Case) -> Derivative:
    assert isinstance(case.call.manner, Derivative)
    return case.call.manner


def is_extra(case: Case) -> bool:
    assert isinstance(case.variation, Differentiated)
    return case.variation.turn.is_extra


def scatter(index: object, src: Argument, reduce: str | None = None, target: Sequence[float] = (0, 0, 0)) -> Applied:
    more = {"reduce": reduce} if reduce is not None else {}
    arguments = {"input": tensor("float32", [*target]), "dim": 0, "index": tensor("int64", index), "src": src, **more}
    return Applied(OPERATIONS["scatter_elements"], Call(arguments))


def expected(call: Applied, of: str, reference: Reference, cotangent: object = (1, 2, 3)) -> list[list[float]]:
    """The derivative for each permitted result."""
    argument = call.arguments[of]
    assert isinstance(argument, Tensor)
    maps = linear_maps(call, of, permitted_by(reference))
    choices = derivatives(maps, argument, tensor("float32", list(np.array(cotangent).tolist())))
    assert choices is not None
    return [choice.derivative.array.tolist() for choice in choices]


def test_the_example_of_the_documentation_has_these_derivatives(reference: Reference) -> None:
    call = scatter([2, 0], tensor("float32", [7, 8]))
    assert expected(call, "src", reference) == [[3, 1]]
    assert expected(call, "input", reference) == [[0, 2, 0]]


def test_each_permitted_result_of_duplicates_has_its_own_derivative(reference: Reference) -> None:
    call = scatter([1, 1], tensor("float32", [7, 8]))
    results = permitted_results(call, reference)
    assert [one.array.tolist() for one in results] == [[0, 7, 0], [0, 8, 0]]
    assert expected(call, "src", reference) == [[2, 0], [0, 2]]
    assert expected(call, "input", reference) == [[1, 0, 3], [1, 0, 3]]


def test_in_forward_mode_a_derivative_is_that_of_the_result(reference: Reference) -> None:
    call, tangent = scatter([2, 0], tensor("float32", [7, 8])), tensor("float32", [1, 2])
    maps = linear_maps(call, "src", permitted_by(reference))
    [choice] = derivatives(maps, tangent, tangent, in_reverse=False) or ()
    assert choice.derivative.array.tolist() == [2, 0, 1]


def test_what_is_added_has_the_derivative_of_its_position(reference: Reference) -> None:
    call = scatter([1, 1], tensor("float32", [7, 8]), "add")
    assert expected(call, "src", reference) == [[2, 2]]
    assert expected(call, "input", reference) == [[1, 2, 3]]


def test_a_factor_has_the_product_of_the_others(reference: Reference) -> None:
    call = scatter([1, 1], tensor("float32", [0, 8]), "multiply", target=(5, 6, 7))
    assert expected(call, "src", reference) == [[2 * 6 * 8, 0]]


def test_only_the_largest_has_a_derivative(reference: Reference) -> None:
    assert expected(scatter([1, 1], tensor("float32", [7, 8]), "amax"), "src", reference) == [[0, 2]]


def test_a_mean_is_compared_with_an_allowance_and_a_sum_bit_by_bit(reference: Reference) -> None:
    source = tensor("float32", [7, 8])
    for reduce, is_exact in (("mean", False), ("add", True)):
        maps = linear_maps(scatter([1, 1], source, reduce), "src", permitted_by(reference))
        [choice] = derivatives(maps, source, tensor("float32", [1, 2, 3])) or ()
        assert (choice.bounds is None) is is_exact
        assert np.allclose(choice.derivative.array, 2 / 3 if reduce == "mean" else 2)


def test_elements_that_are_not_chosen_may_leave_a_rounding_and_no_more(reference: Reference) -> None:
    call = scatter([1, 1, 1], tensor("float16", [7, 8, 9]), "amax", target=(5, 6, 7)).with_arguments(
        {"input": tensor("float16", [5, 6, 7])}
    )
    tangent = tensor("float16", [1, 2, 3])
    maps = linear_maps(call, "input", permitted_by(reference))
    [choice] = derivatives(maps, tangent, tangent, in_reverse=False) or ()
    assert choice.derivative.array.tolist() == [1, 0, 3]
    assert choice.bounds is not None
    assert 2 - 3 * (2 * np.float16(1 / 3)) < choice.bounds[1] < 0.02


def test_an_element_between_the_smallest_and_the_largest_may_leave_one_too(reference: Reference) -> None:
    call = scatter([1, 1], tensor("float16", [3, 9]), "amax", target=(5, 6, 7)).with_arguments(
        {"input": tensor("float16", [5, 6, 7])}
    )
    tangent = tensor("float16", [1, 2, 3])
    maps = linear_maps(call, "input", permitted_by(reference))
    [choice] = derivatives(maps, tangent, tangent, in_reverse=False) or ()
    assert choice.derivative.array.tolist() == [1, 0, 3]
    assert choice.bounds is not None
    assert choice.bounds[1] > 0


def test_each_policy_for_an_index_outside_has_its_derivative(reference: Reference) -> None:
    call = scatter([0, 5], tensor("float32", [7, 8]))
    assert [1, 0] in expected(call, "src", reference)  # skipped
    assert [1, 3] in expected(call, "src", reference)  # clamped


def test_a_product_that_is_not_exact_in_the_dtype_has_no_derivative(reference: Reference) -> None:
    source = tensor("bfloat16", [1, 1])
    maps = linear_maps(scatter([0, 1], tensor("float32", [1, 1])), "src", permitted_by(reference))
    assert derivatives(maps, source, tensor("bfloat16", [256, 1, 1])) is not None
    assert derivatives(maps, source, tensor("bfloat16", [512, 1, 1])) is None


def test_numbers_are_spread_without_repetition() -> None:
    assert all(sorted(spread(size)) == list(range(size)) for size in range(60))


def test_of_calls_that_differ_only_in_data_or_in_the_dtype_of_indices_one_has_derivatives(cases: list[Case]) -> None:
    def form(case: Case) -> object:
        derivative, arguments = derivative_of(case), case.call.arguments.values()
        return (
            derivative.kind,
            derivative.of,
            *(
                (value.dtype, value.shape)
                if isinstance(value, Tensor) and value.array.dtype.kind not in "iu"
                else repr(value.array.tolist() if isinstance(value, Tensor) else value)
                for value in arguments
            ),
        )

    forms = [form(case) for case in cases]
    assert len(cases) > 60
    assert len(forms) == len(set(forms))


def test_data_are_small_distinct_integers(cases: list[Case]) -> None:
    for case in cases:
        data = [value.array for value in case.call.arguments.values() if isinstance(value, Tensor)]
        numbers = np.concatenate([one.astype(float).reshape(-1) for one in data if one.dtype.kind not in "iu"])
        assert len(set(numbers.tolist())) == numbers.size
        assert (numbers == numbers.round()).all()


def test_data_are_those_with_which_most_permitted_results_depend_on_the_argument(reference: Reference) -> None:
    # With the first numbers no element of the source is the smallest where the index of -1 changes nothing.
    catalogue = load_specs(SPECS)
    one = Catalogue({"index_reduce": catalogue.operations["index_reduce"]}, catalogue.documents, "")
    written = build_cases(one, reference, sources=(written_cases,))
    name = "index_reduce.behaviour.a-negative-index-counts-from-the-end/minus-one"
    case = next(case for case in written if case.id == name)
    found = {one.id: one.expectation for one in derivative_cases(case.operation, [case], reference)}
    expectation = found[f"{name}.vjp.source"]
    assert isinstance(expectation, ReturnsDerivative)
    # The first is that of counting from the end, which is documented; that of a call that stops at the index has none.
    assert [bool(choice.derivative.array.any()) for choice in expectation.choices] == [True, True, False, True]


def test_a_sample_has_each_clause_argument_and_dtype(cases: list[Case]) -> None:
    def kinds(of: Sequence[Case]) -> set[object]:
        reverse = [case for case in of if derivative_of(case).kind == "vjp"]
        return {(case.clause.id, case.id.rpartition(".")[2]) for case in reverse}

    extra = [case for case in cases if is_extra(case)]
    sample = [case for case in cases if not is_extra(case)]
    assert len(kinds(cases)) > 20
    assert kinds(cases) == kinds(sample)
    assert {derivative_of(case).kind for case in sample} == {"vjp", "jvp"}
    assert len(sample) < len(cases) / 2
    assert left_out(cases, 0.0) == {"transforms": extra}


def test_a_sample_has_each_reduction_beside_a_tensor_as_not_every_api_takes_numbers(reference: Reference) -> None:
    operation = OPERATIONS["scatter_elements"]
    written = [case for case in written_cases(operation, reference) if isinstance(case, Case)]
    plain = [case for case in written if case.call.arguments.get("reduce") in ("amax", "multiply")]

    def kinds(found: Iterable[Case]) -> set[object]:
        return {
            (derivative_of(case).kind, case.call.arguments["reduce"], isinstance(case.call.arguments["src"], Tensor))
            for case in found
            if derivative_of(case).of == "input"
        }

    cases = [*derivative_cases(operation, plain, reference)]
    assert ("jvp", "multiply", True) in kinds(cases)
    assert kinds(case for case in cases if not is_extra(case)) == kinds(cases)


def test_only_a_target_with_the_hook_has_derivatives_and_records_have_the_cotangent(cases: list[Case]) -> None:
    assert not can_run(cases[0], ["constants", "programs"])
    assert can_run(cases[0], ["vjp"])
    record, derivative = case_record(cases[0]).variation, derivative_of(cases[0])
    assert isinstance(record, DerivativeRecord)
    assert (record.base, record.mode, record.of) == (cases[0].variation.base, "vjp", derivative.of)
    assert dict(record.seed)[derivative.seed.dtype] == derivative.seed.array.tolist()
    expectation = cases[0].expectation
    assert isinstance(expectation, ReturnsDerivative)
    assert expectation.value.shape == cases[0].call.arguments[derivative.of].shape  # type: ignore[union-attr]


def test_a_maximum_of_nothing_is_the_least_number_of_the_dtype_and_has_no_derivative(reference: Reference) -> None:
    operation, ids = OPERATIONS["unsorted_segment_reduce"], tensor("int64", [2, 0, 2])
    data = tensor("float16", [3, 5, 7])
    call = Applied(operation, Call({"data": data, "segment_ids": ids, "num_segments": 3, "reduce": "amax"}))
    maps = linear_maps(call, "data", permitted_by(reference))
    [choice] = derivatives(maps, data, tensor("float16", [1, 2, 4])) or ()
    assert choice.result.array.tolist() == [5, np.finfo(np.float16).min, 7]
    assert choice.derivative.array.tolist() == [0, 1, 4]


def test_the_derivative_that_is_shown_is_that_of_the_documented_policy_for_an_index_outside(
    reference: Reference,
) -> None:
    policies = set()
    for name in ("unsorted_segment_reduce", "take"):
        operation = OPERATIONS[name]
        written = [case for case in written_cases(operation, reference) if isinstance(case, Case)]
        documented = {case.id: case for case in written if isinstance(case.expectation, Returns) and case.policies}
        for case in derivative_cases(operation, documented.values(), reference):
            assert isinstance(case.expectation, ReturnsDerivative)
            base = documented[str(case.variation.base)]
            assert isinstance(base.expectation, Returns)
            due = base.expectation.value.array
            [policy, *_] = [one.policy for one in base.policies if np.array_equal(one.result.array, due)]
            results = {one.policy: one.result.array for one in policy_outcomes(case.call.made(AsUsual()), reference)}
            shown = case.expectation.choices[0].result.array
            assert np.array_equal(shown, results[policy]), case.id
            policies.add(policy)
    assert {"ignores", "clamps"} <= policies


def test_the_derivative_of_the_largest_of_what_is_not_dropped_is_shown(reference: Reference) -> None:
    name = "unsorted_segment_reduce.behaviour.negative-ids-are-dropped/largest"
    written = written_cases(OPERATIONS["unsorted_segment_reduce"], reference)
    found = derivative_cases(
        OPERATIONS["unsorted_segment_reduce"],
        [case for case in written if isinstance(case, Case) and case.id == name],
        reference,
    )
    [case] = [case for case in found if case.id == f"{name}.vjp.data"]
    assert isinstance(case.expectation, ReturnsDerivative)
    assert case.expectation.value.array.tolist() == [1, 0, 2, 3]
