"""Repeats calls with duplicate indices, since their results may depend on the order of threads.

The other calls run with one thread, which is faster for small tensors; these run with as many as users have.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from conformance.cases.draws.forms import form_of, traits_of
from conformance.execution.attempt import Attempt, AttemptResult
from conformance.execution.client import Client
from conformance.execution.measurements import cores
from conformance.execution.together import repetitions
from conformance.judging.behaviour import determinism_of

PROCESSES = 10
"""Number of processes that repeat all calls once, however long that takes: records do not depend on the machine's load."""
_FEWER_PROCESSES = 3
"""The same for a call that follows like ones and does there what these do not, and for one on an API on which others have
already been seen to vary only after other calls."""
ROUNDS = 3
"""Number of repetitions in one process."""
MOST_FORMS = 3
"""Number of calls of a clause on an API, each of another form, that are repeated in processes of their own if results vary."""
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


def repeated(
    client: Client,
    results: Sequence[AttemptResult],
    *,
    compiles: bool,
    kept: Sequence[Client] = (),
    together: int = 1,
) -> Iterator[AttemptResult]:
    """Each result as it is to be reported, with its grade, in the same order. A call that is sometimes wrong is flaky.

    A call whose results vary is repeated once more without unlike calls. If it is then always right, or right the first
    time and wrong ever after, its wrong result is to be confirmed like any other: an earlier call may have caused it.

    compiles: first calls are expensive. kept: clients, one for each of ``PROCESSES``, whose processes stay for later repetitions;
    without them, new ones are started and ended. together: the maximum number of calls that are compiled at once.
    GaveUp, Stopped and TargetBlocked as raised by ``client``.
    """
    if not results:
        return
    several = client.restarts_fast and not compiles
    repetitions = _in_processes(client, results, kept) if several else _in_rounds(client, results, together)
    varying: dict[Hashable, list[_Runs]] = {}
    for result in results:
        if _varies(repetitions[id(result)]):
            varying.setdefault((result.attempt.case.clause.id, result.attempt.api), []).append(repetitions[id(result)])
    isolated = {
        id(runs): (reported, alone)
        for runs, reported, alone in _without_unlike(client, varying.values(), PROCESSES if several else 1)
    }
    for result in results:
        runs = repetitions[id(result)]
        reported, runs = isolated.get(id(runs), (result, runs))
        grade = determinism_of(result.attempt.case, [run.observation for run in runs.distinct], runs.count)
        yield replace(reported, determinism=replace(grade, threads=thread_setting(cores())))


@dataclass
class _Runs:
    """The runs of one call; of those with the same result, only the first is stored."""

    distinct: list[AttemptResult] = field(default_factory=list)
    count: int = 0

    @property
    def attempt(self) -> Attempt:
        return self.distinct[0].attempt

    def add(self, run: AttemptResult) -> None:
        self.count += 1
        if not any(run.has_same_verdict(other) and run.has_same_bits(other) for other in self.distinct):
            self.distinct.append(run)


def _runs(results: Iterable[AttemptResult]) -> _Runs:
    runs = _Runs()
    for result in results:
        runs.add(result)
    return runs


_Alone = tuple[_Runs, AttemptResult, _Runs]
"""A call whose results vary, the result to report, and its runs without unlike calls."""


def _without_unlike(client: Client, groups: Iterable[Sequence[_Runs]], processes: int) -> Iterator[_Alone]:
    """The calls of all groups, each of which is of one clause on one API."""
    order_dependent: set[str] = set()
    """APIs whose calls vary only after others."""
    for group in groups:
        api = group[0].attempt.api
        alone = list(_isolated(client, group, min(processes, _FEWER_PROCESSES))) if api in order_dependent else []
        if not alone or any(_varies(runs) for *_, runs in alone):
            alone = list(_isolated(client, group, processes))
        if not any(_varies(runs) for *_, runs in alone):
            order_dependent.add(api)
        yield from alone


def _varies(runs: _Runs) -> bool:
    return len(runs.distinct) > 1


def _isolated(client: Client, group: Sequence[_Runs], processes: int) -> Iterator[_Alone]:
    """Calls of a clause on an API whose results vary, repeated without unlike calls.

    Calls of up to ``MOST_FORMS`` forms have processes in which no call is made before them. The others follow in these, and
    have processes of their own, though fewer, only if they do there what none of the former does first.
    """
    leaders, followers = _by_form(group)
    firsts: set[Hashable] = set()
    following: list[tuple[_Runs, list[list[AttemptResult]]]] = []
    for number, leader in enumerate(leaders):
        led = followers[number :: len(leaders)]
        own, *theirs = _in_turn(client, [runs.attempt for runs in (leader, *led)], processes)
        firsts |= {_verdict(runs[0]) for runs in own}
        following += zip(led, theirs, strict=True)
        yield leader, *_settled(leader, own)
    for follower, by_process in following:
        if firsts.issuperset(_verdict(run) for runs in by_process for run in runs):
            reported, runs = _settled(follower, by_process)
            yield follower, replace(reported, confirmed=reported.confirmed and "after-others"), runs
        else:
            yield from _isolated(client, [follower], min(processes, _FEWER_PROCESSES))


def _by_form(group: Sequence[_Runs]) -> tuple[Sequence[_Runs], Sequence[_Runs]]:
    """The first call of each form, of so many forms, and all other calls."""
    forms: dict[Hashable, _Runs] = {}
    for runs in group:
        call = runs.attempt.case.call
        forms.setdefault((form_of(call), traits_of(call)), runs)
    leaders = [*forms.values()][:MOST_FORMS]
    return leaders, [runs for runs in group if not any(runs is leader for leader in leaders)]


def _verdict(run: AttemptResult) -> Hashable:
    return run.judgement.verdict, *run.judgement.divergences


def _in_turn(client: Client, attempts: Sequence[Attempt], processes: int) -> list[list[list[AttemptResult]]]:
    """For each attempt its runs by process: all those of the first, then those of the second, and so on.

    They are in several processes if some of them end it.
    """
    by_process: list[list[list[AttemptResult]]] = [[] for _ in attempts]
    for _ in range(processes):
        client.forget()
        for attempt, of_attempt in zip(attempts, by_process, strict=True):
            of_attempt.append([])
            for _ in range(ROUNDS):
                of_attempt[-1].append(attempt.run(client))
                if of_attempt[-1][-1].ended_process:
                    client.forget()
                    of_attempt.append([])
    client.close()
    return [[runs for runs in of_attempt if runs] for of_attempt in by_process]


def _settled(before: _Runs, by_process: Sequence[Sequence[AttemptResult]]) -> tuple[AttemptResult, _Runs]:
    """The result to report for a call whose results vary, and its runs. before: those among all other calls."""
    alone = [run for in_process in by_process for run in in_process]
    later = [run for in_process in by_process for run in in_process[1:]]
    after_others = next((run for run in before.distinct if run.is_finding), None)
    if after_others is not None and not any(run.is_finding for run in alone):
        return after_others, _runs(alone)
    if _are_first_right(by_process) and later and all(run.is_finding for run in later):
        return later[0], _runs(alone)
    return _worst(alone), _runs(alone)


def _are_first_right(by_process: Sequence[Sequence[AttemptResult]]) -> bool:
    return not any(runs[0].is_finding for runs in by_process)


def _in_processes(client: Client, results: Sequence[AttemptResult], kept: Sequence[Client]) -> dict[int, _Runs]:
    """Repeat all of them once in each of several processes, starting with another one each time."""
    repetitions = {id(result): _runs([result]) for result in results}
    for number in range(PROCESSES):
        client.forget()
        of_process = kept[number] if kept else client
        first = number * len(results) // PROCESSES
        for result in (*results[first:], *results[:first]):
            run = result.attempt.run(of_process)
            repetitions[id(result)].add(run)
            if run.ended_process:
                of_process.forget()
    client.close()
    return repetitions


def _in_rounds(client: Client, results: Sequence[AttemptResult], together: int) -> dict[int, _Runs]:
    """Repeat all of them in turn, several times, so that each follows different calls than before.

    Those that were made together are repeated together.
    """
    made = {id(result): _runs([result]) for result in results}
    client.forget()
    grouped = [result for result in results if result.together is not None]
    again = repetitions(client, grouped, together, ROUNDS)
    for result, runs in zip(grouped, again, strict=True):
        for run in runs:
            made[id(result)].add(run)
    repeated = {id(result) for result, runs in zip(grouped, again, strict=True) if runs}
    for _ in range(ROUNDS):
        for result in results:
            if id(result) not in repeated:
                made[id(result)].add(result.attempt.run(client))
    client.close()
    return made


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
    judgement = replace(judgement, divergences=divergences, explanation=explanation)
    return replace(worst, judgement=judgement, confirmed="alone")


def is_settled(result: AttemptResult) -> bool:
    """Whether it needs no confirmation, since its repetitions have shown that it is flaky."""
    return result.determinism is not None and "unstable" in result.judgement.divergences
