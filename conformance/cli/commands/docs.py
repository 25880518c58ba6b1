"""``conformance docs``: the documentation that ships with a target, and the claims that rest on it."""

from __future__ import annotations

import importlib

import click

SUBCOMMANDS = {
    "show": "Print the shipped documentation by sentence, with the claims that rest on each (the default).",
    "add": "Write the entry of a sentence into the documents.",
    "diff": "Show which sentences changed between two versions.",
}


class _DefaultGroup(click.Group):
    """A group that imports only the command it runs: ``show``, unless another is named."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args or args[0] not in (*SUBCOMMANDS, "-h", "--help"):
            args = ["show", *args]
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(SUBCOMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in SUBCOMMANDS:
            return None
        command: click.Command = importlib.import_module(f"conformance.cli.docs_{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl(list(SUBCOMMANDS.items()))


@click.group(name="docs", cls=_DefaultGroup)
def command() -> None:
    """Read the documentation that ships with a target, sentence by sentence.

    \b
    conformance docs torch.gather              the text with the claims that rest on it
    conformance docs --target torch --unread   what nobody has read in this version
    conformance docs add HASH --target torch --document torch.gather
    conformance docs diff torch==2.12.0 torch==2.13.0
    """  # noqa: D301 - \b keeps click from rewrapping the paragraph
