"""A run that was broken off, finished: what its file has is kept, and only what is missing is run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import replace

from conformance.execution.checkpoint import Checkpoint, checkpoint_of
from conformance.execution.plan import Plan
from conformance.results.file import Results
from conformance.results.records import ResultRecord, RunRecord

_SAME = {
    "suite_version": "suite version",
    "spec_digest": "digest of the specs",
    "seed": "seed",
    "draws": "number of draws",
    "shard": "shard",
    "targets": "targets",
    "selection": "selection",
}
"""What must be the same in both, in words."""


class CannotResume(Exception):
    """The run that is to be finished is another one; the message says in what."""


def resumed(plan: Plan, results: Results) -> Plan:
    """The plan to finish a run; CannotResume where it is not the same run.

    Kept is all of a target whose part came to its end. Of another target, what is to be confirmed, graded or tried
    again is not kept: that takes all of it in one process.
    """
    _check(plan.record, results.run)
    return replace(plan, record=results.run, checkpoint=_kept(plan, results))


def _check(now: RunRecord, was: RunRecord) -> None:
    for name, words in _SAME.items():
        before, after = getattr(was, name), getattr(now, name)
        if before != after:
            raise CannotResume(
                f"the {words} of the run there is {_shown(before)}, where this command has {_shown(after)}; "
                f"repeat the command that began it, with --resume: {was.command}"
            )


def _shown(value: object) -> str:
    return ", ".join(value) if isinstance(value, list) else "none" if value is None else str(value)


def _kept(plan: Plan, results: Results) -> Results:
    graded = {case.id for case in plan.cases if case.duplicates is not None}
    begun = [_begun(results, job.target.asked, graded) for job in plan.jobs]
    started = [one for one in begun if one is not None]
    made = {result.case for one in started for result in one.results}
    return Results(
        results.run,
        targets=[one.record for one in started],
        mappings=[mapping for one in started for mapping in one.mappings],
        results=[result for one in started for result in one.results],
        # Those that the run made itself; the others are as they are planned.
        cases={name: case for name, case in results.cases.items() if case.number is None and name in made},
    )


def _begun(results: Results, asked: str, graded: Set[str]) -> Checkpoint | None:
    """What there is of a target, as far as it can be relied upon."""
    checkpoint = checkpoint_of(results, asked)
    if checkpoint is None or (checkpoint.finished and results.end is not None):
        return checkpoint
    # Of a file without an end nobody knows what it lacks.
    record = replace(checkpoint.record, seconds=None, memory=None)
    return replace(checkpoint, record=record, results=list(_certain(checkpoint.results, graded)))


def _certain(some: Sequence[ResultRecord], graded: Set[str]) -> Iterator[ResultRecord]:
    """The results that nothing later in the run could have changed."""
    for result in some:
        status = result.outcome.status
        finding = result.verdict in ("diverges", "died", "hung")
        not_tried = result.verdict == "blocked" and status == "unsupported"
        ungraded = result.case in graded and status == "returned" and result.determinism is None
        if not (finding or not_tried or ungraded):
            yield result
