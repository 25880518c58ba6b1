"""Confirms findings in fresh processes, to report flaky and order-dependent results as such.

Like findings (see ``company_key``) share two processes. The first begins with the smallest call, the second with the one that
differs most from it, so that two of them are repeated before any other call; the rest follow in these. Calls that end the
process have one each, and so have up to eight of what nobody knows yet and what is grave. What does not happen after others
as it did in the run proves nothing: it is repeated alone, and so are all the rest if one that was alone does not. If there are
too few processes, findings that are not alike share some too, so that each is still repeated in another process than that of the
run. A finding that does not happen alone is flaky or due to an earlier call of its worker, which is searched.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from conformance.cases.draws.forms import elements_of, traits_of
from conformance.execution.attempt import AttemptResult
from conformance.execution.client import Client
from conformance.execution.fresh import AT_ONCE, in_fresh_processes
from conformance.execution.polluters import MOST_IF_EXPENSIVE, Blame, Polluters
from conformance.judging.behaviour import sentence
from conformance.judging.vocabulary import Confirmation, Step
from conformance.outcomes.model import Died
from conformance.results.alike import company_key, is_grave
from conformance.results.records import ResultRecord

PROCESSES = 3000
"""The most processes in which the findings of a worker are confirmed, however long that takes; those that need one of their own and
get none are reported as not confirmed."""
EXPENSIVE_PROCESSES = 300
"""The same where a new process takes seconds."""
ALONE = 2
"""Number of like findings that are repeated before any other call."""
ALONE_IF_GRAVE = 8
_FROM_OUTSIDE = frozenset({"SIGKILL", "SIGTERM", "SIGINT", "SIGHUP"})
"""Signals with which processes are ended; those of faults, such as SIGSEGV, come from the process itself."""
_SENTENCES: dict[Step, str] = {
    "framework": "the framework itself does the same",
    "exporter": "the exporter changed this",
    "runtime": "the runtime changed this: in another evaluator the exported model does what the framework does",
}

_NO_PROCESS = "other findings have taken all processes that confirm some"
_NO_TIME = "calls that hung have taken all the time that they may (--hang-seconds)"

Record = Callable[[AttemptResult], ResultRecord]
"""The record of a result, with the entry of the ledger that records it."""
Company = Sequence[AttemptResult]
"""Findings whose calls are repeated in one process, in this order."""


def confirmed(
    client: Client,
    findings: Sequence[AttemptResult],
    record: Record,
    *,
    compiles: bool,
    is_intermittent: Callable[[ResultRecord], bool] = lambda _: False,
    may_hang: Callable[[], bool] = lambda: True,
) -> Iterator[tuple[AttemptResult, AttemptResult]]:
    """Each finding, and how it is to be reported: first what is grave and no ledger records, then what else none records.

    Those that end the process come last, hangs at the very end. A call whose process was ended from outside is no
    finding: it has the result of its repetition.

    compiles: first calls are expensive, so that no more processes than usual are used. is_intermittent: whether a result is
    known to happen only sometimes, so that the call that it depends on is not searched. may_hang: whether there is time for
    another call that hangs.
    """
    if not findings:
        return
    others = [] if compiles else client.others(AT_ONCE)
    clients, polluters = others or [client], Polluters(client, most=MOST_IF_EXPENSIVE if compiles else None)
    most = PROCESSES if client.restarts_fast and not compiles else EXPENSIVE_PROCESSES

    def place(finding: AttemptResult) -> tuple[bool, bool]:
        result = record(finding)
        return not is_grave(result), result.known is not None

    def report(repetition: _Repetition) -> AttemptResult:
        return _report(repetition, polluters, search=not is_intermittent(record(repetition.finding)))

    for repetition in _repetitions(clients, sorted(findings, key=place), record, most, may_hang):
        yield repetition.finding, report(repetition)
    if not others:
        client.forget()  # else its worker has made none of these calls, and can be used further


def _repetitions(
    clients: Sequence[Client],
    findings: Sequence[AttemptResult],
    record: Record,
    most: int,
    may_hang: Callable[[], bool],
) -> Iterator[_Repetition]:
    """The repetition of each finding that proves something, in at most ``most`` processes."""
    ended = [finding for finding in findings if finding.ended_process]
    for_one_call = max(most // 10, min(len(ended), most // 2))
    for_company = most - for_one_call
    groups = [companies(alike, record) for alike in _alike(findings, record) if not alike[0].ended_process]
    in_processes = packed(groups, for_company)
    remaining: list[AttemptResult] = []
    for of_group in _by_group(_repeated(clients, in_processes, for_company), groups):
        represented = all(repetition.agrees for repetition in of_group if repetition.alone)
        for repetition in of_group:
            if repetition.alone or (represented and repetition.agrees):
                yield repetition
            else:
                remaining.append(repetition.finding)
    hung = [finding for finding in ended if finding.judgement.verdict == "hung"]
    remaining += [finding for finding in ended if finding.judgement.verdict != "hung"]
    places = {id(finding): place for place, finding in enumerate(findings)}
    remaining.sort(key=lambda finding: places[id(finding)])
    left = max(0, most - len(in_processes))
    yield from _repeated(clients, [[finding] for finding in remaining], left)
    yield from _repeated(clients, [[finding] for finding in hung], max(0, left - len(remaining)), may_hang)


def packed(groups: Sequence[Sequence[Company]], most: int) -> Sequence[Company]:
    """The processes of all groups. If they were more than ``most``, some companies follow others in the same process.

    Then the first company of as many groups as possible begins a process, of the first groups first.
    """
    if sum(map(len, groups)) <= most or most < 1:
        return [company for group in groups for company in group]
    in_turns = [company for of_turn in zip_longest(*groups, fillvalue=()) for company in of_turn if company]
    return [[finding for company in in_turns[first::most] for finding in company] for first in range(most)]


def _by_group(
    repetitions: Iterable[_Repetition], groups: Sequence[Sequence[Company]]
) -> Iterator[Sequence[_Repetition]]:
    """The repetitions of each group, as soon as all of them are there."""
    group_of = {id(finding): number for number, group in enumerate(groups) for company in group for finding in company}
    sizes = [sum(map(len, group)) for group in groups]
    found: list[list[_Repetition]] = [[] for _ in groups]
    for repetition in repetitions:
        number = group_of[id(repetition.finding)]
        found[number].append(repetition)
        if len(found[number]) == sizes[number]:
            yield found[number]


def _alike(findings: Iterable[AttemptResult], record: Record) -> Iterable[Sequence[AttemptResult]]:
    groups: dict[Hashable, list[AttemptResult]] = {}
    for finding in findings:
        groups.setdefault(company_key(record(finding)), []).append(finding)
    return groups.values()


def companies(alike: Sequence[AttemptResult], record: Record) -> Sequence[Company]:
    """The processes in which like findings are repeated, each of which begins with another; none of them ends its process."""
    smallest = min(alike, key=_size)
    others = [finding for finding in alike if finding is not smallest]
    if not others:
        return [[smallest]]
    traits = _traits(smallest)
    different = max(others, key=lambda finding: (len(traits ^ _traits(finding)), _size(finding)))
    rest = [finding for finding in others if finding is not different]
    alone = (ALONE_IF_GRAVE if is_grave(record(smallest)) else ALONE) - 2
    followers = rest[alone:]
    return [
        [smallest, *followers[::2]],
        [different, *followers[1::2]],
        *([finding] for finding in rest[:alone]),
    ]


def _size(finding: AttemptResult) -> int:
    return elements_of(finding.attempt.case.call)


def _traits(finding: AttemptResult) -> frozenset[Hashable]:
    case = finding.attempt.case
    return traits_of(case.call) | {case.clause.id}


@dataclass(frozen=True)
class _Repetition:
    """A finding whose call was repeated in a fresh process, or was to be."""

    finding: AttemptResult
    result: AttemptResult | None
    """None if it was not."""
    alone: bool
    """It was the first call of the process."""
    why_not: str = _NO_PROCESS
    """Why it was not."""

    @property
    def agrees(self) -> bool:
        """Whether it happened as in the run."""
        result = self.result
        return result is not None and result.has_same_verdict(self.finding) and result.has_same_bits(self.finding)


def _repeated(
    clients: Sequence[Client], in_processes: Sequence[Company], most: int, repeats: Callable[[], bool] = lambda: True
) -> Iterator[_Repetition]:
    """The repetitions of some calls in fresh processes, of which there are at most ``most``, in their order.

    clients: as in ``in_fresh_processes``. repeats: whether there is time for another.
    """

    def repeat(client: Client, company: Company) -> Sequence[_Repetition]:
        if not repeats():
            return [_Repetition(finding, None, alone=True, why_not=_NO_TIME) for finding in company]
        return [_repetition(finding, client) for finding in company]

    for repetitions in in_fresh_processes(clients, in_processes[:most], repeat):
        yield from repetitions
    for finding in (finding for company in in_processes[most:] for finding in company):
        yield _Repetition(finding, None, alone=True)


def _repetition(finding: AttemptResult, client: Client) -> _Repetition:
    alone = client.is_fresh
    result = finding.attempt.run(client)
    if result.ended_process:
        client.forget()
        return _Repetition(finding, result, alone)
    return _Repetition(finding, replace(result, step=finding.attempt.step(client)), alone)


def _report(repetition: _Repetition, polluters: Polluters, *, search: bool) -> AttemptResult:
    finding, repeated = repetition.finding, repetition.result
    if repeated is None:
        return unconfirmed(finding, repetition.why_not)
    if repetition.agrees:
        how: Confirmation = "alone" if repetition.alone else "after-others"
        return _with_step(replace(finding, confirmed=how), repeated.step)
    if repeated.has_same_verdict(finding):
        return _blamed(finding, Blame("unstable", "the result differs each time"))
    blame = polluters.blame(finding, repeated, search=search)
    if blame.kind == "unstable" and was_interrupted(finding) and not repeated.is_finding:
        return repeated
    return _blamed(finding, blame)


def was_interrupted(finding: AttemptResult) -> bool:
    """Whether something outside may have ended the process: a person, a scheduler, or the system if memory is short."""
    outcome = finding.observation.outcome
    return isinstance(outcome, Died) and outcome.signal in _FROM_OUTSIDE


def _with_step(finding: AttemptResult, step: Step | None) -> AttemptResult:
    """The finding with the step of the path that changed the result, if that is known."""
    return _explained(replace(finding, step=step), _SENTENCES[step]) if step else finding


def unconfirmed(finding: AttemptResult, reason: str) -> AttemptResult:
    """A finding that was not repeated in a fresh process; any other result is returned as it is."""
    if not finding.is_finding:
        return finding
    return _explained(replace(finding, confirmed="no"), f"not confirmed in a fresh process: {reason}")


def _blamed(finding: AttemptResult, blame: Blame) -> AttemptResult:
    judgement = finding.judgement
    divergences = [*judgement.divergences, blame.kind]
    # What was read for an index outside was no fill value if something else was read the next time.
    if blame.kind == "unstable" and judgement.behaviour == "fills" and judgement.explanation is not None:
        case, copies, result = finding.attempt.case, finding.attempt.subject.copies, finding.observation.result
        filled, other = (sentence(case, treatment, result, copies=copies) for treatment in ("fills", "other"))
        explanation = judgement.explanation.replace(filled, other)
        judgement = replace(judgement, behaviour="other", explanation=explanation)
    blamed = replace(judgement, divergences=divergences, polluter=blame.polluter, right_alone=blame.right_alone)
    how: Confirmation = "after-others" if blame.kind == "contaminated" else "alone"
    return _explained(replace(finding, judgement=blamed, confirmed=how), blame.sentence)


def _explained(finding: AttemptResult, sentence: str) -> AttemptResult:
    judgement = finding.judgement
    explanation = "; ".join(filter(None, [judgement.explanation, sentence]))
    return replace(finding, judgement=replace(judgement, explanation=explanation))
