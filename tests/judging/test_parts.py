"""Several results of a program are judged one by one, and what the program changes itself is no fault of the API."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from conformance.cases.expectations import Returns
from conformance.cases.model import Case
from conformance.cases.variants.programs import program_cases
from conformance.execution.target import changed_around
from conformance.judging.judge import AS_EXPECTED, judge
from conformance.judging.judgement import Judgement
from conformance.judging.subject import Subject
from conformance.outcomes.equivalence import is_same
from conformance.outcomes.model import Error, Part, Raised, Returned
from conformance.outcomes.observation import Observation
from conformance.outcomes.reply import returned
from conformance.specification.literals import Tensor, frozen
from tests.cases.draws import CATALOGUE, REFERENCE


@pytest.fixture(scope="module")
def case() -> Case:
    """The result is returned beside a target that is filled with 5 after the call."""
    cases = program_cases(CATALOGUE.operations["index_copy"], REFERENCE)
    return next(each for each in cases if each.id.endswith("program.target-filled-after.int64"))


def expected_of(case: Case) -> Returns:
    assert isinstance(case.expectation, Returns)
    return case.expectation


def observed(case: Case, array: Any, **changed: Any) -> Observation:
    expected = expected_of(case)
    tensor = Tensor(expected.value.dtype, frozen(np.array(array)), None)
    outcome = replace(returned(tensor, parts=expected.parts), **{"changed": ("input",), **changed})
    return Observation(outcome, tensor)


def judged(case: Case, observation: Observation, in_place: str | None = None) -> Judgement:
    subject = Subject("own", in_place, immutable=False, changed_around=changed_around(case.call.manner, in_place))
    return judge(case, subject, observation)


def test_a_target_that_the_program_fills_is_not_changed_by_the_api(case: Case) -> None:
    assert judged(case, observed(case, expected_of(case).value.array)).verdict == "conforms"


def test_an_argument_that_neither_the_program_nor_the_api_should_change_is_told(case: Case) -> None:
    judgement = judged(case, observed(case, expected_of(case).value.array, changed=("input", "source")))
    assert judgement.divergences == ["input-changed"]
    assert judgement.explanation == "the call changed its argument source"


def test_an_element_is_told_by_the_result_in_which_it_differs_and_its_index_there(case: Case) -> None:
    expected = expected_of(case)
    first, second = expected.parts
    array = expected.value.array.copy()
    place = tuple(length - 1 for length in second.shape)
    array[int(np.prod(first.shape)) + int(np.ravel_multi_index(place, second.shape))] = 0
    judgement = judged(case, observed(case, array))
    assert judgement.divergences == ["value"]
    assert judgement.explanation is not None
    assert f"first in input at {list(place)}: expected 5, got 0" in judgement.explanation


def test_a_dtype_or_a_shape_is_told_by_the_result_that_has_it_and_no_elements_are_compared(case: Case) -> None:
    first, second = expected_of(case).parts
    longer = replace(second, shape=(*second.shape, 1))
    for parts, kinds, text in (
        ((first, longer), ["shape"], f"expected shape {list(second.shape)} in input, got {list(longer.shape)}"),
        ((first, replace(second, dtype="int32")), ["dtype"], "expected dtype int64 in input, got int32"),
        ((first,), ["shape"], "expected 2 results, got 1 result"),
        ((), ["shape"], "expected 2 results, got 1 result"),
    ):
        judgement = judged(case, observed(case, expected_of(case).value.array * 0, parts=parts))
        assert (judgement.divergences, judgement.explanation) == (kinds, text)


def test_results_of_other_names_and_the_same_elements_are_other_outcomes() -> None:
    parts = (Part("x", "int8", (2,)), Part("y", "int8", ()))
    outcome = Returned("int8", (3,), "digest", [1, 2, 3], parts=parts)
    assert is_same(outcome, replace(outcome), "bits")
    assert not is_same(outcome, replace(outcome, parts=(parts[0], Part("y", "int8", (1,)))), "status")
    assert not is_same(outcome, replace(outcome, parts=()), "values")


def test_an_error_in_place_of_several_results_says_how_many_were_expected(case: Case) -> None:
    judgement = judged(case, Observation(Raised(Error("ValueError", "no"))))
    assert judgement.explanation == "expected 2 results, but it raised ValueError: no"


def test_the_expected_results_need_no_further_judgement_where_the_program_changes_nothing() -> None:
    cases = program_cases(CATALOGUE.operations["index_copy"], REFERENCE)
    case = next(each for each in cases if each.id.endswith("program.every-name.int64"))
    assert judged(case, observed(case, expected_of(case).value.array, changed=())) is AS_EXPECTED
    assert judged(case, observed(case, expected_of(case).value.array, changed=(), parts=())) is not AS_EXPECTED
