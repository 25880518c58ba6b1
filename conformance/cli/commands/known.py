"""``conformance known``: its commands with their arguments and options."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from conformance.cli.commands.completing import targets
from conformance.cli.commands.options import check_results, options


@click.group(name="known", invoke_without_command=False)
def command() -> None:
    """List, update, migrate and export known divergences, on which runs do not fail."""


@command.command(name="list")
@click.argument("adapters", nargs=-1, shell_complete=targets, metavar="[ADAPTER]...")
@click.option("--overdue", is_flag=True, help="List only entries that have been unreported for more than 30 days.")
@click.option("--unreported", is_flag=True, help="List only entries that nobody has reported upstream.")
@click.option(
    "--worst", type=click.IntRange(min=1), metavar="N", help="List only the N most dangerous entries, the worst first."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON array.")
def list_(adapters: tuple[str, ...], **parameters: Any) -> int:
    """List known divergences. ADAPTER is the name of a framework or the path of an adapter file; by default all."""
    from conformance.cli.known import list_known
    from conformance.known.model import today

    return list_known(adapters, today(), **parameters)


@command.command(name="update")
@click.argument("results", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="RESULTS...")
@click.option("--all", "portability", is_flag=True, help="Include portability divergences.")
@click.option("--prune", is_flag=True, help="Remove entries that no longer happen.")
@click.option("--reason", metavar="TEXT", help="Reason for every new entry.")
@click.option("--link", metavar="URL", help="Link for every new entry: the upstream issue, or unreported.")
@click.option("--baseline", is_flag=True, help="Write entries that nobody has triaged; no reason or link is needed.")
@click.option("--expires", type=click.DateTime(["%Y-%m-%d"]), metavar="DATE",
              help="The last day on which the new entries apply, as in 2027-01-31.")  # fmt: skip
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
    from conformance.cli.known_update import update_known

    expires = parameters.pop("expires")
    return update_known(results, expires=expires.date() if expires else None, **parameters)


@command.command(name="migrate")
@click.argument("adapters", nargs=-1, shell_complete=targets, metavar="[ADAPTER]...")
@options("specs")
def migrate(adapters: tuple[str, ...], specs: Path | None) -> int:
    """Rewrite entries that name cases by earlier ids, and show the change. By default in the files of all adapters."""
    from conformance.cli.known import migrate_known

    return migrate_known(adapters, specs)


@command.command(name="export")
@click.argument("adapters", nargs=-1, shell_complete=targets, metavar="[ADAPTER]...")
@click.option("--to", "form", type=click.Choice(["ids", "pytest-skip"]), required=True,
              help="Ids of cases with their API, or ids of pytest for the plugin pytest-skip.")  # fmt: skip
@click.option("--target", metavar="NAME", help="The target in ids of pytest; by default the name of the adapter.")
@options("specs")
def export(adapters: tuple[str, ...], form: str, target: str | None, specs: Path | None) -> int:
    """Print the calls that entries record, one a line, for those who keep a list of their own."""
    from conformance.cli.known import export_known

    return export_known(adapters, form, target, specs)
