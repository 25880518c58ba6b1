"""``conformance diff``: compare two results files."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import click

from conformance.app.results_files import load_results
from conformance.diff.as_json import difference_json
from conformance.diff.compare import compare_results
from conformance.diff.text import heading, lines
from conformance.results.exit_status import DIVERGES, OK, FailOn


def show_diff(before: Path, after: Path, fail_on: FailOn, *, as_json: bool) -> int:
    """Print the differences between two results files."""
    was, now = load_results(before), load_results(after)
    difference = compare_results(was, now)
    if as_json:
        click.echo(json.dumps(difference_json(difference, was, now), ensure_ascii=False, indent=2))
    else:
        width = max(40, shutil.get_terminal_size((100, 24)).columns)
        for line in [
            *heading("before", str(before), was),
            *heading("after", str(after), now),
            *lines(difference, fail_on, width),
        ]:
            click.echo(line)
    return DIVERGES if difference.fails(fail_on) else OK
