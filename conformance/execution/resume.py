"""Resumes an interrupted run: the results in its file are kept, and only missing ones are run."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

from conformance.environments.adapter_digest import source_digest
from conformance.environments.errors import TargetBlocked
from conformance.execution.plan import Job, Plan
from conformance.results.file import Results
from conformance.results.records import ExampleRecord, MappingRecord, ResultRecord, RunRecord, TargetRecord
from conformance.results.requests import differences

_OF_A_RUN = frozenset(
    {"id", "asked", "file", "here", "requested", "blocked"}  # how it was requested, and whether it could be started
    | {"seconds", "memory", "imports", "forks"}
    | {"cpu"}  # machines of one kind differ in it, such as those of a CI service
    | {"modules"}  # where files are; ``sources`` has what is in them
    | {"left_out", "forms", "not_repeated"}  # which of its cases were run
)
"""Fields of a target's record that differ between runs of the same target."""


@dataclass(frozen=True)
class Checkpoint:
    """The existing records of one target."""

    record: TargetRecord
    mappings: Sequence[MappingRecord]
    results: Sequence[ResultRecord]
    examples: Sequence[ExampleRecord] = ()
    """Those that need not be run again."""

    @property
    def finished(self) -> bool:
        """Whether its part of the run is complete."""
        return self.record.seconds is not None

    @cached_property
    def done(self) -> frozenset[tuple[str, str]]:
        """The cases and APIs that need not be run again."""
        return frozenset((result.case, result.api) for result in self.results)


def checkpoint_of(results: Results, requested: str) -> Checkpoint | None:
    """The records of the target requested under this name; None if it did not start."""
    records = [target for target in results.targets if target.asked == requested and target.blocked is None]
    if not records:
        return None
    record = records[-1]
    return Checkpoint(
        record,
        [mapping for mapping in results.mappings if mapping.target == record.id],
        [result for result in results.results if result.target == record.id],
        [example for example in results.examples if example.target == record.id],
    )


@dataclass(frozen=True)
class Difference:
    """A field in which the records of two targets differ."""

    field: str
    """With the key, if it is a mapping: ``packages.numpy``."""
    first: Any
    second: Any


def difference(first: TargetRecord, second: TargetRecord) -> Difference | None:
    """What makes them different targets, whose results must not be combined; None if they are the same."""
    for name in (field.name for field in fields(TargetRecord) if field.name not in _OF_A_RUN):
        before, after = getattr(first, name), getattr(second, name)
        if before == after:
            continue
        if isinstance(before, dict):
            key = next(key for key in sorted(before.keys() | after.keys()) if before.get(key) != after.get(key))
            return Difference(f"{name}.{key}", before.get(key), after.get(key))
        return Difference(name, before, after)
    return None


def check_same(checkpoint: Checkpoint, record: TargetRecord) -> None:
    """TargetBlocked if the target that starts differs from the one that gave the existing results."""
    changed = difference(checkpoint.record, record)
    if changed is not None:
        raise TargetBlocked(
            f"cannot be resumed: {changed.field} was {changed.first!r} and is now {changed.second!r}; "
            "start again without --resume"
        )


class CannotResume(Exception):
    """The run to resume differs from the one requested; the message says how."""


def resumed(plan: Plan, results: Results) -> Plan:
    """The plan for the rest of a run; CannotResume if it is a different run.

    All results of a finished target are kept. For an unfinished target, results that must be confirmed or graded are
    discarded, since that requires all of them in one process.
    """
    _check(plan.record, results.run)
    record = replace(results.run, fail_on=plan.record.fail_on)
    return replace(plan, record=record, checkpoint=_checkpoint(plan, results))


def changed_targets(plan: Plan, results: Results) -> list[str]:
    """The targets of the plan whose adapter has changed since the results were made; these are made again."""
    return [job.target.asked for job in plan.jobs if _has_changed(results, job)]


def _has_changed(results: Results, job: Job) -> bool:
    checkpoint = checkpoint_of(results, job.target.asked)
    if checkpoint is None:
        return False
    return checkpoint.record.sources != source_digest(job.target, checkpoint.record.modules)


def _check(requested: RunRecord, interrupted: RunRecord) -> None:
    for difference in differences(interrupted, requested):
        raise CannotResume(
            f"the interrupted run has {difference.words} {difference.first}, this command has {difference.second}; "
            f"repeat its command with --resume: {interrupted.command}"
        )


def _graded_cases(plan: Plan) -> frozenset[str]:
    """The cases whose results are graded once all calls have been made."""
    return frozenset(case.id for case in plan.cases if case.duplicates is not None)


def _checkpoint(plan: Plan, results: Results) -> Results:
    graded = _graded_cases(plan)
    unchanged = [job for job in plan.jobs if not _has_changed(results, job)]
    checkpoints = [_reliable(results, job.target.asked, graded) for job in unchanged]
    started = [checkpoint for checkpoint in checkpoints if checkpoint is not None]
    run = {result.case for checkpoint in started for result in checkpoint.results}
    return Results(
        results.run,
        targets=[checkpoint.record for checkpoint in started],
        mappings=[mapping for checkpoint in started for mapping in checkpoint.mappings],
        results=[result for checkpoint in started for result in checkpoint.results],
        examples=[example for checkpoint in started for example in checkpoint.examples],
        # Only counterexamples; all other cases are in the plan.
        cases={name: case for name, case in results.cases.items() if case.number is None and name in run},
    )


def _reliable(results: Results, requested: str, graded: Set[str]) -> Checkpoint | None:
    """The checkpoint of a target, with its final results only."""
    checkpoint = checkpoint_of(results, requested)
    if checkpoint is None or (checkpoint.finished and results.is_counted):
        return checkpoint
    # A file without an end record, or with other results than it counts, may lack any of its results.
    record = replace(checkpoint.record, seconds=None, memory=None)
    return replace(checkpoint, record=record, results=_kept(checkpoint, graded), examples=())


def _kept(checkpoint: Checkpoint, graded: Set[str]) -> list[ResultRecord]:
    return [result for result in checkpoint.results if _is_final(result, graded)]


def _is_final(result: ResultRecord, graded: Set[str]) -> bool:
    """Whether nothing later in the run can change a result; graded: as returned by ``_graded_cases``."""
    status = result.outcome.status
    finding = result.verdict in ("diverges", "died", "hung")
    not_run = result.verdict == "blocked" and status == "unsupported"
    ungraded = result.case in graded and status == "returned" and result.determinism is None
    return not (finding or not_run or ungraded)
