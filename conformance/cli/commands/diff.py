"""``conformance diff``: its arguments and options."""

from __future__ import annotations

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
    from conformance.cli.diff import show_diff

    return show_diff(before, after, fail_on, as_json=as_json)
