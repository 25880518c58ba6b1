"""How the behaviour of each framework changed from version to version, even if every version conforms.

A change is stated only if a call that both versions made shows it. It is in the later version or an earlier release, and
after the earlier one: releases between them were not tested. A version that did not make a call is skipped, so that the
earlier one may be older than the one before. What varies in any version is no change.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from conformance.findings.behaviour import varies
from conformance.findings.compare import Change, Comparison, Key, Side, Why, compare, sides, uninformative
from conformance.findings.sentences import version_of
from conformance.outcomes.model import Status
from conformance.results.file import Results
from conformance.results.records import ResultRecord, TargetRecord


@dataclass(frozen=True)
class Version:
    """A version of a framework, as a target of the run."""

    target: str
    version: str | None
    """The one that was requested if it did not start."""
    blocked: str | None
    """Why it did not start."""


@dataclass(frozen=True)
class VersionChange:
    """What an API did in one version, and does in a later one, in calls that both made."""

    first: str
    """The last target before ``second`` that made the calls."""
    second: str
    operation: str
    api: str
    was: str
    now: str
    """Texts of the behaviour, which differ."""
    cases: tuple[str, ...]
    """The calls that changed, never empty."""
    statuses: tuple[Status, Status]
    """How the first of them ended before and ends now."""
    same: int
    """Of the calls of the API in ``second``, the number that did the same in the last version that made them."""
    not_comparable: int
    varies: int
    """Of the calls that are not comparable, those that vary by themselves."""


@dataclass(frozen=True)
class MappedApi:
    """An API that implements an operation."""

    operation: str
    api: str


@dataclass(frozen=True)
class Step:
    """The changes from one version that started to the next that did."""

    first: str
    second: str
    new: tuple[MappedApi, ...]
    gone: tuple[MappedApi, ...]
    changes: tuple[VersionChange, ...]
    """Deaths and hangs first, then calls that return in one of the versions, then different errors."""
    same: int
    """The number of calls with the same behaviour in both."""
    not_comparable: Mapping[Why, int]

    @property
    def changed(self) -> int:
        """The number of calls that changed."""
        return sum(len(change.cases) for change in self.changes)


@dataclass(frozen=True)
class Timeline:
    """All versions of one framework in one mode on one device."""

    framework: str
    title: str
    mode: str
    device: str
    versions: tuple[Version, ...]
    """The oldest first."""
    steps: tuple[Step, ...]


def timelines(results: Results) -> list[Timeline]:
    """Return a timeline for each framework, mode and device with at least two versions, in the order of the targets."""
    configurations: dict[tuple[str, str, str], list[TargetRecord]] = {}
    for target in results.targets:
        configurations.setdefault((target.framework, target.mode, target.device), []).append(target)
    several = [targets for targets in configurations.values() if len({target.version for target in targets}) > 1]
    of_targets = sides(results) if several else {}
    return [
        _timeline(results, of_targets, sorted(targets, key=lambda target: version_of(_version(target))))
        for targets in several
    ]


def _version(target: TargetRecord) -> str | None:
    return target.version or target.requested


def _timeline(results: Results, of_targets: Mapping[str, Side], targets: Sequence[TargetRecord]) -> Timeline:
    first = targets[0]
    return Timeline(
        first.framework,
        next((target.title for target in targets if target.title), first.framework),
        first.mode,
        first.device,
        tuple(Version(target.id, _version(target), target.blocked) for target in targets),
        tuple(_steps(results, [of_targets[target.id] for target in targets if target.blocked is None])),
    )


def _steps(results: Results, versions: Sequence[Side]) -> Iterator[Step]:
    """Each version is compared with the last result of each call, which may be of any version before."""
    varying = {key for side in versions for key, result in side.results.items() if varies(result)}
    last: dict[Key, ResultRecord] = {}
    for before, after in pairwise(versions):
        last |= {key: result for key, result in before.results.items() if _replaces(result, last.get(key))}
        comparison = compare(Side(before.target, last), Side(after.target, after.results, varying), "behaviour")
        was, now = _mapped(results, before.target), _mapped(results, after.target)
        yield Step(
            before.target.id,
            after.target.id,
            tuple(api for api in now if api not in was),
            tuple(api for api in was if api not in now),
            tuple(_version_changes(results, comparison)),
            len(comparison.same),
            comparison.reasons,
        )


def _replaces(result: ResultRecord, last: ResultRecord | None) -> bool:
    """Whether a result is to be compared with instead of the last one: a call that tells nothing hides none that does."""
    return last is None or uninformative(result, "behaviour") is None or uninformative(last, "behaviour") is not None


def _mapped(results: Results, target: TargetRecord) -> dict[MappedApi, None]:
    mappings = (mapping for mapping in results.mappings if mapping.target == target.id)
    return dict.fromkeys(MappedApi(mapping.operation, mapping.api) for mapping in mappings)


def _version_changes(results: Results, comparison: Comparison) -> Iterator[VersionChange]:
    groups: dict[tuple[str, str, str, str, str], list[Change]] = {}
    for change in comparison.changes:
        operation = results.clauses[change.second.clause].operation
        key = (change.first.target, operation, change.second.api, change.was, change.now)
        groups.setdefault(key, []).append(change)
    same = Counter(api for _, api in comparison.same)
    without = Counter(api for _, api in [*comparison.not_comparable, *comparison.only_first, *comparison.only_second])
    varying = Counter(api for (_, api), why in comparison.not_comparable.items() if why == "varies")
    for (first, operation, api, was, now), changes in sorted(groups.items(), key=lambda group: _rank(group[1])):
        cases = tuple(change.second.case for change in changes)
        counts = (same[api], without[api], varying[api])
        yield VersionChange(first, comparison.second.id, operation, api, was, now, cases, _statuses(changes), *counts)


def _statuses(changes: Sequence[Change]) -> tuple[Status, Status]:
    return changes[0].first.outcome.status, changes[0].second.outcome.status


def _rank(changes: Sequence[Change]) -> int:
    """Deaths and hangs first, then calls that return in one of the versions, then different errors."""
    statuses = {*_statuses(changes)}
    if statuses & {"died", "hung"}:
        return 0
    return 1 if statuses == {"returned", "raised"} else 2 if "returned" in statuses else 3
