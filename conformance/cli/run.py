"""``conformance run``: run cases on targets, and write the report."""

from __future__ import annotations

import importlib
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from conformance.app.errors import ConformanceError
from conformance.app.loading import kept_to_the_end
from conformance.app.options import OUTPUT, RunOptions
from conformance.app.output import RunOutput, new_output, resumed_output
from conformance.app.project import default_targets
from conformance.app.results_files import load_results, load_run
from conformance.app.run import CarryOut, Inputs, execute, here, load_inputs, plan
from conformance.environments.before_installing import to_install
from conformance.execution.plan import Plan
from conformance.execution.resume import CannotResume, changed_targets, resumed
from conformance.findings.conclusions import Conclusions
from conformance.judging.vocabulary import FailOn
from conformance.outcomes.model import is_adapter_fault
from conformance.processes.early_starts import EarlyStarts
from conformance.results.exit_status import exit_status
from conformance.results.file import Results

if TYPE_CHECKING:
    from conformance.cluster.places import Connection


def run_command(
    early: EarlyStarts | None,
    connect: Callable[[], Connection] | None = None,
    *,
    output: Path | None,
    resume: Path | None,
    **parameters: Any,
) -> int:
    """Run cases on targets, write the reports, and return the exit status.

    connect: waits for the machines to run on; None to run here.
    """
    begun = time.monotonic()
    options = RunOptions(output=resume or output or OUTPUT, **parameters)
    with kept_to_the_end():
        inputs = load_inputs(options, default_targets(quick=options.quick))
    run_plan = plan(options, inputs, inputs.words or default_targets(quick=options.quick), early)
    run_output = new_output(output) if resume is None else resumed_output(resume)
    if resume is not None:
        load_run(run_output.folder, f"--resume {resume}: ")  # before a folder is created
    options = replace(options, output=run_output.folder)
    run_plan = replace(run_plan, record=replace(run_plan.record, folder=run_output.lasting))
    # The reports' modules take long to import, which they can while the targets start.
    threading.Thread(target=importlib.import_module, args=("conformance.reports.write",), daemon=True).start()
    installing = to_install(job.target for job in run_plan.jobs) if connect is None else None
    if installing is not None and not options.quiet:
        click.echo(installing, err=True)
    carry_out = _carry_out(connect, options, inputs, run_plan, resumes=resume is not None)
    with run_output.held("--output" if resume is None else "--resume"):
        if resume is None:
            run_output.open(quiet=options.quiet, gzip=options.gzip)
            results = execute(run_plan, options, carry_out)
        else:
            results = _resume(run_plan, options, carry_out)
        seconds = time.monotonic() - begun
        return report_run(results, run_output, fail_on=options.fail_on, seconds=seconds, verbose=options.verbose)


def _carry_out(
    connect: Callable[[], Connection] | None, options: RunOptions, inputs: Inputs, run_plan: Plan, *, resumes: bool
) -> CarryOut:
    if connect is None:
        return here
    from conformance.cli.distributing import carrier_on

    return carrier_on(connect, options, inputs, run_plan, resumes=resumes)


def _resume(run_plan: Plan, options: RunOptions, carry_out: CarryOut) -> Results:
    """Run what an interrupted run has no results of."""
    existing = load_results(options.output, f"--resume {options.output}: ")
    try:
        remaining = resumed(run_plan, existing)
    except CannotResume as error:
        raise ConformanceError(f"--resume {options.output}: {error}") from None
    changed = changed_targets(run_plan, existing)
    if changed:
        click.echo(f"running again, since their adapters have changed: {', '.join(changed)}", err=True)
    elif existing.finished:
        click.echo(f"--resume {options.output}: this run is already complete", err=True)
        return existing
    return execute(remaining, options, carry_out)


def report_run(
    results: Results, run_output: RunOutput, *, fail_on: FailOn, seconds: float, verbose: bool = False
) -> int:
    """Print the summary of a run, write its reports, and return the exit status."""
    from conformance.reports.document import Document
    from conformance.reports.summaries import summary
    from conformance.reports.terminal import show
    from conformance.reports.verdict import next_steps, report
    from conformance.reports.write import write_reports

    conclusions = Conclusions(results)
    # first, since the reports take longer
    show(summary(conclusions, fail_on=fail_on, seconds=seconds, verbose=verbose))
    write_reports(results, run_output.folder)
    folder = run_output.publish(results)
    earlier = run_output.not_replaced(folder)
    if earlier is not None:
        click.echo(earlier, err=True)
    for fault in dict.fromkeys(result.explanation for result in results.results if is_adapter_fault(result.outcome)):
        click.echo(f"conformance: {fault}", err=True)
    click.echo("")
    show(
        Document.of(
            report(folder),
            next_steps(conclusions, fail_on, folder),
        )
    )
    return exit_status(results, fail_on)
