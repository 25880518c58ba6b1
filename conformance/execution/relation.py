"""A metamorphic relation on one API: both sides, computed by the target."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, Protocol

from conformance.cases.expectations import Agrees
from conformance.cases.model import ApiCall, Case
from conformance.cases.relations import NOT_FITTING
from conformance.cases.wire import cast_indices
from conformance.execution.attempt import AttemptResult, History
from conformance.execution.client import Client
from conformance.judging.relations import ends, judge_relation
from conformance.judging.subject import Subject
from conformance.outcomes.model import Abstract, Error, NotExported, Raised, Unsupported
from conformance.outcomes.observation import Observation
from conformance.outcomes.reply import returned
from conformance.specification.applied import Applied
from conformance.specification.dtypes import NAMES
from conformance.specification.expressions import Expression
from conformance.specification.literals import Tensor
from conformance.specification.model import MetamorphicRelation
from conformance.specification.relations import called_by, evaluate
from conformance.worker.frames import Message


def partners(relation: MetamorphicRelation, own: Message, apis: Sequence[Message]) -> dict[str, list[Message]]:
    """The APIs that may implement each operation of a relation, in the order in which they are tried.

    For its own operation this is the API under test. For any other operation it is all APIs of the target, composed
    ones last.
    """
    candidates = {
        name: sorted((api for api in apis if api["operation"] == name), key=lambda api: bool(api["composed"]))
        for name in sorted(called_by(relation))
    }
    return {**candidates, own["operation"]: [own]}


class Caller(Protocol):
    """What makes the calls of a side."""

    def call(self, call: ApiCall) -> Observation:
        """As that of a client."""


class _Ended(Exception):
    """A call did not return a result, so the side cannot be computed."""

    def __init__(self, observation: Observation) -> None:
        self.observation = observation


@dataclass
class _Side:
    """The computation of one side, call by call."""

    attempt: RelationAttempt
    client: Caller
    seconds: float = 0.0
    accumulates: bool = False
    used: dict[str, str] = field(default_factory=dict)
    """The other operations, with the API used for each."""

    def observation(self, side: Expression, relation: MetamorphicRelation) -> Observation:
        """The value of the side, or the outcome of the first call without a result."""
        try:
            value = evaluate(side, relation, self.attempt.case.call, self._apply)
        except _Ended as ended:
            return ended.observation
        except NOT_FITTING as error:
            return _not_fitting(error, side)
        if not isinstance(value, Tensor):
            return _not_fitting(TypeError(f"{value!r} is not a tensor"), side)
        return Observation(returned(value), value, self.seconds)

    def _apply(self, call: Applied) -> Tensor:
        self.accumulates |= call.accumulates
        if call.operation.name == self.attempt.case.operation.name:
            [own] = self.attempt.apis[call.operation.name]
            return _result(own, self._observe(call, own, cast=not self.attempt.keeps_indices))
        return self._partner(call)

    def _partner(self, call: Applied) -> Tensor:
        """The result of the first API of another operation that accepts the call."""
        refused: Observation | None = None
        for api in self.attempt.apis[call.operation.name]:
            observation = self._observe(call, api, cast=True)
            if not isinstance(observation.outcome, Raised | Unsupported | NotExported):
                self.used[call.operation.name] = api["name"]
                return _result(api, observation)
            # If the call breaks a rule, an earlier result of the API under test is the reason.
            refused = refused or (observation if call.broken_rules else _not_under_test(api, observation))
        raise _Ended(refused or _unsupported(f"the target has no API for {call.operation.name}"))

    def _observe(self, call: Applied, api: Message, *, cast: bool) -> Observation:
        if cast:
            call, _ = cast_indices(call, api["index_dtypes"])
        observation = self.client.call(ApiCall(call, api["name"], self.attempt.case.id))
        self.seconds += observation.seconds
        return observation


@dataclass(frozen=True)
class RelationAttempt:
    """A relation with the APIs that compute its sides."""

    case: Case
    api: str
    subject: Subject
    apis: Mapping[str, Sequence[Message]]
    """Operation to the APIs that may implement it."""
    keeps_indices: bool
    """The indices for the API under test are not cast."""
    cast: dict[str, str] = field(default_factory=dict)
    control_call: None = None

    def run(self, client: Client) -> AttemptResult:
        """Compute both sides and judge; GaveUp and TargetBlocked as raised by ``client``."""
        history = History.of(client)
        assert isinstance(self.case.expectation, Agrees)
        relation = self.case.expectation.relation
        sides = _Side(self, client), _Side(self, client)
        left = sides[0].observation(relation.left, relation)
        right = None if ends(left) else sides[1].observation(relation.right, relation)
        accumulates = sides[0].accumulates or sides[1].accumulates
        judgement = judge_relation(self.case, self.subject, left, right, accumulates=accumulates)
        return AttemptResult(
            self,
            replace(left, seconds=sides[0].seconds + sides[1].seconds),
            judgement,
            history.since(client),
            partners=sides[0].used | sides[1].used,
            right=right.outcome if right else None,
        )

    def side(self, client: Caller, side: Expression) -> Observation:
        """The value of one of its sides, or the outcome of the first call without a result."""
        assert isinstance(self.case.expectation, Agrees)
        return _Side(self, client).observation(side, self.case.expectation.relation)

    def announce(self, client: Client) -> Literal[False]:  # noqa: ARG002
        """Never, since each call of a relation depends on the result of the previous one."""
        return False

    def step(self, client: Client) -> None:
        """Not known, since a side is computed by several calls."""


def _result(api: Message, observation: Observation) -> Tensor:
    if isinstance(observation.outcome, Abstract):
        raise _Ended(_unsupported(f"{api['name']} computes no values in this mode, and a relation compares values"))
    if observation.result is None:
        raise _Ended(observation)
    if observation.result.dtype not in NAMES:
        raise TypeError(f"{api['name']} returned {observation.result.dtype}")
    return observation.result


def _not_under_test(api: Message, observation: Observation) -> Observation:
    """The observation marked as that of an API that is not under test."""
    outcome = observation.outcome
    if isinstance(outcome, Unsupported):
        return _unsupported(f"{api['name']}: {outcome.reason}")
    if isinstance(outcome, NotExported):
        return Observation(replace(outcome, reason=f"{api['name']}: {outcome.reason}"))
    assert isinstance(outcome, Raised)
    return replace(observation, outcome=replace(outcome, error=replace(outcome.error, by=api["name"])))


def _unsupported(reason: str) -> Observation:
    return Observation(Unsupported(reason))


def _not_fitting(error: Exception, side: Expression) -> Observation:
    message = f"the results of the calls do not fit {side.text!r}: {error}"
    return Observation(Raised(Error(type(error).__name__, message, phase="result")))
