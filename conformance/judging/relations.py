"""Both sides of a relation beside each other, each computed by the target."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from conformance.cases.model import Case, Returns
from conformance.judging.judge import Judgement, Observation, Subject, judge
from conformance.judging.messages import said


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
    if "raised" in (_status(left), _status(right)):
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
    status, error = outcome["status"], outcome.get("error", {})
    if status == "unsupported":
        return Judgement("unsupported", explanation=f"{name} side: {outcome['reason']}")
    if status in ("died", "hung"):
        return Judgement(status, explanation=f"{name} side: {outcome['how']}")
    if error.get("fault") == "adapter":
        return Judgement("blocked", explanation=error["message"])
    if error.get("phase") == "arguments":
        text = f"{name} side: arguments of a call cannot be made in this framework: {said(error)}"
        return Judgement("blocked", explanation=text)
    if "by" in error:
        text = f"{name} side: {error['by']}, which is not the API under test, raised {said(error)}"
        return Judgement("blocked", explanation=text)
    return None


def _refused(left: Observation, right: Observation) -> Judgement:
    texts = {name: _did(side) for name, side in (("left", left), ("right", right))}
    if _status(left) == _status(right):
        return Judgement("blocked", explanation="both sides fail, so nothing is compared: " + _joined(texts))
    return Judgement("diverges", ["rejected"], _joined(texts))


def _did(side: Observation) -> str:
    if side.result is None:
        return f"raised {said(side.outcome['error'])}"
    return f"returned {side.result.dtype} of shape {list(side.result.shape)}"


def _joined(texts: dict[str, str]) -> str:
    return "; ".join(f"the {name} side {text}" for name, text in texts.items())


def _status(side: Observation) -> Any:
    return side.outcome["status"]
