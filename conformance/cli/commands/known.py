"""``conformance known``: its commands with their arguments and options."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from conformance.cli.commands.options import check_results


@click.group(name="known", invoke_without_command=False)
def command() -> None:
    """List and update known divergences, on which runs do not fail."""


@command.command(name="list")
@click.argument("adapters", nargs=-1, metavar="[ADAPTER]...")
@click.option("--overdue", is_flag=True, help="List only entries that have been unreported for more than 30 days.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON array.")
def list_(adapters: tuple[str, ...], *, overdue: bool, as_json: bool) -> int:
    """List known divergences. ADAPTER is the name of a framework or the path of an adapter file; by default all."""
    from conformance.cli.known import list_known
    from conformance.known.model import today

    return list_known(adapters, today(), overdue=overdue, as_json=as_json)


@command.command(name="update")
@click.argument("results", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="RESULTS...")
@click.option("--all", "portability", is_flag=True, help="Include portability divergences.")
@click.option("--prune", is_flag=True, help="Remove entries that no longer happen.")
@click.option("--reason", metavar="TEXT", help="Reason for every new entry.")
@click.option("--link", metavar="URL", help="Link for every new entry: the upstream issue, or unreported.")
@click.option("--known", "file", type=click.Path(path_type=Path), metavar="FILE",
              help="The file to update, for all targets.")  # fmt: skip
def update(results: tuple[Path, ...], **parameters: Any) -> int:
    """Add the unknown divergences of RESULTS to the divergences.yaml beside each adapter, and show the change.

    RESULTS are results files, or folders that contain one. Divergences from an API's own documentation, deaths and
    hangs are added, one entry for each apparent cause. Each needs a reason and a link. On a terminal, missing ones are
    asked for; elsewhere, nothing is written without them.
    """
    for path in results:
        check_results(path)
    from conformance.cli.known import update_known

    return update_known(results, **parameters)
