"""``conformance known``: list and update known divergences."""

from __future__ import annotations

import difflib
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import click

from conformance.app import loading
from conformance.app.errors import ConformanceError
from conformance.app.results_files import load_results
from conformance.data_folders import adapters_folder
from conformance.environments.errors import TargetError
from conformance.environments.name import parse_target
from conformance.environments.packages import target_folders
from conformance.known.editing import EditError, edited, entry_content, save
from conformance.known.file_format import UNREPORTED, check_link, check_reason
from conformance.known.model import NAME, PATIENCE, KnownDivergence, KnownDivergences, is_overdue, today
from conformance.known.proposals import Proposal, Unknown, not_known, proposals
from conformance.reports.text import counted
from conformance.results.exit_status import FailOn
from conformance.results.file import Results
from conformance.results.records import TargetRecord
from conformance.specification.problems import display_path, nearest

TargetResults = tuple[Results, list[TargetRecord]]
"""A results file, with those of its targets to which a file of known divergences applies."""
Texts = Mapping[tuple[Path, str], tuple[str, str]]
"""The reason and the link of each new entry, by file and id."""


def list_known(adapters: tuple[str, ...], day: date, *, overdue: bool, as_json: bool) -> int:
    """Print the known divergences of adapters, by default of all, and on standard error how many are overdue."""
    files = [_file_of_word(name) for name in adapters] or sorted(adapters_folder().glob(f"*/{NAME}"))
    entries = [entry for file in dict.fromkeys(files) for entry in loading.known_in(file).entries]
    late = [entry for entry in entries if is_overdue(entry, day)]
    listed = late if overdue else entries
    if as_json:
        click.echo(json.dumps([_as_json(entry, day) for entry in listed], ensure_ascii=False, indent=1))
    else:
        click.echo("\n\n".join("\n".join(_lines(entry, day)) for entry in listed), nl=bool(listed))
    if late:
        click.echo(_overdue_line(len(late)), err=True)
    return 0


def update_known(
    results: tuple[Path, ...],
    reason: str | None,
    link: str | None,
    file: Path | None,
    *,
    portability: bool,
    prune: bool,
) -> int:
    """Add the unknown divergences of results to the files beside the adapters."""
    all_results = [_load(path) for path in results]
    changes = [
        _change(path, parts, all_results, "any" if portability else "own", prune=prune)
        for path, parts in _results_by_file(all_results, file).items()
    ]
    texts = _texts(changes, _checked("--reason", reason, check_reason), _checked("--link", link, check_link))
    changes = [change for change in changes if change.new or change.removed]
    for change in changes:
        change.write(texts)
    if not changes:
        click.echo("nothing to add: every divergence in these results is known", err=True)
    return 0


@dataclass(frozen=True)
class _Change:
    """The change to one file of known divergences."""

    file: Path
    known_divergences: KnownDivergences
    new: list[Proposal]
    removed: dict[str, set[str]]
    """Patterns to remove, by the id of their entry."""

    def write(self, texts: Texts) -> None:
        """Change the file, and print the change as a diff."""
        name = display_path(self.file)
        before = self.file.read_text(encoding="utf-8") if self.file.exists() else ""
        new = {proposal.id: entry_content(proposal, *texts[self.file, proposal.id], today()) for proposal in self.new}
        try:
            text = edited(before, self.removed, new)
            save(self.file, text, self._remaining() | new.keys())
        except EditError as error:
            raise ConformanceError(f"{name}: {error}") from None
        lines = difflib.unified_diff(before.splitlines(), text.splitlines(), name, name, lineterm="")
        click.echo("\n".join(lines))

    def _remaining(self) -> set[str]:
        """The ids of the entries that keep a pattern."""
        return {
            entry.id
            for entry in self.known_divergences.entries
            if {pattern.text for pattern in entry.patterns} - self.removed.get(entry.id, set())
        }


def _change(
    file: Path, parts: Sequence[TargetResults], all_results: Sequence[Results], fail_on: FailOn, *, prune: bool
) -> _Change:
    known_divergences = loading.known_in(file)
    unknown: list[Unknown] = []
    for results, targets in parts:
        unknown += not_known(results, targets, known_divergences, fail_on)
    new = proposals(unknown, all_results, known_divergences)
    return _Change(file, known_divergences, new, _unexpected_passes(known_divergences, parts) if prune else {})


def _unexpected_passes(known_divergences: KnownDivergences, parts: Sequence[TargetResults]) -> dict[str, set[str]]:
    """Patterns that passed unexpectedly in one run and match a divergence in no other, by the id of their entry."""
    entries = {entry.id: entry for entry in known_divergences.entries}
    passed: dict[str, set[str]] = {}
    matched: dict[str, set[str]] = {}
    for results, targets in parts:
        ids = {target.id for target in targets}
        for result in results.results:
            if result.target in ids and result.known in entries:
                patterns = entries[result.known].patterns
                texts = {pattern.text for pattern in patterns if pattern.matches(result.case)}
                matched.setdefault(result.known, set()).update(texts)
        for unexpected in results.end.unexpected if results.end else ():
            if unexpected.target in ids and unexpected.entry in entries and unexpected.how == "passed":
                passed.setdefault(unexpected.entry, set()).update(unexpected.cases)
    remaining = {name: texts - matched.get(name, set()) for name, texts in passed.items()}
    return {name: texts for name, texts in remaining.items() if texts}


def _results_by_file(all_results: Sequence[Results], file: Path | None) -> dict[Path, list[TargetResults]]:
    """The results that concern each file of known divergences; ``file``, if given, is that of all targets."""
    parts: dict[Path, list[TargetResults]] = {}
    for results in all_results:
        targets: dict[Path, list[TargetRecord]] = {}
        for target in results.targets:
            if target.blocked is None:
                targets.setdefault(file or _file_of_target(target), []).append(target)
        for path, records in targets.items():
            parts.setdefault(path, []).append((results, records))
    return parts


def _file_of_target(target: TargetRecord) -> Path:
    try:
        path = parse_target(target.id).path
    except TargetError:
        path = None
    if path is None:
        return _file_of_adapter(target.framework)
    if ".." in path.parts or not path.expanduser().resolve().is_relative_to(Path.cwd().resolve()):
        text = f"{target.id}: results from elsewhere cannot choose a file outside this folder"
        raise ConformanceError(f"{text}; run this in the folder of the adapter, or name the file with --known")
    if not path.expanduser().is_file():
        text = f"{target.id}: adapter file {path} not found"
        raise ConformanceError(f"{text}; run this in the folder of the original run, or name the file with --known")
    return path.expanduser().parent / NAME


def _file_of_word(name: str) -> Path:
    """The file of an adapter on the command line."""
    if "/" in name or name.endswith(".py"):
        if not Path(name).expanduser().is_file():
            raise ConformanceError(f"{name}: adapter file not found; expected its path, or the name of a framework")
        return Path(name).expanduser().parent / NAME
    return _file_of_adapter(name)


def _file_of_adapter(name: str) -> Path:
    folders = target_folders()
    if name not in folders:
        raise ConformanceError(f"no adapter {name!r}{nearest(name, folders)}")
    return folders[name].folder / NAME


def _load(path: Path) -> Results:
    results = load_results(path)
    if not results.complete:
        click.echo(f"{path}: incomplete run; missing results are ignored", err=True)
    return results


def _checked(option: str, value: str | None, check: Callable[[str], str]) -> str | None:
    try:
        return check(value) if value is not None else None
    except ValueError as error:
        raise ConformanceError(f"{option} {value!r}: {error}") from None


def _texts(changes: Sequence[_Change], reason: str | None, link: str | None) -> Texts:
    """Reason and link of every new entry; ConformanceError if one is missing and there is no terminal to ask for it."""
    new = [(change.file, proposal) for change in changes for proposal in change.new]
    missing = reason is None or link is None
    if new and missing and not (sys.stdin.isatty() and sys.stderr.isatty()):
        need = f"{counted(len(new), 'entry needs', 'entries need')} a reason and a link"
        text = f"{need}; pass --reason TEXT --link URL, or run this on a terminal"
        lines = [line for file, proposal in new for line in _proposal_lines(file, proposal)]
        raise ConformanceError("\n".join([text, *lines, "nothing was written"]))
    texts = {}
    for file, proposal in new:
        if missing:
            click.echo("\n" + "\n".join(_proposal_lines(file, proposal)), err=True)
        texts[file, proposal.id] = (
            reason or _prompt("reason", None, check_reason),
            link or _prompt("link", UNREPORTED, check_link),
        )
    return texts


def _prompt(label: str, default: str | None, check: Callable[[str], str]) -> str:
    def convert(value: str) -> str:
        try:
            return check(value)
        except ValueError as error:
            raise click.BadParameter(str(error)) from None

    return str(click.prompt(f"  {label}", default=default, value_proc=convert, err=True))


def _proposal_lines(file: Path, proposal: Proposal) -> Iterator[str]:
    yield f"{display_path(file)}: {proposal.id}: {proposal.api}: {', '.join(proposal.kinds)}: {proposal.explanation}"
    yield from (f"  {pattern}" for pattern in proposal.cases)


def _overdue_line(count: int) -> str:
    entries = counted(count, "entry has", "entries have")
    days = f"more than {PATIENCE.days} days, or since an unknown date"
    return f"{entries} been unreported for {days}; report upstream and write the link; --overdue lists nothing else"


def _lines(entry: KnownDivergence, day: date) -> Iterator[str]:
    conditions = entry.conditions
    values = [conditions.versions, conditions.device, " or ".join(conditions.modes or ()), conditions.dtype]
    when = ", ".join(str(value) for value in values if value)
    yield f"{entry.id}  ({entry.location})"
    yield f"  {', '.join(entry.apis)}{f' when {when}' if when else ''}"
    sometimes = ", sometimes" if entry.sometimes else ""
    yield f"  {', '.join(sorted(entry.kinds))}{f' ({entry.behaviour})' if entry.behaviour else ''}{sometimes}"
    yield from (f"  {pattern.text}" for pattern in entry.patterns)
    yield f"  {' '.join(entry.reason.split())}"
    yield f"  {_link(entry, day)}"


def _link(entry: KnownDivergence, day: date) -> str:
    if entry.link != UNREPORTED:
        return entry.link
    return f"{UNREPORTED} since {entry.since or 'an unknown date'}{', overdue' if is_overdue(entry, day) else ''}"


def _as_json(entry: KnownDivergence, day: date) -> dict[str, Any]:
    conditions = entry.conditions
    return {
        "id": entry.id,
        "cases": [pattern.text for pattern in entry.patterns],
        "api": list(entry.apis),
        "version": str(conditions.versions) if conditions.versions is not None else None,
        "device": conditions.device,
        "mode": list(conditions.modes) if conditions.modes is not None else None,
        "dtype": conditions.dtype,
        "kind": sorted(entry.kinds),
        "behaviour": entry.behaviour,
        "sometimes": entry.sometimes,
        "reason": entry.reason,
        "link": entry.link,
        "since": entry.since and entry.since.isoformat(),
        "overdue": is_overdue(entry, day),
        "source": str(entry.location),
    }
