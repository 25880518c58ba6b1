"""``conformance run``: run cases on targets, and write the report."""

from __future__ import annotations

from pathlib import Path

import click

from conformance.cases.shards import Shard, parse_shard
from conformance.cli.failures import USAGE, Failure
from conformance.cli.output import DEFAULT, held, open_output
from conformance.cli.results_files import load_results, load_run
from conformance.cli.running import Options, execute, load_inputs, plan, run_options
from conformance.cli.selecting import selection_options
from conformance.execution.plan import Plan
from conformance.execution.resuming import CannotResume, resumed
from conformance.outcomes.model import is_adapter_fault
from conformance.reports.terminal import show_summary
from conformance.reports.write import write_reports
from conformance.results.exit_status import exit_status
from conformance.results.file import Results

DEFAULT_TARGETS = ("reference", "torch", "tensorflow", "mindspore")


def _shard(context: click.Context, parameter: click.Parameter, text: str | None) -> Shard | None:
    try:
        return parse_shard(text) if text is not None else None
    except ValueError as error:
        raise click.BadParameter(str(error), context, parameter) from None


@click.command(name="run")
@click.argument("words", nargs=-1, metavar="[TARGET | ID]...")
@selection_options
@click.option("--lf", "last_failed", is_flag=True, help="Only cases that failed in the last run in the output folder.")
@click.option("--case", "case_files", multiple=True, type=click.Path(path_type=Path), metavar="FILE",
              help="Only the case in this file; may be repeated.")  # fmt: skip
@click.option("--shard", callback=_shard, metavar="K/N",
              help="Run only part K of N; merge the results with `conformance report`.")  # fmt: skip
@click.option("--output", type=click.Path(path_type=Path), metavar="DIR",
              help=f"Output folder.  [default: {DEFAULT}]")  # fmt: skip
@click.option("--resume", type=click.Path(path_type=Path), metavar="DIR",
              help="Resume the interrupted run in this folder.")  # fmt: skip
@click.option("-x", "maxfail", flag_value=1, type=int, help="Stop after the first failure.")
@click.option("--maxfail", type=click.IntRange(min=1), metavar="N", help="Stop after N failures.")
@click.option("--python", type=click.Path(path_type=Path), metavar="PATH", help="Run targets in this interpreter.")
@click.option("--jobs", "parallel", type=click.IntRange(min=1), default=None, metavar="N",
              help="Maximum number of targets to run in parallel; by default cores + 1, if memory allows.")  # fmt: skip
@run_options
def command(output: Path | None, resume: Path | None, **parameters: object) -> int:
    """Run cases on targets and write the report.

    A TARGET is NAME[SPECIFIER][[MODE]][@DEVICE], such as torch, "torch==2.13.0" or ./mine.py; by default: reference,
    torch, tensorflow and mindspore. An ID, or a prefix of one, selects cases: scatter_nd.example.
    """
    options = Options(output=_folder(output, resume), **parameters)  # type: ignore[arg-type]
    inputs = load_inputs(options)
    run_plan = plan(options, inputs, inputs.words or DEFAULT_TARGETS)
    if resume is not None:
        load_run(resume, f"--resume {resume}: ")  # before a folder is created
    with held(options.output, "--output" if resume is None else "--resume"):
        if resume is None:
            open_output(options.output, quiet=options.quiet, gzip=options.gzip)
            results = execute(run_plan, options)
        else:
            results = _resume(run_plan, options)
        return _report(results, options)


def _folder(output: Path | None, resume: Path | None) -> Path:
    if resume is None:
        return output or DEFAULT
    if output is not None and output != resume:
        raise Failure(USAGE, f"--resume writes to {resume}; remove --output {output}")
    return resume


def _resume(run_plan: Plan, options: Options) -> Results:
    """Run what an interrupted run has no results of."""
    existing = load_results(options.output, f"--resume {options.output}: ")
    try:
        remaining = resumed(run_plan, existing)
    except CannotResume as error:
        raise Failure(USAGE, f"--resume {options.output}: {error}") from None
    if existing.finished:
        click.echo(f"--resume {options.output}: this run is already complete", err=True)
        return existing
    return execute(remaining, options)


def _report(results: Results, options: Options) -> int:
    try:
        write_reports(results, options.output)
    finally:  # the summary is shown even if a report fails
        show_summary(results, options.output)
    for fault in dict.fromkeys(result.explanation for result in results.results if is_adapter_fault(result.outcome)):
        click.echo(f"conformance: {fault}", err=True)
    return exit_status(results, options.fail_on)
