"""Repeats calls with duplicate indices, since their results may depend on the order of threads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from conformance.execution.attempt import AttemptResult
from conformance.execution.client import Client
from conformance.judging.determinism import determinism_of

REPEATS = 3
"""Number of repetitions after the first call."""


def is_repeated(result: AttemptResult) -> bool:
    """Whether the call is repeated: it has duplicate indices and returned."""
    return result.attempt.case.duplicates is not None and result.observation.result is not None


def repeated(client: Client, results: Sequence[AttemptResult], *, fresh: bool = True) -> Iterator[AttemptResult]:
    """Each result as it is to be reported, with its grade, in the same order.

    One fresh worker repeats all calls. With ``fresh=False``, for modes whose first calls are expensive, it repeats only
    the calls that give different results in the current worker. A call that is sometimes wrong is flaky.
    GaveUp, Stopped and TargetBlocked as raised by ``client``.
    """
    if not results:
        return
    repetitions = {} if fresh else _repetitions(client, results)
    remaining = [result for result in results if fresh or not _is_stable(result, repetitions[id(result)])]
    if remaining:
        client.forget()
        repetitions |= _repetitions(client, remaining)
    for result in results:
        runs = [result, *repetitions[id(result)]]
        grade = determinism_of(result.attempt.case, [run.observation for run in runs])
        yield replace(_worst(runs), determinism=grade)


def _repetitions(client: Client, results: Sequence[AttemptResult]) -> dict[int, list[AttemptResult]]:
    """Run all of them in turn, several times, so that each follows different calls than before."""
    rounds = [[result.attempt.run(client) for result in results] for _ in range(REPEATS)]
    return {id(result): list(runs) for result, *runs in zip(results, *rounds, strict=True)}


def _is_stable(result: AttemptResult, repetitions: Sequence[AttemptResult]) -> bool:
    return all(run.has_same_verdict(result) and run.has_same_bits(result) for run in repetitions)


def _worst(runs: Sequence[AttemptResult]) -> AttemptResult:
    wrong = [run for run in runs if run.is_finding]
    if not wrong or all(run.has_same_verdict(runs[0]) for run in runs):
        return runs[0]
    worst = next((run for run in wrong if run.ended_process), wrong[0])
    judgement = worst.judgement
    frequency = f"{len(wrong)} of {len(runs)} repetitions were wrong"
    divergences = list(judgement.divergences)
    divergences += ["unstable"] if judgement.verdict == "diverges" else []
    explanation = "; ".join(filter(None, [judgement.explanation, frequency]))
    return replace(worst, judgement=replace(judgement, divergences=divergences, explanation=explanation))


def is_settled(result: AttemptResult) -> bool:
    """Whether it needs no confirmation, since its repetitions have shown that it is flaky."""
    return result.determinism is not None and "unstable" in result.judgement.divergences
