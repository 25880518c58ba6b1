"""``conformance matrix``: several versions on the same cases, put together, and what changed from one to the next."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import click

from conformance.cli import github as telling
from conformance.cli.failures import USAGE, Failure
from conformance.cli.merging import merge_into
from conformance.cli.output import open_output
from conformance.cli.running import MOST_DRAWS, Options, carried_out, material, plan
from conformance.cli.selecting import selecting
from conformance.execution.plan import Plan
from conformance.execution.resuming import CannotResume, resumed
from conformance.findings.timeline import Timeline, timelines
from conformance.matrix.as_json import timelines_json
from conformance.matrix.planning import folder_name, is_reusable, with_versions
from conformance.matrix.reading import results_files
from conformance.matrix.text import lines
from conformance.reports.terminal import show_summary
from conformance.reports.write import write_reports
from conformance.results.exit_status import exit_status
from conformance.results.file import FILE_NAME, Results, ResultsError, read_results
from conformance.targets.errors import TargetError

DEFAULT = Path("conformance-matrix")
_WIDTH = 100
"""Columns of what is told to others than a terminal."""


@click.command(name="matrix")
@click.argument("words", nargs=-1, metavar="[TARGET | ID | DIR]...", required=True)
@selecting
@click.option("--versions", metavar="V,V,...", help="The versions of the one TARGET, as 2.1.2,2.13.0.")
@click.option("--output", type=click.Path(path_type=Path), default=DEFAULT, metavar="DIR", show_default=True,
              help="For all results together, and in a folder of it those of each target.")  # fmt: skip
@click.option("--draws", type=click.IntRange(0, MOST_DRAWS), default=0, metavar="N", show_default=True,
              help="As for run.")  # fmt: skip
@click.option("--seed", type=int, default=0, metavar="N", show_default=True, help="Of the draws.")
@click.option("--timeout", type=click.FloatRange(min=0.1), default=30.0, metavar="S", show_default=True,
              help="Seconds that one call may take.")  # fmt: skip
@click.option("--offline", is_flag=True, help="Use what is installed or cached; ask no index.")
@click.option("--here", is_flag=True, help="Run targets in the interpreter that runs this command.")
@click.option("--fail-on", type=click.Choice(["own", "any", "never"]), default="own", show_default=True,
              help="Divergences that make the exit status 1.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="For programs: the timelines as a list.")
@telling.github
@click.option("-q", "--quiet", is_flag=True, help="No progress.")
def command(words: tuple[str, ...], versions: str | None, *, as_json: bool, github: bool, **given: object) -> int:
    """Run several targets on the same cases, one after the other, and show what changed from version to version.

    A TARGET is as for run; with --versions it is one framework, without a version of its own. A DIR holds results
    of earlier runs, or folders that do, as of the jobs of a CI; they are put together with those of the targets.
    Results that are there for the same target, specs, seed, draws and selection are taken as they are.
    """
    if github:
        telling.check_step()
    folders = [Path(word) for word in words if _holds_results(word)]
    options = Options(words=tuple(word for word in words if Path(word) not in folders), **given)  # type: ignore[arg-type]
    files = _run_each(options, versions) if options.words or versions else []
    whole = merge_into([*_files(folders), *files], options.output, quiet=options.quiet)
    found = timelines(whole)
    _show(whole, found, options, as_json=as_json)
    if github:
        telling.tell(whole, options.fail_on, list(lines(found, _WIDTH)))
    return exit_status(whole, options.fail_on)


def _holds_results(word: str) -> bool:
    """Whether a word is a file or folder of results; a folder called torch without any is none."""
    path = Path(word)
    return path.suffix == ".jsonl" or (path.is_dir() and ("/" in word or any(path.rglob(FILE_NAME))))


def _files(folders: Sequence[Path]) -> list[Path]:
    try:
        return [file for folder in folders for file in results_files(folder)]
    except ResultsError as error:
        raise Failure(USAGE, str(error)) from None


def _run_each(options: Options, versions: str | None) -> list[Path]:
    given = material(options)
    try:
        names = with_versions(given.words, versions)
    except TargetError as error:
        raise Failure(USAGE, str(error)) from None
    # Every plan is made before the first is carried out: a name that is none is told at once.
    planned = [plan(options, given, [name]) for name in names]
    return [_one(one, options) for one in planned]


def _one(planned: Plan, options: Options) -> Path:
    """The results file of a target, which may be there already, whole or in part."""
    [name] = planned.record.targets
    apart = replace(options, output=options.output / folder_name(name))
    file = apart.output / FILE_NAME
    begun = _begun(file)
    if begun is not None and is_reusable(begun, planned.record):
        if not options.quiet:
            click.echo(f"{name}: its results are in {apart.output} already", err=True)
        return file
    write_reports(carried_out(_prepared(planned, begun, apart), apart), apart.output)
    return file


def _begun(file: Path) -> Results | None:
    try:
        return read_results(file) if file.is_file() else None
    except ResultsError:
        return None


def _prepared(planned: Plan, begun: Results | None, options: Options) -> Plan:
    """The plan to finish what was begun, where that is the same run; else an empty folder."""
    if begun is not None:
        try:
            return resumed(planned, begun)
        except CannotResume:
            pass
    replaced = open_output(options.output)
    if replaced and not options.quiet:
        click.echo(replaced, err=True)
    return planned


def _show(whole: Results, found: Sequence[Timeline], options: Options, *, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps(timelines_json(found), ensure_ascii=False, indent=2))
        return
    show_summary(whole, options.output)
    click.echo("")
    width = max(40, shutil.get_terminal_size((100, 24)).columns)
    for line in lines(found, width):
        click.echo(line)
