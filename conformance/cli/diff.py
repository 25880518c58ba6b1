"""``conformance diff``: compare two results files."""

from __future__ import annotations

import shutil
from pathlib import Path

import click

from conformance.app.results_files import load_results
from conformance.findings.difference import difference
from conformance.reports.difference import heading, lines
from conformance.results.codec import encoded
from conformance.results.exit_status import FailOn


def show_diff(first: Path, second: Path, fail_on: FailOn, *, as_json: bool) -> int:
    """Print the differences between two results files."""
    was, now = load_results(first), load_results(second)
    changes = difference(was, now)
    if as_json:
        click.echo(encoded(changes))
    else:
        width = max(40, shutil.get_terminal_size((100, 24)).columns)
        for line in [
            *heading("first", str(first), was),
            *heading("second", str(second), now),
            *lines(changes, fail_on, width),
        ]:
            click.echo(line)
    return changes.exit_status(fail_on)
