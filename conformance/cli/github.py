"""The option ``--github``: annotations and the step summary of a GitHub workflow."""

from __future__ import annotations

import os
from pathlib import Path

import click

from conformance.app.errors import ConformanceError
from conformance.cli.streams import for_commands
from conformance.reports.document import Document
from conformance.reports.github import commands, step_summary
from conformance.results.exit_status import FailOn
from conformance.results.file import Results

_VARIABLE = "GITHUB_STEP_SUMMARY"


def summary_file() -> Path:
    """The file for the step summary; ConformanceError outside a step of a workflow."""
    path = os.environ.get(_VARIABLE)
    if not path:
        raise ConformanceError(f"--github: {_VARIABLE} is not set; use this option in a step of a GitHub workflow")
    return Path(path)


def write_to_github(results: Results, fail_on: FailOn, changes: Document | None = None) -> None:
    """Print annotations, and append to the step summary; ``changes`` are those between versions."""
    file = summary_file()
    for line in commands(results, fail_on):
        click.echo(line, file=for_commands())
    size = file.stat().st_size if file.exists() else 0
    with file.open("a", encoding="utf-8", errors="backslashreplace") as stream:
        stream.write(step_summary(results, changes, size))
