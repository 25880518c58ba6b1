"""One target's share of a run: every case on every API that stands for its operation."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from conformance.cases.casting import cast_indices
from conformance.cases.model import Case
from conformance.judging.judge import Judgement, Subject, Witness, judge
from conformance.judging.standing import standing_of
from conformance.runs.client import Client, GaveUp, Prepared
from conformance.runs.describe import result_record
from conformance.runs.events import Event, ResultReady, TargetBlocked, TargetFinished, TargetPreparing, TargetStarted
from conformance.runs.records import MappingRecord, ResultRecord, TargetRecord
from conformance.spec.model import Call, Raises
from conformance.targets import errors
from conformance.worker.frames import Message

Say = Callable[[str], None]
Pair = tuple[Case, Message]
"""A case and one API, as the worker described it."""


class TargetRun:
    """Runs cases on one target and emits events; ``stop`` ends it from another thread."""

    def __init__(
        self,
        asked: str,
        prepare: Callable[[Say], Prepared],
        cases: Sequence[Case],
        *,
        script: Path,
        limit: float,
        emit: Callable[[Event | MappingRecord], None],
    ) -> None:
        self.asked = asked
        self._prepare = prepare
        self._cases = cases
        self._script = script
        self._limit = limit
        self._emit = emit
        self._stopped = threading.Event()
        self._client: Client | None = None

    def stop(self) -> None:
        """End at once: the call under way is lost, what was emitted stays."""
        self._stopped.set()
        if self._client is not None:
            self._client.kill()

    def run(self) -> None:
        """Everything, from preparing the target to its last result; never raises."""
        started = time.monotonic()
        try:
            self._run()
        except (errors.TargetBlocked, GaveUp) as error:
            self._blocked(str(error))
        except Exception as error:
            self._blocked(f"internal error of the suite, please report it: {type(error).__name__}: {error}")
        finally:
            if self._client is not None:
                self._client.close()
        self._emit(TargetFinished(self.asked, time.monotonic() - started))

    def _blocked(self, reason: str) -> None:
        if not self._stopped.is_set():
            self._emit(TargetBlocked(self.asked, reason))

    def _run(self) -> None:
        prepared = self._prepare(lambda message: self._emit(TargetPreparing(self.asked, message)))
        self._emit(TargetPreparing(self.asked, "starting"))
        self._client = client = Client(prepared, self._script, self._limit)
        ready = client.start()
        record = _target_record(prepared, ready)
        pairs = [
            (case, api) for case in self._cases for api in ready["apis"] if api["operation"] == case.operation.name
        ]
        self._emit(TargetStarted(self.asked, record, len(pairs)))
        for api in ready["apis"]:
            self._emit(_mapping(record.id, api))
        share = _Share(client, record, immutable=bool(ready["about"].get("immutable")), eager=prepared.eager)
        for result in share.results(pairs):
            if self._stopped.is_set():
                return
            self._emit(ResultReady(self.asked, result))


class _Share:
    """The results of one target that has started."""

    def __init__(self, client: Client, record: TargetRecord, *, immutable: bool, eager: bool) -> None:
        self._client = client
        self._record = record
        self._immutable = immutable
        self._eager = eager

    def results(self, pairs: Sequence[Pair]) -> Iterator[ResultRecord]:
        gave_up: str | None = None
        for case, api in pairs:
            subject = self._subject(case, api)
            call, cast = self._suited(case, case.call, api, subject)
            if gave_up is None:
                try:
                    witness = self._witness(case, call, api, subject)
                except (GaveUp, errors.TargetBlocked) as error:
                    gave_up = str(error).splitlines()[0]
            if gave_up is not None:
                witness = Witness({"status": "died", "how": gave_up, "stderr": ""})
            judgement = Judgement("blocked", explanation=gave_up) if gave_up else judge(case, subject, witness)
            yield result_record(case, self._record.id, api["name"], subject, witness, judgement, cast)

    def _subject(self, case: Case, api: Message) -> Subject:
        standing = standing_of(
            case.clause,
            framework=self._record.framework,
            version=self._record.version,
            names=[api["name"], *filter(None, [api["follows"]])],
            composed=api["composed"],
        )
        return Subject(standing, api["in_place"], self._immutable, self._eager)

    def _suited(self, case: Case, call: Call, api: Message, subject: Subject) -> tuple[Call, dict[str, str]]:
        if subject.standing == "own":
            return call, {}
        return cast_indices(case.operation, call, api["index_dtypes"])

    def _witness(self, case: Case, call: Call, api: Message, subject: Subject) -> Witness:
        """The call; around one that should raise its valid twin, before and after."""
        name, operation = api["name"], case.operation.name
        if not isinstance(case.expectation, Raises) or case.twin is None:
            return self._client.call(operation, call, name)
        twin, _ = self._suited(case, case.twin, api, subject)
        before = self._client.call(operation, twin, name).outcome
        if before["status"] in ("died", "hung"):
            return Witness({**before, "how": f"on the valid twin of this call: {before['how']}"})
        witness = self._client.call(operation, call, name)
        after = None
        if witness.outcome["status"] == "raised":
            after = self._client.call(operation, twin, name).outcome["status"]
            if after != before["status"]:
                self._client.close()
        return replace(witness, twin_before=before["status"], twin_after=after)


def _target_record(prepared: Prepared, ready: Message) -> TargetRecord:
    version = ready["about"].get("version")
    return TargetRecord(
        id=prepared.id(version),
        framework=prepared.framework,
        version=version,
        device=prepared.device,
        mode=prepared.mode,
        python=ready["python"],
        numpy=ready["numpy"],
        packages=dict(prepared.packages),
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
