"""One target's share of a run: every case on every API that stands for its operation."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from conformance.cases.model import Agrees, Case, Returns
from conformance.runs.client import Client, GaveUp, Prepared, Stopped
from conformance.runs.events import Event, ResultReady, TargetBlocked, TargetFinished, TargetPreparing, TargetStarted
from conformance.runs.ledger.book import Book
from conformance.runs.ledger.model import CaseFacts, Ledger
from conformance.runs.patience import Patience
from conformance.runs.records import CaseRecord, MappingRecord, StaleRecord, TargetRecord
from conformance.runs.share import Share
from conformance.targets import errors
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
        self._emit = emit
        self._stopped = threading.Event()
        self.error: Exception | None = None
        """A fault of the suite itself, which ended this target's part."""
        self.stale: list[StaleRecord] = []
        """Entries of the ledger that do not say what happened; empty until all results are there."""
        self._client: Client | None = None

    def stop(self) -> None:
        """End at once: the call under way is lost, what was emitted stays."""
        self._stopped.set()
        if self._client is not None:
            self._client.stop()

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
            if self._client is not None:
                self._client.close()
        self._emit(TargetFinished(self.asked, time.monotonic() - started))

    def _blocked(self, reason: str) -> None:
        if not self._stopped.is_set():
            self._emit(TargetBlocked(self.asked, reason))

    def _run(self) -> None:
        if self._stopped.is_set():
            return
        prepared = self._prepare(lambda message: self._emit(TargetPreparing(self.asked, message)))
        self._emit(TargetPreparing(self.asked, "starting"))
        self._client = client = Client(prepared, self._script, self._limit)
        ready = client.start()
        record = _target_record(prepared, ready)
        here = (None, "gpu" if prepared.gpu else "cpu")
        pairs = [
            (case, api)
            for case in _harmless_first(self._cases)
            for api in ready["apis"]
            if api["operation"] == case.operation.name and case.device in here
        ]
        self._emit(TargetStarted(self.asked, record, len(pairs)))
        for api in ready["apis"]:
            self._emit(_mapping(record.id, api))
        immutable = bool(ready["about"].get("immutable"))
        apis = [(api["name"], api["operation"]) for api in ready["apis"]]
        book = Book(self._ledger, record, self._everything, apis, gpu=prepared.gpu)
        share = Share(client, record, immutable, prepared.eager, ready["apis"], self._patience, known=book.known)
        for found in share.results(pairs):
            if isinstance(found, CaseRecord):
                self._emit(found)
                continue
            book.note(found)
            self._emit(ResultReady(self.asked, found))
        self.stale = book.stale()


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
