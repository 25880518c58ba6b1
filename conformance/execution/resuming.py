"""Resumes an interrupted run: the results in its file are kept, and only missing ones are run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import replace

from conformance.execution.checkpoint import Checkpoint, checkpoint_of
from conformance.execution.plan import Plan
from conformance.execution.preparing import Job
from conformance.results.file import Results
from conformance.results.records import ResultRecord, RunRecord
from conformance.targets.sources import source_digest

_SAME = {
    "suite_version": "suite version",
    "spec_digest": "digest of the specs",
    "seed": "seed",
    "draws": "number of draws",
    "shard": "shard",
    "targets": "targets",
    "selection": "selection",
}
"""The fields that must be the same in both runs, with their names in messages."""


class CannotResume(Exception):
    """The run to resume differs from the one requested; the message says how."""


def resumed(plan: Plan, results: Results) -> Plan:
    """The plan for the rest of a run; CannotResume if it is a different run.

    All results of a finished target are kept. For an unfinished target, results that must be confirmed or graded are
    discarded, since that requires all of them in one process.
    """
    _check(plan.record, results.run)
    return replace(plan, record=results.run, checkpoint=_checkpoint(plan, results))


def changed_targets(plan: Plan, results: Results) -> list[str]:
    """The targets of the plan whose adapter has changed since the results were made; these are made again."""
    return [job.target.asked for job in plan.jobs if _has_changed(results, job)]


def _has_changed(results: Results, job: Job) -> bool:
    checkpoint = checkpoint_of(results, job.target.asked)
    return checkpoint is not None and checkpoint.record.sources != source_digest(job.target.adapter)


def _check(requested: RunRecord, interrupted: RunRecord) -> None:
    for name, words in _SAME.items():
        before, after = getattr(interrupted, name), getattr(requested, name)
        if before != after:
            raise CannotResume(
                f"the interrupted run has {words} {_text(before)}, this command has {_text(after)}; "
                f"repeat its command with --resume: {interrupted.command}"
            )


def _text(value: object) -> str:
    return ", ".join(value) if isinstance(value, list) else "none" if value is None else str(value)


def _checkpoint(plan: Plan, results: Results) -> Results:
    graded = {case.id for case in plan.cases if case.duplicates is not None}
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
    if checkpoint is None or (checkpoint.finished and results.end is not None):
        return checkpoint
    # A file without an end record may lack any of its results.
    record = replace(checkpoint.record, seconds=None, memory=None)
    return replace(checkpoint, record=record, results=list(_final(checkpoint.results, graded)), examples=())


def _final(results: Sequence[ResultRecord], graded: Set[str]) -> Iterator[ResultRecord]:
    """The results that nothing later in the run could have changed."""
    for result in results:
        status = result.outcome.status
        finding = result.verdict in ("diverges", "died", "hung")
        not_run = result.verdict == "blocked" and status == "unsupported"
        ungraded = result.case in graded and status == "returned" and result.determinism is None
        if not (finding or not_run or ungraded):
            yield result
