"""One case on one API: its calls, their judged observation, and its record."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Protocol

from conformance.adapter import Api
from conformance.cases.expectations import Returning
from conformance.cases.model import ApiCall, Case
from conformance.cases.variation import DrawnProgram, Transformed
from conformance.cases.wire import manner_of, to_wire
from conformance.execution.client import Client
from conformance.judging.behaviour import needs_guards
from conformance.judging.compare import Comparison
from conformance.judging.derivatives import RightAlone, of_dying_call, shows_nothing, with_wrong_result
from conformance.judging.judge import beside_uncompiled, does_the_same, is_compared, judge, with_disagreement
from conformance.judging.judgement import Judgement
from conformance.judging.memory import undeclared
from conformance.judging.subject import Subject
from conformance.judging.vocabulary import Confirmation, Determinism, Standing, Step
from conformance.outcomes.equivalence import is_same
from conformance.outcomes.model import (
    Abstract,
    Died,
    Hung,
    Outcome,
    Raised,
    Returned,
    is_adapter_fault,
    lacks_arguments,
)
from conformance.outcomes.observation import Observation, Refusal
from conformance.outcomes.reply import forward_of, outcome_of, tensor_of
from conformance.results.records import (
    ControlRecord,
    Difference,
    Differences,
    DtypeClaimRecord,
    PolluterRecord,
    RelationRecord,
    ResultRecord,
)
from conformance.specification.applied import Applied
from conformance.worker import adapters, calls
from conformance.worker.keys import keyed


class Attempt(Protocol):
    """A case on one API of a target, ready to run."""

    @property
    def case(self) -> Case: ...
    @property
    def api(self) -> str: ...
    @property
    def subject(self) -> Subject: ...
    @property
    def cast(self) -> dict[str, str]:
        """Arguments that were cast, with their new dtypes."""

    @property
    def control_call(self) -> ApiCall | None:
        """The valid call before and after one that should raise."""

    def run(self, client: Client) -> AttemptResult:
        """Make the calls and judge; GaveUp and TargetBlocked as raised by ``client``."""

    def announce(self, client: Client) -> bool:
        """Send the call to the worker ahead of time; False if it is not known to be the next call."""

    def step(self, client: Client) -> Step | None:
        """On a path, what first does what the call does; None if that is not known."""


@dataclass(frozen=True)
class CallAttempt:
    """A case with its calls in the form that an API of a target takes."""

    case: Case
    api: str
    subject: Subject
    call: Applied
    cast: dict[str, str]
    """Arguments that were cast, with their new dtypes."""
    control: Applied | None
    """The control of a call that should raise; it runs before and after."""
    refusal: Callable[[Client], Refusal] | None = None
    """For a case in another dtype: what a refusal is about, asked if the call is refused."""
    changes: Callable[[Client], frozenset[str]] | None = None
    """What the API changes by design, asked if the call changes an argument that it should not."""
    right_alone: Callable[[Client], RightAlone | None] | None = None
    """For a transform: whether the call itself is right in a process of its own, asked if its result is wrong."""
    death_of_call: Callable[[Client], Died | None] | None = None
    """For a transform: how the call itself ends the process, asked if the transform does."""

    def run(self, client: Client) -> AttemptResult:
        """Make the calls and judge; GaveUp and TargetBlocked as raised by ``client``."""
        history = History.of(client)
        refused = self._refused_uncompiled(client)
        return self.judged(client, refused or self._observed(client), history)

    def _refused_uncompiled(self, client: Client) -> Observation | None:
        """What a drawn program that does not return does without compiling, so that nothing is compiled in vain."""
        if not isinstance(self.case.variation, DrawnProgram):
            return None
        plain = client.uncompiled(self.api_call)
        return None if plain is None or isinstance(plain.outcome, Returned) else plain

    def judged(self, client: Client, observation: Observation, history: History) -> AttemptResult:
        """What was observed of the call, judged; more calls may be made to explain it. history: the calls before it."""
        if isinstance(observation.outcome, Raised) and observation.outcome.lost:
            client.close()
        subject = self.subject
        if self.changes is not None and undeclared(subject, observation.outcome):
            subject = replace(subject, changes=self.changes(client))
        judgement = judge(self.case, subject, observation)
        if judgement.verdict == "died" and self.death_of_call is not None and (death := self.death_of_call(client)):
            return AttemptResult(self, observation, of_dying_call(death), history.since(client))
        if judgement.verdict == "blocked" and (right := self._right_otherwise(client, observation)):
            judgement = with_wrong_result(judgement, right)
        if is_compared(self.case, judgement, observation):
            plain = self._uncompiled(client, observation)
            judgement = with_disagreement(self.case, self.subject, judgement, plain) if plain is not None else judgement
        if isinstance(self.case.variation, DrawnProgram) and judgement.verdict not in ("conforms", "died", "hung"):
            plain = client.uncompiled(self.api_call)
            if plain is not None:
                judgement = beside_uncompiled(self.case, subject, judgement, observation, plain)
        return AttemptResult(self, observation, judgement, history.since(client))

    def _right_otherwise(self, client: Client, observation: Observation) -> RightAlone | None:
        """If the call of a transform returned what is not permitted, and no case without a transform shows that: what makes it right."""
        is_wrong = isinstance(observation.outcome, Returned) and shows_nothing(self.case, observation)
        return self.right_alone(client) if is_wrong and self.right_alone is not None else None

    def _uncompiled(self, client: Client, observation: Observation) -> Observation | None:
        """What the call does without compiling, if it does something else there, both of them each of two times."""
        plain = client.uncompiled(self.api_call)
        if plain is None or does_the_same(observation, plain):
            return None
        again, plain_again = client.call(self.api_call), client.uncompiled(self.api_call)
        is_steady = plain_again is not None and _is_repeated(observation, again) and _is_repeated(plain, plain_again)
        return plain if is_steady else None

    def _observed(self, client: Client) -> Observation:
        control = self.control_call
        if control is None:
            observation = client.call(self.api_call)
            if self.refusal is not None and _is_refused(observation.outcome):
                return replace(observation, refusal=self.refusal(client))
            return observation
        before = client.call(control)
        if isinstance(before.outcome, Died | Hung):
            return replace(before, on_control=True)
        observation = client.call(self.api_call)
        after, recompiled = None, False
        status = before.outcome.status
        if isinstance(observation.outcome, Raised):
            after = client.call(control).outcome.status
            # A worker whose control has its first status again after recompiling can be used further.
            recompiled = after != status and client.recompile() and client.call(control).outcome.status == status
            if after != status and not recompiled:
                client.close()
        return replace(observation, control_before=status, control_after=after, recompiled=recompiled)

    def announce(self, client: Client) -> bool:
        """Send the call to the worker ahead of time; False if it is not known to be the next call."""
        return self.control is None and client.announce(self.api_call)

    def step(self, client: Client) -> Step | None:
        """On a path, what first does what the call does; None if that is not known."""
        return client.step(self.api_call)

    def observe(self, client: Client) -> Observation:
        """The observation of the call without a control."""
        return client.call(self.api_call)

    @cached_property
    def api_call(self) -> ApiCall:
        """The call of the case."""
        return ApiCall(self.call, self.api, self.case.id)

    @cached_property
    def control_call(self) -> ApiCall | None:
        """The valid call before and after one that should raise."""
        if self.control is None:
            return None
        return ApiCall(self.control, self.api, self.case.id)


def _is_repeated(first: Observation, second: Observation) -> bool:
    return first.outcome.status == second.outcome.status and does_the_same(first, second)


def _is_refused(outcome: Outcome) -> bool:
    """Whether the API refused the call, rather than something else that was done for it."""
    by_api = isinstance(outcome, Raised) and outcome.error.by is None
    return by_api and not lacks_arguments(outcome) and not is_adapter_fault(outcome)


@dataclass(frozen=True)
class History:
    """The calls of a worker before an attempt: the first ``number`` of its growing list."""

    worker_calls: Sequence[ApiCall]
    number: int

    @classmethod
    def of(cls, client: Client) -> History:
        return cls(client.worker_calls, len(client.worker_calls))

    def since(self, client: Client) -> History:
        """The same history, or an empty one if another worker was started in the meantime."""
        return self if client.worker_calls is self.worker_calls else History([], 0)

    def calls(self) -> list[ApiCall]:
        return list(self.worker_calls[: self.number])


@dataclass(frozen=True)
class AttemptResult:
    """The judged observation of an attempt, and the earlier calls of the same worker."""

    attempt: Attempt
    observation: Observation
    judgement: Judgement
    history: History
    determinism: Determinism | None = None
    """For a call with duplicate indices, once it was repeated."""
    partners: dict[str, str] = field(default_factory=dict)
    """For a metamorphic relation: the other operations, with the API used for each."""
    right: Outcome | None = None
    """For a metamorphic relation: the outcome of its right side."""
    step: Step | None = None
    """For a confirmed finding of a path."""
    confirmed: Confirmation | None = None
    """For a finding, once it was repeated in fresh processes or could not be."""
    together: int | None = None
    """The number of calls that were compiled at once, of which it is one; None for a call alone."""
    smallest: str | None = None
    """For a drawn program that diverges: the case of the smallest one that does so, if that was found."""
    company: Sequence[ApiCall] = ()
    """For one that is wrong only together with other calls: the smallest number of these that shows it."""

    @property
    def is_finding(self) -> bool:
        """Whether it must be confirmed: a divergence, a death or a hang."""
        return self.judgement.verdict in ("diverges", "died", "hung")

    @property
    def standing(self) -> Standing:
        """That of its clause, unless the judgement rests on another document, or on none.

        Own if it refuses a dtype that a document of the API names, or the target claims the call and lacks it, and portability if
        it only does to an argument what no document speaks of. What a transform computes is held to the documentation of the transform, which does not say what
        calls it takes.
        """
        is_of_transform = isinstance(self.attempt.case.variation, Transformed) and not self.judgement.is_of_result
        if is_of_transform and self.attempt.subject.by_rules:
            # Without values it is not known whether the call itself returns what it should.
            shows_nothing = self.ended_process or isinstance(self.observation.outcome, Abstract)
            return "portability" if shows_nothing or "rejected" in self.judgement.divergences else "own"
        if self.judgement.breaks_no_promise:
            return "portability"
        if self._contradicts_itself and self.attempt.subject.says_result:
            return "own"
        breaks_own_claim = self.judgement.breaks_dtype_claim or "missing" in self.judgement.divergences
        return "own" if breaks_own_claim else self.attempt.subject.standing

    @property
    def _contradicts_itself(self) -> bool:
        """Whether it is right alone and returns something else after other calls, so that no document can say both.

        Of a call with an index outside, in a dtype that no document promises, or under a transform, the document may say nothing.
        """
        case, judgement = self.attempt.case, self.judgement
        is_spoken_of = isinstance(case.expectation, Returning) and not case.policies
        is_of_call = judgement.is_of_result or not isinstance(case.variation, Transformed)
        is_promised = not case.dtypes_tested or self.attempt.subject.promises_dtype
        returned = isinstance(self.observation.outcome, Returned)
        is_right_alone = judgement.right_alone or judgement.is_of_result
        return (
            returned
            and is_spoken_of
            and is_of_call
            and is_promised
            and is_right_alone
            and "value" in judgement.divergences
        )

    @property
    def ended_process(self) -> bool:
        """Whether it died or hung."""
        return self.judgement.verdict in ("died", "hung")

    def has_same_verdict(self, other: AttemptResult) -> bool:
        """Whether both have the same verdict and kinds of divergence."""
        first, second = self.judgement, other.judgement
        return (first.verdict, first.divergences) == (second.verdict, second.divergences)

    def has_same_bits(self, other: AttemptResult) -> bool:
        """Whether both have the same outcome, bit by bit."""
        return is_same(self.observation.outcome, other.observation.outcome, "bits")


def result_record(result: AttemptResult, target: str) -> ResultRecord:
    """The record of a result; ``target`` is the canonical name of the target."""
    attempt, observation, judgement = result.attempt, result.observation, result.judgement
    case, polluter = attempt.case, judgement.polluter
    return ResultRecord(
        case=case.id,
        target=target,
        api=attempt.api,
        clause=case.clause.id,
        outcome=observation.outcome,
        verdict=judgement.verdict,
        standing=result.standing,
        divergence=list(judgement.divergences),
        explanation=judgement.explanation,
        differences=_differences(judgement.comparison),
        behaviour=judgement.behaviour,
        not_guarded=attempt.subject.copies and needs_guards(case, judgement.behaviour, observation.result),
        seconds=round(observation.seconds, 7),
        step=result.step,
        determinism=result.determinism,
        control=_control(observation),
        cast=attempt.cast,
        dtype_claim=_dtype_claim(result) if case.dtypes_tested else None,
        relation=RelationRecord(result.partners, result.right) if case.clause.relation else None,
        polluter=PolluterRecord(polluter.api, polluter.case) if polluter else None,
        confirmed=result.confirmed,
        together=result.together,
        company=[PolluterRecord(call.api, call.case) for call in result.company],
        smallest=result.smallest,
    )


def _control(observation: Observation) -> ControlRecord | None:
    before = observation.control_before
    return ControlRecord(before, observation.control_after, observation.control_alone) if before else None


def _differences(comparison: Comparison | None) -> Differences | None:
    if comparison is None:
        return None
    first = [_difference(comparison, *element) for element in comparison.first]
    largest = None
    if comparison.largest is not None:
        *element, difference = comparison.largest
        largest = replace(_difference(comparison, *element), difference=difference)
    return Differences(comparison.count, comparison.total, first, largest, comparison.bound)


def _difference(comparison: Comparison, index: tuple[int, ...], expected: Any, got: Any) -> Difference:
    name, place = comparison.place_of(index)
    return Difference(list(place), expected, got, result=name)


def _dtype_claim(result: AttemptResult) -> DtypeClaimRecord:
    """The claim about the dtypes that a case tests."""
    claim = result.attempt.subject.dtype_claim
    return DtypeClaimRecord(
        dtypes=result.attempt.case.dtypes_tested,
        claimed="no" if claim is None else claim.extent,
        by=claim.by if claim else None,
    )


def judged_here(adapter: adapters.Adapter, api: Api, case: Case, subject: Subject) -> AttemptResult:
    """Make the call, with its control before and after, and judge it; the case is no relation."""
    before = after = None
    if case.control is not None:
        before = _observed(adapter, api, case.control).outcome.status
    observation = _observed(adapter, api, case.call)
    if case.control is not None and isinstance(observation.outcome, Raised):
        after = _observed(adapter, api, case.control).outcome.status
    observation = replace(observation, control_before=before, control_after=after)
    attempt = CallAttempt(case, api.name, subject, case.call, {}, case.control)
    return AttemptResult(attempt, observation, judge(case, subject, observation), History([], 0))


def returns(adapter: adapters.Adapter, api: Api, call: Applied) -> bool:
    """Whether a call returns in this process."""
    return _observed(adapter, api, call).outcome.status == "returned"


def _observed(adapter: adapters.Adapter, api: Api, call: Applied) -> Observation:
    reply, result = calls.run(adapter, *keyed(api, to_wire(call)), manner_of(call))
    tensor = None if result is None else tensor_of(*result)
    return Observation(outcome_of(reply, tensor), tensor, forward=forward_of({"outcome": reply}))
