"""The records of one target, gathered from its units, each result once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property

from conformance.cases.model import Case
from conformance.cluster.journal import CompleteUnit
from conformance.environments.prepared_target import mode_of
from conformance.environments.resolve import canonical_id
from conformance.execution.budget import left_out
from conformance.execution.plan import Job, Plan
from conformance.execution.resume import Checkpoint, difference
from conformance.execution.runner import with_known
from conformance.execution.target import is_planned, unstarted_record
from conformance.known.ledger import Ledger
from conformance.matrix.merging import sum_of
from conformance.results.records import (
    CaseRecord,
    ExampleRecord,
    MappingRecord,
    PatternCountRecord,
    Record,
    ResultRecord,
    TargetRecord,
    documents_device,
)


class DifferentTarget(Exception):
    """A unit ran something else than the units before; the message says what."""


class Gathering:
    """The target of a job: its record, its mappings, and its results so far."""

    def __init__(self, plan: Plan, job: Job, write: Callable[[Record], None]) -> None:
        self._plan = plan
        self.job = job
        self._write = write
        self.record: TargetRecord | None = None
        self._mappings: dict[tuple[str, str], MappingRecord] = {}
        self._done: set[tuple[str, str]] = set()
        """The cases and APIs that have a result."""
        self._restored: Sequence[ResultRecord] = ()
        self._examples: dict[str, list[ExampleRecord]] = {}
        """By object, the examples of its documentation, as the first unit that ran them has reported them."""
        self._parts: list[TargetRecord] = []
        """The records of the units that are complete."""
        self.blocked: str | None = None
        self.refusal: str | None = None
        """The reason why it could not be started on a machine."""

    @property
    def asked(self) -> str:
        return self.job.target.asked

    def restore(self, checkpoint: Checkpoint) -> None:
        """Take over what an interrupted run has; it is written already."""
        self.record = replace(checkpoint.record, left_out={}, forms=None)
        self._mappings = {(mapping.api, mapping.operation): mapping for mapping in checkpoint.mappings}
        self._done = set(checkpoint.done)
        self._restored = checkpoint.results

    def restore_unit(self, unit: CompleteUnit) -> None:
        """Take over a complete unit of an interrupted run."""
        self.finish_unit(unit.record, unit.examples)

    def start(self, record: TargetRecord) -> None:
        """Note the target that a unit has started; DifferentTarget if it is another than that of the units before."""
        own = self._own(replace(record, seconds=None, memory=None))
        if self.record is not None:
            self._check_same(self.record, own)
            return
        self.record = own
        for known in with_known(self._plan, own):
            self._write(known)

    def _own(self, record: TargetRecord) -> TargetRecord:
        """The record with the names of this run, which may be other paths than on the machine."""
        target = self.job.target
        return replace(record, id=canonical_id(target, record.version), asked=target.asked, left_out={}, forms=None)

    def _check_same(self, first: TargetRecord, other: TargetRecord) -> None:
        found = difference(first, other)
        if found is not None:
            raise DifferentTarget(
                f"{found.field} of {self.asked} is {found.second!r} there and {found.first!r} elsewhere"
            )

    @property
    def expected(self) -> int:
        """The number of results that are missing, or a few less, known when the first unit has sent its mappings."""
        assert self.record is not None, "the target was started"
        devices = (None, documents_device(self.record.device, gpu=self.record.gpu))
        skipped = {case.id for cases in self._left_out().values() for case in cases}
        # Which APIs promise the clauses that only documentation of their own does, is known on the machines.
        cases = [case for case in self._plan.cases if case.id not in skipped and not case.clause.only_documented]
        return sum(
            is_planned(case, mapping.operation, devices, lacks_kernel=mapping.lacks_kernel)
            for mapping in self._mappings.values()
            for case in cases
        ) - len(self._done)

    def _left_out(self) -> dict[str, list[Case]]:
        return left_out(self._plan.cases, mode_of(self.job.target).shape)

    def add_mapping(self, mapping: MappingRecord) -> None:
        own = replace(mapping, target=self._id)
        if self._mappings.setdefault((mapping.api, mapping.operation), own) is own:
            self._write(own)

    def add_case(self, case: CaseRecord) -> None:
        self._write(case)

    def add_result(self, result: ResultRecord) -> ResultRecord | None:
        """Write a result; None if it is there already."""
        if self.has(result.case, result.api):
            return None
        self._done.add((result.case, result.api))
        own = result if result.target == self._id else replace(result, target=self._id)
        self._ledger.note(own)
        self._write(own)
        return own

    @property
    def _id(self) -> str:
        assert self.record is not None, "the target was started"
        return self.record.id

    def has(self, case: str, api: str) -> bool:
        return (case, api) in self._done

    def finish_unit(self, record: TargetRecord, examples: Sequence[ExampleRecord]) -> None:
        """Note that a unit is complete; record: as it ended, with its duration."""
        by_object: dict[str, list[ExampleRecord]] = {}
        for example in examples:
            by_object.setdefault(example.object, []).append(replace(example, target=self._own(record).id))
        # Units run those of the operations that they have cases of.
        self._examples = {**by_object, **self._examples}
        self._parts.append(replace(self._own(record), left_out=record.left_out, forms=record.forms))

    def finish(self) -> TargetRecord:
        """Write the examples, and the record of the whole target with the time, memory and processes of all units."""
        for _, examples in sorted(self._examples.items()):
            for example in examples:
                self._write(example)
        whole = self._parts[0]
        for part in self._parts[1:]:
            whole = sum_of(whole, part)
        self._write(whole)
        return whole

    def block(self, reason: str) -> None:
        """Write the record of a target that cannot run."""
        self.blocked = reason
        self._write(unstarted_record(self.job.target, reason))

    def pattern_counts(self) -> Sequence[PatternCountRecord]:
        """The counts of known divergences in all results."""
        return self._ledger.pattern_counts() if self.record is not None else ()

    @cached_property
    def _ledger(self) -> Ledger:
        """Counts known divergences; made once the first unit has sent the mappings."""
        assert self.record is not None, "the target was started"
        return Ledger(self.job.known, self.record, self._plan.every_case(), self._mappings.values(), self._restored)


def in_shard_order(records: Sequence[Record]) -> Iterator[Record]:
    """Records that were held back until their unit was complete: cases before results."""
    yield from (record for record in records if isinstance(record, CaseRecord))
    yield from (record for record in records if not isinstance(record, CaseRecord))
