"""Judge an outcome against an expectation: the verdict, the kinds of divergence, and a sentence about each."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from conformance.cases.expectations import Compared, Returning, Returns, ReturnsBatch, ReturnsDerivative, in_dtype
from conformance.cases.model import LARGE, Case, Treatment
from conformance.cases.variation import DrawnProgram, InProgram, Passed, RareForm, SharingMemory, Transformed
from conformance.judging.behaviour import behaviour_of, described, same_elements, sentence, treatment_of
from conformance.judging.derivatives import judge_transformed
from conformance.judging.dtype_claims import converts_a_number
from conformance.judging.judgement import Judgement, judge_result
from conformance.judging.memory import breaks_no_promise, outside, overwritten, shares_elements
from conformance.judging.messages import summary
from conformance.judging.subject import Subject
from conformance.judging.vocabulary import BINDING, Behaviour, Divergence, Verdict
from conformance.outcomes.bits import same_bits
from conformance.outcomes.faults import bounds_named, sign_of
from conformance.outcomes.model import (
    Abstract,
    Died,
    Error,
    Hung,
    NotExported,
    Outcome,
    Raised,
    Returned,
    Unsupported,
    is_adapter_fault,
    lacks_arguments,
)
from conformance.outcomes.observation import Observation, Refusal
from conformance.specification.applied import Applied
from conformance.specification.literals import Argument, Tensor
from conformance.specification.model import Call, Clause, Observed, Raises


def judge(case: Case, subject: Subject, observation: Observation) -> Judgement:
    """The verdict on one case."""
    outcome = observation.outcome
    if case.operation.result_dtype is None and isinstance(outcome, Returned | Abstract):
        case = replace(case, expectation=in_dtype(case.expectation, outcome.dtype))
    if is_as_expected(case, subject, observation):
        return AS_EXPECTED
    unjudged = _unjudged(case, observation)
    if unjudged is not None:
        return _missing(unjudged, subject, outcome)
    if subject.helper is not None:
        does = "refuses" if isinstance(observation.outcome, Raised) else "accepts"
        text = f"{subject.helper}, which the adapter calls before the API, {does} this"
        return _with_memory(Judgement("unsupported", explanation=text), subject, observation.outcome)
    if isinstance(observation.outcome, Raised) and observation.outcome.error.by is not None:
        return _with_memory(_raised_by_another(case, observation.outcome.error), subject, observation.outcome)
    shared = shares_elements(case, subject, observation.outcome)
    if shared is not None:
        text = f"the call changes {shared}, whose elements share memory in this view"
        return Judgement("unsupported", explanation=text)
    # An error proves nothing if the control raises too.
    treatment = treatment_of(case, observation) if _control_worked(observation) else None
    judgement = _questioned(case, subject, observation, treatment)
    judgement = _with_memory(judgement, subject, observation.outcome)
    unpromised = breaks_no_promise(case, subject, observation.outcome, judgement.divergences)
    unpromised = unpromised or _has_unpromised_dtype(case, subject, judgement.divergences)
    unpromised = unpromised or judgement.breaks_no_promise or isinstance(case.variation, SharingMemory)
    return replace(judgement, behaviour=behaviour_of(treatment), breaks_no_promise=unpromised)


def _questioned(
    case: Case, subject: Subject, observation: Observation, treatment: Behaviour | Treatment | None
) -> Judgement:
    """The judgement of a call, unless it was refused for what no document promises."""
    fault = _fault(case, observation.outcome)
    if fault is not None:
        return _at_fault(case, subject, observation, fault, _judged(case, subject, observation, treatment))
    if refuses_dtype(case, subject, observation):
        if _refuses_shape(case, subject, observation):
            return _refused_shape(case, _judged(case, subject, observation, treatment))
        return refused_dtype(case, subject, observation)
    judgement = _judged(case, subject, observation, treatment)
    if refuses_documented_dtype(case, subject, observation):
        return _refused_documented_dtype(case, subject, judgement)
    if case.open is not None and isinstance(observation.outcome, Raised):
        return Judgement("observed", explanation=f"it raised {summary(observation.outcome.error)} ({case.open})")
    return judgement


def _fault(case: Case, outcome: Outcome) -> str | None:
    """How an error shows that it is the framework's own fault, whatever was asked for; None if it does not."""
    if not isinstance(outcome, Raised):
        return None
    sign = sign_of(outcome.error)
    if sign is not None:
        return f"by its own words it is a fault of the framework ({sign!r})"
    named = [*bounds_named(outcome.error)]
    if (
        named
        and not isinstance(case.variation, InProgram | DrawnProgram | Transformed)
        and max(named) > _largest_number(case.call)
    ):
        return f"its message names {max(named)} positions, a number that is in no argument and in no shape"
    return None


def _largest_number(call: Applied) -> int:
    """The largest number that a call can be about: of elements, or an element of a shape."""
    numbers = [0]
    for value in call.arguments.values():
        if isinstance(value, Tensor):
            numbers += [value.array.size, *value.shape, *map(int, value.array.ravel() if value.kind in "iu" else ())]
        elif isinstance(value, int):
            numbers.append(value)
        elif isinstance(value, tuple | list):
            numbers += [math.prod(value), *value]
    return max(numbers)


def _at_fault(case: Case, subject: Subject, observation: Observation, fault: str, judged: Judgement) -> Judgement:
    """The verdict on an error that is the framework's own fault: no question of dtypes or of forms that no document answers.

    judged: what it is besides, such as an error of another type than is documented.
    """
    assert isinstance(observation.outcome, Raised)
    is_valid = isinstance(case.expectation, Returning)
    others = [kind for kind in judged.divergences if kind != "rejected"]
    is_promised = is_valid and (not case.dtypes_tested or subject.promises_dtype) and case.open is None
    kinds: list[Divergence] = ["rejected", "internal"] if is_valid else ["internal"]
    raised = judged.explanation if others else f"it raised {summary(observation.outcome.error)}"
    return Judgement(
        "diverges",
        [*kinds, *others],
        f"{raised}; {fault}",
        breaks_no_promise=not (is_promised or others),
        breaks_dtype_claim=refuses_documented_dtype(case, subject, observation),
    )


def _has_unpromised_dtype(case: Case, subject: Subject, kinds: Sequence[Divergence]) -> bool:
    """Whether a result is wrong in its dtype alone, and no document says which it has.

    The data are of a dtype that no document names, or a number is an argument of what is compiled, and so a tensor of a
    dtype of its own, which is promoted with theirs.
    """
    arguments = case.operation.arguments
    is_about_data = any(not arguments[name].index for name in case.dtypes_tested) and not subject.promises_dtype
    ways = case.variation.manner.ways.items() if isinstance(case.variation, Passed) else ()
    is_tensor = any(way == "argument" and arguments[name].number for name, way in ways)
    return [*kinds] == ["dtype"] and (is_about_data or is_tensor) and not subject.says_dtype


AS_EXPECTED = Judgement("conforms")


def is_as_expected(case: Case, subject: Subject, observation: Observation) -> bool:
    """Whether a call returned the expected bits and had no other effect; most do, and nothing else need be examined."""
    outcome, result, expected = observation.outcome, observation.result, case.expectation
    in_place = (subject.in_place,) if subject.in_place is not None else ()
    return (
        isinstance(outcome, Returned)
        and isinstance(expected, Compared | ReturnsBatch)
        and result is not None
        and subject.helper is None
        and not case.policies
        and outcome.changed == in_place
        and outcome.aliased in ((), in_place)
        and not any(one.access == "wrote" or one.by == "memcheck" for one in outcome.outside)
        and outcome.parts == (expected.parts if isinstance(expected, Returns) else ())
        and result.dtype == expected.value.dtype
        and result.array.shape == expected.value.array.shape
        and same_bits(result.array, expected.value.array)
    )


def _control_worked(observation: Observation) -> bool:
    """Whether the control returned, alone too if it was asked, or the call has none."""
    return {observation.control_before, observation.control_alone} <= {"returned", None}


def _unjudged(case: Case, observation: Observation) -> Judgement | None:
    """The verdict on an outcome that no expectation applies to; None for any other outcome."""
    outcome = observation.outcome
    if isinstance(outcome, Unsupported):
        return Judgement("unsupported", explanation=outcome.reason)
    if isinstance(outcome, NotExported):
        return Judgement("unsupported", explanation=f"cannot be exported: {outcome.reason}")
    if isinstance(outcome, Died | Hung):
        is_too_large = isinstance(outcome, Hung) or outcome.most_memory is not None
        if is_too_large and case.size >= LARGE:
            text = f"the machine or the time limit is too small for it: it {outcome.phrase}"
            return Judgement("blocked", explanation=text)
        prefix = "in the control of this call: " if observation.on_control else ""
        return Judgement(outcome.status, explanation=prefix + outcome.phrase)
    if not isinstance(outcome, Raised):
        return None
    if outcome.error.fault == "adapter":
        # An adapter that computes with an index takes tensors only.
        verdict: Verdict = "unsupported" if case.call.has_python_index else "blocked"
        return Judgement(verdict, explanation=outcome.error.message)
    if outcome.error.phase == "forward":
        text = f"it raised {summary(outcome.error)}, and the call itself raises without the transform too"
        return Judgement("blocked", explanation=text)
    if outcome.error.phase != "arguments":
        return None
    if case.dtypes_tested:
        return Judgement("unsupported", explanation=f"the framework has no such tensor: {summary(outcome.error)}")
    return Judgement("blocked", explanation=f"the arguments could not be created: {summary(outcome.error)}")


def _missing(judgement: Judgement, subject: Subject, outcome: Outcome) -> Judgement:
    """The judgement of a call without an outcome; a divergence if the target claims the call and does not support it."""
    if not subject.claimed or not isinstance(outcome, Unsupported | NotExported):
        return judgement
    text = f"its target.toml claims this call, but it is not supported: {outcome.reason}"
    return Judgement("diverges", ["missing"], text)


def _raised_by_another(case: Case, error: Error) -> Judgement:
    """The verdict on an error of something that a composed adapter function does besides calling the API."""
    text = f"{error.by}, which is not the API under test, raised {summary(error)}"
    is_unusual = bool(case.dtypes_tested) or case.call.has_python_index
    return Judgement("unsupported" if is_unusual else "blocked", explanation=text)


_OF_THE_CALL = tuple(
    Refusal(returns_otherwise=False, elsewhere="taken", in_another_shape=either) for either in (True, False)
)
"""The call is refused whatever its dtype, which another call shows to be taken."""
_OF_THE_SHAPE = Refusal(returns_otherwise=True, elsewhere="taken", in_another_shape=True)
"""The call is refused in its dtype alone, which a call of another shape shows to be taken."""


def refuses_dtype(case: Case, subject: Subject, observation: Observation) -> bool:
    """Whether the call raised in a dtype that no document promises, and not for another reason."""
    is_open = bool(case.dtypes_tested) and not subject.promises_dtype and not _control_has_dtype(case, observation)
    is_about_dtype = subject.lists_other_dtypes or observation.refusal not in _OF_THE_CALL
    return is_open and is_about_dtype and isinstance(observation.outcome, Raised)


def _refuses_shape(case: Case, subject: Subject, observation: Observation) -> bool:
    """Whether the call is refused in this shape and this dtype alone.

    The same shape works in the original dtype, and the same dtype in another shape; not if it is the dtype of an index, which
    may mean something else in it, such as a mask.
    """
    refusal = observation.refusal
    is_of_data = not any(case.operation.arguments[name].index for name in case.dtypes_tested)
    is_judged = isinstance(case.expectation, Returning) and case.open is None and not subject.lists_other_dtypes
    return is_judged and is_of_data and refusal is not None and refusal == _OF_THE_SHAPE


def _control_has_dtype(case: Case, observation: Observation) -> bool:
    """Whether the control returned in the dtypes that the case tests, so that the API takes them."""
    return observation.control_before == "returned" and not case.dtypes_tested.keys() & set(case.retyped)


def refuses_documented_dtype(case: Case, subject: Subject, observation: Observation) -> bool:
    """Whether the call raised in a dtype that a document of the API names, and returns in its original dtype.

    Not if a number is converted to the dtype too, which may be what is refused.
    """
    refusal = observation.refusal
    is_documented = subject.dtype_claim is not None and subject.dtype_claim.documented
    is_judged = (
        isinstance(observation.outcome, Raised) and isinstance(case.expectation, Returning) and case.open is None
    )
    about_dtype = refusal is not None and refusal.returns_otherwise and not converts_a_number(case)
    return is_documented and is_judged and about_dtype


def _refused_documented_dtype(case: Case, subject: Subject, judgement: Judgement) -> Judgement:
    assert subject.dtype_claim is not None
    claimed = f"the API's documentation names {_dtypes(case)} ({subject.dtype_claim.by}), and the call returns in another dtype"
    return replace(judgement, explanation=f"{judgement.explanation}; {claimed}", breaks_dtype_claim=True)


def _refused_shape(case: Case, judgement: Judgement) -> Judgement:
    """The judgement of an error that is no question of dtypes, though no document promises this one."""
    text = f"{judgement.explanation}; it takes this shape in the original dtype, and {_dtypes(case)} in another shape"
    return replace(judgement, explanation=text, breaks_no_promise=True)


def _dtypes(case: Case) -> str:
    return " and ".join(f"{dtype} as {name}" for name, dtype in case.dtypes_tested.items())


def refused_dtype(case: Case, subject: Subject, observation: Observation) -> Judgement:
    """The verdict on an error in a dtype that no document promises: whether the API takes it is an open question.

    It is none where the API's own documentation lists the dtypes that it takes, and does not take this one anywhere.
    """
    assert isinstance(observation.outcome, Raised)
    dtypes = _dtypes(case)
    raised = f"it raised {summary(observation.outcome.error)}"
    refusal = observation.refusal
    if refusal is not None and refusal.elsewhere == "refused":
        return Judgement("unsupported", explanation=f"{raised}; it does not take {dtypes} in simpler calls either")
    if refusal is not None and not refusal.returns_otherwise:
        text = (
            f"{raised}; the same call in its original dtype does not return either, so this proves nothing of {dtypes}"
        )
        return Judgement("blocked", explanation=text)
    is_taken = refusal is not None and refusal.elsewhere == "taken"
    if subject.lists_other_dtypes and not is_taken:
        return Judgement("unsupported", explanation=f"{raised}; {_silence(subject)} than {dtypes}")
    reason = f"{_silence(subject)}, so whether it takes {dtypes} is open"
    if is_taken:
        reason += "; it does in another call"
    return Judgement("observed", explanation=f"{raised} ({reason})")


def _silence(subject: Subject) -> str:
    """Why no document promises the dtype of a case."""
    claim = subject.dtype_claim
    if claim is not None:
        return f"{claim.by} only names the family" if claim.extent == "family" else f"{claim.by} lists other dtypes"
    return (
        "no document speaks of the calls that are composed here" if subject.composed else "no document of the API says"
    )


def _with_memory(judgement: Judgement, subject: Subject, outcome: Outcome) -> Judgement:
    """The judgement with the memory that the call changed or read but should not have, whatever else it did."""
    found = [*outside(outcome, is_as_expected=judgement.verdict == "conforms")]
    changed = overwritten(subject, outcome)
    found += [("input-changed", changed)] if changed else []
    if not found:
        return judgement
    text = "; ".join(filter(None, [judgement.explanation, *(text for _, text in found)]))
    kinds = [*dict.fromkeys([*judgement.divergences, *(kind for kind, _ in found)])]
    return replace(judgement, verdict="diverges", divergences=kinds, explanation=text)


def _judged(
    case: Case, subject: Subject, observation: Observation, treatment: Behaviour | Treatment | None
) -> Judgement:
    if isinstance(observation.outcome, Abstract):
        if not _control_worked(observation):
            return Judgement("blocked", explanation=f"the control {observation.control_before}")
        return _judge_abstract(case, observation.outcome)
    if isinstance(case.expectation, Observed):
        return _judge_observed(case, case.expectation, subject, observation, treatment)
    if isinstance(case.expectation, Raises):
        return _judge_raises(case, case.expectation, subject, observation, treatment)
    assert isinstance(case.expectation, Returning), "a relation is judged by judge_relation"
    if isinstance(case.expectation, ReturnsDerivative | ReturnsBatch):
        return judge_transformed(case, case.expectation, subject, observation)
    return judge_result(case, case.expectation, subject, observation, treatment)


def _judge_abstract(case: Case, outcome: Abstract) -> Judgement:
    """Judge by shape and dtype, in a mode that computes no values."""
    expected = case.expectation
    returned = f"it returned {outcome.dtype} of shape {list(outcome.shape)} (no values in this mode)"
    if isinstance(expected, Observed):
        return Judgement("observed", explanation=f"{returned} ({expected.reason})")
    if isinstance(expected, Raises):
        if _raises_by_values(case):
            return Judgement(
                "unsupported",
                explanation="this mode computes no values, and whether the call raises depends on them",
            )
        return _accepted(expected, returned)
    assert isinstance(expected, Returning), "a relation is not computed without values"
    value = expected.value
    kinds: list[Divergence] = ["dtype"] if outcome.dtype != value.dtype else []
    kinds += ["shape"] if outcome.shape != value.shape else []
    if not kinds:
        return Judgement("conforms")
    return Judgement("diverges", kinds, f"expected {described(value)}, but {returned}")


def _accepted(expected: Raises, clause: str) -> Judgement:
    return Judgement("diverges", ["accepted"], f"expected {expected.error or 'an error'}, but {clause}")


def _with_promises(judgement: Judgement, subject: Subject) -> Judgement:
    """The judgement with the claims that the call breaks and its clause does not cite, if only these bind the API."""
    if not subject.by_rules:
        return judgement
    text = f"{judgement.explanation}; the API's documentation forbids this ({', '.join(subject.by_rules)})"
    return replace(judgement, explanation=text)


def _raises_by_values(case: Case) -> bool:
    """Whether shapes and dtypes alone do not show that a call is an error."""
    condition = case.clause.rule.require if case.clause.rule is not None else case.clause.require
    if condition is not None and condition.reads_values:
        return True
    return case.control is not None and _differ_only_in_values(case.call, case.control)


def _differ_only_in_values(call: Applied, control: Applied) -> bool:
    """Whether a call and its control have arguments of the same dtypes and shapes."""
    return all(_form(value) == _form(control.arguments.get(name)) for name, value in call.arguments.items())


def _form(argument: Argument) -> object:
    return (argument.dtype, argument.shape) if isinstance(argument, Tensor) else argument


def _judge_observed(
    case: Case, expected: Observed, subject: Subject, observation: Observation, treatment: Behaviour | Treatment | None
) -> Judgement:
    if isinstance(observation.outcome, Raised):
        explanation = f"it raised {summary(observation.outcome.error)}"
    else:
        explanation = sentence(case, treatment, observation.result, copies=subject.copies)
    if not _control_worked(observation):
        explanation += f", and its control {observation.control_before} too"
    if observation.control_after not in ("returned", observation.control_before, None):
        return Judgement("diverges", ["contaminated"], f"{explanation}; {_changed_control(observation)}")
    if (
        subject.unlisted is not None
        and isinstance(observation.outcome, Raised)
        and observation.control_before == "returned"
    ):
        return Judgement("unsupported", explanation=f"{explanation}; {subject.unlisted} lists other dtypes")
    decided = f"{subject.decided_by} says what follows, by the API's own documentation"
    reason = decided if subject.decided_by else _reason(case, expected, subject)
    return Judgement("observed", explanation=f"{explanation} ({reason})")


def _reason(case: Case, expected: Observed, subject: Subject) -> str:
    """Why nothing is expected; for an API that the documents of the clause do not describe, with what these are about."""
    names = list(dict.fromkeys(citation.document.id for citation in case.clause.citations))
    if subject.standing in BINDING or not names:
        return expected.reason
    return f"{expected.reason}; the clause is about {names[0]}{' and others' if names[1:] else ''}"


def _judge_raises(
    case: Case, expected: Raises, subject: Subject, observation: Observation, treatment: Behaviour | Treatment | None
) -> Judgement:
    if observation.control_before == "unsupported":
        return Judgement("unsupported", explanation="the API does not support the control of this call")
    if observation.control_before == "not-exported":
        return Judgement("unsupported", explanation="the control of this call cannot be exported")
    if not _control_worked(observation):
        return Judgement("blocked", explanation=f"{_failed_control(observation)}, so the error proves nothing")
    if not isinstance(observation.outcome, Raised):
        # The claims that it breaks instead may name no type of error, or another one.
        told = sentence(case, treatment, observation.result, copies=subject.copies)
        judgement = _accepted(Raises() if subject.by_rules else expected, told)
        return _with_promises(judgement, subject)
    error = observation.outcome.error
    kinds: list[Divergence] = []
    sentences: list[str] = []
    if expected.error and subject.error_types and expected.error not in error.bases:
        kinds.append("error-type")
        sentences.append(f"it raised an error, as documented, but not {expected.error}: {summary(error)}")
    if observation.control_after not in ("returned", None):
        kinds.append("contaminated")
        sentences.append(_changed_control(observation))
    if kinds:
        return Judgement("diverges", kinds, "; ".join(sentences))
    if _may_be_about_emptiness(case):
        text = f"it raised {summary(error)} (a tensor of the call has no elements, and none of its control, so the error may be about that)"
        return Judgement("observed", explanation=text)
    return Judgement("conforms")


def _may_be_about_emptiness(case: Case) -> bool:
    """Whether an error may be about a tensor without elements, and not about what the call breaks, as its control has none."""
    if case.control is None:
        return False
    if case.call.only_lacks_elements_beside(case.control):
        return True
    is_empty = _has_nothing(case.call) and not _has_nothing(case.control)
    return is_empty and isinstance(case.variation, RareForm) and not _is_about_emptiness(case.clause)


def _has_nothing(call: Call | Applied) -> bool:
    return any(not value.array.size for value in call.tensors.values())


def _is_about_emptiness(clause: Clause) -> bool:
    """Whether all calls that are written to break its rule have a tensor without elements."""
    breaking = [written.call for written in clause.written_calls if isinstance(written.expected, Raises)]
    return bool(breaking) and all(map(_has_nothing, breaking))


def _failed_control(observation: Observation) -> str:
    if observation.control_before != "returned":
        return f"the control {observation.control_before} too"
    return f"the control {observation.control_alone} too as the first call of a process, and returns only after other calls"


def _changed_control(observation: Observation) -> str:
    if isinstance(observation.outcome, Raised) and observation.outcome.lost:
        return f"after this error the device cannot be used in the process any more: the control {observation.control_after} too"
    until = ", until it was recompiled" if observation.recompiled else ""
    return f"after this error the control, which had returned before, {observation.control_after}{until}"


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


def with_disagreement(case: Case, subject: Subject, judgement: Judgement, plain: Observation) -> Judgement:
    """The judgement of a compiled call that does something else than without compiling."""
    outcome = plain.outcome
    if isinstance(outcome, Raised):
        text = f"it raised {summary(outcome.error)}"
    else:
        text = sentence(case, treatment_of(case, plain), plain.result, copies=subject.copies)
    explanation = f"{judgement.explanation}; without compiling, {text}"
    return replace(
        judgement, verdict="diverges", divergences=["mode-dependent"], explanation=explanation, breaks_no_promise=True
    )


def beside_uncompiled(
    case: Case, subject: Subject, judgement: Judgement, observation: Observation, plain: Observation
) -> Judgement:
    """The judgement of a compiled program that is not as expected, by what the same program does without compiling.

    Only what is right there is wrong because it is compiled.
    """
    outcome = observation.outcome
    if is_adapter_fault(outcome) or isinstance(outcome, Unsupported | NotExported):
        return judgement
    of_plain = judge(case, subject, plain)
    if of_plain.verdict != "conforms":
        text = f"without compiling, it is not as expected either: {of_plain.explanation}"
        return Judgement("blocked", explanation=text)
    if isinstance(outcome, Raised):
        text = f"it raised {summary(outcome.error)}; without compiling, it returns what is expected"
        return Judgement("diverges", ["rejected"], explanation=text)
    if judgement.verdict != "diverges":
        return judgement
    return replace(judgement, explanation=f"{judgement.explanation}; without compiling, it returns what is expected")


def _did_something(observation: Observation) -> bool:
    outcome = observation.outcome
    if isinstance(outcome, Raised):
        return outcome.error.by is None and not lacks_arguments(outcome) and not is_adapter_fault(outcome)
    return isinstance(outcome, Returned)
