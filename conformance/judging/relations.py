"""Both sides of a relation beside each other, each computed by the target."""

from __future__ import annotations

from dataclasses import replace

from conformance.cases.model import Case, Returns
from conformance.judging.behaviour import described
from conformance.judging.judge import Judgement, Subject, judge
from conformance.judging.messages import said
from conformance.outcomes.model import Died, Hung, Unsupported, error_of
from conformance.outcomes.observation import Observation


def judge_relation(
    case: Case, subject: Subject, left: Observation, right: Observation | None, *, accumulates: bool
) -> Judgement:
    """The verdict on a relation: the left side's value where the right side's is expected.

    right: None where the left side leaves nothing to compare. accumulates: elements were added on either side. What one side
    refuses and the other takes is a divergence; where both refuse, or an API that is not under test, nothing can be
    compared.
    """
    for name, side in (("left", left), ("right", right)):
        early = _early(name, side) if side is not None else None
        if early is not None:
            return early
    assert right is not None, "only a side that ends the attempt is alone"
    if "raised" in (left.outcome.status, right.outcome.status):
        return _refused(left, right)
    assert right.result is not None
    judgement = judge(replace(case, expectation=Returns(right.result, None, accumulates, "relation")), subject, left)
    if judgement.explanation is None:
        return judgement
    return replace(judgement, explanation=f"the left side is not the right side: {judgement.explanation}")


def ends(side: Observation) -> bool:
    """Whether a side leaves nothing to compare the other with."""
    return _early("left", side) is not None


def _early(name: str, side: Observation) -> Judgement | None:
    outcome = side.outcome
    if isinstance(outcome, Unsupported):
        return Judgement("unsupported", explanation=f"{name} side: {outcome.reason}")
    if isinstance(outcome, Died | Hung):
        return Judgement(outcome.status, explanation=f"{name} side: {outcome.how}")
    error = error_of(outcome)
    if error is None:
        return None
    if error.fault == "adapter":
        return Judgement("blocked", explanation=error.message)
    if error.phase == "arguments":
        text = f"{name} side: arguments of a call cannot be made in this framework: {said(error)}"
        return Judgement("blocked", explanation=text)
    if error.by is not None:
        text = f"{name} side: {error.by}, which is not the API under test, raised {said(error)}"
        return Judgement("blocked", explanation=text)
    return None


def _refused(left: Observation, right: Observation) -> Judgement:
    texts = {name: _did(side) for name, side in (("left", left), ("right", right))}
    if left.outcome.status == right.outcome.status:
        return Judgement("blocked", explanation="both sides fail, so nothing is compared: " + _joined(texts))
    return Judgement("diverges", ["rejected"], _joined(texts))


def _did(side: Observation) -> str:
    error = error_of(side.outcome)
    if error is not None:
        return f"raised {said(error)}"
    assert side.result is not None
    return f"returned {described(side.result)}"


def _joined(texts: dict[str, str]) -> str:
    return "; ".join(f"the {name} side {text}" for name, text in texts.items())
