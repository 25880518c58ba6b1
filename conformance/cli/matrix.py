"""``conformance matrix``: run several versions on the same cases, merge the results, and show what changed."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import click
from packaging.specifiers import SpecifierSet

from conformance.app.errors import ConformanceError
from conformance.app.loading import kept_to_the_end
from conformance.app.merging import merge_of, write_merged
from conformance.app.options import RunOptions
from conformance.app.output import held, open_output
from conformance.app.results_files import find_results
from conformance.app.run import execute, load_inputs, plan
from conformance.cli.github import summary_file, write_to_github
from conformance.environments.definition import definitions
from conformance.environments.environment import versions_in_range
from conformance.environments.errors import TargetBlocked, TargetError
from conformance.execution.plan import Plan
from conformance.execution.resume import CannotResume, changed_targets, resumed
from conformance.files import RESULTS_ENDINGS
from conformance.findings.conclusions import Conclusions
from conformance.matrix.planning import folder_name, is_reusable, with_versions
from conformance.reports.document import Document
from conformance.reports.summaries import summary
from conformance.reports.terminal import show
from conformance.reports.timelines import timelines_document
from conformance.reports.verdict import report
from conformance.reports.write import write_reports
from conformance.results.codec import encoded
from conformance.results.exit_status import BLOCKED, exit_status
from conformance.results.file import FILE_NAMES, Results, ResultsError, read_results, results_file


def run_matrix(words: tuple[str, ...], versions: str | None, *, as_json: bool, github: bool, **parameters: Any) -> int:
    """Run the targets one after the other, merge the results and print the changes."""
    if github:
        summary_file()
    folders = [Path(word) for word in words if _is_results_path(word)]
    targets = tuple(word for word in words if Path(word) not in folders)
    options = RunOptions(words=targets, **parameters)
    plans = _plans(options, versions) if targets or versions else []
    with held(options.output):
        files = [_results_file(target_plan, options) for target_plan in plans]
        merge = merge_of([*find_results(folders), *files], options.output)
        record = replace(merge.results.run, fail_on=options.fail_on)
        merge = replace(merge, results=replace(merge.results, run=record))
        results = write_merged(merge, options.output, quiet=options.quiet, gzip=options.gzip)
    conclusions = Conclusions(results)
    changes = timelines_document(conclusions.timelines, conclusions.table)
    if as_json:
        click.echo(encoded(conclusions.timelines))
    else:
        show(summary(conclusions, fail_on=options.fail_on))
        click.echo("")
        show(Document.of(report(options.output)))
        click.echo("")
        show(changes)
    if github:
        write_to_github(results, options.fail_on, changes)
    return exit_status(results, options.fail_on)


def _is_results_path(word: str) -> bool:
    """Whether a word is a file or folder of results; a folder named torch is one only if it contains results."""
    path = Path(word)
    return path.name.endswith(RESULTS_ENDINGS) or (
        path.is_dir() and ("/" in word or any(any(path.rglob(name)) for name in FILE_NAMES))
    )


def _plans(options: RunOptions, versions: str | None) -> list[Plan]:
    """The plan of each target; all are made before the first one runs, so that an invalid name is reported at once."""
    with kept_to_the_end():
        inputs = load_inputs(options)
    try:
        names = with_versions(inputs.words, versions, partial(_in_range, options))
    except TargetError as error:
        raise ConformanceError(str(error)) from None
    except TargetBlocked as error:
        raise ConformanceError(f"--versions {versions}: {error}", BLOCKED) from None
    return [plan(options, inputs, [name]) for name in names]


def _in_range(options: RunOptions, name: str, allowed: SpecifierSet) -> list[str]:
    """The newest version of each minor release of a framework in a range."""

    def report(message: str) -> None:
        if not options.quiet:
            click.echo(f"{name}: {message}", err=True)

    report(f"looking for the versions {allowed}")
    versions = versions_in_range(definitions()[name], allowed, report=report, offline=options.offline)
    report(f"the newest version of each minor release is {', '.join(versions)}")
    return versions


def _results_file(target_plan: Plan, options: RunOptions) -> Path:
    """The results file of a target, run again unless it exists and is complete."""
    [name] = target_plan.record.targets
    own_options = replace(options, output=options.output / folder_name(name))
    with held(own_options.output):
        return _new_or_existing(target_plan, name, own_options)


def _new_or_existing(target_plan: Plan, name: str, own_options: RunOptions) -> Path:
    file = results_file(own_options.output)
    existing = _existing_results(file)
    if existing is not None and changed_targets(target_plan, existing):
        click.echo(f"{name}: running again, since its adapter has changed", err=True)
    elif existing is not None and is_reusable(existing, target_plan.record):
        if not own_options.quiet:
            click.echo(f"{name}: reusing the results in {own_options.output}", err=True)
        return file
    results = execute(_resumed_if_possible(target_plan, existing, own_options), own_options)
    write_reports(results, own_options.output)
    return results_file(own_options.output)


def _existing_results(file: Path) -> Results | None:
    try:
        return read_results(file) if file.is_file() else None
    except ResultsError:
        return None


def _resumed_if_possible(target_plan: Plan, existing: Results | None, options: RunOptions) -> Plan:
    """The rest of the plan if the existing results are of the same run; otherwise all of it, in an empty folder."""
    if existing is not None:
        try:
            return resumed(target_plan, existing)
        except CannotResume:
            pass
    open_output(options.output, quiet=options.quiet, gzip=options.gzip)
    return target_plan
