"""Confirms findings in fresh workers, to report flaky and order-dependent results as such.

All findings of a target are repeated in one process, in a different order. Only those that then give a different result
are repeated in a process of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from conformance.cases.model import ApiCall
from conformance.execution.attempt import AttemptResult
from conformance.execution.client import Client
from conformance.judging.vocabulary import Divergence

MOST_SEARCHES = 3
"""Maximum number of findings per target for which to search the polluter."""


def confirmed(client: Client, findings: Sequence[AttemptResult]) -> Iterator[AttemptResult]:
    """Each finding as it is to be reported, in the same order.

    A finding whose control worked again after recompiling is confirmed already.
    """
    repeated = _repeated(client, [finding for finding in findings if not finding.observation.recompiled])
    polluters = _Polluters(client)
    for finding in findings:
        second = repeated.get(id(finding))
        if second is None:
            yield finding
        elif finding.has_same_verdict(second):
            yield _with_bits(finding, second)
        else:
            yield _in_fresh_process(client, finding, polluters)


def _repeated(client: Client, findings: Sequence[AttemptResult]) -> dict[int, AttemptResult]:
    client.forget()
    results = {}
    # Calls that returned come before calls that raised, since an error is most likely to affect later calls.
    order = list(reversed(findings))
    order.sort(key=lambda finding: finding.observation.outcome.status != "returned")
    for finding in order:
        if finding.ended_process:
            client.forget()
        results[id(finding)] = finding.attempt.run(client)
    return results


def _in_fresh_process(client: Client, finding: AttemptResult, polluters: _Polluters) -> AttemptResult:
    """The report of a finding that gave a different result when it was repeated with the others."""
    client.forget()
    isolated = finding.attempt.run(client)
    if isolated.has_same_verdict(finding):
        return _with_bits(finding, isolated)
    blame = polluters.blame(finding)
    if blame.kind == "unstable":
        blame = replace(blame, sentence=f"flaky: in a fresh process it {_predicate(isolated)}")
    return _blamed(finding, blame)


@dataclass(frozen=True)
class _Blame:
    """The reason why a finding does not happen in every process."""

    kind: Divergence
    sentence: str
    polluter: ApiCall | None = None


class _Polluters:
    """Calls that changed the result of later calls in the same process; each search takes about ten processes."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._known: list[ApiCall] = []
        self._searches = 0

    def blame(self, finding: AttemptResult) -> _Blame:
        """The reason why a finding happened that does not happen in a fresh process."""
        calls = finding.history.calls()
        for polluter in self._known:
            if any(polluter is call for call in calls) and self._reproduces(finding, [polluter]):
                return _after(polluter)
        if self._searches >= MOST_SEARCHES:
            return _order_dependent("other calls in the same process")
        self._searches += 1
        if not calls or not self._reproduces(finding, calls):
            return _Blame("unstable", "")
        last = self._last_needed(finding, calls)
        if self._reproduces(finding, [last]):
            self._known.append(last)
            return _after(last)
        return _order_dependent(f"several calls, the last of which was {_call(last)}")

    def _last_needed(self, finding: AttemptResult, calls: Sequence[ApiCall]) -> ApiCall:
        """The first call of the shortest tail of the calls after which the finding still happens."""
        enough, too_few = 0, len(calls)
        while too_few - enough > 1:
            middle = (enough + too_few) // 2
            enough, too_few = (middle, too_few) if self._reproduces(finding, calls[middle:]) else (enough, middle)
        return calls[enough]

    def _reproduces(self, finding: AttemptResult, calls: Sequence[ApiCall]) -> bool:
        self._client.forget()
        for call in calls:
            self._client.call(call)
        return finding.attempt.run(self._client).has_same_verdict(finding)


def _after(polluter: ApiCall) -> _Blame:
    return _order_dependent(_call(polluter), polluter)


def _order_dependent(after: str, polluter: ApiCall | None = None) -> _Blame:
    sentence = f"order-dependent: correct in a fresh process, wrong after {after}"
    return _Blame("contaminated", sentence, polluter)


def _call(call: ApiCall) -> str:
    return f"{call.api} with {call.case}"


def _with_bits(finding: AttemptResult, second: AttemptResult) -> AttemptResult:
    if finding.has_same_bits(second):
        return finding
    return _blamed(finding, _Blame("unstable", "the result differs each time"))


def _blamed(finding: AttemptResult, blame: _Blame) -> AttemptResult:
    judgement = finding.judgement
    blamed = replace(
        judgement,
        divergences=[*judgement.divergences, blame.kind],
        explanation="; ".join(filter(None, [judgement.explanation, blame.sentence])),
        polluter=blame.polluter,
    )
    return replace(finding, judgement=blamed)


def _predicate(result: AttemptResult) -> str:
    judgement = result.judgement
    if judgement.verdict == "conforms":
        return "conforms"
    return f"gives another result ({judgement.explanation or judgement.verdict})"
