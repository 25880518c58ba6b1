"""Calls are also made with constant tensors, and with numbers as arguments, and expect the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import pytest

from conformance.cases.build import build_cases
from conformance.cases.expectations import Returning
from conformance.cases.forms.numbers import BEYOND
from conformance.cases.model import Case
from conformance.cases.variants.passing import LONGEST
from conformance.cases.variation import Passed, RareForm, Written
from conformance.execution.budget import left_out
from conformance.execution.target import can_run
from conformance.results.describe import case_record
from conformance.specification.literals import Tensor
from conformance.specification.model import PassedAs, Way
from tests.cases.draws import CATALOGUE, REFERENCE


@pytest.fixture(scope="module")
def cases() -> dict[str, Case]:
    return {case.id: case for case in build_cases(CATALOGUE.only(["gather_elements"]), REFERENCE)}


@pytest.fixture(scope="module")
def passed(cases: dict[str, Case]) -> list[Case]:
    return [case for case in cases.values() if isinstance(case.variation, Passed)]


def ways_of(case: Case) -> Mapping[str, Way]:
    assert isinstance(case.call.manner, PassedAs)
    return case.call.manner.ways


def is_of_form(case: Case) -> bool:
    """Whether the call that is passed in another way is that of a rare form."""
    return "/form." in str(case.variation.base)


def test_the_id_says_what_is_passed_otherwise(passed: list[Case]) -> None:
    assert {case.id.removeprefix(f"{case.variation.base}.") for case in passed} == {
        "constant.index",
        "constant.input+index",
        "argument.dim",
    }


def test_nothing_but_how_arguments_are_passed_differs_from_the_original(
    cases: dict[str, Case], passed: list[Case]
) -> None:
    for case in passed:
        original = cases[str(case.variation.base)]
        assert case.call.arguments == original.call.arguments
        assert case.expectation is original.expectation
        assert (case.control is None) == (original.control is None)
        assert isinstance(case.variation, Passed)
        assert isinstance(original.variation, Written | RareForm)
        assert case.variation.breaks is original.variation.breaks
        assert case.dtypes_tested == original.dtypes_tested
        assert case_record(case).digest != case_record(original).digest


def test_a_call_that_should_raise_has_a_control_that_is_passed_alike(passed: list[Case]) -> None:
    controlled = [case for case in passed if case.control is not None]
    assert controlled
    assert all(case.control is not None and case.control.manner == case.call.manner for case in controlled)


def test_only_calls_that_return_have_a_number_as_an_argument_and_only_their_refusal_is_open(passed: list[Case]) -> None:
    for case in passed:
        if "argument" in ways_of(case).values():
            assert isinstance(case.expectation, Returning)
            assert case.open == "no document says whether this may be an argument of what is compiled"
        elif not is_of_form(case):
            assert case.open is None


def test_each_rare_form_is_passed_in_one_way_and_the_ways_take_turns(passed: list[Case]) -> None:
    of_forms = [case for case in passed if is_of_form(case)]
    assert set(Counter(case.variation.base for case in of_forms).values()) == {1}
    assert min(Counter(tuple(ways_of(case).items()) for case in of_forms).values()) > len(of_forms) / 6


def test_a_long_tensor_is_never_a_constant(passed: list[Case]) -> None:
    """torch.compile takes 16 ms for each element of a constant, so 65,537 elements would take minutes."""
    constants = [case.call.arguments[name] for case in passed for name in case.call.call.constants]
    assert max(value.size for value in constants if isinstance(value, Tensor)) <= LONGEST < BEYOND["int16"]


def test_narrow_indices_go_beyond_a_constant_axis_if_it_is_short(passed: list[Case]) -> None:
    beyond = {dtype: [case for case in passed if f".index-{dtype}-beyond." in case.id] for dtype in BEYOND}
    assert all(beyond.values())
    with_constant_axis = {
        dtype for dtype, some in beyond.items() if any("input" in case.call.call.constants for case in some)
    }
    assert with_constant_axis == {"uint8"}  # int8 has its turns in other ways


def test_a_mode_makes_the_calls_that_it_can_run(passed: list[Case]) -> None:
    constants = [case for case in passed if can_run(case, ["constants"])]
    numbers = [case for case in passed if can_run(case, ["numbers"])]
    assert len(constants) + len(numbers) == len(passed)
    assert all(isinstance(case.call.arguments[name], Tensor) for case in constants for name in ways_of(case))
    assert not any(isinstance(case.call.arguments[name], Tensor) for case in numbers for name in ways_of(case))
    assert not any(can_run(case, []) for case in passed)


def test_an_expensive_mode_makes_one_call_for_each_way_on_each_api(passed: list[Case]) -> None:
    for api in range(2):
        skipped = {case.id for case in left_out(passed, 0.1, api)["passing"]}
        made = Counter((*ways_of(case),) for case in passed if case.id not in skipped)
        assert {*made.values()} == {1}
        assert made.keys() == {(*ways_of(case),) for case in passed}
