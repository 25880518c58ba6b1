"""``conformance known update``: the divergences of results that no entry records yet."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

import click
from packaging.specifiers import SpecifierSet

from conformance.app import loading
from conformance.app.errors import ConformanceError
from conformance.app.results_files import load_results
from conformance.cli.known import file_of_adapter, write_known
from conformance.environments.errors import TargetError
from conformance.environments.name import parse_target
from conformance.judging.vocabulary import FailOn
from conformance.known.editing import EditError, edited, entry_content
from conformance.known.file_format import UNREPORTED, check_link, check_reason
from conformance.known.model import NAME, KnownDivergences, today
from conformance.known.proposals import Proposal, Unknown, not_known, proposals
from conformance.known.widening import widened, with_ranges
from conformance.reports.text import counted
from conformance.results.file import Results
from conformance.results.records import TargetRecord
from conformance.specification.problems import display_path

NOT_TRIAGED = "Not triaged."
"""The reason of an entry of a baseline."""
TargetResults = tuple[Results, list[TargetRecord]]
"""A results file, with those of its targets to which a file of known divergences applies."""
Texts = Mapping[tuple[Path, str], tuple[str, str]]
"""The reason and the link of each new entry, by file and id."""


def update_known(
    results: tuple[Path, ...],
    reason: str | None,
    link: str | None,
    file: Path | None,
    *,
    portability: bool,
    prune: bool,
    baseline: bool,
    expires: date | None,
) -> int:
    """Add the unknown divergences of results to the files beside the adapters, by a wider range of versions where that does.

    baseline: as entries that nobody has looked at; their reason and link, unless given, say so.
    """
    if baseline:
        reason, link = reason or NOT_TRIAGED, link or UNREPORTED
    all_results = [_load(path) for path in results]
    changes = [
        _change(path, parts, all_results, "any" if portability else "own", prune=prune)
        for path, parts in _results_by_file(all_results, file).items()
    ]
    texts = _texts(changes, _checked("--reason", reason, check_reason), _checked("--link", link, check_link))
    changes = [change for change in changes if change.new or change.removed or change.ranges]
    for change in changes:
        change.write(texts, expires, triaged=not baseline)
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
    ranges: Mapping[str, str]
    """Wider ranges of versions, by the id of their entry."""

    def write(self, texts: Texts, expires: date | None, *, triaged: bool) -> None:
        """Change the file, and print the change as a diff."""
        before = self.file.read_text(encoding="utf-8") if self.file.exists() else ""
        new = {
            proposal.id: entry_content(proposal, *texts[self.file, proposal.id], today(), expires, triaged=triaged)
            for proposal in self.new
        }
        try:
            text = edited(before, self.removed, new, ranges=self.ranges)
        except EditError as error:
            raise ConformanceError(f"{display_path(self.file)}: {error}") from None
        write_known(self.file, before, text, self._remaining() | new.keys())

    def _remaining(self) -> set[str]:
        """The ids of the entries that keep a pattern."""
        return {
            entry.id
            for entry in self.known_divergences.entries
            if entry.programs or {pattern.text for pattern in entry.patterns} - self.removed.get(entry.id, set())
        }


def _change(
    file: Path, parts: Sequence[TargetResults], all_results: Sequence[Results], fail_on: FailOn, *, prune: bool
) -> _Change:
    recorded = loading.known_in(file)
    removed = _unexpected_passes(recorded, parts) if prune else {}
    ranges = widened(_without(recorded, removed), parts, fail_on)
    known_divergences = with_ranges(recorded, ranges)
    unknown: list[Unknown] = []
    for results, targets in parts:
        unknown += not_known(results, targets, known_divergences, fail_on)
    new = proposals(unknown, all_results, known_divergences)
    return _Change(file, known_divergences, new, removed, {name: _range_text(one) for name, one in ranges.items()})


def _without(known_divergences: KnownDivergences, removed: Mapping[str, set[str]]) -> KnownDivergences:
    """What stays after patterns are removed, by the id of their entry."""
    entries = (
        replace(entry, patterns=tuple(one for one in entry.patterns if one.text not in removed.get(entry.id, ())))
        for entry in known_divergences.entries
    )
    return replace(known_divergences, entries=tuple(one for one in entries if one.patterns or one.programs))


def _range_text(versions: SpecifierSet) -> str:
    """``>=0.1,<=0.2``: the lower bound first, as people write it."""
    return ",".join(sorted(map(str, versions), key=lambda text: (not text.startswith(">"), text)))


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
        return file_of_adapter(target.framework)
    if ".." in path.parts or not path.expanduser().resolve().is_relative_to(Path.cwd().resolve()):
        text = f"{target.id}: results from elsewhere cannot choose a file outside this folder"
        raise ConformanceError(f"{text}; run this in the folder of the adapter, or name the file with --known")
    if not path.expanduser().is_file():
        text = f"{target.id}: adapter file {path} not found"
        raise ConformanceError(f"{text}; run this in the folder of the original run, or name the file with --known")
    return path.expanduser().parent / NAME


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
    yield from (f"  {pattern}" for pattern in (*proposal.cases, *proposal.programs))
