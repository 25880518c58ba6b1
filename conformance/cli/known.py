"""``conformance known``: the ledgers of known divergences."""

from __future__ import annotations

import difflib
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

from conformance.cli import known_files
from conformance.cli.failures import USAGE, Failure
from conformance.known.editing import EditError, edited, entry_content, save
from conformance.known.file_format import UNREPORTED, check_link, check_reason
from conformance.known.model import NAME, KnownDivergence, KnownDivergences
from conformance.known.proposals import Proposal, UnknownResult, not_known, proposals
from conformance.places import adapters_folder
from conformance.results.exit_status import FailOn
from conformance.results.file import Results, ResultsError, read_results
from conformance.results.records import TargetRecord
from conformance.specification.problems import nearest, shown
from conformance.targets.errors import TargetError
from conformance.targets.name import parse_target


@click.group(name="known", invoke_without_command=False)
def command() -> None:
    """List and update the ledgers: what is known to diverge, so that a run need not fail on it."""


@command.command(name="list")
@click.argument("adapters", nargs=-1, metavar="[ADAPTER]...")
@click.option("--json", "as_json", is_flag=True, help="For programs: one JSON array.")
def list_(adapters: tuple[str, ...], *, as_json: bool) -> int:
    """List what is known to diverge; ADAPTER is a framework's name or the path of an adapter file, by default all."""
    files = [_file_of(name) for name in adapters] or sorted(adapters_folder().glob(f"*/{NAME}"))
    entries = [entry for file in dict.fromkeys(files) for entry in known_files.load(file).entries]
    if as_json:
        click.echo(json.dumps([_as_json(entry) for entry in entries], ensure_ascii=False, indent=1))
        return 0
    for number, entry in enumerate(entries):
        for line in [*([""] if number else []), *_lines(entry)]:
            click.echo(line)
    return 0


@command.command(name="update")
@click.argument("results", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="RESULTS...")
@click.option("--all", "portability", is_flag=True, help="Portability divergences too.")
@click.option("--prune", is_flag=True, help="Remove what the runs found to happen no longer.")
@click.option("--reason", metavar="TEXT", help="Of every new entry.")
@click.option("--link", metavar="URL", help=f"Of every new entry: the upstream thread, or {UNREPORTED}.")
@click.option(
    "--ledger", "file", type=click.Path(path_type=Path), metavar="FILE", help="The ledger, for all the targets."
)
def update(
    results: tuple[Path, ...],
    reason: str | None,
    link: str | None,
    file: Path | None,
    *,
    portability: bool,
    prune: bool,
) -> int:
    """Write what RESULTS have and no ledger knows, into the ledger beside each adapter; show the change.

    RESULTS are files, or folders that hold one. Own divergences, deaths and hangs are written, an entry for what seems to have
    one cause. Each needs a reason and a link; what is missing is asked for on a terminal, elsewhere nothing is written.
    """
    read = [_read(path) for path in results]
    changes = [
        _change(known_divergences, read, "any" if portability else "own", prune=prune)
        for known_divergences in _ledgers(read, file)
    ]
    told = _asked(changes, _Told(_checked("--reason", reason, check_reason), _checked("--link", link, check_link)))
    changes = [change for change in changes if change.new or change.gone]
    for change in changes:
        change.write(told)
    if not changes:
        click.echo("nothing to write: every divergence of these results is known", err=True)
    return 0


@dataclass(frozen=True)
class _Told:
    """Reason and link: those of the command line, for every entry, and those that were asked for."""

    reason: str | None
    link: str | None
    each: dict[tuple[Path, str], tuple[str, str]] = field(default_factory=dict)


@dataclass(frozen=True)
class _Change:
    """What is to become of one ledger."""

    file: Path
    known_divergences: KnownDivergences
    new: list[Proposal]
    gone: dict[str, set[str]]
    """Patterns to be removed, by the id of their entry."""

    def write(self, told: _Told) -> None:
        """Show the change as a diff and make it."""
        before = self.file.read_text(encoding="utf-8") if self.file.exists() else ""
        try:
            new = {one.id: entry_content(one, *told.each[self.file, one.id]) for one in self.new}
            text = edited(before, self.gone, new)
            save(self.file, text, {entry.id for entry in self._left().entries} | {one.id for one in self.new})
        except EditError as error:
            raise Failure(USAGE, f"{shown(self.file)}: {error}") from None
        name = shown(self.file)
        lines = difflib.unified_diff(before.splitlines(), text.splitlines(), name, name, lineterm="")
        click.echo("\n".join(lines))

    def _left(self) -> KnownDivergences:
        entries = self.known_divergences.entries
        kept = [one for one in entries if not {p.text for p in one.patterns} <= self.gone.get(one.id, set())]
        return KnownDivergences(self.file, tuple(kept))


def _change(
    of: tuple[Path, list[tuple[Results, list[TargetRecord]]]], read: Sequence[Results], fail_on: FailOn, *, prune: bool
) -> _Change:
    file, parts = of
    known_divergences = known_files.load(file)
    found: list[UnknownResult] = []
    for results, targets in parts:
        found += not_known(results, targets, known_divergences, fail_on)
    return _Change(
        file,
        known_divergences,
        proposals(found, read, known_divergences),
        _gone(known_divergences, parts) if prune else {},
    )


def _gone(
    known_divergences: KnownDivergences, parts: Sequence[tuple[Results, list[TargetRecord]]]
) -> dict[str, set[str]]:
    """Patterns that a run found to happen no longer, and no run to happen still."""
    gone: dict[str, set[str]] = {}
    entries = {entry.id: entry for entry in known_divergences.entries}
    happens: set[tuple[str, str]] = set()
    for results, targets in parts:
        ids = {target.id for target in targets}
        for one in results.results:
            if one.target in ids and one.known in entries:
                happens |= {(one.known, p.text) for p in entries[one.known].patterns if p.matches(one.case)}
        for unexpected in results.end.unexpected if results.end else ():
            if unexpected.target in ids and unexpected.entry in entries and unexpected.how == "passed":
                gone.setdefault(unexpected.entry, set()).update(unexpected.cases)
    left = {name: {text for text in some if (name, text) not in happens} for name, some in gone.items()}
    return {name: some for name, some in left.items() if some}


def _ledgers(
    read: Sequence[Results], file: Path | None
) -> Iterator[tuple[Path, list[tuple[Results, list[TargetRecord]]]]]:
    """The ledger of each target, with the results that concern it."""
    parts: dict[Path, list[tuple[Results, list[TargetRecord]]]] = {}
    for results in read:
        targets: dict[Path, list[TargetRecord]] = {}
        for target in results.targets:
            if target.blocked is None:
                targets.setdefault(file or _file_of_target(target), []).append(target)
        for path, some in targets.items():
            parts.setdefault(path, []).append((results, some))
    yield from parts.items()


def _file_of_target(target: TargetRecord) -> Path:
    try:
        path = parse_target(target.id).path
    except TargetError:
        path = None
    if path is None:
        return adapters_folder() / target.framework / NAME
    if not path.expanduser().is_file():
        text = (
            f"{target.id}: {path} is not found from here; go where its run was made, or name its ledger with --ledger"
        )
        raise Failure(USAGE, text)
    return path.expanduser().parent / NAME


def _file_of(name: str) -> Path:
    if "/" in name or name.endswith(".py"):
        return Path(name).expanduser().parent / NAME
    known = sorted(path.parent.name for path in adapters_folder().glob("*/adapter.py"))
    if name not in known:
        raise Failure(USAGE, f"there is no adapter {name!r}{nearest(name, known)}")
    return adapters_folder() / name / NAME


def _read(path: Path) -> Results:
    try:
        results = read_results(path)
    except ResultsError as error:
        raise Failure(USAGE, str(error)) from None
    if not results.complete:
        click.echo(f"{path}: an incomplete run; what it lacks is not written", err=True)
    return results


def _checked(option: str, value: str | None, check: Any) -> str | None:
    try:
        return check(value) if value is not None else None
    except ValueError as error:
        raise Failure(USAGE, f"{option} {value!r}: {error}") from None


def _asked(changes: Sequence[_Change], told: _Told) -> _Told:
    """Reason and link for every new entry; Failure where they are missing and nobody can be asked."""
    new = [(change.file, one) for change in changes for one in change.new]
    missing = told.reason is None or told.link is None
    if new and missing and not (sys.stdin.isatty() and sys.stderr.isatty()):
        lines = [line for file, one in new for line in _needed(file, one)]
        text = (
            f"{len(new)} without a reason and a link; give --reason TEXT --link URL for all, or run this on a terminal"
        )
        raise Failure(USAGE, "\n".join([text, *lines, "nothing was written"]))
    for file, one in new:
        if missing:
            click.echo("\n" + "\n".join(_needed(file, one)), err=True)
        told.each[file, one.id] = (
            told.reason or _prompted("reason", None, check_reason),
            told.link or _prompted("link", UNREPORTED, check_link),
        )
    return told


def _prompted(what: str, default: str | None, check: Any) -> str:
    def converted(value: str) -> Any:
        try:
            return check(value)
        except ValueError as error:
            raise click.BadParameter(str(error)) from None

    return str(click.prompt(f"  {what}", default=default, value_proc=converted, err=True))


def _needed(file: Path, one: Proposal) -> list[str]:
    return [
        f"{shown(file)}: {one.id}: {one.api}: {', '.join(one.kinds)}: {one.explanation}",
        *(f"  {c}" for c in one.cases),
    ]


def _lines(entry: KnownDivergence) -> Iterator[str]:
    conditions = entry.conditions
    said = [conditions.versions, conditions.device, conditions.mode, conditions.dtype]
    where = ", ".join(str(one) for one in said if one is not None)
    yield f"{entry.id}  ({entry.place})"
    yield f"  {', '.join(entry.apis)}{f' where {where}' if where else ''}"
    often = ", sometimes" if entry.sometimes else ""
    yield f"  {', '.join(sorted(entry.kinds))}{f' ({entry.behaviour})' if entry.behaviour else ''}{often}"
    yield from (f"  {pattern.text}" for pattern in entry.patterns)
    yield f"  {' '.join(entry.reason.split())}"
    yield f"  {entry.link}"


def _as_json(entry: KnownDivergence) -> dict[str, Any]:
    conditions = entry.conditions
    return {
        "id": entry.id,
        "cases": [pattern.text for pattern in entry.patterns],
        "api": list(entry.apis),
        "version": str(conditions.versions) if conditions.versions is not None else None,
        "device": conditions.device,
        "mode": conditions.mode,
        "dtype": conditions.dtype,
        "kind": sorted(entry.kinds),
        "behaviour": entry.behaviour,
        "sometimes": entry.sometimes,
        "reason": entry.reason,
        "link": entry.link,
        "source": str(entry.place),
    }
