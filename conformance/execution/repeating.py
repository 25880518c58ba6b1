"""Calls with duplicate indices, made again: what they give may depend on which thread comes first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from conformance.execution.attempt import AttemptResult
from conformance.execution.client import Client
from conformance.judging.determinism import determinism_of

REPEATS = 3
"""Times that such a call is made after the one time with all others."""


def is_repeated(found: AttemptResult) -> bool:
    """Whether it is of a call that is made again: one with duplicate indices that returned."""
    return found.attempt.case.duplicates is not None and found.observation.result is not None


def repeated(client: Client, some: Sequence[AttemptResult], *, fresh: bool = True) -> Iterator[AttemptResult]:
    """Each as it is to be reported, with its grade, in the order given.

    One fresh worker serves for all; where a worker's first calls are expensive, it serves only for those of which the
    worker that is up gives something else. What is right one time and wrong another is unstable. GaveUp, Stopped and
    TargetBlocked as ``client`` raises them.
    """
    if not some:
        return
    again = {} if fresh else _again(client, some)
    due = [found for found in some if fresh or not _is_steady(found, again[id(found)])]
    if due:
        client.forget()
        again |= _again(client, due)
    for found in some:
        others = again[id(found)]
        grade = determinism_of(found.attempt.case, [one.observation for one in (found, *others)])
        yield replace(_worst(found, others), determinism=grade)


def _again(client: Client, some: Sequence[AttemptResult]) -> dict[int, list[AttemptResult]]:
    """All of them one after the other, and so several times, so that each comes in another company than before."""
    times = [[found.attempt.run(client) for found in some] for _ in range(REPEATS)]
    return {id(found): list(others) for found, *others in zip(some, *times, strict=True)}


def _is_steady(found: AttemptResult, others: Sequence[AttemptResult]) -> bool:
    return all(one.has_same_verdict(found) and one.has_same_bits(found) for one in others)


def _worst(found: AttemptResult, others: Sequence[AttemptResult]) -> AttemptResult:
    every = [found, *others]
    wrong = [one for one in every if one.is_finding]
    if not wrong or all(one.has_same_verdict(found) for one in every):
        return found
    worst = next((one for one in wrong if one.judgement.verdict != "diverges"), wrong[0])
    judgement = worst.judgement
    often = f"{len(wrong)} of {len(every)} calls went wrong"
    divergences = list(judgement.divergences)
    divergences += ["unstable"] if judgement.verdict == "diverges" else []
    explanation = "; ".join(filter(None, [judgement.explanation, often]))
    return replace(worst, judgement=replace(judgement, divergences=divergences, explanation=explanation))


def is_settled(found: AttemptResult) -> bool:
    """Whether it needs no confirmation: its repetitions have shown what it is."""
    return found.determinism is not None and "unstable" in found.judgement.divergences
