"""Findings tried again in fresh workers: one is reported only for what it is.

A target's findings are replayed together, in another order, which costs one process; only those that then come out
otherwise are tried alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from conformance.judging.vocabulary import Divergence
from conformance.runs.attempt import Found
from conformance.runs.client import Client, Made


def confirmed(client: Client, findings: Sequence[Found]) -> Iterator[Found]:
    """Each finding as it is to be reported, in the order given."""
    again = _replayed(client, findings)
    suspects: list[Made] = []
    for finding in findings:
        second = again[id(finding)]
        yield _with_bits(finding, second) if finding.is_like(second) else _alone(client, finding, suspects)


def _replayed(client: Client, findings: Sequence[Found]) -> dict[int, Found]:
    client.forget()
    again = {}
    backwards = list(reversed(findings))
    # What returned comes before what raised: an error is the likeliest to disturb what comes after it.
    backwards.sort(key=lambda one: one.witness.outcome["status"] != "returned")
    for finding in backwards:
        if finding.judgement.verdict in ("died", "hung"):
            client.forget()
        again[id(finding)] = finding.attempt.run(client)
    return again


def _alone(client: Client, finding: Found, suspects: list[Made]) -> Found:
    """What is reported of a finding that a replay did not repeat.

    suspects: calls that were found to contaminate others; tried first, and added to.
    """
    client.forget()
    alone = finding.attempt.run(client)
    if alone.is_like(finding):
        return _with_bits(finding, alone)
    culprit = _culprit(client, finding, suspects)
    if culprit is None:
        said = alone.judgement.explanation or "conforms"
        return _told(finding, "unstable", f"not the same each time: in a fresh process it {_words(alone, said)}")
    suspects.append(culprit)
    said = f"right in a fresh process, wrong after {culprit.api} was called for {culprit.case}"
    return _told(finding, "contaminated", said)


def _culprit(client: Client, finding: Found, suspects: Sequence[Made]) -> Made | None:
    """The last of the calls before a finding without which it does not happen; None where even all do not repeat it."""

    def repeats(calls: Sequence[Made]) -> bool:
        client.forget()
        for made in calls:
            client.call(made)
        return finding.attempt.run(client).is_like(finding)

    calls = finding.before.calls()
    for suspect in suspects:
        if any(one is suspect for one in calls) and repeats([suspect]):
            return suspect
    if not calls or not repeats(calls):
        return None
    enough, too_few = 0, len(calls)
    while too_few - enough > 1:
        middle = (enough + too_few) // 2
        enough, too_few = (middle, too_few) if repeats(calls[middle:]) else (enough, middle)
    return calls[enough]


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
