"""``conformance diff``: compare two results files."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import click

from conformance.cli.commands.options import check_results, options

if TYPE_CHECKING:
    from conformance.results.exit_status import FailOn


@click.command(name="diff")
@click.argument("before", type=click.Path(path_type=Path), metavar="A")
@click.argument("after", type=click.Path(path_type=Path), metavar="B")
@options("fail_on")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(before: Path, after: Path, fail_on: FailOn, *, as_json: bool) -> int:
    """Show how B differs from A: changes in behaviour, and separately changes in the specs.

    A and B are each a results.jsonl or its folder. Targets are matched by framework, mode and device, so that two
    versions can be compared; cases are matched by id.
    """
    for path in (before, after):
        check_results(path)
    from conformance.app.results_files import load_results
    from conformance.findings.difference import difference
    from conformance.reports.difference import heading, lines
    from conformance.results.codec import encoded

    was, now = load_results(before), load_results(after)
    changes = difference(was, now)
    if as_json:
        click.echo(encoded(changes))
    else:
        width = max(40, shutil.get_terminal_size((100, 24)).columns)
        for line in [
            *heading("first", str(before), was),
            *heading("second", str(after), now),
            *lines(changes, fail_on, width),
        ]:
            click.echo(line)
    return changes.exit_status(fail_on)
