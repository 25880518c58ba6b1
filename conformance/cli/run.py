"""``conformance run``: run cases on targets, and write the report."""

from __future__ import annotations

import importlib
import threading
import time
from pathlib import Path
from typing import Any

import click

from conformance.cli.commands.options import OUTPUT
from conformance.cli.failures import USAGE, Failure
from conformance.cli.output import held, open_output
from conformance.cli.project_defaults import default_targets
from conformance.cli.results_files import load_results, load_run
from conformance.cli.running import Options, execute, load_inputs, plan
from conformance.execution.plan import Plan
from conformance.execution.resuming import CannotResume, changed_targets, resumed
from conformance.outcomes.model import is_adapter_fault
from conformance.results.exit_status import exit_status
from conformance.results.file import Results
from conformance.targets.early import EarlyStarts


def run_command(early: EarlyStarts, *, output: Path | None, resume: Path | None, **parameters: Any) -> int:
    """Run cases on targets, write the reports, and return the exit status."""
    begun = time.monotonic()
    options = Options(output=_folder(output, resume), **parameters)
    inputs = load_inputs(options)
    run_plan = plan(options, inputs, inputs.words or default_targets(), early)
    if resume is not None:
        load_run(resume, f"--resume {resume}: ")  # before a folder is created
    # The reports' modules take long to import, which they can while the targets start.
    threading.Thread(target=importlib.import_module, args=("conformance.reports.write",), daemon=True).start()
    with held(options.output, "--output" if resume is None else "--resume"):
        if resume is None:
            open_output(options.output, quiet=options.quiet, gzip=options.gzip)
            results = execute(run_plan, options)
        else:
            results = _resume(run_plan, options)
        return _report(results, options, time.monotonic() - begun)


def _folder(output: Path | None, resume: Path | None) -> Path:
    if resume is None:
        return output or OUTPUT
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
    changed = changed_targets(run_plan, existing)
    if changed:
        click.echo(f"running again, since their adapters have changed: {', '.join(changed)}", err=True)
    elif existing.finished:
        click.echo(f"--resume {options.output}: this run is already complete", err=True)
        return existing
    return execute(remaining, options)


def _report(results: Results, options: Options, seconds: float) -> int:
    from conformance.reports.terminal import show_report, show_summary, show_verdict
    from conformance.reports.verdict import verdict_of
    from conformance.reports.write import write_reports

    show_summary(results, None, verbose=options.verbose)  # first, since the reports take longer
    write_reports(results, options.output)
    show_report(options.output)
    for fault in dict.fromkeys(result.explanation for result in results.results if is_adapter_fault(result.outcome)):
        click.echo(f"conformance: {fault}", err=True)
    show_verdict(verdict_of(results, options.fail_on, options.output, seconds))
    return exit_status(results, options.fail_on)
