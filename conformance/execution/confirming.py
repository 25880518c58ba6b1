"""Findings tried again in fresh workers: one is reported only for what it is.

A target's findings are replayed together, in another order, which costs one process; only those that then come out
otherwise are tried alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from conformance.cases.model import ApiCall
from conformance.execution.attempt import AttemptResult
from conformance.execution.client import Client
from conformance.judging.vocabulary import Divergence

MOST_SEARCHES = 3
"""Findings of one target for which the call that caused them is searched."""


def confirmed(client: Client, findings: Sequence[AttemptResult]) -> Iterator[AttemptResult]:
    """Each finding as it is to be reported, in the order given.

    One after which the valid control raised until it was compiled again has been tried again by that.
    """
    again = _replayed(client, [finding for finding in findings if not finding.observation.recompiled])
    polluters = _Polluters(client)
    for finding in findings:
        if finding.observation.recompiled:
            yield finding
            continue
        second = again[id(finding)]
        yield (
            _with_bits(finding, second)
            if finding.has_same_verdict(second)
            else _in_fresh_process(client, finding, polluters)
        )


def _replayed(client: Client, findings: Sequence[AttemptResult]) -> dict[int, AttemptResult]:
    client.forget()
    again = {}
    backwards = list(reversed(findings))
    # What returned comes before what raised: an error is the likeliest to disturb what comes after it.
    backwards.sort(key=lambda finding: finding.observation.outcome.status != "returned")
    for finding in backwards:
        if finding.judgement.verdict in ("died", "hung"):
            client.forget()
        again[id(finding)] = finding.attempt.run(client)
    return again


def _in_fresh_process(client: Client, finding: AttemptResult, polluters: _Polluters) -> AttemptResult:
    """What is reported of a finding that a replay did not repeat."""
    client.forget()
    alone = finding.attempt.run(client)
    if alone.has_same_verdict(finding):
        return _with_bits(finding, alone)
    blame = polluters.blame(finding)
    if blame.kind == "unstable":
        explanation = alone.judgement.explanation or "conforms"
        blame = replace(blame, sentence=f"not the same each time: in a fresh process it {_words(alone, explanation)}")
    return _blamed(finding, blame)


@dataclass(frozen=True)
class _Blame:
    """Why a finding does not happen in every process."""

    kind: Divergence
    sentence: str
    polluter: ApiCall | None = None


class _Polluters:
    """Calls that made later ones go wrong in the same process; each search for one costs about ten processes."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._known: list[ApiCall] = []
        self._searches = 0

    def blame(self, finding: AttemptResult) -> _Blame:
        """Why a finding that does not happen in a fresh process did happen."""
        calls = finding.history.calls()
        for polluter in self._known:
            if any(polluter is call for call in calls) and self._repeats(finding, [polluter]):
                return _after(polluter)
        if self._searches >= MOST_SEARCHES:
            return _Blame("contaminated", "right in a fresh process, wrong after other calls in the same one")
        self._searches += 1
        if not calls or not self._repeats(finding, calls):
            return _Blame("unstable", "")
        last = self._last_needed(finding, calls)
        if self._repeats(finding, [last]):
            self._known.append(last)
            return _after(last)
        sentence = f"right in a fresh process, wrong after several calls, the last of them {_call(last)}"
        return _Blame("contaminated", sentence)

    def _last_needed(self, finding: AttemptResult, calls: Sequence[ApiCall]) -> ApiCall:
        """The last of the calls without which, and what follows it, the finding does not happen."""
        enough, too_few = 0, len(calls)
        while too_few - enough > 1:
            middle = (enough + too_few) // 2
            enough, too_few = (middle, too_few) if self._repeats(finding, calls[middle:]) else (enough, middle)
        return calls[enough]

    def _repeats(self, finding: AttemptResult, calls: Sequence[ApiCall]) -> bool:
        self._client.forget()
        for call in calls:
            self._client.call(call)
        return finding.attempt.run(self._client).has_same_verdict(finding)


def _after(polluter: ApiCall) -> _Blame:
    return _Blame("contaminated", f"right in a fresh process, wrong after {_call(polluter)}", polluter)


def _call(call: ApiCall) -> str:
    return f"{call.api} was called for {call.case}"


def _with_bits(finding: AttemptResult, second: AttemptResult) -> AttemptResult:
    if finding.has_same_bits(second):
        return finding
    return _blamed(finding, _Blame("unstable", "the result is another one each time"))


def _blamed(finding: AttemptResult, blame: _Blame) -> AttemptResult:
    judgement = finding.judgement
    blamed = replace(
        judgement,
        divergences=[*judgement.divergences, blame.kind],
        explanation="; ".join(filter(None, [judgement.explanation, blame.sentence])),
        polluter=blame.polluter,
    )
    return replace(finding, judgement=blamed)


def _words(alone: AttemptResult, explanation: str) -> str:
    return explanation if alone.judgement.verdict == "conforms" else f"is otherwise ({explanation})"
