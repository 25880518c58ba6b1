"""``conformance list``: its arguments and options."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from conformance.cli.commands.completing import listed
from conformance.cli.commands.options import INTERPRETER, SELECTION, options

KINDS = ("operations", "clauses", "cases", "targets", "unmapped")


@click.command(name="list")
@click.argument("kind", type=click.Choice(KINDS), default="operations")
@click.argument("ids", nargs=-1, shell_complete=listed, metavar="[ID | TARGET]...")
@options(*SELECTION, *INTERPRETER)
@click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON array; of cases, all of each: call, expectation, control."
)
def command(python: Path | None, *, here: bool, offline: bool, **parameters: Any) -> int:
    """List operations (the default), clauses, cases, targets, or what is unmapped.

    Cases are those that a run has without draws: the ones written in the specs, and those derived from them. `list unmapped
    TARGET` lists the public callables of a framework that no adapter maps, and whose name or shipped documentation speaks of
    scatter, gather, segments or indices, with the first words that do, and the variants of what is mapped, each with the reason
    why it is not.
    """
    from conformance.cli.list import show_list
    from conformance.execution.plan import Interpreters

    return show_list(**parameters, interpreters=Interpreters(python, here, offline))
