"""The command ``conformance``: a group that imports a subcommand only when it is used."""

from __future__ import annotations

import atexit
import gc
import importlib
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from conformance.app.errors import ConformanceError, invalid
from conformance.app.project import project_defaults
from conformance.cli.signals import interrupted_by_signals
from conformance.cli.streams import safe_streams
from conformance.cli.system_errors import described, discard_output
from conformance.environments.errors import TargetError
from conformance.environments.packages import PackageWarning
from conformance.results.exit_status import INTERNAL, INTERRUPTED, NO_ROOM, USAGE
from conformance.specification.problems import SpecError, did_you_mean
from conformance.version import __version__

COMMANDS = {
    "run": "Run cases on targets and write the report.",
    "list": "List operations, clauses, cases and targets.",
    "show": "Show the details of a clause or a case, or what an API does.",
    "check": "Check specs and adapters.",
    "adapter": "Make a package with an adapter, or check one.",
    "trace": "Show which cases test each claim of the documents.",
    "docs": "Read the documentation that ships with a target.",
    "promote": "Move a case file into the specs.",
    "env": "Create, list and remove environments.",
    "report": "Recreate or merge reports from results files.",
    "known": "List and update known divergences.",
    "diff": "Show what changed between two results files.",
    "matrix": "Run several versions and show what changed between them.",
    "export": "Write cases as test data of other programs.",
    "onnx-run": "Run any program on exported ONNX models and write the report.",
    "repro": "Print a stand-alone script that reproduces a divergence.",
}


class _LazyGroup(click.Group):
    """A group whose help and completion import none of its commands."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"conformance.cli.commands.{cmd_name.replace('-', '_')}")
        command: click.Command = module.command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError:
            hint = did_you_mean(args[0], COMMANDS) or "."
            raise ConformanceError(
                f"unknown command {args[0]!r}{hint} Available commands: {', '.join(COMMANDS)}."
            ) from None

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:  # for which click would exit with 1, which means divergences
            discard_output()
            raise ConformanceError("standard output was closed before everything was written", NO_ROOM) from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "-V", "--version", prog_name="conformance", message="%(prog)s %(version)s")
def conformance() -> None:
    """Test frameworks against what they document about scatter and gather.

    \b
    conformance run                             reference, torch, tensorflow and mindspore
    conformance run "torch==2.13.0" -k gather   one target, some cases
    conformance list                            the operations

    \b
    Exit status: 0 nothing unexpected; 1 unexpected divergences, deaths or
    hangs, or an unexpected pass; 2 interrupted; 3 internal error; 4 error in
    the command line, the settings, a spec, the known divergences or an
    adapter; 5 no cases selected; 6 a requested target could not be started;
    7 the disk is full, the output was closed, or another limit of the
    machine was reached.
    """  # noqa: D301 - \b keeps click from rewrapping the paragraph


def _in_one_sentence(error: click.ClickException) -> str:
    """What was wrong in a command line, and what is allowed there or how to find out."""
    if isinstance(error, click.NoSuchOption) and error.ctx is not None:
        hidden = {name for param in error.ctx.command.params if getattr(param, "hidden", False) for name in param.opts}
        shown = [name for name in error.possibilities or () if name not in hidden]
        error = click.NoSuchOption(error.option_name, possibilities=shown, ctx=error.ctx)
    message = error.format_message().rstrip(".")
    context = error.ctx if isinstance(error, click.UsageError) else None
    if context is None:
        return message
    root = context.find_root()  # which is named as it was started, such as python -m conformance
    path = f"conformance{context.command_path.removeprefix(root.command_path)}"
    if isinstance(context.command, click.Group):
        return f"{message} ({path} has the commands {', '.join(context.command.list_commands(context))})"
    return f"{message}; see {path} --help"


@contextmanager
def _package_warnings() -> Iterator[None]:
    """Show warnings about installed packages as messages, without a line of code."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", PackageWarning)
        default = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
            if category is PackageWarning:
                click.echo(f"conformance: warning: {message}", err=True)
            else:
                default(message, category, *place, **more)

        warnings.showwarning = show
        yield


def main() -> None:
    """Run the command line; every failure is a message on standard error and its exit status."""
    # The garbage collection at the exit would traverse all results, which end with the process anyway.
    atexit.register(gc.freeze)
    with safe_streams(), interrupted_by_signals(), _package_warnings():
        status = _status()
    sys.exit(status if isinstance(status, int) else 0)


def _run() -> object:
    try:
        return conformance.main(standalone_mode=False, default_map=project_defaults())
    except SpecError as error:  # an expression exceeds a limit with a drawn call
        raise invalid(error.problems) from None


def _status() -> object:
    try:
        status = _run()
        if sys.stdout:  # None if the caller has closed it
            sys.stdout.flush()
    except ConformanceError as error:
        click.echo(f"conformance: {error}", err=True)
        return error.status
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        return USAGE
    except click.ClickException as error:
        click.echo(f"conformance: {_in_one_sentence(error)}", err=True)
        return USAGE
    except TargetError as error:  # such as two installed targets of one name
        click.echo(f"conformance: {error}", err=True)
        return USAGE
    except (click.Abort, KeyboardInterrupt):
        click.echo("conformance: interrupted", err=True)
        return INTERRUPTED
    except Exception as error:
        failure = described(error, sys.argv[1:])
        if failure is not None:
            click.echo(f"conformance: {failure}", err=True)
            discard_output()
            return failure.status
        import traceback

        traceback.print_exc()
        click.echo(f"conformance: internal error, please report it with the lines above: {error}", err=True)
        return INTERNAL
    else:
        return status
