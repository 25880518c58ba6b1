"""One target's part of a run, from its preparation to its last result."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Set
from dataclasses import replace
from functools import partial
from pathlib import Path

from conformance.cases.model import ApiCall
from conformance.events import (
    Activity,
    Event,
    ResultReady,
    TargetActivity,
    TargetBlocked,
    TargetFinished,
    TargetNotice,
    TargetPreparing,
    TargetStarted,
)
from conformance.execution.attempts import Attempts
from conformance.execution.budget import form_count, is_expensive, left_out
from conformance.execution.checkpoint import Checkpoint, check_same, checkpoint_of
from conformance.execution.client import Client, GaveUp, Stopped
from conformance.execution.concurrency import cores
from conformance.execution.examples import run_examples
from conformance.execution.pairs import pairs_of
from conformance.execution.parallel import in_parallel
from conformance.execution.plan import Plan
from conformance.execution.preparing import Job
from conformance.execution.repeating import thread_setting
from conformance.execution.shipped import Shipped, read_documentation, with_documentation
from conformance.execution.started import StartedTarget, started
from conformance.execution.trying import check_calls
from conformance.execution.worker_calls import Output, Pair, WorkerCalls
from conformance.known.matching import Matcher
from conformance.results.records import (
    CaseRecord,
    ExampleRecord,
    MappingRecord,
    PatternCountRecord,
    TargetRecord,
)
from conformance.targets import errors
from conformance.targets.worker_starter import WorkerStarter

Emit = Callable[[Event | MappingRecord | CaseRecord | ExampleRecord], None]


class TargetExecutor:
    """Runs the cases of a plan on one target and emits events; ``stop`` ends it from another thread."""

    def __init__(self, plan: Plan, job: Job, script: Path, emit: Emit) -> None:
        """script: the program of a worker."""
        self.job = job
        self._plan = plan
        self._script = script
        self._emit = emit
        self._checkpoint = checkpoint_of(plan.checkpoint, job.target.asked) if plan.checkpoint is not None else None
        self._stopped = threading.Event()
        self.error: Exception | None = None
        """An internal error, which ended this target's part."""
        self.pattern_counts: list[PatternCountRecord] = []
        """Counts of known divergences; empty until all results are available."""
        self._finished: TargetRecord | None = None
        self._reason_not_repeated: str | None = None if plan.repeats else "the run is a quick one"
        self._clients: list[Client] = []
        self._repeating_clients: list[Client] = []
        self._starters: list[WorkerStarter] = []

    @property
    def current_call(self) -> ApiCall | None:
        """The call that one of its workers makes, or made last; None if none has made a call."""
        calls = (client.current_call for client in (*self._repeating_clients, *self._clients))
        return next((call for call in calls if call is not None), None)

    @property
    def _asked(self) -> str:
        return self.job.target.asked

    def stop(self) -> None:
        """End immediately; the current call is lost."""
        self._stopped.set()
        for client in (*self._clients, *self._repeating_clients):
            client.stop()
        for starter in self._starters:
            starter.stop()

    def run(self) -> None:
        """Run from preparing the target to its last result; never raises."""
        begun = time.monotonic()
        try:
            self._run()
        except Stopped:
            pass
        except (errors.TargetBlocked, GaveUp) as error:
            self._blocked(str(error))
        except Exception as error:
            self.error = error  # raised again by the runner, after all targets have finished
        finally:
            for client in (*self._clients, *self._repeating_clients):
                client.close()
            for starter in self._starters:
                starter.close()
        seconds = time.monotonic() - begun
        self._emit(TargetFinished(self._asked, seconds, self._final_record(seconds)))

    def _final_record(self, seconds: float) -> TargetRecord | None:
        if self._finished is None or not self._clients:
            return self._finished
        memory = sum(client.memory or 0 for client in self._clients)
        return replace(
            self._finished,
            seconds=round(seconds, 3),
            memory=memory or None,
            not_repeated=self._reason_not_repeated,
            imports=sum(starter.imported for starter in self._starters),
            forks=sum(starter.forked for starter in self._starters),
        )

    def _blocked(self, reason: str) -> None:
        if not self._stopped.is_set():
            self._emit(TargetBlocked(self._asked, reason))

    def _run(self) -> None:
        if self._stopped.is_set():
            return
        if self._checkpoint is not None and self._checkpoint.finished:
            self._emit(TargetPreparing(self._asked, "already complete"))
            self.pattern_counts = self._matcher(self._checkpoint).pattern_counts()
            return
        starter = self.job.early()
        if starter is None:
            prepared = self.job.prepare(lambda message: self._emit(TargetPreparing(self._asked, message)))
            starter = WorkerStarter(prepared, self._script, self._plan.start, self._plan.start_limit)
        prepared = starter.prepared
        self._emit(
            TargetPreparing(self._asked, f"importing {prepared.target.title}, limit {self._plan.start_limit:g} s")
        )
        self._clients = self._new_clients(starter)
        ready = self._clients[0].start()
        start = self._plan.start if self._clients[0].restarts_fast else "spawn"
        threaded = prepared.with_threads(thread_setting(cores()))
        self._repeating_clients = self._new_clients(
            WorkerStarter(threaded, self._script, start, self._plan.start_limit)
        )
        target = started(prepared, ready)
        documents = self._plan.documents.values()
        shipped = read_documentation(target, documents, self._clients[0])
        self._run_cases(with_documentation(target, documents, shipped), shipped)

    def _new_clients(self, starter: WorkerStarter) -> list[Client]:
        """A client for each worker of the mode."""
        starter.report = self._notice
        self._starters.append(starter)
        if self._stopped.is_set():
            raise Stopped
        before_call = self._plan.before_call
        return [Client(starter, self._plan.limit, before_call) for _ in range(starter.prepared.mode.workers)]

    def _notice(self, message: str) -> None:
        self._emit(TargetNotice(self._asked, message))

    def _active(self, worker: int, activity: Activity, done: int, total: int) -> None:
        self._emit(TargetActivity(self._asked, worker, activity, done, total))

    def _not_repeated(self, reason: str) -> None:
        self._reason_not_repeated = reason
        self._notice(f"calls with duplicate indices were not repeated: {reason}")

    def _run_cases(self, target: StartedTarget, shipped: Shipped) -> None:
        cost = target.prepared.mode.shape
        omitted = left_out(self._plan.cases, cost)
        counts = {reason: len(cases) for reason, cases in sorted(omitted.items())}
        skipped = {case.id for cases in omitted.values() for case in cases}
        forms = form_count((case for case in self._plan.cases if case.id not in skipped), cost)
        target = replace(target, record=replace(target.record, left_out=counts, forms=forms))
        if self._checkpoint is not None:
            check_same(self._checkpoint, target.record)
        pairs = self._pairs(target, skipped)
        if self._plan.tries and not is_expensive(cost):
            check_calls(self._clients[0], pairs)
        self._emit(TargetStarted(self._asked, target.record, len(pairs)))
        mappings = target.mappings()
        for mapping in mappings if self._checkpoint is None else ():
            self._emit(mapping)
        matcher = self._matcher(
            Checkpoint(target.record, mappings, self._checkpoint.results if self._checkpoint else ())
        )
        workers = [
            WorkerCalls(
                client,
                repeating,
                Attempts(target),
                matcher,
                self._plan.failure_limit,
                self._not_repeated,
                partial(self._active, number),
                self._plan.repeats,
                self._plan.fatal,
            )
            for number, (client, repeating) in enumerate(zip(self._clients, self._repeating_clients, strict=True))
        ]
        planned = self._emit_all(in_parallel(workers, pairs), matcher)
        self.pattern_counts = matcher.pattern_counts()
        if planned == len(pairs) and not self._stopped.is_set():
            operations = {case.operation.name for case in self._plan.cases}
            for example in run_examples(target, operations, shipped, self._plan.documents.values(), self._clients[0]):
                self._emit(example)
            self._finished = target.record

    def _pairs(self, target: StartedTarget, omitted: Set[str]) -> list[Pair]:
        """The calls to make, without those of omitted cases and those with a result in the checkpoint."""
        done = self._checkpoint.done if self._checkpoint is not None else frozenset()
        return [
            (case, api)
            for case, api in pairs_of(self._plan.cases, target, omitted)
            if (case.id, api["name"]) not in done
        ]

    def _emit_all(self, outputs: Iterable[Output], matcher: Matcher) -> int:
        """Emit results as they arrive, and return the number of those for planned calls."""
        planned = 0
        for output in outputs:
            if isinstance(output, CaseRecord):
                self._emit(output)
                planned -= 1  # the result of a counterexample is not for a planned call
                continue
            planned += 1
            matcher.note(output)
            self._emit(ResultReady(self._asked, output))
        return planned

    def _matcher(self, checkpoint: Checkpoint) -> Matcher:
        """A matcher for the target that has counted the existing results."""
        apis = [(mapping.api, mapping.operation) for mapping in checkpoint.mappings]
        matcher = Matcher(self.job.known, checkpoint.record, self._plan.every_case(), apis)
        for result in checkpoint.results:
            matcher.note(result)
        return matcher
