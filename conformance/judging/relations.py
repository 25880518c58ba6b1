"""Compare both sides of a metamorphic relation, each computed by the target."""

from __future__ import annotations

from dataclasses import replace

from conformance.cases.expectations import Returns
from conformance.cases.model import Case
from conformance.judging.behaviour import described
from conformance.judging.judge import judge, refused_dtype, refuses_dtype
from conformance.judging.judgement import Judgement
from conformance.judging.messages import summary
from conformance.judging.subject import Subject
from conformance.outcomes.model import Died, Hung, NotExported, Unsupported, error_of
from conformance.outcomes.observation import Observation


def judge_relation(
    case: Case, subject: Subject, left: Observation, right: Observation | None, *, accumulates: bool
) -> Judgement:
    """The verdict on a relation, for which the right side's value is the expected one.

    right: None if the left side gives nothing to compare. accumulates: elements were added on either side.
    An error on one side only is a divergence. If both sides raise, or an API that is not under test raises, nothing
    can be compared.
    """
    for name, side in (("left", left), ("right", right)):
        early = _early(name, side) if side is not None else None
        if early is not None:
            return early
    assert right is not None, "the right side is missing only if the left side ends the attempt"
    if "raised" in (left.outcome.status, right.outcome.status):
        return _refused(case, subject, left, right)
    assert right.result is not None
    judgement = judge(replace(case, expectation=Returns(right.result, accumulates, "relation")), subject, left)
    if judgement.explanation is None:
        return judgement
    return replace(judgement, explanation=f"left and right side differ: {judgement.explanation}")


def ends(side: Observation) -> bool:
    """Whether a side gives nothing that the other could be compared with."""
    return _early("left", side) is not None


def _early(name: str, side: Observation) -> Judgement | None:
    outcome = side.outcome
    if isinstance(outcome, Unsupported):
        return Judgement("unsupported", explanation=f"{name} side: {outcome.reason}")
    if isinstance(outcome, NotExported):
        return Judgement("unsupported", explanation=f"{name} side: cannot be exported: {outcome.reason}")
    if isinstance(outcome, Died | Hung):
        return Judgement(outcome.status, explanation=f"{name} side: {outcome.phrase}")
    error = error_of(outcome)
    if error is None:
        return None
    if error.fault == "adapter":
        return Judgement("blocked", explanation=error.message)
    if error.phase == "arguments":
        text = f"{name} side: the arguments of a call could not be created: {summary(error)}"
        return Judgement("blocked", explanation=text)
    if error.by is not None:
        text = f"{name} side: {error.by}, which is not the API under test, raised {summary(error)}"
        return Judgement("blocked", explanation=text)
    return None


def _refused(case: Case, subject: Subject, left: Observation, right: Observation) -> Judgement:
    text = f"the left side {_predicate(left)}; the right side {_predicate(right)}"
    if left.outcome.status == right.outcome.status:
        return Judgement("blocked", explanation=f"both sides failed, so nothing was compared: {text}")
    refused = left if left.outcome.status == "raised" else right
    if refuses_dtype(case, subject, refused):
        return refused_dtype(case, subject, refused)
    return Judgement("diverges", ["rejected"], text)


def _predicate(side: Observation) -> str:
    error = error_of(side.outcome)
    if error is not None:
        return f"raised {summary(error)}"
    assert side.result is not None
    return f"returned {described(side.result)}"
