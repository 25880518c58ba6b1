"""``conformance run``: cases on targets, and the report."""

from __future__ import annotations

from pathlib import Path

import click

from conformance.cases.shards import Shard, parse_shard
from conformance.cli.failures import USAGE, Failure
from conformance.cli.output import DEFAULT, open_output
from conformance.cli.running import MOST_DRAWS, Options, carried_out, material, plan
from conformance.cli.selecting import selecting
from conformance.execution.plan import Plan
from conformance.execution.resuming import CannotResume, resumed
from conformance.outcomes.model import is_adapter_fault
from conformance.reports.terminal import show_summary
from conformance.reports.write import write_reports
from conformance.results.exit_status import exit_status
from conformance.results.file import Results, ResultsError, read_results

DEFAULT_TARGETS = ("reference", "torch", "tensorflow", "mindspore")


def _shard(context: click.Context, parameter: click.Parameter, text: str | None) -> Shard | None:
    try:
        return parse_shard(text) if text is not None else None
    except ValueError as error:
        raise click.BadParameter(str(error), context, parameter) from None


@click.command(name="run")
@click.argument("words", nargs=-1, metavar="[TARGET | ID]...")
@selecting
@click.option(
    "--lf", "last_failed", is_flag=True, help="Only cases that failed in the run that the output folder holds."
)
@click.option("--python", type=click.Path(path_type=Path), metavar="PATH", help="Run targets in this interpreter.")
@click.option("--here", is_flag=True, help="Run targets in the interpreter that runs this command.")
@click.option("--offline", is_flag=True, help="Use what is installed or cached; ask no index.")
@click.option("--output", type=click.Path(path_type=Path), metavar="DIR",
              help=f"Where to write; {DEFAULT} by default.")  # fmt: skip
@click.option("--resume", type=click.Path(path_type=Path), metavar="DIR",
              help="Finish the run that this folder holds: only what it has no results of is run.")  # fmt: skip
@click.option("-x", "maxfail", flag_value=1, type=int, help="Stop at the first failure.")
@click.option("--maxfail", type=click.IntRange(min=1), metavar="N", help="Stop at N failures.")
@click.option("--fail-on", type=click.Choice(["own", "any", "never"]), default="own", show_default=True,
              help="Divergences that make the exit status 1.")  # fmt: skip
@click.option("--timeout", type=click.FloatRange(min=0.1), default=30.0, metavar="S", show_default=True,
              help="Seconds that one call may take.")  # fmt: skip
@click.option("--jobs", "side_by_side", type=click.IntRange(min=1), default=None, metavar="N",
              help="Targets that run side by side; by default one more than cores, as memory allows.")  # fmt: skip
@click.option("--draws", type=click.IntRange(0, MOST_DRAWS), default=0, metavar="N", show_default=True,
              help="Calls drawn for each rule, which break it, and as many valid ones for each operation.")  # fmt: skip
@click.option("--seed", type=int, default=0, metavar="N", show_default=True,
              help="Of the draws; a seed always gives the same.")  # fmt: skip
@click.option("--case", "case_files", multiple=True, type=click.Path(path_type=Path), metavar="FILE",
              help="Only the case of this file; repeatable.")  # fmt: skip
@click.option("--shard", callback=_shard, metavar="K/N",
              help="Only the K-th of N parts of the cases; conformance report puts the results together.")  # fmt: skip
@click.option("-q", "--quiet", is_flag=True, help="No progress.")
def command(output: Path | None, resume: Path | None, **given: object) -> int:
    """Run cases on targets and write the report.

    A TARGET is NAME[SPECIFIER][[MODE]][@DEVICE], as torch, "torch==2.13.0" or ./mine.py; with none named, the reference,
    torch, tensorflow and mindspore run. An ID, or the beginning of one, selects cases: scatter_nd.example.
    """
    options = Options(output=_folder(output, resume), **given)  # type: ignore[arg-type]
    given_specs = material(options)
    planned = plan(options, given_specs, given_specs.words or DEFAULT_TARGETS)
    if resume is None:
        replaced = open_output(options.output)
        if replaced and not options.quiet:
            click.echo(replaced, err=True)
        results = carried_out(planned, options)
    else:
        results = _finished(planned, options)
    return _told(results, options)


def _folder(output: Path | None, resume: Path | None) -> Path:
    if resume is None:
        return output or DEFAULT
    if output is not None and output != resume:
        raise Failure(USAGE, f"--resume {resume} writes where the run is that it finishes; leave out --output {output}")
    return resume


def _finished(planned: Plan, options: Options) -> Results:
    """The results of a run that was begun before."""
    try:
        begun = read_results(options.output)
        planned = resumed(planned, begun)
    except (ResultsError, CannotResume) as error:
        raise Failure(USAGE, f"--resume {options.output}: {error}") from None
    if begun.finished:
        click.echo(f"--resume {options.output}: the run there is complete, and nothing is left to be run", err=True)
        return begun
    return carried_out(planned, options)


def _told(results: Results, options: Options) -> int:
    try:
        write_reports(results, options.output)
    finally:  # a report that cannot be made does not take the summary with it
        show_summary(results, options.output)
    for fault in dict.fromkeys(one.explanation for one in results.results if is_adapter_fault(one.outcome)):
        click.echo(f"conformance: {fault}", err=True)
    return exit_status(results, options.fail_on)
