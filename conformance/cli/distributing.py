"""``conformance run --on``: the units of a run, and the machines that carry them out."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from conformance.app.errors import ConformanceError
from conformance.app.options import RunOptions
from conformance.app.run import Carrier, Inputs
from conformance.app.selecting import operation_in
from conformance.cases.shards import Shard
from conformance.cluster import content, sizing
from conformance.cluster.distributing import Distribution, distribute
from conformance.cluster.engines import Connection
from conformance.cluster.journal import CompleteUnit, Kept, complete_units, shards_of
from conformance.cluster.messages import EngineError, EngineUnreachable
from conformance.cluster.unit import Needs, Unit
from conformance.environments.resolve import Target
from conformance.environments.stored import home_folder
from conformance.execution.measurements import PEAKS, memory_of, remembered
from conformance.execution.plan import Plan
from conformance.results.exit_status import BLOCKED, USAGE
from conformance.version import __version__

ONLY = ".selected.json"
"""The file among the user's files with the ids of the cases of ``--lf``."""


def carrier_on(
    connect: Callable[[], Connection], options: RunOptions, inputs: Inputs, run_plan: Plan, *, resumes: bool
) -> Carrier:
    """What carries out the run on machines; ConformanceError if they cannot be connected to."""
    try:
        connection = connect()
    except EngineError as error:
        raise ConformanceError(str(error), BLOCKED if isinstance(error, EngineUnreachable) else USAGE) from None
    return _carrier(connection, options, inputs, run_plan, complete_units(options.output) if resumes else [])


def _carrier(
    connection: Connection, options: RunOptions, inputs: Inputs, run_plan: Plan, complete: Sequence[CompleteUnit]
) -> Carrier:
    suite, own = content.suite_content(), _own_files(options, inputs, run_plan)
    distribution = _distribution(connection, options, inputs, run_plan, suite, own, complete)
    contents = {one.digest: one.packed() for one in (suite, own.content) if one is not None}
    return Carrier(
        lambda planned, file, listeners: distribute(
            planned, distribution, partial(connection.engine, contents), file, listeners
        ),
        partial(Kept, distribution.complete),
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
    complete: Sequence[CompleteUnit],
) -> Distribution:
    targets = [job.target for job in run_plan.jobs]
    counts = sizing.shard_counts(
        targets, len(run_plan.cases), connection.slots, run_plan.durations, grows=connection.grows
    )
    as_before = shards_of(complete)
    peaks = remembered(home_folder(), PEAKS)

    def units(target: Target, count: int) -> list[Unit]:
        first = Unit(
            target=_word(target, own),
            shard="",
            suite=__version__,
            data=suite.digest,
            files=own.content.digest if own.content is not None else None,
            seed=options.seed,
            draws=options.draws,
            selection=_selection(options, inputs, own),
            options=_options(options),
        )
        return [replace(first, shard=str(shard)) for shard in _shards(options.shard or Shard(1, 1), count)]

    planned = {
        target.asked: units(target, as_before.get(target.asked, count))
        for target, count in zip(targets, counts, strict=True)
    }
    keys = {unit.key for target_units in planned.values() for unit in target_units}
    return Distribution(
        planned,
        {target.asked: Needs(target.gpu, memory_of(target, peaks)) for target in targets},
        _limits(options),
        [unit for unit in complete if unit.key in keys],
    )


def _shards(whole: Shard, count: int) -> Iterator[Shard]:
    """The parts of a shard, which are shards too."""
    return (Shard(whole.number + whole.of * part, whole.of * count) for part in range(count))


def _word(target: Target, own: content.UserFiles) -> str:
    """A target as a machine finds it."""
    if not target.is_file:
        return target.asked
    return own.paths[str(Path(target.name))] + target.asked.strip().removeprefix(target.name)


def _selection(options: RunOptions, inputs: Inputs, own: content.UserFiles) -> tuple[str, ...]:
    ids = [word for word in options.words if operation_in(word) in inputs.catalogue.operations]
    words = [*ids, *(word for name in options.operations for word in ("--operation", name))]
    words += ["-k", options.keyword] if options.keyword else []
    words += [word for file in options.case_files for word in ("--case", own.paths[str(file)])]
    words += ["--specs", own.paths[str(options.specs)]] if options.specs is not None else []
    words += ["--only", ONLY] if options.last_failed else []
    words += ["--quick"] if options.quick else []
    return tuple(words)


def _options(options: RunOptions) -> tuple[str, ...]:
    words = ["--timeout", str(options.timeout), "--start-timeout", str(options.start_limit), "--start", options.start]
    words += ["--python", str(options.python)] if options.python is not None else []
    words += ["--here"] if options.here else []
    words += ["--offline"] if options.offline else []
    return tuple(words)


def _limits(options: RunOptions) -> tuple[str, ...]:
    words = ["--fail-on", options.fail_on]
    words += ["--maxfail", str(options.maxfail)] if options.maxfail is not None else []
    return tuple(words)
