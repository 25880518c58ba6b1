"""One case on one API: the calls that it takes, and what was found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

from conformance.cases.model import ApiCall, Case
from conformance.execution.client import Client
from conformance.judging.judge import Judgement, Observation, Subject, judge
from conformance.judging.vocabulary import Determinism
from conformance.results.records import Polluter
from conformance.specification.model import Call


class Attempt(Protocol):
    """A case on one API of a target, ready to be tried."""

    @property
    def case(self) -> Case: ...
    @property
    def api(self) -> str: ...
    @property
    def subject(self) -> Subject: ...
    @property
    def cast(self) -> dict[str, str]:
        """Arguments that were cast, and to which dtype."""

    def run(self, client: Client) -> Found:
        """Make the calls and judge; GaveUp and TargetBlocked as ``client`` raises them."""

    def announce(self, client: Client) -> bool:
        """Hand the call to the worker ahead of time; False where that cannot be known to be the next call."""


@dataclass(frozen=True)
class CallAttempt:
    """A case with its calls as an API of a target takes them."""

    case: Case
    api: str
    subject: Subject
    call: Call
    cast: dict[str, str]
    """Arguments that were cast, and to which dtype."""
    control: Call | None
    """The valid control of a call that should raise; it runs before and after."""

    def run(self, client: Client) -> Found:
        """Make the calls and judge; GaveUp and TargetBlocked as ``client`` raises them."""
        earlier, number = client.made, len(client.made)
        observation = self._observation(client)
        if observation.outcome.get("lost"):
            client.close()  # the control has told it too
        # A worker that was started on the way had made no calls before.
        before = Before(earlier, number) if client.made is earlier else Before([], 0)
        return Found(self, observation, judge(self.case, self.subject, observation), before)

    def _observation(self, client: Client) -> Observation:
        if self.control is None:
            return client.call(self._made)
        before = self._ask(client, self.control).outcome
        if before["status"] in ("died", "hung"):
            return Observation({**before, "how": f"on the valid control of this call: {before['how']}"})
        observation = client.call(self._made)
        after, renewed = None, False
        if observation.outcome["status"] == "raised":
            after = self._ask(client, self.control).outcome["status"]
            renewed = after != before["status"] and self._is_renewed(client, before["status"])
            if after != before["status"] and not renewed:
                client.close()
        return replace(observation, control_before=before["status"], control_after=after, renewed=renewed)

    def _is_renewed(self, client: Client, status: str) -> bool:
        """Whether the control does again as it did before, once it is compiled anew: the worker can go on then."""
        assert self.control is not None
        return client.renew() and self._ask(client, self.control).outcome["status"] == status

    def announce(self, client: Client) -> bool:
        """Hand the call to the worker ahead of time; False where that cannot be known to be the next call."""
        return self.control is None and client.announce(self._made)

    @cached_property
    def _made(self) -> ApiCall:
        return ApiCall(self.case.operation.name, self.call, self.api, self.case.id)

    def _ask(self, client: Client, call: Call) -> Observation:
        return client.call(ApiCall(self.case.operation.name, call, self.api, self.case.id))


@dataclass(frozen=True)
class Before:
    """The calls that a worker had made before an attempt: the beginning of its list, which goes on growing."""

    made: Sequence[ApiCall]
    number: int

    def calls(self) -> list[ApiCall]:
        return list(self.made[: self.number])


@dataclass(frozen=True)
class Found:
    """What an attempt found, and the calls that the same worker had made before."""

    attempt: Attempt
    observation: Observation
    judgement: Judgement
    before: Before
    determinism: Determinism | None = None
    """Of a call with duplicate indices, once it was made again."""
    polluter: Polluter | None = None
    """Of what does not happen in a fresh process, the one call before it that makes it happen."""

    @property
    def is_finding(self) -> bool:
        """Whether it is something to confirm: a divergence, a death or a hang."""
        return self.judgement.verdict in ("diverges", "died", "hung")

    def is_like(self, other: Found) -> bool:
        """Whether both came to the same verdict for the same reasons."""
        mine, others = self.judgement, other.judgement
        return (mine.verdict, mine.divergences) == (others.verdict, others.divergences)

    def has_same_bits(self, other: Found) -> bool:
        """Whether both returned the same result, if they returned at all."""
        mine, others = self.observation.result, other.observation.result
        if mine is None or others is None:
            return (mine is None) == (others is None)
        return (mine.dtype, mine.array.tobytes()) == (others.dtype, others.array.tobytes())
