"""Options that several commands have: those of the list in ``app/options.py``, as click takes them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from conformance.app.errors import ConformanceError
from conformance.app.options import DEFAULTS, OPTIONS, Option
from conformance.app.project import FILE
from conformance.cli.commands.completing import apis, operations

Decorated = Callable[..., Any]

RUN = (
    *(
        "here",
        "offline",
        "draws",
        "programs",
        "seed",
        "timeout",
        "hangs_per_clause",
        "hangs_per_target",
        "hang_seconds",
    ),
    *("start_limit", "start", "fresh_compile", "fail_on", "gzip", "quiet"),
)
"""The options of commands that run targets."""
SELECTION = ("operations", "keyword", "specs")
INTERPRETER = ("python", "here", "offline")


def options(*names: str) -> Callable[[Decorated], Decorated]:
    """Add options of the list to a command, in this order."""

    def decorated(function: Decorated) -> Decorated:
        for name in reversed(names):
            function = _option(name, OPTIONS[name])(function)
        return function

    return decorated


def _option(name: str, option: Option) -> Callable[[Decorated], Decorated]:
    default, is_flag = DEFAULTS[name], option.kind is bool
    flags = [option.flag] if option.short is None else [option.short, option.flag]
    return click.option(
        *flags,
        name,
        type=_type(option),
        is_flag=is_flag,
        default=None if option.several else default,
        multiple=option.several,
        metavar=option.metavar,
        callback=_CALLBACKS.get(name),
        shell_complete=_OFFERED.get(name),
        help=option.help,
        hidden=option.hidden,
        show_default=not is_flag and not option.several and default is not None,
    )


def _type(option: Option) -> Any:
    if option.choices:
        return click.Choice(option.choices)
    if option.kind is Path:
        return click.Path(path_type=Path)
    return _Number(option) if option.kind in (int, float) else option.kind


class _Number(click.ParamType):  # type: ignore[type-arg] # generic in newer versions of click only
    """A number in a range."""

    def __init__(self, option: Option) -> None:
        self.name = "integer" if option.kind is int else "float"
        self._option = option

    def convert(self, value: Any, parameter: click.Parameter | None, context: click.Context | None) -> Any:
        try:
            number = self._option.kind(value)
        except ValueError:
            number = value
        mistake = self._option.mistake(number)
        if mistake is not None:
            what, allowed = mistake
            self.fail(f"{value} is {what}; {allowed}", parameter, context)
        return number


def _specs(context: click.Context, parameter: click.Parameter, path: Path | None) -> Path | None:
    if path is not None and not path.exists():
        source = context.get_parameter_source(parameter.name or "")
        written = f"{FILE}: tool.conformance.specs =" if source is ParameterSource.DEFAULT_MAP else "--specs"
        raise ConformanceError(f"{written} {path}: spec not found; expected a .yaml file or a folder")
    return path


def _shard(context: click.Context, parameter: click.Parameter, text: str | None) -> object:
    from conformance.cases.shards import parse_shard

    try:
        return parse_shard(text) if text is not None else None
    except ValueError as error:
        raise click.BadParameter(str(error), context, parameter) from None


_CALLBACKS = {"specs": _specs, "shard": _shard}
_OFFERED = {"operations": operations, "apis": apis}


def check_results(path: Path, prefix: str = "") -> None:
    """Fail if there is nothing at the path of a results file or its folder, before anything is imported to read it."""
    if not path.exists():
        raise ConformanceError(f"{prefix}{path}: file not found; expected a results.jsonl or its folder")


github_option = click.option(
    "--github", is_flag=True, help="In a GitHub workflow: write annotations and the step summary."
)
