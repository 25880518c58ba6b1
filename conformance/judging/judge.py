"""An outcome beside an expectation: the verdict, what kinds of divergence it has, and a sentence about each."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from conformance.cases.model import Case, Returns
from conformance.judging.behaviour import behaviour_of, described, in_words
from conformance.judging.compare import Comparison, compare
from conformance.judging.dtype_claims import DtypeClaim
from conformance.judging.messages import said
from conformance.judging.vocabulary import Behaviour, Divergence, Standing, Verdict
from conformance.specification.literals import Argument, Tensor
from conformance.specification.model import Call, Observed, Raises


@dataclass(frozen=True)
class Subject:
    """What of an API its judgement depends on."""

    standing: Standing
    in_place: str | None
    immutable: bool
    """Its framework's tensors cannot be changed, so that sharing memory does no harm."""
    eager: bool
    dtype_claim: DtypeClaim | None = None
    """Who claims the dtypes that the case is about, where it is about dtypes."""


@dataclass(frozen=True)
class Observation:
    """What an API did with a case: the worker's outcome, its result, and how the valid control fared."""

    outcome: dict[str, Any]
    result: Tensor | None = None
    control_before: str | None = None
    control_after: str | None = None
    renewed: bool = False
    """The control did as before again once it was compiled anew, so that nothing else was spoilt."""


@dataclass(frozen=True)
class Judgement:
    """A verdict with its reasons."""

    verdict: Verdict
    divergences: list[Divergence] = field(default_factory=list)
    explanation: str | None = None
    comparison: Comparison | None = None
    behaviour: Behaviour | None = None
    """What was done with an index that points outside."""
    unclaimed: list[Divergence] | None = None
    """In a dtype that no document claims, what would diverge if one did; None everywhere else."""


def judge(case: Case, subject: Subject, observation: Observation) -> Judgement:
    """The verdict on one case; see DESIGN, Judging."""
    status = observation.outcome["status"]
    if status == "unsupported":
        return Judgement("unsupported", explanation=observation.outcome["reason"])
    if status in ("died", "hung"):
        return Judgement(status, explanation=observation.outcome["how"])
    error = observation.outcome.get("error", {})
    if error.get("fault") == "adapter":
        return Judgement("blocked", explanation=error["message"])
    if error.get("phase") == "arguments" and case.about_dtype:
        return Judgement("unsupported", explanation=f"this framework makes no such tensor: {said(error)}")
    if error.get("phase") == "arguments":
        return Judgement("blocked", explanation=f"its arguments cannot be made in this framework: {said(error)}")
    # An error proves nothing where the valid control raises too.
    sound = observation.control_before in ("returned", None)
    behaviour = behaviour_of(case, status, observation.result) if sound else None
    judgement = _judged(case, subject, observation, behaviour)
    if case.about_dtype and not (subject.dtype_claim and subject.dtype_claim.named):
        judgement = _unclaimed(judgement, subject.dtype_claim)
    return replace(judgement, behaviour=behaviour)


def _unclaimed(judgement: Judgement, family: DtypeClaim | None) -> Judgement:
    """What was found in a dtype that its documentation does not claim by name, which is nobody's fault."""
    if judgement.verdict not in ("conforms", "diverges"):
        return judgement
    done = judgement.explanation or "as in the dtypes of the document"
    why = f"{family.by} names its family, not this dtype" if family else "its documentation does not claim this dtype"
    return Judgement("observed", explanation=f"{done} ({why})", unclaimed=judgement.divergences)


def _judged(case: Case, subject: Subject, observation: Observation, behaviour: Behaviour | None) -> Judgement:
    if observation.outcome.get("abstract") and observation.control_before in ("returned", None):
        return _judge_abstract(case, observation.outcome)
    if isinstance(case.expectation, Observed):
        return _judge_observed(case.expectation, observation, behaviour)
    if isinstance(case.expectation, Raises):
        return _judge_raises(case.expectation, subject, observation, behaviour)
    assert isinstance(case.expectation, Returns), "a relation is judged by judge_relation"
    return _judge_returns(case, case.expectation, subject, observation, behaviour)


def _judge_abstract(case: Case, outcome: dict[str, Any]) -> Judgement:
    """What shape and dtype alone tell, from a mode that computes no values."""
    expected = case.expectation
    returned = f"returned {outcome['dtype']} of shape {outcome['shape']}, without values"
    if isinstance(expected, Observed):
        return Judgement("observed", explanation=f"{returned} ({expected.reason})")
    if isinstance(expected, Raises):
        if case.control is not None and is_told_by_values(case.call, case.control):
            return Judgement(
                "unsupported", explanation="it computes no values, and whether this raises depends on them"
            )
        return Judgement("diverges", ["accepted"], f"should raise {expected.error or 'an error'}, and {returned}")
    assert isinstance(expected, Returns), "a relation is not computed without values"
    value = expected.value
    found = {"dtype": outcome["dtype"] != value.dtype, "shape": tuple(outcome["shape"]) != value.shape}
    kinds: list[Divergence] = [kind for kind in _FORM if found[kind]]
    if not kinds:
        return Judgement("conforms")
    return Judgement("diverges", kinds, f"should return {described(value)}, and {returned}")


_FORM: tuple[Divergence, ...] = ("dtype", "shape")


def is_told_by_values(call: Call, control: Call) -> bool:
    """Whether a call differs from its valid control in nothing but elements of tensors."""
    return all(_form(value) == _form(control.arguments.get(name)) for name, value in call.arguments.items())


def _form(argument: Argument) -> object:
    return (argument.dtype, argument.shape) if isinstance(argument, Tensor) else argument


def _judge_observed(expected: Observed, observation: Observation, behaviour: Behaviour | None) -> Judgement:
    if observation.outcome["status"] == "raised":
        done = f"raised {said(observation.outcome['error'])}"
    else:
        done = in_words(behaviour, observation.result)
    if observation.control_before not in ("returned", None):
        done += f", and its valid control {observation.control_before} too"
    if observation.control_after not in ("returned", observation.control_before, None):
        return Judgement("diverges", ["contaminated"], f"{done}; {_poisoned(observation)}")
    return Judgement("observed", explanation=f"{done} ({expected.reason})")


def _judge_raises(
    expected: Raises, subject: Subject, observation: Observation, behaviour: Behaviour | None
) -> Judgement:
    if observation.control_before == "unsupported":
        return Judgement(
            "unsupported", explanation="the valid control of this call is a form that the API does not have"
        )
    if observation.control_before not in ("returned", None):
        return Judgement(
            "blocked",
            explanation=f"the valid control of this call {observation.control_before} too, so an error proves nothing",
        )
    if observation.outcome["status"] == "returned":
        done = in_words(behaviour, observation.result)
        return Judgement("diverges", ["accepted"], f"should raise {expected.error or 'an error'}, and {done}")
    error = observation.outcome["error"]
    kinds: list[Divergence] = []
    sentences: list[str] = []
    if expected.error and subject.standing == "own" and subject.eager and expected.error not in error["bases"]:
        kinds.append("error-type")
        sentences.append(f"should raise {expected.error}, and raised {said(error)}")
    if observation.control_after not in ("returned", None):
        kinds.append("contaminated")
        sentences.append(_poisoned(observation))
    return Judgement("diverges", kinds, "; ".join(sentences)) if kinds else Judgement("conforms")


def _poisoned(observation: Observation) -> str:
    until = ", until it was compiled anew" if observation.renewed else ""
    return f"after this error the valid control, which had returned, {observation.control_after}{until}"


def _judge_returns(
    case: Case, expected: Returns, subject: Subject, observation: Observation, behaviour: Behaviour | None
) -> Judgement:
    if observation.outcome["status"] == "raised":
        text = f"should return {described(expected.value)}, and raised {said(observation.outcome['error'])}"
        return Judgement("diverges", ["rejected"], text)
    result = observation.result
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
    for kind, sentence in _memory(case, expected, subject, observation.outcome):
        kinds.append(kind)
        sentences.append(sentence)
    if not kinds and comparison is not None and comparison.flushed:
        return Judgement("observed", explanation=_flushing(comparison))
    if not kinds:
        return Judgement("conforms")
    if "value" in kinds and behaviour not in (None, "other"):
        sentences.append(f"with the index outside it {behaviour}")
    return Judgement("diverges", kinds, "; ".join(sentences), comparison if comparison and comparison.count else None)


def _memory(case: Case, expected: Returns, subject: Subject, outcome: dict[str, Any]) -> list[tuple[Divergence, str]]:
    found: list[tuple[Divergence, str]] = []
    changed = [name for name in outcome["changed"] if name != subject.in_place]
    if changed:
        found.append(("input-changed", f"the call changed its argument {', '.join(changed)}"))
    target = case.call.arguments.get(subject.in_place or "")
    if isinstance(target, Tensor) and subject.in_place not in outcome["changed"] and _must_change(target, expected):
        found.append(("input-changed", f"the call is documented to change {subject.in_place} in place, and did not"))
    spilled = outcome.get("spilled", [])
    if spilled:
        found.append(("input-changed", f"the call wrote beside the view that it was given as {', '.join(spilled)}"))
    aliased = [name for name in outcome["aliased"] if name != subject.in_place]
    if aliased and not subject.immutable:
        found.append(("aliased", f"the result shares memory with the argument {', '.join(aliased)}"))
    return found


def _must_change(target: Tensor, expected: Returns) -> bool:
    return target.shape == expected.value.shape and target.array.tobytes() != expected.value.array.tobytes()


def _flushing(comparison: Comparison) -> str:
    return f"{comparison.flushed} of {comparison.total} elements are zero where subnormal numbers were expected"


def _differing(comparison: Comparison) -> str:
    index, wanted, got = comparison.first[0]
    text = f"{comparison.count} of {comparison.total} elements differ, first at {list(index)}: expected {wanted}, got {got}"
    if comparison.largest is not None and comparison.count > 1:
        at, _, _, difference = comparison.largest
        text += f"; the greatest difference is {difference:g}, at {list(at)}"
    if comparison.bound is not None:
        text += f"; {comparison.bound:g} is allowed"
    return text
