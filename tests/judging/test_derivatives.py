"""A derivative is judged by the result that the same computation returned."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from conformance.cases.expectations import Choice, ReturnsDerivative
from conformance.cases.model import Case
from conformance.cases.variation import Differentiated, Turn
from conformance.judging.judge import judge
from conformance.judging.judgement import Judgement
from conformance.judging.subject import Subject
from conformance.outcomes.observation import Observation
from conformance.specification.literals import tensor
from conformance.specification.loader import load_specs
from conformance.specification.model import Citation, Derivative
from tests.execution.harness import fake_cases
from tests.outcomes import raised, returned_value

SUBJECT = Subject("portability", None, immutable=False)
RESULTS = ([0.0, 7.0], [0.0, 8.0])
DERIVATIVES = ([2.0, 0.0], [0.0, 2.0])


def derivative(dtype: str = "float32") -> Case:
    choices = tuple(
        Choice(tensor(dtype, result), tensor(dtype, derivative))
        for result, derivative in zip(RESULTS, DERIVATIVES, strict=True)
    )
    case = fake_cases()[0]
    manner = Derivative("vjp", "params", tensor(dtype, [1.0, 2.0]))
    variation = Differentiated(case.id, manner, Turn(0), is_beyond_documents=False)
    return replace(case, call=case.call.made(manner), variation=variation, expectation=ReturnsDerivative(choices))


def judged(values: Any, forward: Any = RESULTS[0], dtype: str = "float32", subject: Subject = SUBJECT) -> Judgement:
    value = tensor(dtype, values)
    return judge(derivative(), subject, Observation(returned_value(value), value, forward=tensor("float32", forward)))


@pytest.mark.parametrize("number", [0, 1])
def test_the_derivative_of_the_result_that_was_returned_conforms(number: int) -> None:
    assert judged(DERIVATIVES[number], RESULTS[number]).verdict == "conforms"


@pytest.mark.parametrize("number", [0, 1])
def test_the_derivative_of_another_permitted_result_is_inconsistent(number: int) -> None:
    judgement = judged(DERIVATIVES[number], RESULTS[1 - number])
    assert (judgement.verdict, judgement.divergences) == ("diverges", ["inconsistent"])


def test_a_derivative_of_no_permitted_result_has_another_value() -> None:
    judgement = judged([2.0, 2.0])
    assert (judgement.verdict, judgement.divergences) == ("diverges", ["value"])
    assert str(judgement.explanation).startswith("the derivative with respect to params: ")


def test_negative_zero_is_zero() -> None:
    assert judged([2.0, -0.0]).verdict == "conforms"


def test_another_dtype_or_shape_is_one() -> None:
    assert judged(DERIVATIVES[0], dtype="float64").divergences == ["dtype"]
    assert judged([[2.0, 0.0]]).divergences == ["shape"]


def test_of_a_result_that_is_not_permitted_the_derivative_shows_nothing() -> None:
    judgement = judged([2.0, 2.0], [0.0, 9.0])
    assert judgement.verdict == "blocked"
    assert "no permitted result" in str(judgement.explanation)


def test_a_call_that_raises_without_the_transform_too_has_no_derivative() -> None:
    observation = Observation(raised("IndexError", "outside", phase="forward"))
    assert judge(derivative(), SUBJECT, observation).verdict == "blocked"


def test_a_call_that_returns_but_has_no_derivative_is_rejected() -> None:
    observation = Observation(raised("RuntimeError", "not implemented"), forward=tensor("float32", RESULTS[0]))
    assert judge(derivative(), SUBJECT, observation).divergences == ["rejected"]


def test_where_a_document_says_that_there_is_none_nothing_is_expected() -> None:
    document = load_specs().documents["torch.scatter"]
    subject = replace(SUBJECT, without_derivative=Citation(document, document.claims["backward"]))
    judgement = judged([2.0, 2.0], subject=subject)
    assert judgement.verdict == "unsupported"
    assert "torch.scatter#backward" in str(judgement.explanation)
    assert judged(DERIVATIVES[0], subject=subject).verdict == "conforms"
