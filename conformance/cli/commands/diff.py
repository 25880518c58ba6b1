"""``conformance diff``: compare two results files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from conformance.cli.commands.options import check_results, options

if TYPE_CHECKING:
    from conformance.judging.vocabulary import FailOn


@click.command(name="diff")
@click.argument("first", type=click.Path(path_type=Path), metavar="A")
@click.argument("second", type=click.Path(path_type=Path), metavar="B")
@options("fail_on")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(first: Path, second: Path, fail_on: FailOn, *, as_json: bool) -> int:
    """Show how B differs from A: changes in behaviour, and separately changes in the specs.

    A and B are each a results.jsonl or its folder. Targets are matched by framework, mode and device, so that two
    versions can be compared; cases are matched by id.
    """
    for path in (first, second):
        check_results(path)
    from conformance.app.results_files import load_results
    from conformance.findings.difference import difference
    from conformance.reports.difference import difference_document
    from conformance.reports.terminal import show
    from conformance.results.codec import encoded

    files = load_results(first), load_results(second)
    changes = difference(*files)
    if as_json:
        click.echo(encoded(changes))
    else:
        show(difference_document(changes, (str(first), str(second)), files, fail_on))
    return changes.exit_status(fail_on)
