"""What was done with an out-of-bounds index has a name, and only where it is known."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from conformance.cases.expectations import Expectation, Returns
from conformance.cases.model import Case, PolicyOutcome, Treatment
from conformance.judging.judge import judge
from conformance.judging.judgement import Judgement
from conformance.judging.subject import Subject
from conformance.outcomes.model import Status
from conformance.outcomes.observation import Observation
from conformance.specification.literals import tensor
from conformance.specification.model import Observed, Raises
from tests.execution.harness import fake_cases
from tests.outcomes import raised, returned

SUBJECT = Subject("portability", None, immutable=False, error_types=True)
GIVEN: dict[Treatment, list[float]] = {
    "ignores": [1, 0, 3],
    "stops": [1, 0, 0],
    "clamps": [1, 0, 5],
    "wraps-negative": [1, 2, 3],
}
SENTENCES = {
    "ignores": "the update was skipped",
    "stops": "this index and all later ones were skipped",
    "clamps": "the index was clamped to the nearest position",
    "wraps-negative": "the index was counted from the end",
}


def _case(expectation: Expectation, given: dict[Treatment, list[float]] = GIVEN) -> Case:
    policies = tuple(PolicyOutcome(policy, tensor("float32", values)) for policy, values in given.items())
    return replace(fake_cases()[0], expectation=expectation, policies=policies)


def _returned(values: Any, **more: Any) -> Observation:
    return Observation(returned(values, "float32"), tensor("float32", values), **more)


def _raised(control_before: Status, control_after: Status) -> Observation:
    return Observation(raised(), control_before=control_before, control_after=control_after)


def _judged(expectation: Expectation, observation: Observation) -> Judgement:
    return judge(_case(expectation), SUBJECT, observation)


def test_the_largest_of_no_slices_may_be_minus_infinity_instead_of_the_least_number() -> None:
    least = float(np.finfo(np.float32).min)
    case = _case(Raises(), {"ignores": [300, least], "clamps": [300, 200]})
    for value, behaviour in ((-np.inf, "ignores"), (least, "ignores"), (200, "clamps"), (np.inf, "other")):
        judged = judge(case, SUBJECT, _returned([300, value], control_before="returned"))
        assert judged.behaviour == behaviour


@pytest.mark.parametrize("policy", GIVEN)
def test_what_should_raise_and_does_something_else_is_named(policy: Treatment) -> None:
    judged = _judged(Raises(), _returned(GIVEN[policy], control_before="returned"))
    assert (judged.divergences, judged.behaviour) == (["accepted"], policy)
    assert judged.explanation == f"expected an error, but {SENTENCES[policy]}"


def _filled(values: list[float], *, copies: bool) -> str | None:
    """What is said of a result where zero and NaN are the fill values."""
    policies = [PolicyOutcome("fills", tensor("float32", filled)) for filled in ([1, 0, 3], [1, float("nan"), 3])]
    case = replace(_case(Raises()), policies=tuple(policies))
    return judge(case, replace(SUBJECT, copies=copies), _returned(values, control_before="returned")).explanation


def test_zeros_for_an_index_outside_may_be_memory_where_reading_outside_is_not_seen() -> None:
    fill = "expected an error, but the result is that of reading a fill value"
    assert _filled([1, 0, 3], copies=False) == fill
    unseen = ", or of reading zeros outside, which is not seen, since the framework copies the arguments"
    assert _filled([1, 0, 3], copies=True) == fill + unseen
    assert _filled([1, float("nan"), 3], copies=True) == fill


def test_what_no_policy_gives_is_shown_with_its_values() -> None:
    judged = _judged(Raises("IndexError"), _returned([7, 8, 9], control_before="returned"))
    assert judged.behaviour == "other"
    assert judged.explanation == "expected IndexError, but it returned float32 of shape [3]: [7.0, 8.0, 9.0]"


def test_a_result_of_another_shape_or_dtype_is_none_of_the_policies() -> None:
    assert _judged(Raises(), _returned([[1, 0, 3]], control_before="returned")).behaviour == "other"
    observation = Observation(returned([1, 0, 3], "float64"), tensor("float64", [1, 0, 3]))
    assert _judged(Raises(), observation).behaviour == "other"


def test_where_two_policies_give_the_same_neither_is_named() -> None:
    case = _case(Raises(), {"clamps": [1, 2], "wraps-negative": [1, 2]})
    judged = judge(case, SUBJECT, _returned([1, 2], control_before="returned"))
    assert judged.behaviour is None
    assert judged.explanation == "expected an error, but it returned float32 of shape [2]"


def test_an_error_is_a_behaviour_only_where_the_valid_control_returns() -> None:
    assert _judged(Raises(), _raised("returned", "returned")).behaviour == "raises"
    assert _judged(Raises(), _raised("raised", "raised")).behaviour is None
    assert _judged(Observed("silence"), _raised("raised", "raised")).behaviour is None


def test_a_case_about_something_else_has_no_behaviour() -> None:
    case = _case(Raises(), {})
    assert judge(case, SUBJECT, _raised("returned", "returned")).behaviour is None


def test_an_observed_behaviour_is_explained_and_not_judged() -> None:
    judged = _judged(Observed("silence"), _returned(GIVEN["stops"], control_before="returned"))
    assert (judged.verdict, judged.behaviour) == ("observed", "stops")
    assert judged.explanation == f"{SENTENCES['stops']} (silence; the clause is about fake.gather and others)"


def test_a_result_that_should_ignore_and_does_something_else_is_named() -> None:
    expected = Returns(tensor("float32", GIVEN["ignores"]), False)
    judged = _judged(expected, _returned(GIVEN["clamps"]))
    assert (judged.divergences, judged.behaviour) == (["value"], "clamps")
    assert str(judged.explanation).endswith("; the index was clamped to the nearest position")
    assert _judged(expected, _returned(GIVEN["ignores"])).behaviour == "ignores"


def test_an_open_error_after_which_the_valid_control_fails_is_a_finding() -> None:
    judged = _judged(Observed("silence"), _raised("returned", "died"))
    assert judged.divergences == ["contaminated"]


@pytest.mark.parametrize("expectation", [Raises(), Observed("open")])
def test_an_index_that_was_cut_has_no_word_of_its_own_and_a_sentence(expectation: Expectation) -> None:
    case = _case(expectation, {**GIVEN, "cut": [1, 4, 3]})
    judged = judge(case, SUBJECT, _returned([1, 4, 3]))
    assert judged.behaviour == "other"
    assert "the index was cut to 32 bits" in str(judged.explanation)


def test_a_result_that_clamping_and_cutting_give_has_no_name() -> None:
    judged = judge(_case(Raises(), {**GIVEN, "cut": GIVEN["clamps"]}), SUBJECT, _returned(GIVEN["clamps"]))
    assert judged.behaviour is None
