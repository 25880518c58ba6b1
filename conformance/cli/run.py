"""``conformance run``: cases on targets, and the report."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import click

from conformance import __version__
from conformance.cases.build import Source
from conformance.cases.model import Case
from conformance.cli import ledgers, loading
from conformance.cli.failures import USAGE, Failure
from conformance.cli.output import DEFAULT, open_output
from conformance.cli.selecting import choose, selecting, split_ids
from conformance.reports.progress import progress
from conformance.reports.terminal import show_summary
from conformance.reports.write import write_reports
from conformance.runs.describe import claim_records
from conformance.runs.ledger.model import facts
from conformance.runs.patience import Patience
from conformance.runs.preparing import Interpreters, jobs
from conformance.runs.records import RunRecord
from conformance.runs.results import FILE_NAME, ResultsError, read_results
from conformance.runs.runner import Job, Plan, run
from conformance.runs.selection import Selection
from conformance.runs.status import FailOn, exit_status, fails, is_adapter_fault
from conformance.spec.model import Catalogue
from conformance.spec.problems import SpecError
from conformance.targets.errors import TargetError
from conformance.targets.home import home_folder

MOST_DRAWS = 100_000
DEFAULT_TARGETS = ("reference", "torch", "tensorflow", "mindspore")


@dataclass(frozen=True)
class Options:
    """The command line, as it was typed."""

    words: tuple[str, ...]
    operations: tuple[str, ...]
    keyword: str | None
    specs: Path | None
    last_failed: bool
    python: Path | None
    here: bool
    offline: bool
    output: Path
    maxfail: int | None
    fail_on: FailOn
    timeout: float
    side_by_side: int
    seed: int
    draws: int
    case_files: tuple[Path, ...]
    quiet: bool


@click.command(name="run")
@click.argument("words", nargs=-1, metavar="[TARGET | ID]...")
@selecting
@click.option(
    "--lf", "last_failed", is_flag=True, help="Only cases that failed in the run that the output folder holds."
)
@click.option("--python", type=click.Path(path_type=Path), metavar="PATH", help="Run targets in this interpreter.")
@click.option("--here", is_flag=True, help="Run targets in the interpreter that runs this command.")
@click.option("--offline", is_flag=True, help="Use what is installed or cached; ask no index.")
@click.option("--output", type=click.Path(path_type=Path), default=DEFAULT, metavar="DIR", show_default=True)
@click.option("-x", "maxfail", flag_value=1, type=int, help="Stop at the first failure.")
@click.option("--maxfail", type=click.IntRange(min=1), metavar="N", help="Stop at N failures.")
@click.option("--fail-on", type=click.Choice(["own", "any", "never"]), default="own", show_default=True,
              help="Divergences that make the exit status 1.")  # fmt: skip
@click.option("--timeout", type=click.FloatRange(min=0.1), default=30.0, metavar="S", show_default=True,
              help="Seconds that one call may take.")  # fmt: skip
@click.option("--jobs", "side_by_side", type=click.IntRange(min=1), default=None, metavar="N",
              help="Targets that run side by side; by default as many as there are cores.")  # fmt: skip
@click.option("--draws", type=click.IntRange(0, MOST_DRAWS), default=0, metavar="N", show_default=True,
              help="Calls drawn for each rule, which break it, and as many valid ones for each operation.")  # fmt: skip
@click.option("--seed", type=int, default=0, metavar="N", show_default=True,
              help="Of the draws; a seed always gives the same.")  # fmt: skip
@click.option("--case", "case_files", multiple=True, type=click.Path(path_type=Path), metavar="FILE",
              help="Only the case of this file; repeatable.")  # fmt: skip
@click.option("-q", "--quiet", is_flag=True, help="No progress.")
def command(side_by_side: int | None, **given: object) -> int:
    """Run cases on targets and write the report.

    A TARGET is NAME[SPECIFIER][[MODE]][@DEVICE], as torch, "torch==2.13.0" or ./mine.py; with none named, the reference,
    torch, tensorflow and mindspore run. An ID, or the beginning of one, selects cases: scatter_nd.example.
    """
    options = Options(side_by_side=side_by_side or os.cpu_count() or 1, **given)  # type: ignore[arg-type]
    catalogue = loading.catalogue(options.specs)
    ids, names = split_ids(options.words, catalogue)
    catalogue, found = loading.with_case_files(catalogue, options.case_files)
    ids += found
    to_run = _jobs(names or list(DEFAULT_TARGETS), options)
    everything = loading.all_cases(catalogue, _drawing(catalogue, ids, options))
    known_cases = facts(everything)
    if options.specs is None:
        ledgers.check_cases([job.ledger for job in to_run], known_cases)
    cases = _chosen(everything, ids, options)
    replaced = open_output(options.output)
    if replaced and not options.quiet:
        click.echo(replaced, err=True)
    return _run(Plan(
        record=_record(catalogue, options),
        jobs=to_run,
        cases=cases,
        limit=options.timeout,
        side_by_side=options.side_by_side,
        patience=_patience(options),
        claims=claim_records(catalogue.documents),
        everything=known_cases,
    ), options)  # fmt: skip


def _jobs(names: list[str], options: Options) -> list[Job]:
    try:
        return jobs(names, Interpreters(options.python, options.here, options.offline))
    except (TargetError, SpecError) as error:
        raise Failure(USAGE, str(error)) from None


def _chosen(cases: Sequence[Case], ids: list[str], options: Options) -> list[Case]:
    only = _failed_before(options) if options.last_failed else None
    selection = Selection(tuple(ids), options.operations, options.keyword, only)
    chosen = set(choose(selection, [case.id for case in cases]))
    return [case for case in cases if case.id in chosen]


def _drawing(catalogue: Catalogue, ids: list[str], options: Options) -> list[Source]:
    if not options.draws:
        return []
    # Imported by those alone who ask for draws.
    from conformance.cases.draws.source import Drawing

    named = {*options.operations, *(one.partition(".")[0] for one in ids)}
    only = named & catalogue.operations.keys()
    drawing = Drawing(options.draws, options.seed, catalogue.digest, home_folder() / "draws", frozenset(only) or None)
    return [drawing.cases]


def _failed_before(options: Options) -> frozenset[str]:
    try:
        results = read_results(options.output).results
    except ResultsError as error:
        raise Failure(USAGE, f"--lf reads the last run from --output: {error}") from None
    return frozenset(result.case for result in results if fails(result, options.fail_on))


def _record(catalogue: Catalogue, options: Options) -> RunRecord:
    return RunRecord(
        started=datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
        command=shlex.join(["conformance", *sys.argv[1:]]),
        seed=options.seed,
        spec_digest=catalogue.digest,
        suite_version=__version__,
    )


def _patience(options: Options) -> Patience | None:
    if options.maxfail is None:
        return None
    return Patience(partial(fails, fail_on=options.fail_on), options.maxfail)


def _run(plan: Plan, options: Options) -> int:
    with progress(sys.stderr, quiet=options.quiet) as listener:
        run(plan, options.output / FILE_NAME, [listener])
    results = read_results(options.output)
    write_reports(results, options.output)
    show_summary(results, options.output)
    for fault in dict.fromkeys(one.explanation for one in results.results if is_adapter_fault(one)):
        click.echo(f"conformance: {fault}", err=True)
    return exit_status(results, options.fail_on)
