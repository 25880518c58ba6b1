"""Repeats the calls that reproduce a result in a fresh worker, and observes each of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from itertools import takewhile
from pathlib import Path
from typing import Any

from conformance.cases.expectations import Agrees, Returning, of_value
from conformance.cases.model import ApiCall, Case
from conformance.cases.wire import cast_indices
from conformance.environments.prepared_target import Prepared
from conformance.execution.client import Client
from conformance.execution.plan import Job, Plan
from conformance.execution.relation import RelationAttempt, partners
from conformance.execution.session import Session
from conformance.judging.compare import matches
from conformance.judging.subject import Subject
from conformance.judging.vocabulary import BINDING
from conformance.outcomes.equivalence import is_same
from conformance.outcomes.observation import Observation
from conformance.processes.worker_code import staged_worker
from conformance.processes.worker_starter import WorkerStarter
from conformance.results.describe import case_record, clause_record
from conformance.results.file import Results
from conformance.results.observed import CaseResult, ObservedCall, Reproduction
from conformance.results.records import CaseRecord, PolluterRecord, ResultRecord
from conformance.specification.applied import Applied
from conformance.specification.model import Document

REPETITIONS = (30, 300)
"""How often the call of a result that happens only sometimes is made; more often if the first number does not show it."""
MOST_VALID_CALLS = 10
"""The largest number of valid calls to make before one that ends the process only after others."""


def results_of(cases: Sequence[Case], documents: Mapping[str, Document], job: Job, limit: float) -> Results:
    """The results of some cases on a target, as in a run; TargetBlocked if it does not start.

    documents: those of the specs by id.
    """
    plan = Plan.alone(job, cases, documents, limit)
    with staged_worker() as script, closing(Session(plan, job, script)) as session:
        session.start()
        outputs = session.begin(session.pairs).outputs()
        return Results(
            plan.record,
            [session.record],
            clauses={case.clause.id: clause_record(case.clause) for case in cases},
            cases={
                **{case.id: case_record(case) for case in cases},
                **{output.id: output for output in outputs if isinstance(output, CaseRecord)},
            },
            mappings=list(session.mappings),
            results=[output for output in outputs if isinstance(output, ResultRecord)],
            known={(one.framework, one.id): one for one in job.known.records(session.record.framework)},
        )


class Replays:
    """The workers of one target in which results are replayed, by number of threads."""

    def __init__(self, prepared: Prepared, script: Path, limit: float) -> None:
        """script: the program of a worker. limit: seconds per call."""
        self._prepared = prepared
        self._script = script
        self._limit = limit
        self._starters: dict[int | None, WorkerStarter] = {}
        """By number of threads; -1 for that of calls that are not repeated."""

    def of(self, case_result: CaseResult) -> Replay:
        """Replays a result with as many threads as it was found with."""
        determinism = case_result.result.determinism
        threads = determinism.threads if determinism else -1
        if threads not in self._starters:
            prepared = self._prepared.with_threads(threads) if determinism else self._prepared
            self._starters[threads] = WorkerStarter(prepared, self._script)
        return Replay(self._starters[threads], self._limit)

    def close(self) -> None:
        """End all workers."""
        for starter in self._starters.values():
            starter.close()


@dataclass(frozen=True)
class Replay:
    """Makes calls in fresh workers of one target; GaveUp and TargetBlocked as raised by ``Client``."""

    starter: WorkerStarter
    limit: float
    """Time limit per call in seconds."""

    @property
    def prepared(self) -> Prepared:
        """The target with the number of threads of its workers."""
        return self.starter.prepared

    def reproductions(
        self, case_result: CaseResult, cases: Mapping[str, Case], polluters: Sequence[PolluterRecord]
    ) -> Iterator[Reproduction]:
        """Calls that may reproduce a result, the simplest first.

        cases: by id, the cases of the polluters.
        polluters: earlier calls to try for an order-dependent result, the most probable first.
        """
        if case_result.is_order_dependent:
            yield from self._after_polluters(case_result, cases, polluters)
        elif case_result.is_flaky:
            for repetitions in REPETITIONS:
                yield Reproduction([case_result.recorded_call()], repetitions)
        else:
            yield Reproduction(self.calls(case_result))
            if case_result.result.verdict == "died" and self.starter.forks:
                yield from self._after_valid_calls(case_result)

    def _after_polluters(
        self, case_result: CaseResult, cases: Mapping[str, Case], polluters: Sequence[PolluterRecord]
    ) -> Iterator[Reproduction]:
        for polluter in polluters:
            for calls in self.calls_after(case_result, cases[polluter.case], polluter.api):
                if _shows(case_result, calls):
                    yield Reproduction(calls)

    def _after_valid_calls(self, case_result: CaseResult) -> Iterator[Reproduction]:
        """The call after as few calls of its control as end the process like in the run; without a control, of itself.

        Some frameworks measure the first calls of a kernel, and use other threads from then on.
        """
        control = case_result.case.control
        earlier = case_result.as_called(case_result.case.call if control is None else control)
        recorded = case_result.recorded_call()
        for number in range(1, MOST_VALID_CALLS + 1):
            calls = [*(("before", earlier) for _ in range(number)), ("got", recorded.call)]
            *_, before, got = self._in_order(calls)
            if got.has_same_outcome(recorded):
                yield Reproduction([before, got], number)
                return

    def calls(self, case_result: CaseResult) -> list[ObservedCall]:
        """The calls of the case itself: one call, both sides of a relation, or a call between its controls.

        The outcome of a single call is known from the result, so no worker is started for it.
        """
        if isinstance(case_result.case.expectation, Agrees):
            return self._relation(case_result)
        if case_result.control is None:
            return [case_result.recorded_call()]
        call, control = case_result.as_called(case_result.case.call), case_result.as_called(case_result.control)
        return self._in_order([("before", control), ("got", call), ("after", control)])

    def calls_after(self, case_result: CaseResult, polluter: Case, api: str) -> Iterator[list[ObservedCall]]:
        """The case's call after each call of the polluter's case, any of which may have changed the result."""
        for earlier in self._earlier(case_result, polluter, api):
            if isinstance(case_result.case.expectation, Agrees):
                yield self._relation(case_result, earlier)
            else:
                yield self._in_order([("earlier", earlier), ("got", case_result.as_called(case_result.case.call))])

    def _earlier(self, case_result: CaseResult, polluter: Case, api: str) -> Iterator[ApiCall]:
        if isinstance(polluter.expectation, Agrees):
            of_polluter = replace(case_result, case=polluter, result=replace(case_result.result, api=api))
            yield from (observed.call for observed in self._relation(of_polluter) if observed.call.api == api)
            return
        for call in filter(None, (polluter.call, polluter.control)):
            yield ApiCall(_cast_as_in(case_result, polluter, call), api, polluter.id)

    def _in_order(self, calls: Sequence[tuple[str, ApiCall]]) -> list[ObservedCall]:
        client = self._client()
        try:
            client.start()
            return [ObservedCall(name, call, client.call(call)) for name, call in calls]
        finally:
            client.close()

    def _client(self) -> Client:
        return Client(self.starter, self.limit)

    def _relation(self, case_result: CaseResult, earlier: ApiCall | None = None) -> list[ObservedCall]:
        client = self._client()
        try:
            apis = client.start()["apis"]
            before = [ObservedCall("earlier", earlier, client.call(earlier))] if earlier else []
            return [*before, *_relation_calls(case_result, client, apis)]
        finally:
            client.close()


def _shows(case_result: CaseResult, calls: Sequence[ObservedCall]) -> bool:
    """Whether the calls reproduce a result, though perhaps with other wrong values."""
    if case_result.result.relation is not None:
        outcomes = {call.name: call.outcome for call in calls}
        recorded_left, recorded_right = case_result.recorded_sides()
        # A side that is an argument, or computed from arguments alone, has no call.
        left, right = outcomes.get("left", recorded_left), outcomes.get("right", recorded_right)
        return right is None or not is_same(left, right, "bits")
    last, expectation = calls[-1], case_result.case.expectation
    if last.has_same_outcome(case_result.recorded_call()):
        return True
    result = last.observation.result
    return isinstance(expectation, Returning) and result is not None and not matches(of_value(expectation), result)


def _cast_as_in(case_result: CaseResult, polluter: Case, call: Applied) -> Applied:
    """A call of the polluter's case with its indices cast to the dtypes of the other result."""
    if polluter is case_result.case:
        return case_result.as_called(call).call
    return cast_indices(call, list(dict.fromkeys(case_result.cast.values())))[0]


def _relation_calls(case_result: CaseResult, client: Client, apis: Sequence[dict[str, Any]]) -> Iterator[ObservedCall]:
    """The calls of both sides as in a run, each with the results of the previous ones; of refused ones only the first."""
    case, result = case_result.case, case_result.result
    assert isinstance(case.expectation, Agrees)
    relation = case.expectation.relation
    own = next((api for api in apis if (api["name"], api["operation"]) == (result.api, case.operation.name)), None)
    if own is None:  # a polluter may have been called for a relation on another API, whose calls are unknown
        return
    subject = Subject(result.standing, None, immutable=False)
    chosen = partners(relation, own, apis)
    attempt = RelationAttempt(case, result.api, subject, chosen, keeps_indices=result.standing in BINDING)
    for name, side in (("left", relation.left), ("right", relation.right)):
        calls = _Calls(client)
        attempt.side(calls, side)
        answered = [observed for observed in calls.observed if observed.observation.result is not None]
        # The last calls, if they were refused, are the reason why the side cannot be computed.
        refused = list(takewhile(lambda observed: observed.observation.result is None, reversed(calls.observed)))
        shown = [*answered, *refused[-1:]]
        for number, observed in enumerate(shown, 1):
            yield replace(observed, name=name if number == len(shown) else f"{name}_{number}")


@dataclass(frozen=True)
class _Calls:
    """Makes calls, and keeps them with what they come to."""

    client: Client
    observed: list[ObservedCall] = field(default_factory=list)

    def call(self, call: ApiCall) -> Observation:
        observation = self.client.call(call)
        self.observed.append(ObservedCall("", call, observation))
        return observation
