"""One target's share of a run: every case on every API that stands for its operation."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import replace
from pathlib import Path

from conformance.cases.model import Agrees, Case, Returns
from conformance.events import Event, ResultReady, TargetBlocked, TargetFinished, TargetPreparing, TargetStarted
from conformance.execution.budget import is_expensive, left_out
from conformance.execution.checkpoint import Earlier, check_same
from conformance.execution.client import Client, GaveUp, Stopped
from conformance.execution.executor import Pair, Share
from conformance.execution.failure_limit import Patience
from conformance.execution.parallel import divided
from conformance.known.matching import Book
from conformance.known.model import CaseFacts, Ledger
from conformance.results.records import (
    CaseRecord,
    MappingRecord,
    ResultRecord,
    TallyRecord,
    TargetRecord,
    documents_device,
)
from conformance.targets import errors
from conformance.targets.prepared import Prepared
from conformance.worker.frames import Message

Say = Callable[[str], None]


class TargetRun:
    """Runs cases on one target and emits events; ``stop`` ends it from another thread."""

    def __init__(
        self,
        asked: str,
        prepare: Callable[[Say], Prepared],
        cases: Sequence[Case],
        *,
        ledger: Ledger,
        everything: Sequence[CaseFacts],
        script: Path,
        limit: float,
        patience: Patience | None,
        earlier: Earlier | None = None,
        emit: Callable[[Event | MappingRecord | CaseRecord], None],
    ) -> None:
        self.asked = asked
        self._prepare = prepare
        self._cases = cases
        self._ledger = ledger
        self._everything = everything
        self._script = script
        self._limit = limit
        self._patience = patience
        self._earlier = earlier
        self._emit = emit
        self._stopped = threading.Event()
        self.error: Exception | None = None
        """A fault of the suite itself, which ended this target's part."""
        self.tallies: list[TallyRecord] = []
        """What was seen of the entries of the ledger; empty until all results are there."""
        self._finished: TargetRecord | None = None
        self._clients: list[Client] = []

    def stop(self) -> None:
        """End at once: the call under way is lost, what was emitted stays."""
        self._stopped.set()
        for client in self._clients:
            client.stop()

    def run(self) -> None:
        """Everything, from preparing the target to its last result; never raises."""
        started = time.monotonic()
        try:
            self._run()
        except Stopped:
            pass
        except (errors.TargetBlocked, GaveUp) as error:
            self._blocked(str(error))
        except Exception as error:
            self.error = error  # raised again by the runner, once the others are done
        finally:
            for client in self._clients:
                client.close()
        seconds = time.monotonic() - started
        self._emit(TargetFinished(self.asked, seconds, self._record_at_the_end(seconds)))

    def _record_at_the_end(self, seconds: float) -> TargetRecord | None:
        if self._finished is None or not self._clients:
            return self._finished
        memory = sum(one.memory or 0 for one in self._clients)
        return replace(self._finished, seconds=round(seconds, 3), memory=memory or None)

    def _blocked(self, reason: str) -> None:
        if not self._stopped.is_set():
            self._emit(TargetBlocked(self.asked, reason))

    def _run(self) -> None:
        if self._stopped.is_set():
            return
        if self._earlier is not None and self._earlier.finished:
            self._emit(TargetPreparing(self.asked, "has all its results already"))
            self._take_stock(self._earlier)
            return
        prepared = self._prepare(lambda message: self._emit(TargetPreparing(self.asked, message)))
        self._emit(TargetPreparing(self.asked, "starting"))
        self._clients = [Client(prepared, self._script, self._limit) for _ in range(prepared.workers)]
        client, *others = self._clients
        ready = client.start()
        without = left_out(self._cases, prepared.shape)
        number = {why: len(some) for why, some in sorted(without.items())}
        record = replace(_target_record(prepared, ready), asked=self.asked, left_out=number)
        if self._earlier is not None:
            check_same(self._earlier, record)
        pairs = self._pairs(prepared, ready["apis"], {case.id for some in without.values() for case in some})
        self._emit(TargetStarted(self.asked, record, len(pairs)))
        mappings = [_mapping(record.id, api) for api in ready["apis"]]
        for mapping in mappings if self._earlier is None else ():
            self._emit(mapping)
        immutable = bool(ready["about"].get("immutable"))
        book = self._book(Earlier(record, mappings, self._earlier.results if self._earlier else ()))
        share = Share(client, record, immutable, prepared.eager, ready["apis"], self._patience)
        share = replace(share, known=book.known, at_times=book.is_at_times)
        share = replace(share, shrinks=not is_expensive(prepared.shape))
        given = self._give(divided(share, others, pairs), book)
        self.tallies = book.tallies()
        if given == len(pairs) and not self._stopped.is_set():
            self._finished = record

    def _pairs(self, prepared: Prepared, apis: Sequence[Message], dropped: Set[str]) -> list[Pair]:
        """The calls that are to be made: all but those of cases that are left out, and those that were made before."""
        done = self._earlier.done if self._earlier is not None else frozenset()
        here = (None, documents_device(prepared.device, gpu=prepared.gpu))
        return [
            (case, api)
            for case in _harmless_first([one for one in self._cases if one.id not in dropped])
            for api in apis
            if api["operation"] == case.operation.name and case.device in here and (case.id, api["name"]) not in done
        ]

    def _give(self, results: Iterable[ResultRecord | CaseRecord], book: Book) -> int:
        """Hand over results as they come; how many calls that were to be made they are of."""
        given = 0
        for found in results:
            if isinstance(found, CaseRecord):
                self._emit(found)
                given -= 1  # its result comes besides those of the calls that were planned
                continue
            given += 1
            book.note(found)
            self._emit(ResultReady(self.asked, found))
        return given

    def _book(self, begun: Earlier) -> Book:
        """The ledger held against a target, with the results that are there already."""
        apis = [(one.api, one.operation) for one in begun.mappings]
        book = Book(self._ledger, begun.record, self._everything, apis, gpu=begun.record.gpu)
        for result in begun.results:
            book.note(result)
        return book

    def _take_stock(self, earlier: Earlier) -> None:
        """What there is to tell of a target that finished before."""
        self.tallies = self._book(earlier).tallies()


def _harmless_first(cases: Sequence[Case]) -> list[Case]:
    """Calls that should fail come last: one that is let through may harm the process and what comes after it."""
    return sorted(cases, key=lambda case: not isinstance(case.expectation, Returns | Agrees))


def _target_record(prepared: Prepared, ready: Message) -> TargetRecord:
    version = ready["about"].get("version") or prepared.version
    return TargetRecord(
        id=prepared.id(version),
        framework=prepared.framework,
        version=version,
        device=prepared.device,
        mode=prepared.mode,
        python=ready["python"],
        numpy=ready["numpy"],
        packages=dict(prepared.packages),
        variables=dict(prepared.variables),
        gpu=prepared.gpu,
        title=prepared.title,
        issues=prepared.issues,
    )


def _mapping(target: str, api: Message) -> MappingRecord:
    return MappingRecord(
        target=target,
        api=api["name"],
        operation=api["operation"],
        composed=api["composed"],
        source=api["source"],
        in_place=api["in_place"],
        follows=api["follows"],
    )
