"""The command ``conformance``: a group whose verbs are imported only when they are used."""

from __future__ import annotations

import importlib
import sys

import click

from conformance import __version__
from conformance.cli.failures import Failure

VERBS = {
    "run": "Run cases on targets and write the report.",
    "list": "List operations, clauses, cases and targets.",
    "show": "Show a clause or a case in full.",
    "check": "Check specs and adapters.",
    "trace": "Show which cases test each claim of the documents.",
    "promote": "Move a case file into the specs.",
    "env": "Make, list and remove the targets' environments.",
    "report": "Make the reports again from a results file.",
    "known": "List and update the ledgers of known divergences.",
    "diff": "Show what changed between two results files.",
    "matrix": "Run several versions and show what changed between them.",
    "repro": "Print a stand-alone script that shows one divergence.",
}


class _Verbs(click.Group):
    """Finds a verb in the module of its name, so that help and completion import none of them."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in VERBS:
            return None
        module = importlib.import_module(f"conformance.cli.{cmd_name}")
        command: click.Command = module.command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            raise Failure(4, f"{error.message} The verbs are {', '.join(VERBS)}.") from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Verbs"):
            formatter.write_dl(list(VERBS.items()))


@click.group(cls=_Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "-V", "--version", prog_name="conformance", message="%(prog)s %(version)s")
def conformance() -> None:
    """Run what frameworks document about scatter and gather against the frameworks themselves.

    \b
    conformance run                          the reference, torch, tensorflow and mindspore
    conformance run "torch==2.13.0" -k gather   one target, some cases
    conformance list                         what there is

    \b
    Exit status: 0 nothing unexpected; 1 unexpected divergences, deaths or
    hangs, or a stale ledger entry; 2 interrupted; 3 internal error; 4 usage,
    spec or ledger error; 5 nothing selected;
    6 a requested target could not be started.
    """  # noqa: D301 - click knows a paragraph that is not to be refilled by the character itself


def main() -> None:
    """The console script: every failure is a message on standard error and its exit status."""
    try:
        status = conformance.main(standalone_mode=False)
    except Failure as failure:
        click.echo(f"conformance: {failure.message}", err=True)
        status = failure.status
    except click.UsageError as error:
        error.show()
        status = 4
    except click.ClickException as error:
        error.show()
        status = 4
    except (click.Abort, KeyboardInterrupt):
        click.echo("conformance: interrupted", err=True)
        status = 2
    except Exception as error:
        import traceback

        traceback.print_exc()
        click.echo(f"conformance: internal error, please report it with the lines above: {error}", err=True)
        status = 3
    sys.exit(status if isinstance(status, int) else 0)
