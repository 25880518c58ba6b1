"""``conformance known list``, ``migrate`` and ``export``: what the files of known divergences hold."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterator
from datetime import date
from pathlib import Path
from typing import Any

import click

from conformance.app import loading
from conformance.app.errors import ConformanceError
from conformance.app.project import project
from conformance.cases.facts import CaseFacts
from conformance.data_folders import adapters_folder
from conformance.environments.packages import target_folders
from conformance.findings.findings import DANGERS, danger_of_kinds
from conformance.known.ageing import migrated
from conformance.known.editing import EditError, edited, save
from conformance.known.file_format import UNREPORTED, WhenPart
from conformance.known.ledger import MappedApi, calls_of
from conformance.known.matching import NamedCases
from conformance.known.model import NAME, PATIENCE, KnownDivergence, is_overdue, today
from conformance.reports.tables import terminal_width
from conformance.reports.text import counted, json_text, wrapped
from conformance.specification.adapter_files import api_operations
from conformance.specification.problems import display_path, nearest

_PYTEST_ROOT = "conformance"
"""The first part of the ids of items that ``pytest --conformance`` collects."""


def list_known(
    adapters: tuple[str, ...],
    day: date,
    *,
    as_json: bool,
    overdue: bool = False,
    unreported: bool = False,
    worst: int | None = None,
) -> int:
    """Print the known divergences of adapters, by default of all, and on standard error how many are overdue.

    worst: only so many, the most dangerous first; of those that are equally dangerous, first what most APIs share.
    """
    entries = [entry for file in _files(adapters) for entry in loading.known_in(file).entries]
    late = [entry for entry in entries if is_overdue(entry, day)]
    listed = late if overdue else entries
    if unreported:
        listed = [entry for entry in listed if entry.link == UNREPORTED]
    if worst is not None:
        listed = sorted(listed, key=_danger)[:worst]
    if as_json:
        click.echo(json_text([_as_json(entry, day) for entry in listed], indent=1))
    else:
        width = terminal_width()
        click.echo("\n\n".join("\n".join(_fitting(entry, day, width)) for entry in listed), nl=bool(listed))
    if late:
        click.echo(_overdue_line(len(late)), err=True)
    return 0


def migrate_known(adapters: tuple[str, ...], specs: Path | None = None) -> int:
    """Rewrite the patterns that name renamed cases of the suite or of these specs, and print the change."""
    files = [(file, loading.known_in(file)) for file in _files(adapters)]  # before cases are built for a wrong one
    cases = _facts(specs)
    changed = 0
    for file, known_divergences in files:
        replaced = migrated(known_divergences.entries, cases)
        if replaced:
            before = file.read_text(encoding="utf-8")
            write_known(file, before, edited(before, replaced=replaced), {one.id for one in known_divergences.entries})
            changed += 1
    if not changed:
        click.echo("nothing to migrate: no entry names a case by an earlier id", err=True)
    return 0


def export_known(adapters: tuple[str, ...], form: str, target: str | None, specs: Path | None = None) -> int:
    """Print the calls of valid entries, one a line, under a comment with the reason and the link of their entry."""
    named = NamedCases(_facts(specs))
    for file in _files(adapters):
        apis = [MappedApi(*pair) for adapter in sorted(file.parent.glob("*.py")) for pair in api_operations(adapter)]
        name = target or file.parent.name
        for entry in loading.known_in(file).entries:
            calls = sorted(frozenset().union(*calls_of(entry, named, apis)))
            if not calls or entry.has_expired(today()):
                continue
            when = _when(entry)
            click.echo(f"# {entry.id}{f', when {when}' if when else ''}: {' '.join(entry.reason.split())} {entry.link}")
            for case, api in calls:
                click.echo(f"{_PYTEST_ROOT}::{name}::{case}[{api}]" if form == "pytest-skip" else f"{case} {api}")
    return 0


def write_known(file: Path, before: str, text: str, ids: Collection[str]) -> None:
    """Replace the text of a file, and print the change as a diff; ids: of all its entries."""
    name = display_path(file)
    try:
        save(file, text, ids)
    except EditError as error:
        raise ConformanceError(f"{name}: {error}") from None
    lines = difflib.unified_diff(before.splitlines(), text.splitlines(), name, name, lineterm="")
    click.echo("\n".join(lines))


def _facts(specs: Path | None) -> list[CaseFacts]:
    """The cases of the suite and of a user's specs, by default those of the project."""
    specs = specs or project().options.get("specs")
    own = loading.with_cases(specs).facts if specs is not None else []
    return [*loading.suite().facts, *own]


def _files(adapters: tuple[str, ...]) -> list[Path]:
    """The files beside adapters, by default those of the suite."""
    files = [_file_of_word(name) for name in adapters] or sorted(adapters_folder().glob(f"*/{NAME}"))
    return list(dict.fromkeys(files))


def _file_of_word(name: str) -> Path:
    """The file of an adapter on the command line."""
    if "/" in name or name.endswith(".py"):
        if not Path(name).expanduser().is_file():
            raise ConformanceError(f"{name}: adapter file not found; expected its path, or the name of a framework")
        return Path(name).expanduser().parent / NAME
    return file_of_adapter(name)


def file_of_adapter(name: str) -> Path:
    folders = target_folders()
    if name not in folders:
        raise ConformanceError(f"no adapter {name!r}{nearest(name, folders)}")
    return folders[name].folder / NAME


def _overdue_line(count: int) -> str:
    entries = counted(count, "entry has", "entries have")
    days = f"more than {PATIENCE.days} days, or since an unknown date"
    return f"{entries} been unreported for {days}; report upstream and write the link; --overdue lists nothing else"


def _fitting(entry: KnownDivergence, day: date, width: int | None) -> Iterator[str]:
    """The lines of an entry, of which the long ones are wrapped if there is a width."""
    for line in _lines(entry, day):
        text = line.lstrip()
        yield from [line] if width is None else wrapped(text, width, line[: len(line) - len(text)])


def _danger(entry: KnownDivergence) -> tuple[int, int]:
    return DANGERS.index(danger_of_kinds(entry.kinds)), -len(entry.apis)


def _lines(entry: KnownDivergence, day: date) -> Iterator[str]:
    when = _when(entry)
    yield f"{entry.id}  ({entry.location})"
    yield f"  {', '.join(entry.apis)}{f' when {when}' if when else ''}"
    yield f"  {', '.join(sorted(entry.kinds))}{f' ({entry.behaviour})' if entry.behaviour else ''}{''.join(_states(entry, day))}"
    yield from (f"  {pattern.text}" for pattern in entry.patterns)
    yield from (f"  drawn programs {pattern}" for pattern in entry.programs)
    yield f"  {' '.join(entry.reason.split())}"
    yield f"  {_link(entry, day)}"
    yield from (f"  searched: {words}" for words in entry.searched)


def _when(entry: KnownDivergence) -> str:
    words = entry.conditions.words().items()
    return ", ".join(f"{key} {' or '.join(value) if isinstance(value, list) else value}" for key, value in words)


def _states(entry: KnownDivergence, day: date) -> Iterator[str]:
    if entry.sometimes:
        yield ", sometimes"
    if not entry.run:
        yield ", not called"
    if not entry.triaged:
        yield ", not triaged"
    if entry.expires is not None:
        yield f", {'expired' if entry.has_expired(day) else 'expires'} {entry.expires}"


def _link(entry: KnownDivergence, day: date) -> str:
    if entry.link != UNREPORTED:
        return entry.link
    return f"{UNREPORTED} since {entry.since or 'an unknown date'}{', overdue' if is_overdue(entry, day) else ''}"


def _as_json(entry: KnownDivergence, day: date) -> dict[str, Any]:
    written = entry.conditions.words()
    return {
        "id": entry.id,
        "cases": [pattern.text for pattern in entry.patterns],
        "programs": list(entry.programs),
        "api": list(entry.apis),
        **{key: written.get(key) for key in WhenPart.model_fields},
        "kind": sorted(entry.kinds),
        "behaviour": entry.behaviour,
        "sometimes": entry.sometimes,
        "reason": entry.reason,
        "link": entry.link,
        "searched": list(entry.searched),
        "since": entry.since and entry.since.isoformat(),
        "expires": entry.expires and entry.expires.isoformat(),
        "run": entry.run,
        "triaged": entry.triaged,
        "overdue": is_overdue(entry, day),
        "source": str(entry.location),
    }
