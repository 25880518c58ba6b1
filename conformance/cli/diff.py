"""``conformance diff``: compare two results files."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import click

from conformance.cli.failures import DIVERGES, OK
from conformance.cli.results_files import load_results
from conformance.diff.as_json import difference_json
from conformance.diff.compare import compare_results
from conformance.diff.text import heading, lines
from conformance.results.exit_status import FailOn


@click.command(name="diff")
@click.argument("before", type=click.Path(path_type=Path), metavar="A")
@click.argument("after", type=click.Path(path_type=Path), metavar="B")
@click.option("--fail-on", type=click.Choice(["own", "any", "never"]), default="own", show_default=True,
              help="Which regressions make the exit status 1.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(before: Path, after: Path, fail_on: FailOn, *, as_json: bool) -> int:
    """Show how B differs from A: changes in behaviour, and separately changes in the specs.

    A and B are each a results.jsonl or its folder. Targets are matched by framework, mode and device, so that two
    versions can be compared; cases are matched by id.
    """
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
