"""``conformance show``: its arguments and options."""

from __future__ import annotations

from pathlib import Path

import click

from conformance.cli.commands.announced import announced
from conformance.cli.commands.completing import ids
from conformance.cli.commands.options import options


@click.command(name="show")
@click.argument("ids", nargs=-1, shell_complete=ids, required=True, metavar="ID...")
@options("specs")
@click.option("--json", "as_json", is_flag=True, help="Print the records of results.jsonl, one per line.")
def command(ids: tuple[str, ...], specs: Path | None, *, as_json: bool) -> int:
    """Show the details of clauses and cases: statement, sources, call and expectation. ID may be a prefix."""
    with announced("reading the specs"):
        from conformance.cli.show import show

        return show(ids, specs, as_json=as_json)
