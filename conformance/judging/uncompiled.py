"""Whether a compiled call does what it does without compiling, where no document says what that is."""

from __future__ import annotations

from dataclasses import replace

from conformance.cases.model import Case
from conformance.cases.variation import Transformed
from conformance.judging.behaviour import same_elements, sentence, treatment_of
from conformance.judging.judgement import Judgement
from conformance.judging.messages import summary
from conformance.outcomes.model import Raised, Returned, is_adapter_fault, lacks_arguments
from conformance.outcomes.observation import Observation
from conformance.specification.model import Observed


def is_compared(case: Case, judgement: Judgement, observation: Observation) -> bool:
    """Whether nothing but the same call without compiling says what a compiled call should do."""
    is_open = isinstance(case.expectation, Observed) and judgement.verdict == "observed"
    return is_open and not isinstance(case.variation, Transformed) and _did_something(observation)


def does_the_same(first: Observation, second: Observation) -> bool:
    """Whether both calls raised, or returned the same; True if one of them shows neither."""
    if not (_did_something(first) and _did_something(second)):
        return True
    if first.result is None or second.result is None:
        return first.outcome.status == second.outcome.status  # compilers raise errors of their own types
    return same_elements(first.result, second.result)


def with_disagreement(case: Case, judgement: Judgement, plain: Observation) -> Judgement:
    """The judgement of a compiled call that does something else than without compiling."""
    outcome = plain.outcome
    if isinstance(outcome, Raised):
        text = f"it raised {summary(outcome.error)}"
    else:
        text = sentence(treatment_of(case, plain), plain.result)
    explanation = f"{judgement.explanation}; without compiling, {text}"
    return replace(
        judgement, verdict="diverges", divergences=["mode-dependent"], explanation=explanation, breaks_no_promise=True
    )


def _did_something(observation: Observation) -> bool:
    outcome = observation.outcome
    if isinstance(outcome, Raised):
        return outcome.error.by is None and not lacks_arguments(outcome) and not is_adapter_fault(outcome)
    return isinstance(outcome, Returned)
