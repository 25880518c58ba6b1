"""A started target: pairs of cases and APIs go in, final results come out.

A run begins one batch of all pairs, pytest one for each item. Each worker of the target's mode has a thread, which makes
the calls of batches in their order. The findings of a batch are confirmed either by the same thread after the calls, or, if
the session is ``piecewise``, by two more threads while the calls of later batches are made.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import cycle
from pathlib import Path

from conformance.cases.model import ApiCall, Case
from conformance.cases.shards import part_of
from conformance.cases.variation import is_expensive
from conformance.events import Activity, Event, TargetActivity, TargetNotice, TargetPreparing
from conformance.execution.attempt import AttemptResult
from conformance.execution.budget import Hangs, form_count, left_out, sampling_cost
from conformance.execution.calls import Output, WorkerCalls
from conformance.execution.client import Client, ClientFactory, CurrentCall, Stopped
from conformance.execution.fresh import AT_ONCE
from conformance.execution.measurements import cores
from conformance.execution.plan import Job, Plan
from conformance.execution.repeat import PROCESSES, thread_setting
from conformance.execution.resume import Checkpoint, check_same
from conformance.execution.shipped import (
    Shipped,
    documented_objects,
    read_documentation,
    run_examples,
    with_documentation,
)
from conformance.execution.target import Attempts, Pair, StartedTarget, pairs_of, places_of, started
from conformance.execution.threads import Clock, Thread, Work
from conformance.execution.together import Learned, Together
from conformance.known.ledger import Ledger
from conformance.outcomes.model import Died
from conformance.processes.worker_starter import WorkerStarter
from conformance.results.records import CaseRecord, ExampleRecord, MappingRecord, ResultRecord, TargetRecord
from conformance.specification.vocabulary import LeftOut

_OFTEN = 3
"""Processes that were ended from outside, from which the machine is suspected."""


class Session:
    """The workers of one target; ``close`` or ``end`` ends them."""

    def __init__(
        self,
        plan: Plan,
        job: Job,
        script: Path,
        tell: Callable[[Event], None] = lambda _: None,
        *,
        checkpoint: Checkpoint | None = None,
        piecewise: bool = False,
        client: ClientFactory = Client,
    ) -> None:
        """script: the program of a worker. tell: is called with what happens meanwhile, from several threads.

        checkpoint: results that need not be made again. piecewise: several batches are begun, each of which somebody waits
        for.
        """
        self.job = job
        self._plan = plan
        self._script = script
        self._tell = tell
        self._checkpoint = checkpoint
        self._piecewise = piecewise
        self._new_client = client
        self._is_stopped = False
        self._starters: list[WorkerStarter] = []
        self._clients: list[Client] = []
        self._workers: list[_Worker] = []
        """One for each worker of the mode."""
        self._confirming: list[_Worker] = []
        """Those that confirm findings while the others make calls; none if these do."""
        self._learned = Learned()
        self._busy = Clock()
        self._interruptions = 0
        self._hangs = Hangs(plan.hang_limits, lambda: sum(client.waited for client in tuple(self._clients)))
        self._not_repeated: str | None = None if plan.repeats else "the run is a quick one"

    def start(self) -> None:
        """Prepare and start the target; TargetBlocked if that fails, and Stopped after ``stop``."""
        try:
            with self._busy:
                self._start()
        except BaseException:
            self.close()
            raise

    def _start(self) -> None:
        plan, asked = self._plan, self.job.target.asked
        starter = self._starter(self.job.early() or self._prepared())
        prepared = starter.prepared
        below = " below memcheck, which is slow" if plan.memcheck is not None else ""
        self._tell(TargetPreparing(asked, f"importing {prepared.target.title}{below}, limit {plan.start_limit:g} s"))
        calling = [self._client(starter, plan.before_call) for _ in range(prepared.mode.workers)]
        ready = calling[0].start()
        start = plan.start if calling[0].restarts_fast else "spawn"
        threaded = prepared.with_threads(thread_setting(cores()))
        repeating = self._starter(
            WorkerStarter(
                threaded,
                self._script,
                start,
                plan.start_limit,
                fresh_compile=plan.fresh_compile,
                memcheck=plan.memcheck,
            )
        )
        target = started(prepared, ready, plan.memcheck.version if plan.memcheck is not None else None)
        self._shipped = read_documentation(target, plan.documents.values(), calling[0])
        target = with_documentation(target, plan.documents.values(), self._shipped)
        pairs = [(case, api) for case, api in pairs_of(plan.cases, target) if plan.calls(api["name"])]
        self.target = self._complete(target, pairs)
        if self._checkpoint is not None:
            check_same(self._checkpoint, self.record)
        self.mappings: Sequence[MappingRecord] = self.target.mappings()
        done = self._checkpoint.done if self._checkpoint is not None else frozenset()
        self.pairs: Sequence[Pair] = [
            (case, api)
            for case, api in pairs
            if (case.id, api["name"]) not in self._skipped and (case.id, api["name"]) not in done
        ]
        """Each case that the target runs, with each API that it runs on, without those of the checkpoint."""
        existing = self._checkpoint.results if self._checkpoint is not None else ()
        self.ledger = Ledger(self.job.known, self.record, plan.every_case(), self.mappings, existing)
        self._workers = [self._worker(number, client, repeating) for number, client in enumerate(calling)]
        if plan.tries and not is_expensive(prepared.mode.shape):
            self._workers[0].calls.check(self.pairs)
        for remark in self.ledger.remarks:
            self._notice(remark)
        if self._piecewise:
            self._confirming = [self._confirmer(starter, repeating) for _ in range(AT_ONCE)]
            self._next_to_confirm = cycle(self._confirming)

    def _complete(self, target: StartedTarget, pairs: Sequence[Pair]) -> StartedTarget:
        """The target with the counts of what its mode is too expensive for in its record; pairs: those that it could run."""
        self._concerned = pairs
        self._omitted: dict[LeftOut, list[Case]] = {}
        self._skipped: set[tuple[str, str]] = set()
        of_apis: dict[tuple[str, str], list[Case]] = {}
        for case, api in pairs if self._plan.samples else ():
            of_apis.setdefault((api["name"], api["operation"]), []).append(case)
        cost, places = sampling_cost(target.prepared.mode), places_of(target.apis)
        for key, of_api in of_apis.items():
            for reason, cases in left_out(of_api, cost, places[key]).items():
                self._omitted.setdefault(reason, []).extend(cases)
                self._skipped.update((case.id, key[0]) for case in cases)
        return self._counted(target, lambda _: True)

    def _counted(self, target: StartedTarget, is_selected: Callable[[Case], bool]) -> StartedTarget:
        numbers = {reason: sum(map(is_selected, cases)) for reason, cases in sorted(self._omitted.items())}
        counts = {reason: number for reason, number in numbers.items() if number}
        run = {
            case.id: case
            for case, api in self._concerned
            if (case.id, api["name"]) not in self._skipped and is_selected(case)
        }
        forms = form_count(run.values(), sampling_cost(target.prepared.mode))
        return replace(target, record=replace(target.record, left_out=counts, forms=forms))

    def count_of(self, clauses: Collection[str]) -> None:
        """Count in the record what the mode leaves out of these clauses, since the pairs of no others will be begun."""
        self.target = self._counted(self.target, lambda case: case.clause.id in clauses)

    def _prepared(self) -> WorkerStarter:
        asked = self.job.target.asked
        prepared = self.job.prepare(lambda message: self._tell(TargetPreparing(asked, message)))
        plan = self._plan
        return WorkerStarter(
            prepared,
            self._script,
            plan.start,
            plan.start_limit,
            fresh_compile=plan.fresh_compile,
            memcheck=plan.memcheck,
        )

    def _starter(self, starter: WorkerStarter) -> WorkerStarter:
        starter.report = self._notice
        self._starters.append(starter)
        if self._is_stopped:
            raise Stopped
        return starter

    def _client(self, starter: WorkerStarter, before_call: Callable[[ApiCall], None] | None = None) -> Client:
        client = self._new_client(starter, self._plan.limit, before_call)
        self._clients.append(client)
        if self._is_stopped:  # by another thread, which did not know it
            client.stop()
        return client

    def _worker(self, number: int, client: Client, repeating: WorkerStarter) -> _Worker:
        # Items would otherwise start ten processes each; these share most of their memory with the one they are forked from.
        kept = [self._client(repeating) for _ in range(PROCESSES)] if self._piecewise else []
        calls = WorkerCalls(
            client,
            self._client(repeating),
            Attempts(self.target),
            self.ledger,
            self._plan.failure_limit,
            self._not_repeated_because,
            partial(self._active, number),
            self._plan.repeats,
            self._plan.fatal,
            kept,
            self._hangs,
            self._interrupted,
            self._together(client),
        )
        return _Worker(calls, [client, calls.repeating, *kept])

    def _together(self, client: Client) -> Together | None:
        """What makes the calls of a client that its mode compiles many at once."""
        prepared = self.target.prepared
        if prepared.mode.together == 1 or self._plan.before_call is not None:
            return None
        tried = not is_expensive(prepared.default_mode.shape)
        return Together(client, prepared.mode.together, tried, prepared.mode.path, self._notice, self._learned)

    def _confirmer(self, starter: WorkerStarter, repeating: WorkerStarter) -> _Worker:
        client, repeats = self._client(starter), self._client(repeating)
        return _Worker(
            replace(self._workers[0].calls, client=client, repeating=repeats, together=None), [client, repeats]
        )

    @property
    def record(self) -> TargetRecord:
        """The record of the target as it was started; that of ``end`` has what was measured too."""
        return self.target.record

    @property
    def current_call(self) -> CurrentCall | None:
        """Of the calls that its workers make at the moment, the one that was made first."""
        calls = (call for client in list(self._clients) for call in client.current_calls())
        return min(calls, key=lambda call: call.since, default=None)

    def standing(self, pair: Pair) -> str:
        """Whether the API is judged by its own documentation."""
        return self._workers[0].calls.attempts.standing(*pair)

    def begin(self, pairs: Sequence[Pair], take: Callable[[Output], None] | None = None) -> Batch:
        """Begin to make the calls of the pairs, after those that were begun before.

        take: is called with each final result as soon as there is one, from the threads that make the calls; without it, the
        batch keeps them. RuntimeError in a forked process, which does not have these threads.
        """
        batch = Batch(len(pairs), take)
        for worker, part in zip(self._workers, _parts(pairs, len(self._workers)), strict=True):
            if part:
                batch.add(worker.thread, worker.thread.begin(partial(self._called, worker, part, batch)))
        return batch

    def _called(self, worker: _Worker, pairs: Sequence[Pair], batch: Batch) -> None:
        """Make the calls of a part of a batch, and confirm its findings, or begin to."""
        with self._busy:
            worker.count_endings_anew()
            held: list[AttemptResult] = []
            for output in worker.calls.first(pairs, held):
                self._take(output, batch)
            if not self._piecewise:
                self._confirmed(worker, held, batch)
            elif held:
                confirming = next(self._next_to_confirm)
                confirmed = confirming.thread.begin(partial(self._confirmed, confirming, held, batch))
                batch.add(confirming.thread, confirmed)

    def _confirmed(self, worker: _Worker, held: Sequence[AttemptResult], batch: Batch) -> None:
        with self._busy:
            if self._piecewise:
                worker.count_endings_anew()
            for output in worker.calls.confirmed(held):
                self._take(output, batch)

    def _take(self, output: Output, batch: Batch) -> None:
        if isinstance(output, ResultRecord):
            self.ledger.note(output)
        batch.take(output)

    def examples(self, operations: Collection[str]) -> list[ExampleRecord]:
        """The examples in the documentation of the APIs that implement these operations, once they were run."""
        worker = self._workers[0]
        documents = self._plan.documents.values()
        names = documented_objects(self.target, operations, self._plan.calls)

        def run() -> list[ExampleRecord]:
            with self._busy:
                return list(run_examples(self.target, names, self._shipped, documents, worker.calls.client))

        return worker.thread.result(worker.thread.begin(run))

    def unmapped(self, mapped: Sequence[str]) -> Mapping[str, Sequence[str]]:
        """The callables of the framework that are none of these, as the client gives them."""
        worker = self._workers[0]
        return worker.thread.result(worker.thread.begin(partial(worker.calls.client.unmapped, mapped)))

    def variants(self, words: Sequence[str]) -> list[str]:
        """The variants of the adapter's APIs that the framework has, as the client gives them."""
        worker = self._workers[0]
        return worker.thread.result(worker.thread.begin(partial(worker.calls.client.variants, words)))

    @property
    def shipped(self) -> Shipped:
        """The documentation that ships with the target."""
        return self._shipped

    def end(self) -> TargetRecord:
        """End the workers, and return the record of the target with its duration, memory and number of processes."""
        self.close()
        together = [worker.calls.together for worker in self._workers if worker.calls.together is not None]
        memory = sum(worker.calls.client.memory or 0 for worker in self._workers)
        return replace(
            self.record,
            seconds=round(self._busy.seconds, 3),
            memory=memory or None,
            not_repeated=self._not_repeated,
            imports=sum(starter.imported for starter in self._starters),
            forks=sum(starter.forked for starter in self._starters),
            groups=sum(one.groups for one in together) if together else None,
            made_again=sum(one.again for one in together) if together else None,
        )

    def stop(self) -> None:
        """End the workers immediately, from another thread; the current calls are lost, and what waits raises Stopped."""
        self._is_stopped = True
        for client in tuple(self._clients):
            client.stop()
        for starter in tuple(self._starters):
            starter.stop()

    def close(self) -> None:
        """End the workers; what was begun is not finished."""
        threads = [worker.thread for worker in (*self._workers, *self._confirming)]
        under_way = [thread.leave() for thread in threads]
        if any(under_way):
            self.stop()
        for thread in threads:
            thread.join()
        for worker in self._workers:
            worker.calls.client.close()  # which notes its memory
        for client in self._clients:
            client.stop()
            client.close()
        for starter in self._starters:
            starter.close()

    def _notice(self, message: str) -> None:
        self._tell(TargetNotice(self.job.target.asked, message))

    def _active(self, worker: int, activity: Activity, done: int, total: int) -> None:
        self._tell(TargetActivity(self.job.target.asked, worker, activity, done, total))

    def _interrupted(self, finding: AttemptResult) -> None:
        self._interruptions += 1
        attempt, ending = finding.attempt, finding.observation.outcome
        signal = ending.signal if isinstance(ending, Died) else None
        often = "; the memory of this machine may be short" if self._interruptions >= _OFTEN else ""
        self._notice(
            f"a process was ended from outside ({signal}) in {attempt.api} with {attempt.case.id}, which conforms when it is "
            f"repeated{often}"
        )

    def _not_repeated_because(self, reason: str) -> None:
        self._not_repeated = self._not_repeated or reason
        self._notice(f"calls with duplicate indices were not repeated: {reason}")


class Batch:
    """The results of some pairs: final, confirmed, and matched with the known divergences."""

    def __init__(self, pairs: int, take: Callable[[Output], None] | None) -> None:
        self._parts: list[tuple[Thread, Work[None]]] = []
        self._outputs: list[Output] = []
        self._missing = pairs
        self._lock = threading.Lock()
        self._taken = take or self._outputs.append

    def add(self, thread: Thread, work: Work[None]) -> None:
        """Note a part of it, which a thread does."""
        self._parts.append((thread, work))

    def take(self, output: Output) -> None:
        """Take a final result, or the case of a counterexample, which its result follows."""
        with self._lock:
            # the result of a counterexample is not for a pair
            self._missing += 1 if isinstance(output, CaseRecord) else -1
            self._taken(output)

    def wait(self) -> bool:
        """Wait for it, before what was begun and is not under way; whether each pair has a result.

        Raises what ended one of its parts, after all of them have ended.
        """
        errors = []
        for thread, work in self._parts:  # which grows meanwhile
            try:
                thread.result(work)
            except Exception as error:
                errors.append(error)
        if errors:
            raise errors[0]
        return self._missing == 0

    def outputs(self) -> Sequence[Output]:
        """A result for each pair, once all are there; a counterexample follows its case."""
        self.wait()
        return self._outputs


@dataclass(frozen=True)
class _Worker:
    """Calls, with the thread that makes them and all clients that it uses."""

    calls: WorkerCalls
    clients: Sequence[Client]
    thread: Thread = field(default_factory=Thread)

    def count_endings_anew(self) -> None:
        """Forget how many workers in a row ended, since the next calls are unrelated."""
        for client in self.clients:
            client.count_endings_anew()


def _parts(pairs: Sequence[Pair], number: int) -> Sequence[Sequence[Pair]]:
    """The pairs divided among workers; one of them runs a case on all its APIs."""
    if number == 1:
        return [pairs]
    parts: list[list[Pair]] = [[] for _ in range(number)]
    for case, api in pairs:
        parts[part_of(case, number, "workers")].append((case, api))
    return parts
