"""``conformance adapter``: its commands with their arguments and options."""

from __future__ import annotations

from pathlib import Path

import click

from conformance.cli.commands.completing import targets
from conformance.cli.commands.options import INTERPRETER, options


@click.group(name="adapter")
def command() -> None:
    """Make and check adapters of your own.

    \b
    conformance adapter new myframe     a package with an adapter, in a new folder
    conformance adapter check myframe   what it maps, and what looks like a mistake
    """  # noqa: D301 - \b keeps click from rewrapping the paragraph


@command.command(name="new")
@click.argument("name")
@click.option("--output", type=click.Path(path_type=Path), metavar="DIR", help="Folder of the package.  [default: opconform-NAME]")  # fmt: skip
def new(name: str, output: Path | None) -> int:
    """Make a package that adds a target NAME: adapter, target.toml, known divergences, a test and a workflow."""
    from conformance.cli.adapter_new import new_adapter

    return new_adapter(name, output)


@command.command(name="check")
@click.argument("target", shell_complete=targets)
@options("specs", *INTERPRETER)
def check(target: str, specs: Path | None, python: Path | None, *, here: bool, offline: bool) -> int:
    """Show which operations TARGET maps, which not, and what looks like a mistake of its adapter.

    It runs the examples of the documents on each API; with --specs those of your own specs. Suspicious are an API that gives Unsupported for an example of its
    own documentation, and one that conforms to nothing.
    """
    from conformance.app.selecting import check_targets
    from conformance.cli.adapter_check import check_target

    check_targets([target])
    return check_target(target, specs=specs, python=python, here=here, offline=offline)
