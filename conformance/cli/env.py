"""``conformance env``: the environments that the suite made and keeps."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from conformance.targets.home import StoredEnvironment
    from conformance.targets.resolve import Target

_USAGE = 4
_BLOCKED = 6


@click.group(name="env")
def command() -> None:
    """Make, list and remove the environments that targets run in.

    They are kept in the folder that CONFORMANCE_HOME names, else in the user's cache folder.
    """


@command.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list, sizes in bytes.")
def list_environments(as_json: bool) -> None:
    """List the environments with their versions, sizes and ages."""
    import json

    from conformance.targets.home import home_folder, stored_environments

    home = home_folder()
    rows = [_facts(kept) for kept in stored_environments(home)]
    if as_json:
        click.echo(json.dumps(rows, indent=2))
    elif rows:
        click.echo(_table(rows))
    else:
        click.echo(f"There are no environments in {home}; `conformance env make torch` makes one.", err=True)


@command.command("make")
@click.argument("targets", nargs=-1, required=True, metavar="TARGET...")
@click.option("--offline", is_flag=True, help="Install only what uv has in its cache.")
@click.pass_context
def make_environments(context: click.Context, targets: tuple[str, ...], offline: bool) -> None:
    """Make the environments of targets such as torch or "tensorflow==2.16.2"."""
    from conformance.targets.environment import ensure
    from conformance.targets.errors import TargetBlocked
    from conformance.targets.resolve import canonical_id

    status = 0
    for target in _resolved(context, targets):
        try:
            made = ensure(target, report=_sayer(target.asked), offline=offline)
        except TargetBlocked as error:
            click.echo(f"{target.asked}: blocked: {error}", err=True)
            status = _BLOCKED
        else:
            click.echo(f"{canonical_id(target, made.version)}  {made.folder}")
    context.exit(status)


@command.command("install")
@click.argument("name", metavar="TARGET")
@click.option("--python", type=click.Path(path_type=Path), metavar="PATH", help="Into this interpreter.")
@click.option("--here", is_flag=True, help="Into the interpreter that runs this command, beside what the suite needs.")
@click.option("--offline", is_flag=True, help="Install only what uv has in its cache.")
@click.pass_context
def install_framework(context: click.Context, name: str, python: Path | None, here: bool, offline: bool) -> None:
    """Install a target's framework into an interpreter of yours, for `run --python PATH` or `run --here`.

    Its version, what else it needs and the Pythons that it has wheels for are those of target.toml, as for `make`.
    """
    from conformance.targets.errors import TargetBlocked, TargetError
    from conformance.targets.install import install_into
    from conformance.targets.resolve import chosen_interpreter

    try:
        interpreter = chosen_interpreter(python, here=here)
    except TargetError as error:
        _fail(context, str(error))
        return
    if interpreter is None:
        _fail(
            context, "name the interpreter with --python PATH, or --here; `conformance env make` makes an environment"
        )
        return
    [target] = _resolved(context, (name,))
    try:
        done = install_into(target, interpreter, report=_sayer(name), offline=offline)
    except TargetBlocked as error:
        click.echo(f"{name}: blocked: {error}", err=True)
        context.exit(_BLOCKED)
    click.echo(f"{done.requirement}  {done.python}")


@command.command("remove")
@click.argument("names", nargs=-1, metavar="NAME...")
@click.option("--all", "everything", is_flag=True, help="Remove all of them.")
@click.pass_context
def remove_environments(context: click.Context, names: tuple[str, ...], everything: bool) -> None:
    """Remove environments by the names that `conformance env list` shows."""
    from conformance.targets.home import (
        home_folder,
        locked,
        remove_folder,
        stored_environments,
    )

    home = home_folder()
    kept = {each.name: each for each in stored_environments(home)}
    if everything == bool(names):
        _fail(context, "give the names of environments (`conformance env list` shows them), or --all")
    for name in names:
        if name not in kept:
            _fail(context, _unknown(name, list(kept), home))
    for name in dict.fromkeys(names or kept):
        with locked(home, name, _sayer(name)):
            size = _megabytes(_size(kept[name].folder))
            remove_folder(kept[name].folder)
        click.echo(f"removed {name} ({size})")


def _resolved(context: click.Context, names: tuple[str, ...]) -> list[Target]:
    from conformance.places import adapters_folder
    from conformance.targets.definition import find_definitions
    from conformance.targets.errors import TargetError
    from conformance.targets.resolve import resolve

    try:
        return resolve(names, find_definitions(adapters_folder()))
    except TargetError as error:
        _fail(context, str(error))
        return []


def _sayer(name: str) -> Callable[[str], None]:
    return lambda line: click.echo(f"{name}: {line}", err=True)


def _fail(context: click.Context, message: str) -> None:
    click.echo(f"error: {message}", err=True)
    context.exit(_USAGE)


def _unknown(name: str, known: list[str], home: Path) -> str:
    from conformance.specification.problems import did_you_mean

    if not known:
        return f"there is no environment {name!r}; {home} holds none"
    return f"there is no environment {name!r}{did_you_mean(name, known) or '.'} There are {', '.join(known)}"


def _facts(kept: StoredEnvironment) -> dict[str, object]:
    made = kept.environment
    return {
        "name": kept.name,
        "version": made.version if made else None,
        "requirement": made.requirement if made else None,
        "python": made.python_version if made else None,
        "bytes": _size(kept.folder),
        "created": made.created if made else None,
        "complete": made is not None,
        "folder": str(kept.folder),
    }


def _table(rows: list[dict[str, object]]) -> str:
    lines = [("NAME", "VERSION", "PYTHON", "SIZE", "MADE", "COMPLETE")]
    for row in rows:
        size, complete = _megabytes(int(str(row["bytes"]))), "yes" if row["complete"] else "no"
        texts = [str(row[key] or "-") for key in ("name", "version", "python")]
        lines.append((texts[0], texts[1], texts[2], size, str(row["created"] or "-"), complete))
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    padded = ("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) for line in lines)
    return "\n".join(line.rstrip() for line in padded)


def _size(folder: Path) -> int:
    from conformance.targets.home import size_on_disk

    return size_on_disk(folder)


def _megabytes(count: int) -> str:
    return f"{count / 1e6:,.0f} MB"
