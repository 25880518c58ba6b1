"""``conformance unit``: the far end of ``conformance run --on "ssh host"``."""

from __future__ import annotations

import sys

import click


@click.command(name="unit", hidden=True)
def command() -> int:
    """Carry out a unit of work that another machine sends over standard input."""
    from conformance.cli.streams import for_commands
    from conformance.cluster.serving import serve

    serve(sys.stdin, for_commands())
    return 0
