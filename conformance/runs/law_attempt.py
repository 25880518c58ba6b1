"""A law on one API: both of its sides, computed by the target."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from conformance.cases.casting import cast_indices
from conformance.cases.laws import NOT_FITTING
from conformance.cases.model import Agrees, Case
from conformance.judging.judge import Subject, Witness
from conformance.judging.laws import ends, judge_law
from conformance.runs.attempt import Before, Found
from conformance.runs.client import Client, Made
from conformance.runs.describe import outcome_of
from conformance.spec.dtypes import NAMES
from conformance.spec.expressions import Expression
from conformance.spec.laws import called_by, evaluate
from conformance.spec.literals import Tensor
from conformance.spec.model import Call, Law, Operation
from conformance.worker.frames import Message


def partners(law: Law, own: Message, apis: Sequence[Message]) -> dict[str, list[Message]]:
    """The APIs that may stand for each operation of a law, in the order in which they are tried.

    For its own operation that is the API under test. For another it is the target's APIs, those that are composed last.
    """
    found = {
        name: sorted((one for one in apis if one["operation"] == name), key=lambda one: bool(one["composed"]))
        for name in sorted(called_by(law))
    }
    return {**found, own["operation"]: [own]}


class _Ended(Exception):
    """A call gave nothing to go on with."""

    def __init__(self, witness: Witness) -> None:
        self.witness = witness


@dataclass
class _Side:
    """One side as it is computed, call by call."""

    attempt: LawAttempt
    client: Client
    seconds: float = 0.0
    sums: bool = False
    used: dict[str, str] = field(default_factory=dict)
    """Other operations, each with the API that stood for it."""

    def witness(self, side: Expression, law: Law) -> Witness:
        """What it came to: a value, or the outcome of the call that gave none."""
        try:
            value = evaluate(side, law, self.attempt.case.call, self._apply)
        except _Ended as ended:
            return ended.witness
        except NOT_FITTING as error:
            return _not_fitting(error, side)
        if not isinstance(value, Tensor):
            return _not_fitting(TypeError(f"{value!r} is no tensor"), side)
        outcome = {"status": "returned", "seconds": self.seconds, "changed": [], "aliased": []}
        return Witness(outcome, value)

    def _apply(self, operation: Operation, call: Call) -> Tensor:
        self.sums |= bool(operation.result_sums.value(operation.values(call)))
        if operation.name == self.attempt.case.operation.name:
            [own] = self.attempt.apis[operation.name]
            return _result(own, self._asked(operation, call, own, cast=not self.attempt.keeps_indices))
        return self._partner(operation, call)

    def _partner(self, operation: Operation, call: Call) -> Tensor:
        """What the first API that takes the call gives, of those that stand for another operation."""
        refused: Witness | None = None
        for api in self.attempt.apis[operation.name]:
            witness = self._asked(operation, call, api, cast=True)
            if witness.outcome["status"] not in ("raised", "unsupported"):
                self.used[operation.name] = api["name"]
                return _result(api, witness)
            # A call that breaks a rule does so because of what the API under test gave before.
            refused = refused or (witness if operation.broken_rules(call) else _blameless(api, witness))
        raise _Ended(refused or _unsupported(f"the target has no API for {operation.name}"))

    def _asked(self, operation: Operation, call: Call, api: Message, *, cast: bool) -> Witness:
        if cast:
            call, _ = cast_indices(operation, call, api["index_dtypes"])
        witness = self.client.call(Made(operation.name, call, api["name"], self.attempt.case.id))
        self.seconds += float(witness.outcome.get("seconds", 0.0))
        return witness


@dataclass(frozen=True)
class LawAttempt:
    """A law with the APIs that compute its sides."""

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
        law = self.case.expectation.law
        sides = _Side(self, client), _Side(self, client)
        left = sides[0].witness(law.left, law)
        right = None if ends(left) else sides[1].witness(law.right, law)
        before = Before(earlier, number) if client.made is earlier else Before([], 0)
        judgement = judge_law(self.case, self.subject, left, right, sums=sides[0].sums or sides[1].sums)
        told: dict[str, Any] = {"with": sides[0].used | sides[1].used}
        if right is not None:
            told["right"] = outcome_of(right, {})
        seconds = sides[0].seconds + sides[1].seconds
        return Found(self, Witness({**left.outcome, "law": told, "seconds": seconds}, left.result), judgement, before)

    def announce(self, client: Client) -> Literal[False]:  # noqa: ARG002
        """Never: what a law's next call is depends on what the one before gave."""
        return False


def _result(api: Message, witness: Witness) -> Tensor:
    if witness.outcome.get("abstract"):
        raise _Ended(_unsupported(f"{api['name']} computes no values in this mode, and a law is about values"))
    if witness.result is None:
        raise _Ended(witness)
    if witness.result.dtype not in NAMES:
        raise TypeError(f"{api['name']} gave {witness.result.dtype}")
    return witness.result


def _blameless(api: Message, witness: Witness) -> Witness:
    """What an API that is not under test refused: of the one that is, it says nothing."""
    outcome = witness.outcome
    if outcome["status"] == "unsupported":
        return _unsupported(f"{api['name']}: {outcome['reason']}")
    return Witness({**outcome, "error": {**outcome["error"], "by": api["name"]}})


def _unsupported(reason: str) -> Witness:
    return Witness({"status": "unsupported", "reason": reason})


def _not_fitting(error: Exception, side: Expression) -> Witness:
    message = f"what the calls gave does not fit {side.text!r}: {error}"
    described = {"type": type(error).__name__, "module": "", "message": message, "phase": "result", "bases": []}
    return Witness({"status": "raised", "error": described})
