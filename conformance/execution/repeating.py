"""Repeats calls with duplicate indices, since their results may depend on the order of threads.

The other calls run with one thread, which is faster for small tensors; these run with as many as users have.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from conformance.execution.attempt import AttemptResult
from conformance.execution.client import Client
from conformance.execution.concurrency import cores
from conformance.judging.determinism import determinism_of

PROCESSES = 10
"""Number of processes that repeat all calls once."""
SECONDS = 15.0
"""Time for the repetitions in several processes; slow implementations are repeated in fewer, but at least in three."""
_FEWEST_PROCESSES = 3
ROUNDS = 3
"""Number of repetitions in one process."""
_LEAST_THREADS = 2


def threads(machine: int) -> int:
    """Number of threads for repetitions on a machine with this number of cores: all of them, and at least two."""
    return max(_LEAST_THREADS, machine)


def thread_setting(machine: int) -> int | None:
    """The number of threads to ask for; None for the framework's default if that is at least two.

    Some frameworks count two logical cores as one.
    """
    return threads(machine) if machine < 2 * _LEAST_THREADS else None


def is_repeated(result: AttemptResult) -> bool:
    """Whether the call is repeated: it has duplicate indices and returned."""
    return result.attempt.case.duplicates is not None and result.observation.result is not None


def repeated(client: Client, results: Sequence[AttemptResult], *, compiles: bool) -> Iterator[AttemptResult]:
    """Each result as it is to be reported, with its grade, in the same order. A call that is sometimes wrong is flaky.

    A call whose results vary is repeated once more without other calls. If it is then always right, its wrong result
    is to be confirmed like any other: an earlier call may have caused it.

    compiles: first calls are expensive. GaveUp, Stopped and TargetBlocked as raised by ``client``.
    """
    if not results:
        return
    several = client.restarts_fast and not compiles
    repetitions = _in_processes(client, results) if several else _in_rounds(client, results)
    for result in results:
        runs = [result, *repetitions[id(result)]]
        reported, runs = (result, runs) if _is_stable(runs) else _isolated(client, runs, PROCESSES if several else 1)
        grade = determinism_of(result.attempt.case, [run.observation for run in runs])
        yield replace(reported, determinism=replace(grade, threads=thread_setting(cores())))


def _is_stable(runs: Sequence[AttemptResult]) -> bool:
    return all(run.has_same_verdict(runs[0]) and run.has_same_bits(runs[0]) for run in runs)


def _isolated(
    client: Client, runs: Sequence[AttemptResult], processes: int
) -> tuple[AttemptResult, list[AttemptResult]]:
    """The result to report for a call whose results vary, and its runs in processes that make no other call."""
    alone = []
    for _ in range(processes):
        client.forget()
        for _ in range(ROUNDS):
            alone.append(runs[0].attempt.run(client))
            if alone[-1].ended_process:
                client.forget()
    client.close()
    after_others = next((run for run in runs if run.is_finding), None)
    if after_others is not None and not any(run.is_finding for run in alone):
        return after_others, alone
    return _worst(alone), alone


def _in_processes(client: Client, results: Sequence[AttemptResult]) -> dict[int, list[AttemptResult]]:
    """Repeat all of them once in each of several processes, starting with another one each time."""
    repetitions: dict[int, list[AttemptResult]] = {id(result): [] for result in results}
    seconds = sum(result.observation.seconds for result in results)
    processes = PROCESSES if seconds * PROCESSES <= SECONDS else max(_FEWEST_PROCESSES, int(SECONDS / seconds))
    for number in range(processes):
        client.forget()
        first = number * len(results) // processes
        for result in (*results[first:], *results[:first]):
            run = result.attempt.run(client)
            repetitions[id(result)].append(run)
            if run.ended_process:
                client.forget()
    client.close()
    return repetitions


def _in_rounds(client: Client, results: Sequence[AttemptResult]) -> dict[int, list[AttemptResult]]:
    """Repeat all of them in turn, several times, so that each follows different calls than before."""
    client.forget()
    rounds = [[result.attempt.run(client) for result in results] for _ in range(ROUNDS)]
    client.close()
    return {id(result): list(runs) for result, *runs in zip(results, *rounds, strict=True)}


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
