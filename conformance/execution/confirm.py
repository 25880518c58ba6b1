"""Confirms findings, to report flaky and order-dependent results as such.

Each finding is repeated in a process that has made no other call. If it does not happen there, it is flaky or due to an
earlier call of its worker, which is searched.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from queue import SimpleQueue

from conformance.cases.model import ApiCall
from conformance.execution.attempt import AttemptResult
from conformance.execution.client import Client
from conformance.judging.vocabulary import Divergence, Step
from conformance.outcomes.model import Died

SECONDS = 900.0
"""Time limit for confirming the findings of a worker; the remaining ones are reported as not confirmed."""
AT_ONCE = 2
"""Number of findings that are repeated at the same time, since most of it is waiting for processes."""
SECONDS_OF_SEARCHES = 120.0
"""Time limit for searching the calls that other results depend on."""
_FIRST_TAIL = 8
"""Number of calls, the last ones before a finding, that are tried first, since most results depend on a recent call."""
_GROWTH = 4
"""How many times as many calls are tried next."""
_FROM_OUTSIDE = frozenset({"SIGKILL", "SIGTERM", "SIGINT", "SIGHUP"})
"""Signals with which processes are ended; those of faults, such as SIGSEGV, come from the process itself."""
_SENTENCES: dict[Step, str] = {
    "framework": "the framework itself does the same",
    "exporter": "the exporter changed this",
    "runtime": "the runtime changed this: in another evaluator the exported model does what the framework does",
}


def confirmed(
    client: Client, findings: Sequence[AttemptResult], *, compiles: bool
) -> Iterator[tuple[AttemptResult, AttemptResult]]:
    """Each finding, and how it is to be reported; first one of each group that is probably due to the same cause.

    A call whose process was ended from outside is no finding: it has the result of its repetition.

    compiles: first calls are expensive, so that no more processes than usual are used.
    """
    if not findings:
        return
    polluters = _Polluters(client)
    others = [] if compiles else client.others(AT_ONCE)
    late = f"the time limit of {SECONDS:g} s was reached"
    for finding, isolated in _alone(others, client, _in_order(findings)):
        yield finding, _report(finding, isolated, polluters) if isolated is not None else unconfirmed(finding, late)
    if not others:
        client.forget()  # else its worker has made none of these calls, and can be used further


def _alone(
    others: Sequence[Client], client: Client, findings: Sequence[AttemptResult]
) -> Iterator[tuple[AttemptResult, AttemptResult | None]]:
    """Each finding with its result in a process that has made no other call; None after the time limit.

    others: clients that make these calls at the same time; without any, ``client`` makes them.
    """
    end = time.monotonic() + SECONDS
    idle: SimpleQueue[Client] = SimpleQueue()
    for one in others or [client]:
        idle.put(one)

    def run(finding: AttemptResult) -> AttemptResult | None:
        taken = idle.get()
        try:
            if time.monotonic() > end:
                return None
            taken.forget()
            isolated = finding.attempt.run(taken)
            return isolated if isolated.ended_process else replace(isolated, step=finding.attempt.step(taken))
        finally:
            idle.put(taken)

    if not others:
        yield from ((finding, run(finding)) for finding in findings)
        return
    try:
        with ThreadPoolExecutor(len(others), "confirming") as pool:
            yield from zip(findings, pool.map(run, findings), strict=True)
    finally:
        for one in others:
            one.close()


def _in_order(findings: Sequence[AttemptResult]) -> list[AttemptResult]:
    """Hangs come last, since each takes the time limit of a call."""
    ranks: Counter[Hashable] = Counter()
    keys = {}
    for finding in findings:
        attempt, judgement = finding.attempt, finding.judgement
        group = (attempt.api, attempt.case.clause.id, judgement.verdict, *judgement.divergences)
        ranks[group] += 1
        keys[id(finding)] = judgement.verdict == "hung", ranks[group]
    return sorted(findings, key=lambda finding: keys[id(finding)])


def _report(finding: AttemptResult, isolated: AttemptResult, polluters: _Polluters) -> AttemptResult:
    if isolated.has_same_verdict(finding):
        same_bits = finding.has_same_bits(isolated)
        if not same_bits:
            return _blamed(finding, _Blame("unstable", "the result differs each time"))
        return _with_step(finding, isolated.step)
    blame = polluters.blame(finding, isolated)
    if blame.kind == "unstable" and was_interrupted(finding) and not isolated.is_finding:
        return isolated
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
    return _explained(replace(finding, confirmed=False), f"not confirmed in a fresh process: {reason}")


@dataclass(frozen=True)
class _Blame:
    """The reason why a finding does not happen in every process."""

    kind: Divergence
    sentence: str
    polluter: ApiCall | None = None


@dataclass
class _Polluters:
    """Calls that changed the result of later calls in the same process; each search takes about ten processes."""

    client: Client
    known: list[ApiCall] = field(default_factory=list)
    seconds: float = SECONDS_OF_SEARCHES

    def blame(self, finding: AttemptResult, isolated: AttemptResult) -> _Blame:
        """The reason why a finding happened that did not happen in a fresh process."""
        started = time.monotonic()
        try:
            return self._blame(finding, isolated)
        finally:
            self.seconds -= time.monotonic() - started
            self.client.forget()

    def _blame(self, finding: AttemptResult, isolated: AttemptResult) -> _Blame:
        own_case = finding.attempt.case.id
        calls = finding.history.calls()
        for polluter in self.known:
            if any(polluter is call for call in calls) and self._reproduces(finding, [polluter]):
                return _order_dependent(isolated, _call(polluter, own_case), polluter)
        if self.seconds <= 0 and calls and self._reproduces(finding, calls):
            return _order_dependent(isolated, "other calls in the same process")
        if self.seconds <= 0:
            return _Blame("unstable", f"flaky: in a fresh process it {_predicate(isolated)}")
        tail = self._shortest_tail(finding, calls)
        if tail is None:
            return _Blame("unstable", f"flaky: in a fresh process it {_predicate(isolated)}")
        first = tail[0]
        if self._reproduces(finding, [first]):
            self.known.append(first)
            return _order_dependent(isolated, _call(first, own_case), first)
        return _order_dependent(isolated, f"several calls, the first of which was {_call(first, own_case)}")

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

    def _reproduces(self, finding: AttemptResult, calls: Sequence[ApiCall]) -> bool:
        self.client.forget()
        for call in calls:
            self.client.call(call)
        return finding.attempt.run(self.client).has_same_verdict(finding)


def _order_dependent(isolated: AttemptResult, after: str, polluter: ApiCall | None = None) -> _Blame:
    correct = isolated.judgement.verdict == "conforms"
    alone = "correct in a fresh process" if correct else f"in a fresh process it {_predicate(isolated)}"
    return _Blame("contaminated", f"order-dependent: {alone}, wrong after {after}", polluter)


def _call(call: ApiCall, own_case: str) -> str:
    return f"{call.api} with {'the same case' if call.case == own_case else call.case}"


def _blamed(finding: AttemptResult, blame: _Blame) -> AttemptResult:
    judgement = finding.judgement
    divergences = [*judgement.divergences, blame.kind]
    blamed = replace(judgement, divergences=divergences, polluter=blame.polluter)
    return _explained(replace(finding, judgement=blamed), blame.sentence)


def _explained(finding: AttemptResult, sentence: str) -> AttemptResult:
    judgement = finding.judgement
    explanation = "; ".join(filter(None, [judgement.explanation, sentence]))
    return replace(finding, judgement=replace(judgement, explanation=explanation))


def _predicate(result: AttemptResult) -> str:
    judgement = result.judgement
    if judgement.verdict == "conforms":
        return "conforms"
    return f"gives another result ({judgement.explanation or judgement.verdict})"
