"""Judge what a transform computed of a call: the derivative that belongs to its result, or a permitted result of each call of a batch."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np

from conformance.cases.expectations import Choice, Returns, ReturnsBatch, ReturnsDerivative, Within
from conformance.cases.model import Case
from conformance.cases.variation import Transformed, TwiceDifferentiated
from conformance.judging.behaviour import MOST_SHOWN, described
from conformance.judging.compare import compare, matches
from conformance.judging.judgement import Judgement, judge_result
from conformance.judging.subject import Subject
from conformance.outcomes.model import Died
from conformance.outcomes.observation import Observation
from conformance.specification.literals import Tensor, frozen
from conformance.specification.model import Nested, SecondDerivative
from conformance.specification.numbers import elements


def judge_transformed(
    case: Case, expected: ReturnsDerivative | ReturnsBatch, subject: Subject, observation: Observation
) -> Judgement:
    """The verdict on a derivative or a batch, with the claims that it is held to."""
    if isinstance(expected, ReturnsBatch):
        return _held_to_transform(_judge_batch(case, expected, subject, observation), subject)
    return _held_to_transform(_judge_derivative(case, expected, subject, observation), subject)


def _judge_derivative(case: Case, expected: ReturnsDerivative, subject: Subject, observation: Observation) -> Judgement:
    forward = observation.forward
    due = belonging(expected, observation)
    if due is None:
        returned = described(forward) if forward is not None else "nothing"
        values = f": {elements(forward.array)}" if forward is not None and forward.array.size <= MOST_SHOWN else ""
        itself = (
            "the first derivative is" if isinstance(case.variation, TwiceDifferentiated) else "the call itself returned"
        )
        text = f"{itself} {returned}{values}, which is no permitted result, so that its derivative shows nothing"
        return Judgement("blocked", explanation=text)
    judgement = judge_result(case, due, subject, observation, None)
    if judgement.explanation is not None:
        of = _of(case)
        judgement = replace(judgement, explanation=f"the derivative with respect to {of}: {judgement.explanation}")
    if judgement.verdict == "diverges" and subject.without_derivative is not None:
        text = f"{subject.without_derivative} says that there is no right derivative here; {judgement.explanation}"
        return Judgement("unsupported", explanation=text)
    if "value" in judgement.divergences and belongs_to_another(expected, observation.result):
        kinds = [kind for kind in judgement.divergences if kind != "value"]
        text = f"it belongs to another permitted result than the call itself returned; {judgement.explanation}"
        return replace(judgement, divergences=[*kinds, "inconsistent"], explanation=text)
    return judgement


def _judge_batch(case: Case, expected: ReturnsBatch, subject: Subject, observation: Observation) -> Judgement:
    judgement = judge_result(case, nearest_results(expected, observation.result), subject, observation, None)
    if judgement.verdict != "diverges":
        return judgement
    if not are_permitted(expected, observation.forward):
        does = "raises" if observation.forward is None else "returns what is not permitted"
        text = f"a call of the batch {does} by itself, so that the batch shows nothing; {judgement.explanation}"
        return Judgement("blocked", explanation=text)
    return replace(judgement, explanation=f"the batch of {_of(case)}: {judgement.explanation}")


def _of(case: Case) -> str:
    assert isinstance(case.variation, Transformed)
    match case.variation.manner:
        case Nested(kind, derivative, batch):
            calls = "each call of the batch" if kind == "vmap-vjp" else "the batch"
            return f"{derivative.of}, of {calls} of {batch.of}"
        case SecondDerivative(first=first, second=second):
            return f"{second.of}, of that with respect to {first.of}"
        case manner:
            return manner.of


def _held_to_transform(judgement: Judgement, subject: Subject) -> Judgement:
    """The judgement of what a transform computed with the claims that it is held to."""
    if not subject.by_rules or judgement.verdict != "diverges" or "rejected" in judgement.divergences:
        return judgement
    return replace(
        judgement, explanation=f"{judgement.explanation}; {', '.join(subject.by_rules)} says what it computes"
    )


def shows_nothing(case: Case, observation: Observation) -> bool:
    """Whether the result of the call itself, from the computation of a transform, is not permitted."""
    return observation.forward is not None and not permits(case, observation.forward)


def permits(case: Case, result: Tensor | None) -> bool:
    """Whether this is a permitted result of the call itself, without the transform of the case; of a batch, of each call."""
    expected = case.expectation
    if isinstance(expected, ReturnsDerivative):
        return any(_is_result(choice, result) for choice in expected.choices)
    return isinstance(expected, ReturnsBatch) and are_permitted(expected, result)


RightAlone = Literal["alone", "without the transform"]
"""What makes the result of the call itself right: that it is the only call of a process, or only that nothing is transformed too."""


def with_wrong_result(judgement: Judgement, right: RightAlone) -> Judgement:
    """The judgement of a transform whose call itself returned what is not permitted, though otherwise the call returns what is."""
    text = f"{judgement.explanation}; {right}, the call itself is right"
    return replace(judgement, verdict="diverges", divergences=["value"], explanation=text, is_of_result=True)


def of_dying_call(death: Died) -> Judgement:
    """The judgement of a transform that ended its process, as the call itself, or one of a batch, does without it."""
    text = f"it {death.phrase}, and the call itself does so without the transform too"
    return Judgement("blocked", explanation=text)


_RESULT = 2.0**-7
"""The allowed relative difference of a result from a permitted one, all of whose elements are small integers or their means."""


def belonging(expected: ReturnsDerivative, observation: Observation) -> Returns | None:
    """The derivative that belongs to the result of the call itself; None if that is no permitted result.

    If several permitted results are equal, so that the result does not tell which one it is: the nearest of their derivatives.
    """
    own = [choice for choice in expected.choices if _is_result(choice, observation.forward)]
    return min((one.expected for one in own), key=lambda one: _distance(one, observation.result), default=None)


def belongs_to_another(expected: ReturnsDerivative, result: Tensor | None) -> bool:
    """Whether a derivative belongs to any permitted result."""
    return result is not None and any(matches(choice.expected, result) for choice in expected.choices)


def _distance(expected: Returns, result: Tensor | None) -> float:
    """The number of elements that differ; more than there are if the dtype or the shape does."""
    value = expected.value
    if result is None or (result.dtype, result.shape) != (value.dtype, value.shape):
        return float("inf")
    return compare(expected, result.array).count


def _is_result(choice: Choice, forward: Tensor | None) -> bool:
    due = choice.result
    if forward is None or (forward.dtype, forward.shape) != (due.dtype, due.shape):
        return False
    wide, other = (tensor.array.astype(np.float64) for tensor in (due, forward))
    return bool(np.allclose(wide, other, rtol=_RESULT if choice.bounds is not None else 0.0, atol=0.0, equal_nan=True))


def nearest_results(expected: ReturnsBatch, result: Tensor | None) -> Returns:
    """The expectation with the permitted result of each call that differs least from what the batch has for it."""
    value = expected.value
    if result is None or (result.dtype, result.shape) != (value.dtype, value.shape):
        return expected.expected(value)
    chosen = [
        min(permitted, key=lambda one: compare(_of_call(expected, one, number), np.asarray(result.array[number])).count)
        for number, permitted in enumerate(expected.permitted)
    ]
    array = np.stack([one.array for one in chosen])
    return expected.expected(replace(value, array=frozen(array)))


def are_permitted(expected: ReturnsBatch, results: Tensor | None) -> bool:
    """Whether these are permitted results, one of each call."""
    return results is not None and matches(nearest_results(expected, results), results)


def _of_call(expected: ReturnsBatch, permitted: Tensor, number: int) -> Returns:
    bounds = None if expected.bounds is None else np.asarray(expected.bounds[number])
    return Returns(permitted, True, tolerance=None if bounds is None else Within.each(bounds))
