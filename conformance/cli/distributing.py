"""``conformance run --on``: the units of a run, and the machines that carry them out."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

from conformance.app.errors import ConformanceError
from conformance.app.options import IN_UNIT, OPTIONS, RunOptions, Shapes, words
from conformance.app.run import CarryOut, Inputs
from conformance.app.selecting import operation_in
from conformance.cases.shards import Shard
from conformance.cluster import content, sizing
from conformance.cluster.distributing import Distribution, distribute
from conformance.cluster.gathering import UnitFiles
from conformance.cluster.messages import ClusterError, ClusterUnreachable
from conformance.cluster.places import Connection
from conformance.cluster.unit import Needs, Unit
from conformance.environments.resolve import Target
from conformance.environments.stored import home_folder
from conformance.execution.measurements import PEAKS, memory_of, remembered
from conformance.execution.plan import Plan
from conformance.results.exit_status import BLOCKED, USAGE

ONLY = ".selected.json"
"""The file among the user's files with the ids of the cases of ``--lf``."""


def carrier_on(
    connect: Callable[[], Connection], options: RunOptions, inputs: Inputs, run_plan: Plan, *, resumes: bool
) -> CarryOut:
    """What carries out the run on a cluster; ConformanceError if it cannot be connected to."""
    try:
        connection = connect()
    except ClusterError as error:
        raise ConformanceError(str(error), BLOCKED if isinstance(error, ClusterUnreachable) else USAGE) from None
    suite, own = content.suite_content(), _own_files(options, inputs, run_plan)
    before = UnitFiles(options.output).shards() if resumes else {}
    distribution = _distribution(connection, options, inputs, run_plan, suite, own, before)
    contents = {one.digest: one.packed() for one in (suite, own.content) if one is not None}
    return lambda planned, file, listeners: distribute(
        planned, distribution, partial(connection.start, contents), file, listeners
    )


def _own_files(options: RunOptions, inputs: Inputs, run_plan: Plan) -> content.UserFiles:
    adapters = [Path(job.target.name) for job in run_plan.jobs if job.target.is_file]
    more = {ONLY: json.dumps([case.id for case in inputs.cases]).encode()} if options.last_failed else {}
    return content.user_files(adapters, options.specs, options.case_files, more)


def _distribution(
    connection: Connection,
    options: RunOptions,
    inputs: Inputs,
    run_plan: Plan,
    suite: content.Content,
    own: content.UserFiles,
    before: Mapping[str, int],
) -> Distribution:
    """before: by the target of units, the number of shards in the interrupted run that is resumed."""
    targets = [job.target for job in run_plan.jobs]
    counts = sizing.shard_counts(
        targets, len(run_plan.cases), connection.slots, run_plan.durations, grows=connection.grows
    )
    peaks = remembered(home_folder(), PEAKS)
    there = (*_ids(options, inputs), *_words(options, own, "cases", "results", "machine"))
    whole = options.shard or Shard(1, 1)

    def units(target: Target, count: int) -> list[Unit]:
        word = _word(target, own)
        shards = _shards(whole, before[word] // whole.of if word in before else count)
        files = own.content.digest if own.content is not None else None
        return [Unit(word, str(shard), suite.digest, files, there) for shard in shards]

    return Distribution(
        {target.asked: units(target, count) for target, count in zip(targets, counts, strict=True)},
        {target.asked: Needs(target.gpu, memory_of(target, peaks)) for target in targets},
        _words(options, own, "stopping"),
    )


def _shards(whole: Shard, count: int) -> Iterator[Shard]:
    """The parts of a shard, which are shards too."""
    return (Shard(whole.number + whole.of * part, whole.of * count) for part in range(count))


def _word(target: Target, own: content.UserFiles) -> str:
    """A target as a machine finds it."""
    if not target.is_file:
        return target.asked
    return own.paths[str(Path(target.name))] + target.asked.strip().removeprefix(target.name)


def _ids(options: RunOptions, inputs: Inputs) -> list[str]:
    """The ids of cases on the command line."""
    return [word for word in options.words if operation_in(word) in inputs.catalogue.operations]


def _words(options: RunOptions, own: content.UserFiles, *shapes: Shapes) -> tuple[str, ...]:
    """The options that decide this, with the paths of a machine."""
    there = replace(
        options,
        specs=Path(own.paths[str(options.specs)]) if options.specs is not None else None,
        case_files=tuple(Path(own.paths[str(file)]) for file in options.case_files),
        only=Path(ONLY) if options.last_failed else None,
    )
    return words(there, [name for name in IN_UNIT if OPTIONS[name].shapes in shapes], explicit=True)
