"""The results of a program as those of targets, one for each opset."""

from __future__ import annotations

import platform
import shlex
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from conformance.cases.facts import CaseFacts
from conformance.events import Listener, ResultReady, RunFinished, RunStarted, TargetFinished, TargetStarted
from conformance.execution.attempt import AttemptResult, result_record
from conformance.known.counts import unexpected
from conformance.known.ledger import Ledger
from conformance.known.model import KnownDivergences
from conformance.results.describe import (
    case_record,
    claim_records,
    clause_record,
    document_records,
    erratum_records,
)
from conformance.results.file import ResultsWriter
from conformance.results.records import MappingRecord, ProgramRecord, Record, RunRecord, TargetRecord
from conformance.runtimes.models import Model
from conformance.runtimes.program import Program
from conformance.specification.model import Catalogue
from conformance.version import __version__

FAILURES = ("diverges", "died", "hung")


@dataclass(frozen=True)
class Runtime:
    """What a program runs models with."""

    name: str
    version: str | None
    program: ProgramRecord
    device: str = "cpu"

    def api(self, model: Model) -> str:
        """What results call the operator of a model, as an adapter of the runtime would: ``onnxruntime.Gather``."""
        return f"{self.name}.{model.entry.operator}"

    def target(self, opset: int) -> TargetRecord:
        """The record of the program for models of an opset."""
        mode = f"opset{opset}"
        version = f"=={self.version}" if self.version is not None else ""
        return TargetRecord(
            id=f"{self.name}{version}[{mode}]@{self.device}",
            framework=self.name,
            version=self.version,
            device=self.device,
            mode=mode,
            os=platform.system(),
            arch=platform.machine(),
            title=self.name,
            asked=f"{self.name}{version}[{mode}]@{self.device}",
            default_mode=False,
            program=self.program,
            guarded=[],
        )


def write_run(
    writer: ResultsWriter,
    runtime: Runtime,
    program: Program,
    models: Sequence[Model],
    catalogue: Catalogue,
    facts: Sequence[CaseFacts],
    known: KnownDivergences,
    record: RunRecord,
    parallel: int,
    listener: Listener,
) -> None:
    """Run the models, and write all records of the run."""
    targets = {model.entry.opset: runtime.target(model.entry.opset) for model in models}
    cases = {model.case.id: model.case for model in models}
    origins = Counter(case.variation.kind for case in cases.values())
    listener.handle(RunStarted(tuple(target.id for _, target in sorted(targets.items())), len(cases), origins))
    for first in _first_records(record, models, catalogue):
        writer.write(first)
    counts = []
    for opset, target in sorted(targets.items()):
        of_opset = [model for model in models if model.entry.opset == opset]
        for entry in known.records(runtime.name):
            writer.write(entry)
        writer.write(target)
        begun = time.monotonic()
        listener.handle(TargetStarted(target.id, target, len(of_opset)))
        mappings = [*_mappings(of_opset, runtime, target)]
        for mapping in mappings:
            writer.write(mapping)
        ledger = Ledger(known, target, facts, mappings)
        with ThreadPoolExecutor(parallel) as pool:
            for attempted in pool.map(lambda model: _confirmed(model, program, runtime.api(model)), of_opset):
                result = ledger.known(result_record(attempted, target.id))
                ledger.note(result)
                writer.write(result)
                listener.handle(ResultReady(target.id, result))
        counts += ledger.pattern_counts()
        listener.handle(TargetFinished(target.id, time.monotonic() - begun))
    listener.handle(RunFinished(writer.end(complete=True, unexpected=unexpected(counts))))


def _confirmed(model: Model, program: Program, api: str) -> AttemptResult:
    """The result of a model; one that fails is run again, since each call is the first of a process."""
    result = model.run(program, api)
    if result.judgement.verdict not in FAILURES:
        return result
    again = model.run(program, api)
    if again.has_same_verdict(result):
        return replace(result, confirmed="alone")
    failing = result if again.judgement.verdict not in FAILURES else again
    judgement = replace(failing.judgement, divergences=[*failing.judgement.divergences, "unstable"])
    return replace(failing, judgement=judgement, confirmed="alone")


def run_record(command: str, catalogue: Catalogue, targets: Iterable[str], draws: int, seed: int) -> RunRecord:
    """The record of a run on an export."""
    return RunRecord(
        started=datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
        command=command,
        seed=seed,
        spec_digest=catalogue.digest,
        suite_version=__version__,
        targets=list(targets),
        draws=draws,
        epoch=catalogue.epoch,
    )


def _first_records(record: RunRecord, models: Sequence[Model], catalogue: Catalogue) -> Iterator[Record]:
    yield record
    yield from claim_records(catalogue.documents)
    yield from erratum_records(catalogue.documents)
    yield from document_records(catalogue.documents)
    cases = {model.case.id: model.case for model in models}
    for clause in {case.clause.id: case.clause for case in cases.values()}.values():
        yield clause_record(clause)
    for number, case in enumerate(cases.values()):
        yield case_record(case, number)


def _mappings(models: Sequence[Model], runtime: Runtime, target: TargetRecord) -> Iterator[MappingRecord]:
    source = shlex.join(runtime.program.command)
    for operation, api, follows in sorted(
        {(model.case.operation.name, runtime.api(model), model.documented) for model in models}
    ):
        yield MappingRecord(target.id, api, operation, composed=False, source=source, follows=follows)


def default_name(command: Sequence[str]) -> str:
    """A name of a target for a command: that of its program."""
    name = Path(command[0]).name.partition(".")[0]
    return "".join(letter if letter.isalnum() or letter in "_-" else "_" for letter in name) or "program"
