"""``conformance repro --all``: a script for each cause that a run found, written into its results and its page."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path

import click

from conformance.cases.model import Case
from conformance.cli import loading
from conformance.cli.failures import USAGE, Failure
from conformance.execution.preparing import Interpreters, jobs
from conformance.reports.counterexamples import case_text, counterexamples, file_name
from conformance.reports.write import write_reports
from conformance.repro.batch import Offered, offered, summary, write_scripts
from conformance.results.exit_status import BLOCKED, OK
from conformance.results.file import FILE_NAME, Results, ResultsError, read_results
from conformance.results.records import TargetRecord
from conformance.specification.problems import SpecError, nearest
from conformance.targets.errors import TargetBlocked, TargetError


def repro_all(
    *,
    case: str | None,
    target: str | None,
    results: Path | None,
    specs: Path | None,
    python: Path | None,
    here: bool,
    offline: bool,
    timeout: float,
) -> int:
    """Make the scripts, write them, and make the reports again; what has no script is told with the reason."""
    if results is None or case is not None:
        raise Failure(USAGE, "--all needs --results DIR, a run's folder, and takes no CASE")
    read = _read(results)
    cases = _cases(read, specs)
    found: list[Offered] = []
    status = OK
    for one in _targets(read, target):
        try:
            found += _of_target(read, one, cases, Interpreters(python, here, offline), timeout)
        except TargetBlocked as error:
            click.echo(f"{one.id}: {error}", err=True)
            status = BLOCKED
    file = results / FILE_NAME if results.is_dir() else results
    write_scripts(file, found)
    write_reports(read_results(file), file.parent)
    click.echo(summary(found), err=True)
    return status


def _read(path: Path) -> Results:
    try:
        return read_results(path)
    except ResultsError as error:
        raise Failure(USAGE, f"--results: {error}") from None


def _cases(results: Results, specs: Path | None) -> Mapping[str, Case]:
    """Those of the specs, and the counterexamples that the run made itself."""
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for record in counterexamples(results):
            files.append(Path(folder) / file_name(record))
            files[-1].write_text(case_text(results, record), encoding="utf-8")
        catalogue, _ = loading.with_case_files(loading.catalogue(specs), files)
        return {one.id: one for one in loading.all_cases(catalogue)}


def _targets(results: Results, name: str | None) -> list[TargetRecord]:
    started = [one for one in results.targets if one.blocked is None]
    if name is None:
        return started
    chosen = [one for one in started if name in (one.id, one.asked, one.framework)]
    if not chosen:
        names = {text for one in started for text in (one.id, one.asked, one.framework) if text}
        raise Failure(USAGE, f"--target {name}: not among the targets of these results{nearest(name, names)}")
    return chosen


def _of_target(
    results: Results, target: TargetRecord, cases: Mapping[str, Case], where: Interpreters, limit: float
) -> list[Offered]:
    try:
        [job] = jobs([target.id], where)
    except (TargetError, SpecError) as error:
        raise Failure(USAGE, str(error)) from None
    prepared = job.prepare(lambda message: click.echo(f"{target.id}: {message}", err=True))
    found = []
    for one in offered(results, target, cases, prepared, limit):
        said = "a script" if one.script is not None else f"none: {one.why}"
        click.echo(f"{target.id} {one.result.api} {one.result.case}: {said}", err=True)
        found.append(one)
    return found
