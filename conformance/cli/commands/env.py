"""``conformance env``: the environments that targets run in."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from conformance.app.errors import ConformanceError
from conformance.app.selecting import check_targets
from conformance.cli.commands.completing import environments, targets
from conformance.results.exit_status import BLOCKED

if TYPE_CHECKING:
    from conformance.environments.resolve import Target
    from conformance.environments.stored import StoredEnvironment

# Functions import what they need, so that help and the list are fast.


@click.group(name="env")
def command() -> None:
    """Create, list and remove environments.

    They are kept in CONFORMANCE_HOME, or by default in the user's cache folder.
    """


@command.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON array, with sizes in bytes.")
def list_environments(as_json: bool) -> None:
    """List the environments with their versions, sizes and ages."""
    import json

    from conformance.environments.stored import home_folder, stored_environments

    home = home_folder()
    rows = [_facts(stored) for stored in stored_environments(home)]
    if as_json:
        click.echo(json.dumps(rows, indent=2))
    elif rows:
        click.echo(_table(rows))
    else:
        click.echo(f"No environments in {home}; create one with `conformance env make torch`.", err=True)


@command.command("make")
@click.argument("names", nargs=-1, required=True, shell_complete=targets, metavar="TARGET...")
@click.option("--offline", is_flag=True, help="Use only packages in uv's cache.")
@click.option("--force", is_flag=True, help="Install even if this machine lacks the device of a target.")
@click.pass_context
def make_environments(context: click.Context, names: tuple[str, ...], offline: bool, force: bool) -> None:
    """Create the environments of targets such as torch or "tensorflow==2.16.2"."""
    check_targets(names)
    from conformance.environments.environment import ensure
    from conformance.environments.errors import TargetBlocked
    from conformance.environments.resolve import canonical_id

    status = 0
    for target in _resolved(names):
        try:
            environment = ensure(target, report=_reporter(target.asked), offline=offline, force=force)
        except TargetBlocked as error:
            click.echo(f"{target.asked}: blocked: {error}", err=True)
            status = BLOCKED
        else:
            click.echo(f"{canonical_id(target, environment.version)}  {environment.folder}")
    context.exit(status)


@command.command("install")
@click.argument("name", shell_complete=targets, metavar="TARGET")
@click.option("--python", type=click.Path(path_type=Path), metavar="PATH", help="Into this interpreter.")
@click.option("--here", is_flag=True, help="Into the interpreter that runs this command.")
@click.option("--offline", is_flag=True, help="Use only packages in uv's cache.")
def install_framework(name: str, python: Path | None, here: bool, offline: bool) -> None:
    """Install a target's framework into your own interpreter, for `run --python PATH` or `run --here`.

    As for `make`, target.toml determines the version, additional requirements and supported Pythons.
    """
    check_targets([name])
    from conformance.environments.errors import TargetBlocked, TargetError
    from conformance.environments.install import install_into
    from conformance.environments.resolve import chosen_interpreter

    try:
        interpreter = chosen_interpreter(python, here=here)
    except TargetError as error:
        raise ConformanceError(str(error)) from None
    if interpreter is None:
        raise ConformanceError("expected --python PATH or --here; `conformance env make` creates an environment")
    [target] = _resolved((name,))
    try:
        installed = install_into(target, interpreter, report=_reporter(name), offline=offline)
    except TargetBlocked as error:
        raise ConformanceError(f"{name}: blocked: {error}", BLOCKED) from None
    click.echo(f"{installed.requirement}  {installed.python}")


@command.command("remove")
@click.argument("names", nargs=-1, shell_complete=environments, metavar="NAME...")
@click.option(
    "--all", "everything", is_flag=True, help="Remove all environments, and what compilers keep for other interpreters."
)
def remove_environments(names: tuple[str, ...], everything: bool) -> None:
    """Remove environments by their names in `conformance env list`, with what compilers keep there."""
    from conformance.environments.compiler_caches import remove_caches_of_interpreters
    from conformance.environments.stored import home_folder, locked, remove_folder, stored_environments

    home = home_folder()
    folders = {stored.name: stored.folder for stored in stored_environments(home)}
    if everything == bool(names):
        raise ConformanceError("expected names of environments (see `conformance env list`), or --all")
    for name in names:
        if name not in folders:
            raise ConformanceError(_unknown(name, list(folders), home))
    for name in dict.fromkeys(names or folders):
        with locked(home, name, _reporter(name)):
            size = _megabytes(_size(folders[name]))
            remove_folder(folders[name])
        click.echo(f"removed {name} ({size})")
    if everything:
        remove_caches_of_interpreters(home)


def _resolved(names: tuple[str, ...]) -> list[Target]:
    from conformance.environments.definition import definitions
    from conformance.environments.errors import TargetError
    from conformance.environments.resolve import resolve

    try:
        return resolve(names, definitions())
    except TargetError as error:
        raise ConformanceError(str(error)) from None


def _reporter(name: str) -> Callable[[str], None]:
    return lambda line: click.echo(f"{name}: {line}", err=True)


def _unknown(name: str, available: list[str], home: Path) -> str:
    from conformance.specification.problems import did_you_mean

    if not available:
        return f"no environment {name!r}; {home} is empty"
    return (
        f"no environment {name!r}{did_you_mean(name, available) or '.'} Available environments: {', '.join(available)}"
    )


def _facts(stored: StoredEnvironment) -> dict[str, object]:
    environment = stored.environment
    return {
        "name": stored.name,
        "version": environment.version if environment else None,
        "requirement": environment.requirement if environment else None,
        "python": environment.python_version if environment else None,
        "bytes": _size(stored.folder),
        "created": environment.created if environment else None,
        "complete": environment is not None,
        "folder": str(stored.folder),
    }


def _table(rows: list[dict[str, object]]) -> str:
    from datetime import UTC, datetime

    from conformance.reports.tables import table, terminal_width

    now = datetime.now(UTC)
    lines = [("NAME", "VERSION", "PYTHON", "SIZE", "AGE", "COMPLETE")]
    for row in rows:
        size, complete = _megabytes(int(str(row["bytes"]))), "yes" if row["complete"] else "no"
        name, version, python = (str(row[key] or "-") for key in ("name", "version", "python"))
        created = row["created"]
        how_old = age((now - datetime.fromisoformat(str(created))).total_seconds()) if created else "-"
        lines.append((name, version, python, size, how_old, complete))
    return "\n".join(table(lines, terminal_width()))


def age(seconds: float) -> str:
    """``3 days``: the largest unit of which there are two or more, as for the ages of files."""
    from conformance.reports.text import counted

    for unit, length in (("day", 86_400), ("hour", 3_600), ("minute", 60)):
        if seconds >= 2 * length:
            return counted(int(seconds / length), unit)
    return "1 minute" if seconds >= 60 else "now"


def _size(folder: Path) -> int:
    from conformance.environments.stored import size_on_disk

    return size_on_disk(folder)


def _megabytes(count: int) -> str:
    return f"{count / 1e6:,.0f} MB"
