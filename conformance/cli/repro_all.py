"""``conformance repro --all``: add a script for each cause in a run's results to the results and the page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import click

from conformance.app import loading
from conformance.app.errors import ConformanceError
from conformance.app.output import held
from conformance.app.results_files import load_results
from conformance.cases.model import Case
from conformance.cli.reproducing import cases_of_run, reproducer
from conformance.environments.errors import TargetBlocked, TargetError
from conformance.environments.name import parse_target
from conformance.execution.plan import Interpreters, jobs
from conformance.reports.write import write_reports
from conformance.repro.batch import ScriptOrReason, scripts, summary, with_scripts
from conformance.results.exit_status import BLOCKED, OK, USAGE
from conformance.results.file import Results, results_file
from conformance.results.order import write_results
from conformance.results.records import TargetRecord
from conformance.specification.problems import SpecError, nearest


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
    """Write the scripts to the results and recreate the reports; print the reason where there is no script."""
    if results is None or case is not None:
        raise ConformanceError("--all needs --results DIR and takes no CASE")
    recorded = load_results(results, "--results: ")
    with held(results_file(results).parent, "--results"):
        return _write_scripts(
            recorded, results_file(results), target, specs, Interpreters(python, here, offline), timeout
        )


def _write_scripts(
    recorded: Results, file: Path, target: str | None, specs: Path | None, interpreters: Interpreters, timeout: float
) -> int:
    with loading.kept_to_the_end():
        loaded = loading.with_cases(specs)
    cases = cases_of_run(loaded, recorded)
    outcomes: list[ScriptOrReason] = []
    status = OK
    for record in _targets(recorded, target):
        if record.program is not None:
            click.echo(
                f"{record.id}: no scripts: it has no adapter; `onnx-run --only CASE` runs a model again", err=True
            )
            status = USAGE
            continue
        if not _is_named(record, target):
            click.echo(f"{record.id}: no scripts: results alone do not run a file; add --target {record.id}", err=True)
            status = USAGE
            continue
        try:
            # extended one by one: what was written before the target stopped working is kept
            outcomes.extend(_of_target(recorded, record, cases, interpreters, timeout))
        except TargetBlocked as error:
            click.echo(f"{record.id}: {error}", err=True)
            status = status or BLOCKED
    updated = with_scripts(recorded, outcomes)
    write_results(updated, file)
    write_reports(updated, file.parent)
    click.echo(summary(outcomes), err=True)
    return status


def _targets(results: Results, name: str | None) -> list[TargetRecord]:
    started = [target for target in results.targets if target.blocked is None]
    if name is None:
        return started
    chosen = [target for target in started if name in (target.id, target.asked, target.framework)]
    if not chosen:
        names = {text for target in started for text in (target.id, target.asked, target.framework) if text}
        raise ConformanceError(f"--target {name} is not in these results{nearest(name, names)}")
    return chosen


def _is_named(record: TargetRecord, name: str | None) -> bool:
    """Whether it is a target of the suite, or an adapter file that the user has named: results may be anybody's."""
    try:
        file = parse_target(record.id).path
        return file is None or (name is not None and parse_target(name).path == file)
    except TargetError as error:
        raise ConformanceError(str(error)) from None


def _of_target(
    results: Results, target: TargetRecord, cases: Mapping[str, Case], interpreters: Interpreters, limit: float
) -> Iterator[ScriptOrReason]:
    try:
        [job] = jobs([target.id], interpreters)
    except (TargetError, SpecError) as error:
        raise ConformanceError(str(error)) from None
    prepared = job.prepare(lambda message: click.echo(f"{target.id}: {message}", err=True))
    with reproducer(prepared, limit, results, cases) as script_of:
        for outcome in scripts(results, target, cases, script_of):
            text = "script written" if outcome.script is not None else f"no script: {outcome.reason}"
            click.echo(f"{target.id} {outcome.result.api} {outcome.result.case}: {text}", err=True)
            yield outcome
