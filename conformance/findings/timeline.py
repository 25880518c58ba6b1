"""How the behaviour of each framework changed from version to version, also where every version is right.

``timelines(results)`` gives a ``Timeline`` for each framework, mode and device of which the results hold at least two
versions. Its ``targets`` are these versions, the oldest first, those that did not start among them; all that is told of a
version stands at the same place. ``rows`` tell of each API and clause what each version did: how often in which words, and
a ``state``, a number that rises where the behaviour became another one, so that a table may colour versions that are alike.
``steps`` go from each version that started to the next one that did, with every change between them.

What a version does is compared case by case with the last version before it that tells anything of that case: calls that an
API has no form for, or that are blocked, are no change, but are counted (``untold``) and have words of their own.
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
    """What one version did with the cases of one clause, on one API."""

    words: Mapping[str, int]
    """What was done, as ``returns`` and ``raises IndexError``, and in how many cases; the most frequent first."""
    state: int
    """Of two versions of a row it is the same where nothing changed between them; it begins with 0."""


@dataclass(frozen=True)
class Row:
    """One clause on one API over all versions."""

    operation: str
    clause: str
    api: str
    cells: tuple[Cell | None, ...]
    """For each version; None where there is no result, because it did not start or has no such API."""


@dataclass(frozen=True)
class Change:
    """Something that is otherwise in one version than in those before it."""

    kind: Literal["behaviour", "new", "gone"]
    """Of calls; or an API that a version is the first to have, or the first to lack."""
    operation: str
    api: str
    clause: str | None = None
    """None for an API that is new or gone."""
    was: str = ""
    now: str = ""
    """The behaviour before and after, in words that differ."""
    cases: tuple[tuple[ResultRecord, ResultRecord], ...] = ()
    """The results before and after of each case that changed in this way."""


@dataclass(frozen=True)
class Step:
    """From one version that started to the next one that did."""

    before: TargetRecord
    after: TargetRecord
    changes: tuple[Change, ...]
    """APIs first, then behaviours in the order of clauses, those of one clause and API by what they changed from and to."""
    same: int
    """Calls that do the same in both."""
    untold: int
    """Calls of which one of the two, or every version before, tells nothing."""


@dataclass(frozen=True)
class Timeline:
    """One framework in one mode on one device over its versions."""

    framework: str
    mode: str
    device: str
    targets: tuple[TargetRecord, ...]
    rows: tuple[Row, ...]
    steps: tuple[Step, ...]


Group = tuple[str, str, str]
"""Operation, clause and API."""


def timelines(results: Results) -> list[Timeline]:
    """A timeline for each framework, mode and device with at least two versions, in the order of the targets."""
    found: dict[tuple[str, str, str], list[TargetRecord]] = {}
    for target in results.targets:
        found.setdefault((target.framework, target.mode, target.device), []).append(target)
    return [
        _Reading(results, sorted(targets, key=lambda one: version_of(written_version(one)))).timeline(*place)
        for place, targets in found.items()
        if len({target.version for target in targets}) > 1
    ]


def written_version(target: TargetRecord) -> str | None:
    """The version of a target, or the one that was asked for of a target that did not start."""
    return target.version or target.requested


@dataclass(frozen=True)
class _Told:
    """What a version says of the calls of a group."""

    changes: dict[tuple[str, str], list[tuple[ResultRecord, ResultRecord]]]
    same: int
    untold: int


class _Reading:
    """The results of some versions, read group by group from the oldest to the newest."""

    def __init__(self, results: Results, targets: Sequence[TargetRecord]) -> None:
        self._results = results
        self._targets = targets
        self._groups: dict[Group, list[dict[str, ResultRecord]]] = {}
        places = {target.id: place for place, target in enumerate(targets)}
        for result in results.results:
            if result.target in places:
                group = (_operation(results, result), result.clause, result.api)
                by_version = self._groups.setdefault(group, [{} for _ in targets])
                by_version[places[result.target]][result.case] = result
        self._told: list[dict[Group, _Told]] = [{} for _ in targets]

    def timeline(self, framework: str, mode: str, device: str) -> Timeline:
        order = {clause: place for place, clause in enumerate(self._results.clauses)}
        groups = sorted(self._groups.items(), key=lambda item: order.get(item[0][1], len(order)))
        rows = tuple(self._row(group, versions) for group, versions in groups)
        started = [place for place, target in enumerate(self._targets) if target.blocked is None]
        steps = [self._step(before, after) for before, after in pairwise(started)]
        return Timeline(framework, mode, device, tuple(self._targets), rows, tuple(steps))

    def _row(self, group: Group, versions: Sequence[Mapping[str, ResultRecord]]) -> Row:
        last: dict[str, ResultRecord] = {}
        cells: list[Cell | None] = []
        state = 0
        for place, results in enumerate(versions):
            told = _compared(last, results)
            self._told[place][group] = told
            state += bool(told.changes)
            cells.append(Cell(_words(results.values()), state) if results else None)
            last |= {case: result for case, result in results.items() if is_informative(result)}
        return Row(*group, tuple(cells))

    def _step(self, before: int, after: int) -> Step:
        told = self._told[after]
        changes = [*self._apis(before, after)]
        for group, one in told.items():
            operation, clause, api = group
            changes += [
                Change("behaviour", operation, api, clause, was, now, tuple(cases))
                for (was, now), cases in one.changes.items()
            ]
        return Step(
            self._targets[before],
            self._targets[after],
            tuple(changes),
            sum(one.same for one in told.values()),
            sum(one.untold for one in told.values()),
        )

    def _apis(self, before: int, after: int) -> Iterator[Change]:
        was, now = self._mapped(before), self._mapped(after)
        yield from (Change("new", operation, api) for operation, api in now if (operation, api) not in was)
        yield from (Change("gone", operation, api) for operation, api in was if (operation, api) not in now)

    def _mapped(self, place: int) -> dict[tuple[str, str], None]:
        name = self._targets[place].id
        return {(one.operation, one.api): None for one in self._results.mappings if one.target == name}


def _operation(results: Results, result: ResultRecord) -> str:
    return results.clauses[result.clause].operation


def _compared(last: Mapping[str, ResultRecord], results: Mapping[str, ResultRecord]) -> _Told:
    changes: dict[tuple[str, str], list[tuple[ResultRecord, ResultRecord]]] = {}
    same = untold = 0
    for case, now in results.items():
        was = last.get(case)
        if was is None or not is_informative(now) or was.cast != now.cast:
            untold += 1
        elif is_same_behaviour(was, now):
            same += 1
        else:
            changes.setdefault(contrasted(was, now), []).append((was, now))
    return _Told(changes, same, untold)


def _words(results: Iterable[ResultRecord]) -> Mapping[str, int]:
    return dict(Counter(behaviour_text(result) for result in results).most_common())
