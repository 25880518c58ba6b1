"""Finds why a result does not happen in every process: an earlier call of its worker, or chance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from conformance.cases.model import ApiCall
from conformance.execution.attempt import AttemptResult
from conformance.execution.client import Client
from conformance.judging.vocabulary import Divergence
from conformance.outcomes.model import Died

MOST_SEARCHES = 4
"""Findings of an API for which the call is searched; further ones depend on one that was found, or just on earlier calls."""
SEARCHES_IN_ALL = 40
"""Findings of all APIs for which it is searched, however long that takes."""
_OTHERS = "other calls in the same process"
_FIRST_TAIL = 8
"""Number of calls, the last ones before a finding, that are tried first, since most results depend on a recent call."""
_LONG_TAIL = 1000
"""Number of calls, the last ones before a finding, that are tried before all, which take as long as the run until then."""
MOST_IF_EXPENSIVE = 64
"""Number of calls, the last ones before a finding, among which it is searched where each is compiled again."""
_GROWTH = 4
"""How many times as many calls are tried next."""


@dataclass(frozen=True)
class Blame:
    """The reason why a finding does not happen in every process."""

    kind: Divergence
    sentence: str
    polluter: ApiCall | None = None
    right_alone: bool = False
    """The call conforms in a fresh process."""


@dataclass
class Polluters:
    """Calls that changed the result of later calls in the same process; each search takes about ten processes."""

    client: Client
    known: list[ApiCall] = field(default_factory=list)
    """The last one that changed a result comes first, since the next finding is most like that one."""
    searches: Counter[str] = field(default_factory=Counter)
    """Their number by API."""
    most: int | None = None
    """The number of calls, the last ones before a finding, among which it is searched; None for all."""

    def blame(self, finding: AttemptResult, isolated: AttemptResult, *, search: bool = True) -> Blame:
        """The reason why a finding happened that did not happen in a fresh process.

        search: whether the call is searched if it is none that changed another result.
        """
        try:
            return self._blame(finding, isolated, search=search)
        finally:
            self.client.forget()

    def _blame(self, finding: AttemptResult, isolated: AttemptResult, *, search: bool) -> Blame:
        own_case, api = finding.attempt.case.id, finding.attempt.api
        calls = finding.history.calls()
        calls = calls if self.most is None else calls[-self.most :]
        known = self._known(finding, [call for call in self.known if any(call is one for one in calls)])
        if known is not None:
            return self._order_dependent(isolated, known, own_case)
        if not search or self.searches[api] == MOST_SEARCHES or self.searches.total() == SEARCHES_IN_ALL:
            of_api = [call for call in calls if call.api == api]
            if any(some and self._depends_on(finding, some) for some in (of_api, calls[-_LONG_TAIL:], calls)):
                return _order_dependent(isolated, _OTHERS)
            return self._flaky(finding, isolated, calls)
        self.searches[api] += 1
        tail = self._shortest_tail(finding, calls)
        if tail is None:
            return self._flaky(finding, isolated, calls)
        first = tail[0]
        if self._reproduces(finding, [first]):
            return self._order_dependent(isolated, first, own_case)
        if not self._happens_again(finding, tail):
            return self._flaky(finding, isolated, calls)
        return _order_dependent(isolated, f"several calls, the first of which was {_call(first, own_case)}")

    def _flaky(self, finding: AttemptResult, isolated: AttemptResult, calls: Sequence[ApiCall]) -> Blame:
        """The reason for a finding that did not happen again, bit by bit: chance, unless it is wrong otherwise after other calls."""
        if calls and self._depends_on(finding, calls[-_LONG_TAIL:], exactly=False):
            return _order_dependent(isolated, _OTHERS)
        return Blame("unstable", f"flaky: in a fresh process it {_predicate(isolated)}")

    def _order_dependent(self, isolated: AttemptResult, polluter: ApiCall, own_case: str) -> Blame:
        self.known = [polluter, *(call for call in self.known if call is not polluter)]
        return _order_dependent(isolated, _call(polluter, own_case), polluter)

    def _known(self, finding: AttemptResult, known: Sequence[ApiCall]) -> ApiCall | None:
        """The known polluter on which the finding depends too; None if it does not even after all of them."""
        if not known or self._reproduces(finding, known[:1]):
            return known[0] if known else None
        rest = known[1:]
        if not rest or not self._reproduces(finding, rest):
            return None
        while len(rest) > 1:
            half = rest[: len(rest) // 2]
            rest = half if self._reproduces(finding, half) else rest[len(half) :]
        return rest[0] if len(known) == 2 or self._reproduces(finding, rest) else None

    def _shortest_tail(self, finding: AttemptResult, calls: Sequence[ApiCall]) -> Sequence[ApiCall] | None:
        """The last of these calls, as few as the finding needs to happen; None if it does not even after all of them."""
        same_operation = [call for call in calls if call.operation == finding.attempt.case.operation.name]
        tail = self._tail(finding, same_operation)  # most polluters are among them, and there are fewer
        return self._tail(finding, calls) if tail is None and len(same_operation) < len(calls) else tail

    def _tail(self, finding: AttemptResult, calls: Sequence[ApiCall]) -> Sequence[ApiCall] | None:
        if not calls:
            return None
        too_short, length = 0, min(_FIRST_TAIL, len(calls))
        while not self._reproduces(finding, calls[-length:]):
            if length == len(calls):
                return None
            too_short, length = length, min(_GROWTH * length, len(calls))
        while length - too_short > 1:
            middle = (length + too_short) // 2
            too_short, length = (too_short, middle) if self._reproduces(finding, calls[-middle:]) else (middle, length)
        return calls[-length:]

    def _depends_on(self, finding: AttemptResult, calls: Sequence[ApiCall], *, exactly: bool = True) -> bool:
        """Whether the finding happens after these calls, and not by chance."""
        return self._reproduces(finding, calls, exactly=exactly) and self._happens_again(
            finding, calls, exactly=exactly
        )

    def _happens_again(self, finding: AttemptResult, calls: Sequence[ApiCall], *, exactly: bool = True) -> bool:
        """Whether what happened after these calls is no chance, as a race of threads is, which happens after any calls.

        The end of a process is none: memory that is damaged ends it now and then, and a call alone does not.
        """
        return finding.ended_process or self._reproduces(finding, calls, exactly=exactly)

    def _reproduces(self, finding: AttemptResult, calls: Sequence[ApiCall], *, exactly: bool = True) -> bool:
        """Whether the finding happens after these calls; exactly: with the same bits, since other calls may make it wrong otherwise.

        A process whose memory is damaged ends sooner or later: one that ends in a call which its worker survived is the same finding.
        """
        self.client.forget()
        for call in calls:
            ended = isinstance(self.client.call(call).outcome, Died)
            if ended and isinstance(finding.observation.outcome, Died):
                return True
        result = finding.attempt.run(self.client)
        return result.has_same_verdict(finding) and (not exactly or result.has_same_bits(finding))


def _order_dependent(isolated: AttemptResult, after: str, polluter: ApiCall | None = None) -> Blame:
    correct = isolated.judgement.verdict == "conforms"
    alone = "correct in a fresh process" if correct else f"in a fresh process it {_predicate(isolated)}"
    return Blame("contaminated", f"order-dependent: {alone}, wrong after {after}", polluter, right_alone=correct)


def _call(call: ApiCall, own_case: str) -> str:
    return f"{call.api} with {'the same case' if call.case == own_case else call.case}"


def _predicate(result: AttemptResult) -> str:
    judgement = result.judgement
    if judgement.verdict == "conforms":
        return "conforms"
    return f"gives another result ({judgement.explanation or judgement.verdict})"
