"""Entries that still happen in other versions than they name: with a wider range, instead of a copy for each version."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from packaging.specifiers import Specifier, SpecifierSet
from packaging.version import InvalidVersion, Version

from conformance.judging.vocabulary import FailOn
from conformance.known.ledger import Ledger
from conformance.known.model import KnownDivergence, KnownDivergences, facts_of_records
from conformance.results.exit_status import fails
from conformance.results.file import Results
from conformance.results.records import TargetRecord


@dataclass(frozen=True)
class _Seen:
    """The versions outside of the range of an entry in which it was seen to happen as recorded, or not to."""

    happens: set[Version]
    differs: set[Version]


def widened(
    known: KnownDivergences, parts: Sequence[tuple[Results, Sequence[TargetRecord]]], fail_on: FailOn
) -> Mapping[str, SpecifierSet]:
    """By the id of an entry that records what nothing else does in some versions, its range with these.

    No range has a version in which the entry is known not to happen.
    """
    seen: dict[str, _Seen] = {}
    for results, targets in parts:
        for target in targets:
            for entry, happens in _outside(known, results, target, fail_on):
                of_entry = seen.setdefault(entry.id, _Seen(set(), set()))
                (of_entry.happens if happens else of_entry.differs).add(Version(target.version or ""))
    entries = {entry.id: entry.conditions.versions for entry in known.entries}
    ranges = {
        name: _wider(range_, seen[name]) for name, range_ in entries.items() if range_ is not None and name in seen
    }
    return {name: range_ for name, range_ in ranges.items() if range_ != entries[name]}


def with_ranges(known: KnownDivergences, ranges: Mapping[str, SpecifierSet]) -> KnownDivergences:
    """The same entries, some of them with other ranges of versions."""

    def changed(entry: KnownDivergence) -> KnownDivergence:
        if entry.id not in ranges:
            return entry
        return replace(entry, conditions=replace(entry.conditions, versions=ranges[entry.id]))

    return replace(known, entries=tuple(map(changed, known.entries)))


def _outside(
    known: KnownDivergences, results: Results, target: TargetRecord, fail_on: FailOn
) -> Iterator[tuple[KnownDivergence, bool]]:
    """The entries that hold for a target but for its version, and whether they happen there; none of which nothing was seen."""
    try:
        Version(target.version or "")
    except InvalidVersion:
        return
    candidates = {
        entry.id: replace(entry, conditions=replace(entry.conditions, versions=None))
        for entry in known.entries
        if not entry.conditions.hold(target) and replace(entry.conditions, versions=None).hold(target)
    }
    if not candidates:
        return
    cases = facts_of_records(results.cases.values())
    as_it_is = Ledger(known, target, cases, results.mappings)
    # Behind the others, so that they record only what nothing else does.
    holding = [entry for entry in known.entries if entry.id not in candidates]
    wider = Ledger(replace(known, entries=(*holding, *candidates.values())), target, cases, results.mappings)
    new: set[str | None] = set()
    for result in results.results:
        if result.target == target.id:
            plain = result if result.known is result.elsewhere is None else replace(result, known=None, elsewhere=None)
            smallest = results.cases.get(result.smallest or "")
            recorded = wider.known(plain, smallest)
            wider.note(recorded)
            if fails(as_it_is.known(plain, smallest), fail_on):
                new.add(recorded.known)
    differs = {record.entry for record in wider.unexpected()}
    yield from ((entry, True) for name, entry in candidates.items() if name in new - differs)
    yield from ((entry, False) for name, entry in candidates.items() if name in differs)


def _wider(range_: SpecifierSet, seen: _Seen) -> SpecifierSet:
    for version in sorted(seen.happens):
        wider = _with(range_, version)
        if wider is not None and not any(wider.contains(other, prereleases=True) for other in seen.differs):
            range_ = wider
    return range_


def _with(range_: SpecifierSet, version: Version) -> SpecifierSet | None:
    """The range up to a version, or from it on; None if that cannot be written as one range."""
    exact = [Version(each.version) for each in range_ if each.operator == "==" and not each.version.endswith(".*")]
    if len(range_) == 1 and exact:
        low, high = sorted([*exact, version])
        return SpecifierSet(f">={low.public},<={high.public}")
    below = [each for each in range_ if each.operator in (">=", ">") and version < Version(each.version)]
    above = [each for each in range_ if each.operator in ("<=", "<") and version >= Version(each.version)]
    outer: list[Specifier] = below or above
    rest = [str(each) for each in range_ if each not in outer]
    wider = SpecifierSet(",".join([*rest, f"{'>=' if below else '<='}{version.public}"]))
    return wider if outer and wider.contains(version, prereleases=True) else None
