"""Findings tried again in fresh workers: one is reported only for what it is.

A target's findings are replayed together, in another order, which costs one process; only those that then come out
otherwise are tried alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from conformance.cases.model import ApiCall
from conformance.execution.attempt import Found
from conformance.execution.client import Client
from conformance.judging.vocabulary import Divergence
from conformance.results.records import Polluter

MOST_SEARCHES = 3
"""Findings of one target for which the call that caused them is searched."""


def confirmed(client: Client, findings: Sequence[Found]) -> Iterator[Found]:
    """Each finding as it is to be reported, in the order given.

    One after which the valid control raised until it was compiled anew has been tried again by that.
    """
    again = _replayed(client, [finding for finding in findings if not finding.observation.renewed])
    polluters = _Polluters(client)
    for finding in findings:
        if finding.observation.renewed:
            yield finding
            continue
        second = again[id(finding)]
        yield _with_bits(finding, second) if finding.is_like(second) else _alone(client, finding, polluters)


def _replayed(client: Client, findings: Sequence[Found]) -> dict[int, Found]:
    client.forget()
    again = {}
    backwards = list(reversed(findings))
    # What returned comes before what raised: an error is the likeliest to disturb what comes after it.
    backwards.sort(key=lambda one: one.observation.outcome["status"] != "returned")
    for finding in backwards:
        if finding.judgement.verdict in ("died", "hung"):
            client.forget()
        again[id(finding)] = finding.attempt.run(client)
    return again


def _alone(client: Client, finding: Found, polluters: _Polluters) -> Found:
    """What is reported of a finding that a replay did not repeat."""
    client.forget()
    alone = finding.attempt.run(client)
    if alone.is_like(finding):
        return _with_bits(finding, alone)
    blame = polluters.blame(finding)
    if blame is None:
        said = alone.judgement.explanation or "conforms"
        return _told(finding, "unstable", f"not the same each time: in a fresh process it {_words(alone, said)}")
    return replace(
        _told(finding, "contaminated", f"right in a fresh process, {blame.sentence}"), polluter=blame.polluter
    )


@dataclass(frozen=True)
class _Blame:
    """Calls before a finding without which it does not happen."""

    sentence: str
    polluter: Polluter | None = None
    """The call, where a single one is enough."""


class _Polluters:
    """Calls that made later ones go wrong in the same process; each search for one costs about ten processes."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._known: list[ApiCall] = []
        self._searches = 0

    def blame(self, finding: Found) -> _Blame | None:
        """Why a finding that does not happen in a fresh process did happen; None where the calls before it do not tell."""
        calls = finding.before.calls()
        for one in self._known:
            if any(one is call for call in calls) and self._repeats(finding, [one]):
                return _polluted_by(one)
        if self._searches >= MOST_SEARCHES:
            return _Blame("wrong after other calls in the same one")
        self._searches += 1
        if not calls or not self._repeats(finding, calls):
            return None
        last = self._last_needed(finding, calls)
        if self._repeats(finding, [last]):
            self._known.append(last)
            return _polluted_by(last)
        return _Blame(f"wrong after several calls, the last of them {_call(last)}")

    def _last_needed(self, finding: Found, calls: Sequence[ApiCall]) -> ApiCall:
        """The last of the calls without which, and what follows it, the finding does not happen."""
        enough, too_few = 0, len(calls)
        while too_few - enough > 1:
            middle = (enough + too_few) // 2
            enough, too_few = (middle, too_few) if self._repeats(finding, calls[middle:]) else (enough, middle)
        return calls[enough]

    def _repeats(self, finding: Found, calls: Sequence[ApiCall]) -> bool:
        self._client.forget()
        for made in calls:
            self._client.call(made)
        return finding.attempt.run(self._client).is_like(finding)


def _polluted_by(call: ApiCall) -> _Blame:
    return _Blame(f"wrong after {_call(call)}", Polluter(call.api, call.case))


def _call(made: ApiCall) -> str:
    return f"{made.api} was called for {made.case}"


def _with_bits(finding: Found, second: Found) -> Found:
    if finding.has_same_bits(second):
        return finding
    return _told(finding, "unstable", "the result is another one each time")


def _told(finding: Found, kind: Divergence, sentence: str) -> Found:
    judgement = finding.judgement
    told = replace(
        judgement,
        divergences=[*judgement.divergences, kind],
        explanation="; ".join(filter(None, [judgement.explanation, sentence])),
    )
    return replace(finding, judgement=told)


def _words(alone: Found, said: str) -> str:
    return said if alone.judgement.verdict == "conforms" else f"is otherwise ({said})"
