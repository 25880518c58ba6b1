"""``conformance diff``: two results files beside each other."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import click

from conformance.cli.failures import USAGE, Failure
from conformance.diff.as_json import difference_json
from conformance.diff.compare import compare_results
from conformance.diff.text import heading, lines
from conformance.results.exit_status import DIVERGES, OK, FailOn
from conformance.results.file import Results, ResultsError, read_results


@click.command(name="diff")
@click.argument("before", type=click.Path(path_type=Path), metavar="A")
@click.argument("after", type=click.Path(path_type=Path), metavar="B")
@click.option("--fail-on", type=click.Choice(["own", "any", "never"]), default="own", show_default=True,
              help="Regressions that make the exit status 1.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="For programs: one object.")
def command(before: Path, after: Path, fail_on: FailOn, *, as_json: bool) -> int:
    """Show what B differs from A in: what changed in behaviour, and apart from it what changed in the specs.

    A and B are each a results.jsonl or the folder that holds one. Targets are the same where framework, mode and
    device are, so that runs of two versions can be compared; cases are the same where their ids are.
    """
    was, now = _read(before), _read(after)
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


def _read(path: Path) -> Results:
    try:
        return read_results(path)
    except ResultsError as error:
        raise Failure(USAGE, str(error)) from None
