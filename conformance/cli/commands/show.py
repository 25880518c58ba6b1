"""``conformance show``: its arguments and options."""

from __future__ import annotations

from pathlib import Path

import click

from conformance.cli.commands.announced import announced
from conformance.cli.commands.completing import ids_and_apis
from conformance.cli.commands.options import options


@click.command(name="show")
@click.argument("ids", nargs=-1, shell_complete=ids_and_apis, required=True, metavar="ID...")
@options("specs")
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print the records of results.jsonl, or of behaviours.json for an API, one per line.",
)
def command(ids: tuple[str, ...], specs: Path | None, *, as_json: bool) -> int:
    """Show the details of clauses and cases: statement, sources, call and expectation. ID may be a prefix.

    Of an API, such as torch.gather, it shows what the API does in each situation, from the published run that the suite
    has: offline, in the newest version that was run.
    """
    with announced("reading the specs"):
        from conformance.cli.show import show

        return show(ids, specs, as_json=as_json)
