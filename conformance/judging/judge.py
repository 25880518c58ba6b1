"""An outcome beside an expectation: the verdict, what kinds of divergence it has, and a sentence about each."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from conformance.cases.model import Case, Returns
from conformance.judging.compare import Comparison, compare
from conformance.judging.messages import said
from conformance.judging.vocabulary import Divergence, Standing, Verdict
from conformance.spec.literals import Tensor
from conformance.spec.model import Observed, Raises


@dataclass(frozen=True)
class Subject:
    """What of an API its judgement depends on."""

    standing: Standing
    in_place: str | None
    immutable: bool
    """Its framework's tensors cannot be changed, so that sharing memory does no harm."""
    eager: bool


@dataclass(frozen=True)
class Witness:
    """What an API did with a case: the worker's outcome, its result, and how the valid twin fared."""

    outcome: dict[str, Any]
    result: Tensor | None = None
    twin_before: str | None = None
    twin_after: str | None = None


@dataclass(frozen=True)
class Judgement:
    """A verdict with its reasons."""

    verdict: Verdict
    divergences: list[Divergence] = field(default_factory=list)
    explanation: str | None = None
    comparison: Comparison | None = None


def judge(case: Case, subject: Subject, witness: Witness) -> Judgement:
    """The verdict on one case; see DESIGN, Judging."""
    status = witness.outcome["status"]
    if status == "unsupported":
        return Judgement("unsupported", explanation=witness.outcome["reason"])
    if status in ("died", "hung"):
        return Judgement(status, explanation=witness.outcome["how"])
    error = witness.outcome.get("error", {})
    if error.get("fault") == "adapter":
        return Judgement("blocked", explanation=error["message"])
    if error.get("phase") == "arguments":
        return Judgement("blocked", explanation=f"its arguments cannot be made in this framework: {said(error)}")
    if isinstance(case.expectation, Observed):
        return Judgement("observed", explanation=_observed(case.expectation, witness))
    if isinstance(case.expectation, Raises):
        return _judge_raises(case.expectation, subject, witness)
    return _judge_returns(case, case.expectation, subject, witness)


def _judge_raises(expected: Raises, subject: Subject, witness: Witness) -> Judgement:
    if witness.twin_before == "unsupported":
        return Judgement("unsupported", explanation="the valid twin of this call is a form that the API does not have")
    if witness.twin_before not in ("returned", None):
        return Judgement(
            "blocked", explanation=f"the valid twin of this call {witness.twin_before} too, so an error proves nothing"
        )
    if witness.outcome["status"] == "returned":
        return Judgement(
            "diverges", ["accepted"], f"should raise {expected.error or 'an error'}, and returned {_shape(witness)}"
        )
    error = witness.outcome["error"]
    kinds: list[Divergence] = []
    sentences: list[str] = []
    if expected.error and subject.standing == "own" and subject.eager and expected.error not in error["bases"]:
        kinds.append("error-type")
        sentences.append(f"should raise {expected.error}, and raised {said(error)}")
    if witness.twin_after not in ("returned", None):
        kinds.append("contaminated")
        sentences.append(f"after this error the valid twin, which had returned, {witness.twin_after}")
    return Judgement("diverges", kinds, "; ".join(sentences)) if kinds else Judgement("conforms")


def _judge_returns(case: Case, expected: Returns, subject: Subject, witness: Witness) -> Judgement:
    if witness.outcome["status"] == "raised":
        text = f"should return {_tensor(expected.value)}, and raised {said(witness.outcome['error'])}"
        return Judgement("diverges", ["rejected"], text)
    result = witness.result
    assert result is not None
    kinds: list[Divergence] = []
    sentences: list[str] = []
    comparison = None
    if result.dtype != expected.value.dtype:
        kinds.append("dtype")
        sentences.append(f"the result's dtype is {result.dtype}, where {expected.value.dtype} was expected")
    if result.shape != expected.value.shape:
        kinds.append("shape")
        sentences.append(f"the result's shape is {list(result.shape)}, where {list(expected.value.shape)} was expected")
    elif result.dtype == expected.value.dtype:
        comparison = compare(expected, result.array)
        if comparison.count:
            kinds.append("value")
            sentences.append(_differing(comparison))
    for kind, sentence in _memory(case, expected, subject, witness.outcome):
        kinds.append(kind)
        sentences.append(sentence)
    if not kinds:
        return Judgement("conforms")
    return Judgement("diverges", kinds, "; ".join(sentences), comparison if comparison and comparison.count else None)


def _memory(case: Case, expected: Returns, subject: Subject, outcome: dict[str, Any]) -> list[tuple[Divergence, str]]:
    found: list[tuple[Divergence, str]] = []
    changed = [name for name in outcome["changed"] if name != subject.in_place]
    if changed:
        found.append(("input-changed", f"the call changed its argument {', '.join(changed)}"))
    target = case.call.arguments.get(subject.in_place or "")
    if isinstance(target, Tensor) and subject.in_place not in outcome["changed"] and _must_change(target, expected):
        found.append(("input-changed", f"the call is documented to change {subject.in_place} in place, and did not"))
    aliased = [name for name in outcome["aliased"] if name != subject.in_place]
    if aliased and not subject.immutable:
        found.append(("aliased", f"the result shares memory with the argument {', '.join(aliased)}"))
    return found


def _must_change(target: Tensor, expected: Returns) -> bool:
    return target.shape == expected.value.shape and target.array.tobytes() != expected.value.array.tobytes()


def _differing(comparison: Comparison) -> str:
    index, wanted, got = comparison.first[0]
    text = f"{comparison.count} of {comparison.total} elements differ, first at {list(index)}: expected {wanted}, got {got}"
    if comparison.largest is not None and comparison.count > 1:
        at, _, _, difference = comparison.largest
        text += f"; the greatest difference is {difference:g}, at {list(at)}"
    return text


def _observed(expectation: Observed, witness: Witness) -> str:
    if witness.outcome["status"] == "raised":
        return f"raised {said(witness.outcome['error'])} ({expectation.reason})"
    return f"returned {_shape(witness)} ({expectation.reason})"


def _shape(witness: Witness) -> str:
    return _tensor(witness.result) if witness.result is not None else "nothing"


def _tensor(value: Tensor) -> str:
    return f"{value.dtype} of shape {list(value.shape)}"
