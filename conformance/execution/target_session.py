"""A target that stays started while the results of a few cases at a time are asked for, as by pytest.

Calls, judgements, confirmations and known divergences are those of ``TargetExecutor``; only the order of the calls differs.
One thread makes the calls, and can begin with them before their results are asked for; another one confirms findings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from conformance.execution.ahead import Ahead
from conformance.execution.attempt import AttemptResult
from conformance.execution.attempts import Attempts
from conformance.execution.budget import is_expensive, left_out
from conformance.execution.client import Client
from conformance.execution.concurrency import cores
from conformance.execution.pairs import pairs_of
from conformance.execution.plan import Plan
from conformance.execution.preparing import Job, Report
from conformance.execution.repeating import PROCESSES, Kept, thread_setting
from conformance.execution.shipped import read_documentation, with_documentation
from conformance.execution.started import StartedTarget, started
from conformance.execution.trying import check_calls
from conformance.execution.worker_calls import Output, Pair, WorkerCalls
from conformance.known.matching import Matcher
from conformance.results.records import ResultRecord, UnexpectedRecord
from conformance.targets.worker_starter import WorkerStarter


@dataclass(frozen=True)
class Called:
    """The results of some pairs whose findings are being confirmed."""

    outputs: Sequence[Output]
    confirm: Callable[[], list[Output]]
    """Gives the results of the findings."""
    confirming: Future[list[Output]] | None
    """What was begun of this; None without findings."""


@dataclass(frozen=True)
class Results:
    """The results of some pairs."""

    outputs: Sequence[Output]
    """A result for each pair; a counterexample follows its case."""
    passes: Sequence[UnexpectedRecord]
    """The known divergences of these pairs alone that did not happen as recorded."""


class TargetSession:
    """A started target; ``close`` ends its processes."""

    def __init__(self, plan: Plan, job: Job, script: Path, report: Report = lambda _: None) -> None:
        """Prepare and start the target; TargetBlocked if that fails. script: the program of a worker."""
        self._starter = job.early() or WorkerStarter(job.prepare(report), script, plan.start, plan.start_limit)
        self._calling, self._confirming = Ahead(), Ahead()
        prepared = self._starter.prepared
        self._client = Client(self._starter, plan.limit)
        threaded = prepared.with_threads(thread_setting(cores()))
        self._repeating_starter = WorkerStarter(threaded, script, plan.start, plan.start_limit)
        self._repeating_client = Client(self._repeating_starter, plan.limit)
        self._for_confirming = [Client(each, plan.limit) for each in (self._starter, self._repeating_starter)]
        # Items would otherwise start ten processes each; these share most of their memory with the one they are forked from.
        self._kept = [Client(self._repeating_starter, plan.limit) for _ in range(PROCESSES)]
        try:
            ready = self._client.start()
            target, documents = started(prepared, ready), plan.documents.values()
            self.target = with_documentation(target, documents, read_documentation(target, documents, self._client))
        except BaseException:
            self.close()
            raise
        self._matcher = _matcher(plan, job, self.target)
        attempts = Attempts(self.target)
        self._attempts = attempts
        omitted = left_out(plan.cases, prepared.mode.shape)
        omitted_ids = {case.id for cases in omitted.values() for case in cases}
        self.pairs = pairs_of(plan.cases, self.target, omitted_ids)
        """Each case that the target runs, with each API that it runs on."""
        kept = Kept(self._kept.__getitem__, sum(case.duplicates is not None for case, _ in self.pairs))
        self._calls = WorkerCalls(
            self._client, self._repeating_client, attempts, self._matcher, None, _ignored, kept=kept
        )
        alone, repeating = self._for_confirming
        self._confirmations = replace(self._calls, client=alone, repeating=repeating)
        if not is_expensive(prepared.mode.shape):
            try:
                check_calls(self._client, self.pairs)
            except BaseException:
                self.close()
                raise

    @property
    def _clients(self) -> list[Client]:
        return [self._client, self._repeating_client, *self._kept]

    @property
    def _starters(self) -> list[WorkerStarter]:
        return [self._starter, self._repeating_starter]

    def standing(self, pair: Pair) -> str:
        """Whether the API is judged by its own documentation."""
        return self._attempts.standing(*pair)

    def begin(self, pairs: Sequence[Pair]) -> Future[Called]:
        """Begin to run the pairs, after those that were begun before."""
        return self._calling.begin(partial(self._called, pairs))

    def results(self, pairs: Sequence[Pair], begun: Future[Called] | None = None) -> Results:
        """The results of the pairs, with confirmed findings; begun: what ``begin`` returned for them."""
        called = self._calling.result(partial(self._called, pairs), begun)
        outputs = [*called.outputs]
        if called.confirming is not None:
            confirmed = self._confirming.result(called.confirm, called.confirming)
            outputs += confirmed
        for output in outputs:
            if isinstance(output, ResultRecord):
                self._matcher.note(output)
        return Results(outputs, self._matcher.unexpected_among({(case.id, api["name"]) for case, api in pairs}))

    def _called(self, pairs: Sequence[Pair]) -> Called:
        _count_endings_anew(self._clients)
        findings: list[AttemptResult] = []
        outputs = list(self._calls.first(pairs, findings))
        confirm = partial(self._confirmed, findings)
        return Called(outputs, confirm, self._confirming.begin(confirm) if findings else None)

    def _confirmed(self, findings: Sequence[AttemptResult]) -> list[Output]:
        _count_endings_anew(self._for_confirming)
        return list(self._confirmations.confirmed(findings))

    def close(self) -> None:
        """End its processes; what was begun is not finished."""
        for thread in (self._calling, self._confirming):
            thread.stop(self._stop)
        for client in [*self._clients, *self._for_confirming]:
            client.close()
        for starter in self._starters:
            starter.close()

    def _stop(self) -> None:
        for client in [*self._clients, *self._for_confirming]:
            client.stop()
        for starter in self._starters:
            starter.stop()


def _count_endings_anew(clients: Iterable[Client]) -> None:
    """Forget how many workers in a row ended, since the next calls are unrelated."""
    for client in clients:
        if client.current_call is None:
            client.forget()


def _matcher(plan: Plan, job: Job, target: StartedTarget) -> Matcher:
    apis = [(mapping.api, mapping.operation) for mapping in target.mappings()]
    return Matcher(job.known, target.record, plan.every_case(), apis)


def _ignored(_: str) -> None:
    """The target record says why calls were not repeated."""
