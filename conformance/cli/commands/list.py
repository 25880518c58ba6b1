"""``conformance list``: its arguments and options."""

from __future__ import annotations

from typing import Any

import click

from conformance.cli.commands.completing import ids
from conformance.cli.commands.options import SELECTION, options

KINDS = ("operations", "clauses", "cases", "targets")


@click.command(name="list")
@click.argument("kind", type=click.Choice(KINDS), default="operations")
@click.argument("ids", nargs=-1, shell_complete=ids, metavar="[ID]...")
@options(*SELECTION)
@click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON array; of cases, all of each: call, expectation, control."
)
def command(**parameters: Any) -> int:
    """List operations (the default), clauses, cases or targets.

    Cases are those that a run has without draws: the ones written in the specs, and those derived from them.
    """
    from conformance.cli.list import show_list

    return show_list(**parameters)
