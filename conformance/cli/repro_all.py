"""``conformance repro --all``: a script for each cause that a run found, written into its results and its page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

import click

from conformance.cases.model import Case
from conformance.cli import loading
from conformance.cli.failures import USAGE, Failure
from conformance.execution.client import GaveUp
from conformance.execution.preparing import Interpreters, jobs
from conformance.execution.replaying import Replay
from conformance.reports.write import write_reports
from conformance.repro.batch import ScriptOrReason, counterexample_cases, scripts, summary, with_scripts
from conformance.repro.errors import NoScript
from conformance.repro.interpreter import Interpreter
from conformance.results.exit_status import BLOCKED, OK
from conformance.results.file import FILE_NAME, Results, ResultsError, read_results
from conformance.results.observed import CaseResult, ObservedCall
from conformance.results.order import write_results
from conformance.results.records import TargetRecord
from conformance.specification.problems import SpecError, nearest
from conformance.targets.errors import TargetBlocked, TargetError
from conformance.targets.staging import staged_worker


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
    """Make the scripts, write them, and make the reports again; the reason is printed for what has no script."""
    if results is None or case is not None:
        raise Failure(USAGE, "--all needs --results DIR, a run's folder, and takes no CASE")
    read = _read(results)
    cases = _cases(read, specs)
    outcomes: list[ScriptOrReason] = []
    status = OK
    for record in _targets(read, target):
        try:
            outcomes += _of_target(read, record, cases, Interpreters(python, here, offline), timeout)
        except TargetBlocked as error:
            click.echo(f"{record.id}: {error}", err=True)
            status = BLOCKED
    file = results / FILE_NAME if results.is_dir() else results
    shown = with_scripts(read, outcomes)
    write_results(shown, file)
    write_reports(shown, file.parent)
    click.echo(summary(outcomes), err=True)
    return status


def _read(path: Path) -> Results:
    try:
        return read_results(path)
    except ResultsError as error:
        raise Failure(USAGE, f"--results: {error}") from None


def _cases(results: Results, specs: Path | None) -> Mapping[str, Case]:
    """Those of the specs, and the counterexamples that the run found itself."""
    catalogue = loading.catalogue(specs)
    found = counterexample_cases(results, catalogue, loading.reference_of(catalogue))
    return {case.id: case for case in (*found, *loading.all_cases(catalogue))}


def _targets(results: Results, name: str | None) -> list[TargetRecord]:
    started = [target for target in results.targets if target.blocked is None]
    if name is None:
        return started
    chosen = [target for target in started if name in (target.id, target.asked, target.framework)]
    if not chosen:
        names = {text for target in started for text in (target.id, target.asked, target.framework) if text}
        raise Failure(USAGE, f"--target {name}: not among the targets of these results{nearest(name, names)}")
    return chosen


def _of_target(
    results: Results, target: TargetRecord, cases: Mapping[str, Case], where: Interpreters, limit: float
) -> list[ScriptOrReason]:
    try:
        [job] = jobs([target.id], where)
    except (TargetError, SpecError) as error:
        raise Failure(USAGE, str(error)) from None
    prepared = job.prepare(lambda message: click.echo(f"{target.id}: {message}", err=True))
    outcomes = []
    with staged_worker() as staged:
        replay = Replay(prepared, staged, limit)
        for outcome in scripts(
            results, target, cases, Interpreter(prepared, staged.parent, limit), partial(_calls, replay)
        ):
            text = "a script" if outcome.script is not None else f"none: {outcome.reason}"
            click.echo(f"{target.id} {outcome.result.api} {outcome.result.case}: {text}", err=True)
            outcomes.append(outcome)
    return outcomes


def _calls(replay: Replay, shown: CaseResult) -> Sequence[ObservedCall]:
    try:
        return replay.calls(shown)
    except GaveUp as error:
        raise NoScript(str(error)) from None
