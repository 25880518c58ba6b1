"""A verdict with its reasons, and the judgement of a result that is compared with an expected one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from conformance.cases.expectations import Compared, Returns
from conformance.cases.model import ApiCall, Case, Treatment
from conformance.judging.behaviour import described, sentence
from conformance.judging.compare import Comparison, compare
from conformance.judging.memory import memory_faults, overwritten
from conformance.judging.messages import summary
from conformance.judging.parts import differing_parts
from conformance.judging.subject import Subject
from conformance.judging.vocabulary import Behaviour, Divergence, Verdict
from conformance.outcomes.model import Raised, Returned
from conformance.outcomes.observation import Observation
from conformance.specification.literals import Tensor


@dataclass(frozen=True)
class Judgement:
    """A verdict with its reasons."""

    verdict: Verdict
    divergences: list[Divergence] = field(default_factory=list)
    explanation: str | None = None
    comparison: Comparison | None = None
    behaviour: Behaviour | None = None
    """How an out-of-bounds index was treated."""
    polluter: ApiCall | None = None
    """The earlier call in the same process that changed the result."""
    breaks_no_promise: bool = False
    """It only changes arguments, or shares memory with them, of which no document of the API says that they stay; or its result
    only has another dtype than data, or a number that is a tensor, of which no document speaks."""
    right_alone: bool = False
    """The call conforms in a fresh process, and depends on earlier calls in this one."""
    is_of_result: bool = False
    """It is about the result of the call itself, and not about what a transform computed of it."""
    breaks_dtype_claim: bool = False
    """It refuses a dtype that a document of the API names, and nothing else, whatever the clause is about."""


def judge_result(
    case: Case, expected: Compared, subject: Subject, observation: Observation, treatment: Behaviour | Treatment | None
) -> Judgement:
    outcome, result = observation.outcome, observation.result
    if isinstance(outcome, Raised):
        text = f"expected {_described(expected)}, but it raised {summary(outcome.error)}"
        return Judgement("diverges", ["rejected"], text)
    assert isinstance(outcome, Returned)
    assert result is not None
    kinds: list[Divergence] = []
    sentences: list[str] = []
    comparison = None
    for kind, text in _differing_form(expected, result, outcome):
        kinds += [kind] if kind not in kinds else []
        sentences.append(text)
    if not kinds:
        comparison = compare(expected, result.array)
        if comparison.count:
            kinds.append("value")
            sentences.append(_difference(comparison))
    for kind, text in memory_faults(case, expected, subject, outcome):
        kinds.append(kind)
        sentences.append(text)
    if not kinds and not overwritten(subject, outcome) and comparison is not None and comparison.flushed:
        text = f"{comparison.flushed} of {comparison.total} elements are zero instead of subnormal"
        return Judgement("observed", explanation=text)
    if not kinds:
        return Judgement("conforms")
    if "value" in kinds and treatment not in (None, "other"):
        sentences.append(sentence(case, treatment, result, copies=subject.copies))
    return Judgement("diverges", kinds, "; ".join(sentences), comparison if comparison and comparison.count else None)


def _described(expected: Compared) -> str:
    if isinstance(expected, Returns) and expected.parts:
        return f"{len(expected.parts)} results"
    return described(expected.value)


def _differing_form(expected: Compared, result: Tensor, outcome: Returned) -> Iterator[tuple[Divergence, str]]:
    """How dtypes and shapes differ from the expected ones: those of each result of a program that has several."""
    parts = expected.parts if isinstance(expected, Returns) else ()
    if parts or outcome.parts:
        yield from differing_parts(parts, outcome.parts)
        return
    if result.dtype != expected.value.dtype:
        yield "dtype", f"expected dtype {expected.value.dtype}, got {result.dtype}"
    if result.shape != expected.value.shape:
        yield "shape", f"expected shape {list(expected.value.shape)}, got {list(result.shape)}"


def _difference(comparison: Comparison) -> str:
    index, expected, got = comparison.first[0]
    text = f"{comparison.count} of {comparison.total} elements differ, first {_at(comparison, index)}: expected {expected}, got {got}"
    if comparison.largest is not None and comparison.count > 1:
        index, _, _, difference = comparison.largest
        text += f"; the largest difference is {difference:g} {_at(comparison, index)}"
    if comparison.bound is not None:
        text += f" (allowed: {comparison.bound:g})"
    return text


def _at(comparison: Comparison, index: tuple[int, ...]) -> str:
    name, place = comparison.place_of(index)
    return f"at {list(place)}" if name is None else f"in {name} at {list(place)}"
