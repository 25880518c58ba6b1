"""A run told to GitHub, in a step of a workflow."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import click

from conformance.cli.failures import USAGE, Failure
from conformance.reports.github import commands, step_summary
from conformance.results.exit_status import FailOn
from conformance.results.file import Results

_VARIABLE = "GITHUB_STEP_SUMMARY"

github = click.option(
    "--github", is_flag=True, help="In a workflow on GitHub: the worst as annotations, and the summary of the step."
)


def check_step() -> Path:
    """The file of the step's summary; Failure where this is no step of a workflow."""
    named = os.environ.get(_VARIABLE)
    if not named:
        raise Failure(USAGE, f"--github: {_VARIABLE} is not set; it is for a step of a workflow on GitHub")
    return Path(named)


def tell(results: Results, fail_on: FailOn, changes: Sequence[str] = ()) -> None:
    """Print annotations, and add to the step's summary; ``changes`` are those from version to version."""
    file = check_step()
    for line in commands(results, fail_on):
        click.echo(line)
    taken = file.stat().st_size if file.exists() else 0
    with file.open("a", encoding="utf-8", errors="backslashreplace") as stream:
        stream.write(step_summary(results, changes, taken))
