"""From the options of a command to a run that was carried out, for every command that runs targets."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from conformance import __version__
from conformance.cases.build import Source
from conformance.cases.model import Case
from conformance.cases.selection import Selection
from conformance.cases.shards import Shard
from conformance.cli import known_files, loading
from conformance.cli.failures import USAGE, Failure
from conformance.cli.selecting import choose, operation_in, split_ids
from conformance.execution.concurrency import concurrency, cores, remember, remembered
from conformance.execution.failure_limit import FailureLimit
from conformance.execution.plan import Plan
from conformance.execution.preparing import Interpreters, Job, jobs
from conformance.execution.runner import run
from conformance.known.model import CaseFacts, facts
from conformance.reports.progress import progress
from conformance.results.describe import claim_records
from conformance.results.exit_status import FailOn, fails
from conformance.results.file import FILE_NAME, Results, ResultsError, read_results
from conformance.results.order import in_order, write_results
from conformance.results.records import RunRecord
from conformance.specification.model import Catalogue
from conformance.specification.problems import SpecError
from conformance.targets.errors import TargetError
from conformance.targets.home import home_folder
from conformance.targets.memory import free_memory

MOST_DRAWS = 100_000


@dataclass(frozen=True)
class Options:
    """The command line, as it was typed."""

    words: tuple[str, ...]
    output: Path
    operations: tuple[str, ...] = ()
    keyword: str | None = None
    specs: Path | None = None
    last_failed: bool = False
    python: Path | None = None
    here: bool = False
    offline: bool = False
    maxfail: int | None = None
    fail_on: FailOn = "own"
    timeout: float = 30.0
    side_by_side: int | None = None
    seed: int = 0
    draws: int = 0
    case_files: tuple[Path, ...] = ()
    shard: Shard | None = None
    quiet: bool = False


@dataclass(frozen=True)
class Material:
    """What the specs hold, and what of it was selected: the same for whatever target it is run on."""

    catalogue: Catalogue
    words: list[str]
    """Those of the command line that are no ids of cases."""
    selection: str | None
    everything: list[CaseFacts]
    cases: list[Case]


def material(options: Options) -> Material:
    """Read the specs, draw what is to be drawn, and select; Failure for what is wrong with any of it."""
    catalogue = loading.catalogue(options.specs)
    ids, words = split_ids(options.words, catalogue)
    selection = _selection(options, ids)
    catalogue, found = loading.with_case_files(catalogue, options.case_files)
    ids += found
    everything = loading.all_cases(catalogue, _drawing(catalogue, ids, options))
    return Material(catalogue, words, selection, facts(everything), _chosen(everything, ids, options))


def plan(options: Options, given: Material, names: Sequence[str]) -> Plan:
    """What is to be run on the targets of these names; Failure for a name that is none."""
    to_run = _jobs(names, options)
    if options.specs is None:
        known_files.check_cases([job.known for job in to_run], given.everything)
    shard = options.shard
    return Plan(
        record=_record(options, given, to_run),
        jobs=to_run,
        cases=[case for case in given.cases if shard is None or shard.holds(case)],
        limit=options.timeout,
        concurrency=options.side_by_side or concurrency(to_run, free_memory(), remembered(home_folder()), cores()),
        failure_limit=_failure_limit(options),
        claims=claim_records(given.catalogue.documents),
        all_cases=given.everything,
    )


def carried_out(planned: Plan, options: Options) -> Results:
    """Run a plan, and leave its results in order in the output folder."""
    file = options.output / FILE_NAME
    with progress(sys.stderr, quiet=options.quiet) as listener:
        run(planned, file, [listener])
    results = in_order(read_results(file))
    remember(home_folder(), results.targets)
    write_results(results, file)
    return results


def _jobs(names: Sequence[str], options: Options) -> list[Job]:
    try:
        return jobs(names, Interpreters(options.python, options.here, options.offline))
    except (TargetError, SpecError) as error:
        raise Failure(USAGE, str(error)) from None


def _selection(options: Options, ids: Sequence[str]) -> str | None:
    """The part of the command line that chooses cases, but for the specs, which have a digest."""
    words = [*ids, *(word for name in options.operations for word in ("--operation", name))]
    words += ["-k", options.keyword] if options.keyword else []
    words += [word for file in options.case_files for word in ("--case", str(file))]
    words += ["--lf"] if options.last_failed else []
    return shlex.join(words) or None


def _chosen(cases: Sequence[Case], ids: list[str], options: Options) -> list[Case]:
    only = _failed_before(options) if options.last_failed else None
    selection = Selection(tuple(ids), options.operations, options.keyword, only)
    return choose(selection, cases)


def _drawing(catalogue: Catalogue, ids: list[str], options: Options) -> list[Source]:
    if not options.draws:
        return []
    # Imported by those alone who ask for draws.
    from conformance.cases.draws.source import DrawSource

    named = {*options.operations, *map(operation_in, ids)}
    only = named & catalogue.operations.keys()
    drawing = DrawSource(
        options.draws, options.seed, catalogue.digest, home_folder() / "draws", frozenset(only) or None
    )
    return [drawing.cases]


def _failed_before(options: Options) -> frozenset[str]:
    try:
        results = read_results(options.output).results
    except ResultsError as error:
        raise Failure(USAGE, f"--lf reads the last run from --output: {error}") from None
    return frozenset(result.case for result in results if fails(result, options.fail_on))


def _record(options: Options, given: Material, to_run: Sequence[Job]) -> RunRecord:
    return RunRecord(
        started=datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
        command=shlex.join(["conformance", *sys.argv[1:]]),
        seed=options.seed,
        spec_digest=given.catalogue.digest,
        suite_version=__version__,
        shard=str(options.shard) if options.shard else None,
        targets=[job.target.asked for job in to_run],
        draws=options.draws,
        selection=given.selection,
    )


def _failure_limit(options: Options) -> FailureLimit | None:
    if options.maxfail is None:
        return None
    return FailureLimit(partial(fails, fail_on=options.fail_on), options.maxfail)
