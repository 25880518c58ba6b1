"""One case on one API: the calls that it takes, and what came of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Protocol

from conformance.cases.model import ApiCall, Case
from conformance.execution.client import Client
from conformance.judging.judge import Judgement, Subject, judge
from conformance.judging.vocabulary import Determinism
from conformance.outcomes.equivalence import is_same
from conformance.outcomes.model import Died, Hung, Outcome, Raised
from conformance.outcomes.observation import Observation
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

    def run(self, client: Client) -> AttemptResult:
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

    def run(self, client: Client) -> AttemptResult:
        """Make the calls and judge; GaveUp and TargetBlocked as ``client`` raises them."""
        history = History.of(client)
        observation = self._observed(client)
        if isinstance(observation.outcome, Raised) and observation.outcome.lost:
            client.close()
        return AttemptResult(self, observation, judge(self.case, self.subject, observation), history.since(client))

    def _observed(self, client: Client) -> Observation:
        if self.control is None:
            return client.call(self._api_call)
        before = self._ask(client, self.control)
        if isinstance(before.outcome, Died | Hung):
            return replace(before, on_control=True)
        observation = client.call(self._api_call)
        after, recompiled = None, False
        status = before.outcome.status
        if isinstance(observation.outcome, Raised):
            after = self._ask(client, self.control).outcome.status
            recompiled = after != status and self._is_sound_recompiled(client, status)
            if after != status and not recompiled:
                client.close()
        return replace(observation, control_before=status, control_after=after, recompiled=recompiled)

    def _is_sound_recompiled(self, client: Client, status: str) -> bool:
        """Whether the control does again as it did before, once it is compiled again: the worker can go on then."""
        assert self.control is not None
        return client.recompile() and self._ask(client, self.control).outcome.status == status

    def announce(self, client: Client) -> bool:
        """Hand the call to the worker ahead of time; False where that cannot be known to be the next call."""
        return self.control is None and client.announce(self._api_call)

    @cached_property
    def _api_call(self) -> ApiCall:
        return ApiCall(self.case.operation.name, self.call, self.api, self.case.id)

    def _ask(self, client: Client, call: Call) -> Observation:
        return client.call(ApiCall(self.case.operation.name, call, self.api, self.case.id))


@dataclass(frozen=True)
class History:
    """The calls that a worker had made before an attempt: the beginning of its list, which goes on growing."""

    made: Sequence[ApiCall]
    number: int

    @classmethod
    def of(cls, client: Client) -> History:
        return cls(client.made, len(client.made))

    def since(self, client: Client) -> History:
        """The same, or none where another worker was started meanwhile."""
        return self if client.made is self.made else History([], 0)

    def calls(self) -> list[ApiCall]:
        return list(self.made[: self.number])


@dataclass(frozen=True)
class AttemptResult:
    """What came of an attempt, and the calls that the same worker had made before."""

    attempt: Attempt
    observation: Observation
    judgement: Judgement
    history: History
    determinism: Determinism | None = None
    """Of a call with duplicate indices, once it was repeated."""
    partners: dict[str, str] = field(default_factory=dict)
    """Of a metamorphic relation: other operations, each with the API that stood for it."""
    right: Outcome | None = None
    """Of a metamorphic relation: the outcome of its right side."""

    @property
    def is_finding(self) -> bool:
        """Whether it is something to confirm: a divergence, a death or a hang."""
        return self.judgement.verdict in ("diverges", "died", "hung")

    def has_same_verdict(self, other: AttemptResult) -> bool:
        """Whether both came to the same verdict for the same reasons."""
        mine, others = self.judgement, other.judgement
        return (mine.verdict, mine.divergences) == (others.verdict, others.divergences)

    def has_same_bits(self, other: AttemptResult) -> bool:
        """Whether both came to the same outcome, bit by bit."""
        return is_same(self.observation.outcome, other.observation.outcome, "bits")
