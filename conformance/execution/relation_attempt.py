"""A relation on one API: both of its sides, computed by the target."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from conformance.cases.index_casts import cast_indices
from conformance.cases.model import Agrees, ApiCall, Case
from conformance.cases.relations import NOT_FITTING
from conformance.execution.attempt import Before, Found
from conformance.execution.client import Client
from conformance.judging.judge import Observation, Subject
from conformance.judging.relations import ends, judge_relation
from conformance.results.describe import outcome_of
from conformance.specification.dtypes import NAMES
from conformance.specification.expressions import Expression
from conformance.specification.literals import Tensor
from conformance.specification.model import Call, MetamorphicRelation, Operation
from conformance.specification.relations import called_by, evaluate
from conformance.worker.frames import Message


def partners(relation: MetamorphicRelation, own: Message, apis: Sequence[Message]) -> dict[str, list[Message]]:
    """The APIs that may stand for each operation of a relation, in the order in which they are tried.

    For its own operation that is the API under test. For another it is the target's APIs, those that are composed last.
    """
    found = {
        name: sorted((one for one in apis if one["operation"] == name), key=lambda one: bool(one["composed"]))
        for name in sorted(called_by(relation))
    }
    return {**found, own["operation"]: [own]}


class _Ended(Exception):
    """A call gave nothing to go on with."""

    def __init__(self, observation: Observation) -> None:
        self.observation = observation


@dataclass
class _Side:
    """One side as it is computed, call by call."""

    attempt: RelationAttempt
    client: Client
    seconds: float = 0.0
    accumulates: bool = False
    used: dict[str, str] = field(default_factory=dict)
    """Other operations, each with the API that stood for it."""

    def observation(self, side: Expression, relation: MetamorphicRelation) -> Observation:
        """What it came to: a value, or the outcome of the call that gave none."""
        try:
            value = evaluate(side, relation, self.attempt.case.call, self._apply)
        except _Ended as ended:
            return ended.observation
        except NOT_FITTING as error:
            return _not_fitting(error, side)
        if not isinstance(value, Tensor):
            return _not_fitting(TypeError(f"{value!r} is no tensor"), side)
        outcome = {"status": "returned", "seconds": self.seconds, "changed": [], "aliased": []}
        return Observation(outcome, value)

    def _apply(self, operation: Operation, call: Call) -> Tensor:
        self.accumulates |= bool(operation.result_accumulates.value(operation.values(call)))
        if operation.name == self.attempt.case.operation.name:
            [own] = self.attempt.apis[operation.name]
            return _result(own, self._asked(operation, call, own, cast=not self.attempt.keeps_indices))
        return self._partner(operation, call)

    def _partner(self, operation: Operation, call: Call) -> Tensor:
        """What the first API that takes the call gives, of those that stand for another operation."""
        refused: Observation | None = None
        for api in self.attempt.apis[operation.name]:
            observation = self._asked(operation, call, api, cast=True)
            if observation.outcome["status"] not in ("raised", "unsupported"):
                self.used[operation.name] = api["name"]
                return _result(api, observation)
            # A call that breaks a rule does so because of what the API under test gave before.
            refused = refused or (observation if operation.broken_rules(call) else _blameless(api, observation))
        raise _Ended(refused or _unsupported(f"the target has no API for {operation.name}"))

    def _asked(self, operation: Operation, call: Call, api: Message, *, cast: bool) -> Observation:
        if cast:
            call, _ = cast_indices(operation, call, api["index_dtypes"])
        observation = self.client.call(ApiCall(operation.name, call, api["name"], self.attempt.case.id))
        self.seconds += float(observation.outcome.get("seconds", 0.0))
        return observation


@dataclass(frozen=True)
class RelationAttempt:
    """A relation with the APIs that compute its sides."""

    case: Case
    api: str
    subject: Subject
    apis: Mapping[str, Sequence[Message]]
    """Operation to the APIs that may stand for it."""
    keeps_indices: bool
    """Indices of the API under test are not cast to a dtype that it takes."""
    cast: dict[str, str] = field(default_factory=dict)

    def run(self, client: Client) -> Found:
        """Compute both sides and judge; GaveUp and TargetBlocked as ``client`` raises them."""
        earlier, number = client.made, len(client.made)
        assert isinstance(self.case.expectation, Agrees)
        relation = self.case.expectation.relation
        sides = _Side(self, client), _Side(self, client)
        left = sides[0].observation(relation.left, relation)
        right = None if ends(left) else sides[1].observation(relation.right, relation)
        before = Before(earlier, number) if client.made is earlier else Before([], 0)
        judgement = judge_relation(
            self.case, self.subject, left, right, accumulates=sides[0].accumulates or sides[1].accumulates
        )
        told: dict[str, Any] = {"with": sides[0].used | sides[1].used}
        if right is not None:
            told["right"] = outcome_of(right, {})
        seconds = sides[0].seconds + sides[1].seconds
        return Found(
            self, Observation({**left.outcome, "relation": told, "seconds": seconds}, left.result), judgement, before
        )

    def announce(self, client: Client) -> Literal[False]:  # noqa: ARG002
        """Never: what a relation's next call is depends on what the one before gave."""
        return False


def _result(api: Message, observation: Observation) -> Tensor:
    if observation.outcome.get("abstract"):
        raise _Ended(_unsupported(f"{api['name']} computes no values in this mode, and a relation is about values"))
    if observation.result is None:
        raise _Ended(observation)
    if observation.result.dtype not in NAMES:
        raise TypeError(f"{api['name']} gave {observation.result.dtype}")
    return observation.result


def _blameless(api: Message, observation: Observation) -> Observation:
    """What an API that is not under test refused: of the one that is, it says nothing."""
    outcome = observation.outcome
    if outcome["status"] == "unsupported":
        return _unsupported(f"{api['name']}: {outcome['reason']}")
    return Observation({**outcome, "error": {**outcome["error"], "by": api["name"]}})


def _unsupported(reason: str) -> Observation:
    return Observation({"status": "unsupported", "reason": reason})


def _not_fitting(error: Exception, side: Expression) -> Observation:
    message = f"what the calls gave does not fit {side.text!r}: {error}"
    described = {"type": type(error).__name__, "module": "", "message": message, "phase": "result", "bases": []}
    return Observation({"status": "raised", "error": described})
