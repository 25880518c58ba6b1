"""How the behaviour of each framework changed from version to version, even if every version conforms.

``timelines(results)`` returns a ``Timeline`` for each framework, mode and device with results of at least two versions.
Its ``targets`` are these versions, the oldest first, including those that did not start. A ``Row`` has a cell per version
for one clause on one API: the behaviours with their counts, and a ``state``, a number that increases whenever the behaviour
changes, so that a table can give versions with the same behaviour the same colour. A ``Step`` leads from one version that
started to the next that did, with every change between them.

Each result is compared with the last informative result of the same case in an earlier version. Unsupported and blocked
calls are not changes; they are counted as not comparable.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from conformance.findings.behaviour import behaviour_text, contrasted, is_informative, is_same_behaviour
from conformance.findings.newest import version_of
from conformance.results.file import Results
from conformance.results.records import ResultRecord, TargetRecord


@dataclass(frozen=True)
class Cell:
    """The behaviour of one version in the cases of one clause, on one API."""

    words: Mapping[str, int]
    """Behaviour, such as ``raises IndexError``, to its number of cases; the most frequent first."""
    state: int
    """Starts at 0; equal for two versions of a row if nothing changed between them."""


@dataclass(frozen=True)
class Row:
    """One clause on one API in all versions."""

    operation: str
    clause: str
    api: str
    cells: tuple[Cell | None, ...]
    """One per version; None without results, if the version did not start or lacks the API."""


@dataclass(frozen=True)
class BehaviourChange:
    """A change of one version from those before it."""

    kind: Literal["behaviour", "new", "gone"]
    """``new`` and ``gone`` are about an API that the version added or removed."""
    operation: str
    api: str
    clause: str | None = None
    """None for an API that was added or removed."""
    was: str = ""
    now: str = ""
    """Texts of the behaviour before and after; they differ."""
    cases: tuple[tuple[ResultRecord, ResultRecord], ...] = ()
    """The results before and after of each case with this change."""


@dataclass(frozen=True)
class Step:
    """The changes from one version that started to the next that did."""

    before: TargetRecord
    after: TargetRecord
    changes: tuple[BehaviourChange, ...]
    """APIs first, then behaviours in the order of clauses, grouped by clause, API, before and after."""
    same: int
    """Number of calls with the same behaviour in both."""
    not_comparable: int
    """Number of calls without an informative result in this version or in any before it."""


@dataclass(frozen=True)
class Timeline:
    """All versions of one framework in one mode on one device."""

    framework: str
    mode: str
    device: str
    targets: tuple[TargetRecord, ...]
    rows: tuple[Row, ...]
    steps: tuple[Step, ...]


_GroupKey = tuple[str, str, str]
"""Operation, clause and API."""


def timelines(results: Results) -> list[Timeline]:
    """Return a timeline for each framework, mode and device with at least two versions, in the order of the targets."""
    configurations: dict[tuple[str, str, str], list[TargetRecord]] = {}
    for target in results.targets:
        configurations.setdefault((target.framework, target.mode, target.device), []).append(target)
    return [
        _Comparison(results, sorted(targets, key=lambda target: version_of(written_version(target)))).timeline()
        for targets in configurations.values()
        if len({target.version for target in targets}) > 1
    ]


def written_version(target: TargetRecord) -> str | None:
    """The version of a target, or the requested version if it did not start."""
    return target.version or target.requested


@dataclass(frozen=True)
class _GroupComparison:
    """The calls of a group in one version, compared with the versions before."""

    changes: dict[tuple[str, str], list[tuple[ResultRecord, ResultRecord]]]
    """Behaviour before and after, to the results before and after."""
    same: int
    not_comparable: int


class _Comparison:
    """The results of several versions, compared group by group from the oldest to the newest."""

    def __init__(self, results: Results, targets: Sequence[TargetRecord]) -> None:
        self._results = results
        self._targets = targets
        self._groups: dict[_GroupKey, list[dict[str, ResultRecord]]] = {}
        versions = {target.id: index for index, target in enumerate(targets)}
        for result in results.results:
            if result.target in versions:
                group = (results.clauses[result.clause].operation, result.clause, result.api)
                by_version = self._groups.setdefault(group, [{} for _ in targets])
                by_version[versions[result.target]][result.case] = result
        self._comparisons: list[dict[_GroupKey, _GroupComparison]] = [{} for _ in targets]

    def timeline(self) -> Timeline:
        order = {clause: index for index, clause in enumerate(self._results.clauses)}
        groups = sorted(self._groups.items(), key=lambda item: order.get(item[0][1], len(order)))
        rows = tuple(self._row(group, versions) for group, versions in groups)
        started = [index for index, target in enumerate(self._targets) if target.blocked is None]
        steps = [self._step(before, after) for before, after in pairwise(started)]
        first = self._targets[0]
        return Timeline(first.framework, first.mode, first.device, tuple(self._targets), rows, tuple(steps))

    def _row(self, group: _GroupKey, versions: Sequence[Mapping[str, ResultRecord]]) -> Row:
        last: dict[str, ResultRecord] = {}
        cells: list[Cell | None] = []
        state = 0
        for index, results in enumerate(versions):
            comparison = _compared(last, results)
            self._comparisons[index][group] = comparison
            state += bool(comparison.changes)
            cells.append(Cell(_words(results.values()), state) if results else None)
            last |= {case: result for case, result in results.items() if is_informative(result)}
        return Row(*group, tuple(cells))

    def _step(self, before: int, after: int) -> Step:
        comparisons = self._comparisons[after]
        changes = [*self._apis(before, after)]
        for (operation, clause, api), comparison in comparisons.items():
            changes += [
                BehaviourChange("behaviour", operation, api, clause, was, now, tuple(cases))
                for (was, now), cases in comparison.changes.items()
            ]
        return Step(
            self._targets[before],
            self._targets[after],
            tuple(changes),
            sum(comparison.same for comparison in comparisons.values()),
            sum(comparison.not_comparable for comparison in comparisons.values()),
        )

    def _apis(self, before: int, after: int) -> Iterator[BehaviourChange]:
        was, now = self._mapped(before), self._mapped(after)
        yield from (BehaviourChange("new", operation, api) for operation, api in now if (operation, api) not in was)
        yield from (BehaviourChange("gone", operation, api) for operation, api in was if (operation, api) not in now)

    def _mapped(self, version: int) -> dict[tuple[str, str], None]:
        target = self._targets[version].id
        mappings = (mapping for mapping in self._results.mappings if mapping.target == target)
        return dict.fromkeys((mapping.operation, mapping.api) for mapping in mappings)


def _compared(last: Mapping[str, ResultRecord], results: Mapping[str, ResultRecord]) -> _GroupComparison:
    changes: dict[tuple[str, str], list[tuple[ResultRecord, ResultRecord]]] = {}
    same = not_comparable = 0
    for case, now in results.items():
        was = last.get(case)
        if was is None or not is_informative(now) or was.cast != now.cast:
            not_comparable += 1
        elif is_same_behaviour(was, now):
            same += 1
        else:
            changes.setdefault(contrasted(was, now), []).append((was, now))
    return _GroupComparison(changes, same, not_comparable)


def _words(results: Iterable[ResultRecord]) -> Mapping[str, int]:
    return dict(Counter(behaviour_text(result) for result in results).most_common())
