"""The results of units: checked when they arrive, stored in the output folder, and merged into one run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import reduce
from pathlib import Path

from conformance.cases.shards import parse_shard
from conformance.cluster.unit import Unit
from conformance.environments.resolve import canonical_id
from conformance.execution.plan import Job, Plan
from conformance.execution.resume import Checkpoint, difference
from conformance.execution.runner import first_records, with_known
from conformance.execution.target import unstarted_record
from conformance.known.counts import unexpected
from conformance.known.ledger import Ledger
from conformance.matrix.merging import merged, sum_of
from conformance.matrix.parts import Part
from conformance.results.file import Results, ResultsError, read_results
from conformance.results.order import in_order, verdicts
from conformance.results.records import (
    CaseRecord,
    ClauseRecord,
    DocumentRecord,
    EndRecord,
    KnownRecord,
    PatternCountRecord,
    TargetRecord,
)

FOLDER = "units"
"""The subfolder of an output folder with the results of complete units, until the whole run is complete."""


class Different(Exception):
    """A machine ran something else than what was asked; the message says what."""


class UnitFiles:
    """The results files of the units of a run."""

    def __init__(self, folder: Path) -> None:
        """folder: the output folder of the run."""
        self._folder = folder / FOLDER

    def read(self, unit: Unit) -> Results | None:
        """The results of a unit, if there is a file of it and it is complete."""
        path = self._path(unit)
        try:
            results = read_results(path) if path.is_file() else None
        except ResultsError:
            return None
        return results if results is not None and results.complete else None

    def add(self, unit: Unit, content: bytes) -> Results | None:
        """Keep what a machine sent if it is complete, and read it; None if it cannot be read."""
        self._folder.mkdir(exist_ok=True)
        new = self._folder / f"new.{self._path(unit).name}"
        new.write_bytes(content)
        try:
            results = read_results(new)
        except ResultsError:
            return None
        else:
            if results.complete:
                new.replace(self._path(unit))
            return results
        finally:
            new.unlink(missing_ok=True)
            self._remove_if_empty()

    def remove(self, unit: Unit) -> None:
        self._path(unit).unlink(missing_ok=True)

    def clear(self) -> None:
        """Remove all of them."""
        for path in self._folder.glob("*.jsonl.gz"):
            path.unlink()
        self._remove_if_empty()

    def _remove_if_empty(self) -> None:
        with suppress(OSError):
            self._folder.rmdir()

    def shards(self) -> dict[str, int]:
        """By the target of units that are complete, the number of shards that it was divided into."""
        counts = {}
        for path in sorted(self._folder.glob("*.jsonl.gz")):
            try:
                run = read_results(path).run
            except ResultsError:
                continue
            counts[run.targets[0]] = parse_shard(run.shard or "1/1").of
        return counts

    def _path(self, unit: Unit) -> Path:
        return self._folder / f"{unit.key}.jsonl.gz"


class Planned:
    """The records that a run has before any target starts."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        records = list(first_records(replace(plan, checkpoint=None)))
        self.results = Results(
            plan.record,
            clauses={record.id: record for record in records if isinstance(record, ClauseRecord)},
            cases={record.id: record for record in records if isinstance(record, CaseRecord)},
            claims=list(plan.claims),
            errata=list(plan.errata),
            documents=[record for record in records if isinstance(record, DocumentRecord)],
        )
        self._shards: dict[str, dict[str, str]] = {}

    def digests(self, shard: str) -> Mapping[str, str]:
        """The digests of the cases of a shard by id."""
        if shard not in self._shards:
            holds = parse_shard(shard).holds
            names = [case.id for case in self.plan.cases if holds(case)]
            self._shards[shard] = {name: self.results.cases[name].digest for name in names}
        return self._shards[shard]


class Gathering:
    """What is there of one target."""

    def __init__(self, planned: Planned, job: Job, units: int) -> None:
        self._planned = planned
        self._plan = planned.plan
        self.job = job
        self.parts: list[Results] = []
        self._remaining = units
        self.record: TargetRecord | None = None
        """As the first part has it."""
        self.missing: list[str] = []
        """What is missing, and the reason."""
        self.blocked: str | None = None
        self.refusal: str | None = None
        """The reason why it could not be started on a machine."""

    @property
    def asked(self) -> str:
        return self.job.target.asked

    @property
    def is_whole(self) -> bool:
        """Whether nothing remains to be run."""
        return not self._remaining and self.blocked is None

    @property
    def total(self) -> TargetRecord:
        """The target with the time, memory and processes of all its parts."""
        return reduce(sum_of, (record for part in self.parts for record in part.targets))

    def restore(self, checkpoint: Checkpoint) -> None:
        """Take over what an interrupted run has of the target, if it had finished there."""
        end = EndRecord(complete=True, counts=verdicts(checkpoint.results))
        part = Results(self._plan.record, targets=[checkpoint.record], mappings=list(checkpoint.mappings), end=end)
        existing = self._plan.checkpoint
        assert existing is not None, "the checkpoint is of the plan"
        names = {result.case for result in checkpoint.results}
        cases = {name: case for name, case in existing.cases.items() if name in names}
        part = replace(part, results=list(checkpoint.results), examples=list(checkpoint.examples), cases=cases)
        self.record = checkpoint.record
        self.parts.append(part)
        self._remaining = 0

    def add(self, unit: Unit, results: Results) -> Results:
        """Take the results of a unit, with the names of this run; Different if they are of something else."""
        self._check(unit, results)
        [record] = results.targets
        own = self._own(record)
        found = difference(self.record, own) if self.record is not None else None
        if found is not None:
            raise Different(f"{found.field} of {self.asked} is {found.second!r} there and {found.first!r} elsewhere")
        self.record = self.record or own
        if own.id != record.id:
            results = replace(
                results,
                mappings=[replace(one, target=own.id) for one in results.mappings],
                results=[replace(one, target=own.id) for one in results.results],
                examples=[replace(one, target=own.id) for one in results.examples],
            )
        # What all parts have in common is in the plan.
        counterexamples = {name: case for name, case in results.cases.items() if case.is_counterexample}
        part = replace(results, targets=[own], cases=counterexamples, clauses={}, claims=[], errata=[], documents=[])
        self.parts.append(part)
        self._remaining -= results.complete
        return part

    def _own(self, record: TargetRecord) -> TargetRecord:
        """The record with the names of this run, which may be other paths than on the machine."""
        target = self.job.target
        return replace(record, id=canonical_id(target, record.version), asked=target.asked)

    def _check(self, unit: Unit, results: Results) -> None:
        run = self._plan.record
        if results.run.spec_digest != run.spec_digest:
            raise Different("its specs differ from those of this command")
        if (results.run.shard, results.run.seed, results.run.draws, results.run.programs) != (
            unit.shard,
            run.seed,
            run.draws,
            run.programs,
        ):
            raise Different(f"it ran shard {results.run.shard}, and {unit.shard} was asked for")
        made = {name: case.digest for name, case in results.cases.items() if not case.is_counterexample}
        if made != self._planned.digests(unit.shard):
            raise Different("it draws other calls from the same seed; use the same versions of Python and NumPy there")

    def pattern_counts(self) -> Sequence[PatternCountRecord]:
        """The counts of known divergences in all its results."""
        if self.record is None:
            return ()
        mappings = [mapping for part in self.parts for mapping in part.mappings]
        results = [result for part in self.parts for result in part.results]
        return Ledger(self.job.known, self.record, self._plan.every_case(), mappings, results).pattern_counts()


def whole(planned: Planned, gatherings: Sequence[Gathering], reason: str | None) -> Results:
    """All results as one run, in the order of a results file; reason: why the run ended early."""
    plan, base = planned.plan, planned.results
    parts = [
        Part(f"unit {number} of {one.asked}", part) for one in gatherings for number, part in enumerate(one.parts, 1)
    ]
    found = merged(parts, plan.record.command).results if parts else base
    targets = [
        record if one.is_whole else replace(record, seconds=None, memory=None)
        for one in gatherings
        for record in found.targets
        if record.asked == one.asked
    ]
    targets += [unstarted_record(one.job.target, one.blocked) for one in gatherings if one.blocked is not None]
    known = [record for target in targets for record in with_known(plan, target) if isinstance(record, KnownRecord)]
    results = in_order(
        replace(
            base,
            targets=targets,
            cases={**base.cases, **found.cases},
            mappings=found.mappings,
            results=found.results,
            examples=sorted(found.examples, key=lambda example: example.object),
            known={(record.framework, record.id): record for record in known},
        )
    )
    return replace(results, end=_end(plan, gatherings, results, reason))


def _end(plan: Plan, gatherings: Sequence[Gathering], results: Results, reason: str | None) -> EndRecord:
    reason = reason or "; ".join(text for one in gatherings for text in one.missing) or None
    counts = [count for one in gatherings for count in one.pattern_counts()]
    is_shard = plan.record.shard is not None
    return EndRecord(
        complete=reason is None,
        counts=verdicts(results.results),
        reason=reason,
        # Only all shards together show whether a known divergence passed.
        unexpected=[] if is_shard else unexpected(counts),
        pattern_counts=counts if is_shard else [],
    )
