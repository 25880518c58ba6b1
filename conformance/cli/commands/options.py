"""Options that several commands have."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from conformance.app.errors import ConformanceError
from conformance.app.options import LEAST_TIMEOUT, MOST_DRAWS

Decorated = Callable[..., Any]


def check_results(path: Path, prefix: str = "") -> None:
    """Fail if there is nothing at the path of a results file or its folder, before anything is imported to read it."""
    if not path.exists():
        raise ConformanceError(f"{prefix}{path}: file not found; expected a results.jsonl or its folder")


def _specs(context: click.Context, parameter: click.Parameter, path: Path | None) -> Path | None:  # noqa: ARG001
    if path is not None and not path.exists():
        raise ConformanceError(f"--specs {path}: spec not found; expected a .yaml file or a folder")
    return path


specs_option = click.option(
    "--specs",
    type=click.Path(path_type=Path),
    callback=_specs,
    metavar="PATH",
    help="Your own spec file or folder; its laws may call the suite's operations, and commands that run targets also take "
    "ids of the suite's cases.",
)

gzip_option = click.option("--gzip", is_flag=True, help="Write results.jsonl.gz instead of results.jsonl.")
github_option = click.option(
    "--github", is_flag=True, help="In a GitHub workflow: write annotations and the step summary."
)


def selection_options(function: Decorated) -> Decorated:
    """Add ``--operation``, ``-k`` and ``--specs``."""
    operation = click.option(
        "--operation", "operations", multiple=True, metavar="NAME", help="Only this operation; may be repeated."
    )
    keyword = click.option(
        "-k", "keyword", metavar="EXPR", help="Only cases whose ids match, as in pytest: 'gather and not float'."
    )
    return operation(keyword(specs_option(function)))


def draw_options(function: Decorated) -> Decorated:
    """Add ``--draws`` and ``--seed``."""
    for option in reversed(_DRAW_OPTIONS):
        function = option(function)
    return function


def run_options(function: Decorated) -> Decorated:
    """Add the options that all commands that run targets have."""
    for option in reversed(_RUN_OPTIONS):
        function = option(function)
    return function


_DRAW_OPTIONS: tuple[Any, ...] = (
    click.option("--draws", type=click.IntRange(0, MOST_DRAWS), default=0, metavar="N", show_default=True,
                 help="Random calls per rule that break it, and as many valid calls per operation."),
    click.option("--seed", type=int, default=0, metavar="N", show_default=True,
                 help="Seed for drawn calls; the same seed gives the same calls."),
)  # fmt: skip
_RUN_OPTIONS: tuple[Any, ...] = (
    click.option("--here", is_flag=True, help="Run targets in the interpreter that runs this command."),
    click.option("--offline", is_flag=True, help="Use only installed or cached packages."),
    *_DRAW_OPTIONS,
    click.option("--timeout", type=click.FloatRange(min=LEAST_TIMEOUT), default=30.0, metavar="S", show_default=True,
                 help="Time limit per call in seconds."),
    click.option("--start-timeout", "start_limit", type=click.FloatRange(min=0.1), default=180.0, metavar="S",
                 show_default=True, help="Time limit for importing an adapter and its framework in seconds."),
    click.option("--start", type=click.Choice(["auto", "fork", "spawn"]), default="auto", show_default=True,
                 help="Fork workers from a process that imported the framework, or start each as a new process."),
    click.option("--fail-on", type=click.Choice(["own", "any", "never"]), default="own", show_default=True,
                 help="Which divergences make the exit status 1."),
    gzip_option,
    click.option("-q", "--quiet", is_flag=True, help="Do not show progress."),
)  # fmt: skip
