"""``conformance trace``: its arguments and options."""

from __future__ import annotations

from pathlib import Path

import click

from conformance.cli.commands.announced import announced
from conformance.cli.commands.options import options


@click.command(name="trace")
@click.argument("documents", nargs=-1, metavar="[DOCUMENT]...")
@options("specs")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(documents: tuple[str, ...], specs: Path | None, *, as_json: bool) -> int:
    """List the claims of each document with the clauses and cases that test them, and the errata.

    By default, list all documents. Exits with status 4 if a claim has neither a case nor a reason, or a clause cites no
    claim.
    """
    with announced("reading the specs"):
        from conformance.cli.trace import show_trace

        return show_trace(documents, specs, as_json=as_json)
