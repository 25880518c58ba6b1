"""What is wrong: each failing result is in one finding, and each finding has one cause.

A finding is how an API of a target fails a clause. A cause is the reason of findings of one framework, on all its targets. The
findings that an entry of a ledger records have one cause, since somebody has said so; others have one if they have the
same API, operation, sort and kinds, or differ only in the document that they break and share what tells their calls from right ones. What only a path does is not a cause of what the framework itself does.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

from conformance.findings.behaviour import varies
from conformance.findings.memory import shows_other_memory
from conformance.findings.shared import SharedConditions
from conformance.judging.vocabulary import BINDING, Divergence
from conformance.results.alike import FindingKey, FindingSort, finding_key
from conformance.results.records import CaseRecord, KnownRecord, ResultRecord
from conformance.results.table import Table

Danger = Literal["varies", "ends", "outside", "internal", "wrong", "differs", "accepts", "refuses", "error"]
"""What is wrong, the worst first. ``outside``: elements that are in no argument, or writing beside an argument. ``internal``: an
error that is the framework's own fault by its words. ``wrong``: another result than the API's own documentation says, ``differs``: than
only that of another API says."""
DANGERS: tuple[Danger, ...] = get_args(Danger)
GRAVE: frozenset[Danger] = frozenset({"varies", "ends", "outside", "internal", "wrong"})
"""What is dangerous whatever a document says."""
FINDING_SORTS: tuple[FindingSort, ...] = ("own", "printed", "died", "hung", "portability")
"""In the order of findings."""
_BY_DOCUMENT: tuple[FindingSort, ...] = ("own", "printed", "portability")
"""What differs in nothing but the document that is broken."""
ID_LENGTH = 12
"""Hexadecimal digits of an id."""


@dataclass(frozen=True)
class Finding:
    """The results of one API of a target that fail one clause in the same way."""

    target: str
    api: str
    clause: str
    sort: FindingSort
    kinds: tuple[Divergence, ...]
    """The kinds of divergence; a death or a hang may have none."""
    known: str | None
    """The id of the entry of the ledger that records it."""
    confirmed: bool
    """Whether its results happened again in fresh processes."""
    smallest: str | None
    """For drawn programs: the case of the smallest one that diverges as they do, if that was found."""
    alone: int
    """The number of its results that happened again as the first call of a fresh process; others did after calls of it."""
    results: tuple[ResultRecord, ...]
    """In the order of the file; never empty."""
    of: int
    """The number of all results of this API for this clause."""
    danger: Danger
    """That of its worst result."""
    elsewhere: tuple[str, ...] = ()
    """If no entry records it, but for each of its cases one records this API for other versions, modes or devices: their ids."""

    @property
    def is_new(self) -> bool:
        """Whether no entry of any version records it."""
        return self.known is None and not self.elsewhere

    @property
    def id(self) -> str:
        """The same in every run."""
        smallest = [] if self.smallest is None else [self.smallest]
        return _digest(
            self.target, self.api, self.clause, self.sort, *self.kinds, str(self.known), str(self.confirmed), *smallest
        )

    @property
    def first(self) -> ResultRecord:
        return self.results[0]

    @property
    def is_binding(self) -> bool:
        """Whether it diverges from a document about its own API."""
        return self.sort in BINDING


@dataclass(frozen=True)
class Cause:
    """The findings of a framework that have one reason."""

    id: str
    """The same in every run: framework and entry of the ledger, or framework and a digest."""
    framework: str
    known: str | None
    """The id of the entry of the ledger that records its findings."""
    entry: KnownRecord | None
    """That entry, if the file has it."""
    findings: tuple[Finding, ...]
    """In their order; never empty."""
    on_path: bool = False
    """Only paths have it, so that it is not one of the framework itself."""

    def of(self, api: str) -> Cause | None:
        """What of it is about one API; None if nothing is. What is said of an API is said by this one alone."""
        members = tuple(finding for finding in self.findings if finding.api == api)
        return replace(self, findings=members) if members else None

    @property
    def worst(self) -> Finding:
        """The first of its most dangerous findings."""
        return min(self.findings, key=lambda finding: DANGERS.index(finding.danger))

    @property
    def shown(self) -> ResultRecord:
        """The result that stands for the others: that of the smallest program, or else the first of its worst finding."""
        return next((result for result in self.results if result.case == result.smallest), self.worst.first)

    @property
    def danger(self) -> Danger:
        """That of its worst finding."""
        return self.worst.danger

    @property
    def results(self) -> tuple[ResultRecord, ...]:
        return tuple(result for finding in self.findings for result in finding.results)

    @property
    def apis(self) -> tuple[str, ...]:
        """That of the worst finding first, since a title names it beside what is wrong there."""
        return tuple(dict.fromkeys([self.worst.api, *(finding.api for finding in self.findings)]))

    @property
    def targets(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(finding.target for finding in self.findings))

    @property
    def clauses(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(finding.clause for finding in self.findings))

    @property
    def is_new(self) -> bool:
        """Whether no entry of any version records any of its findings."""
        return all(finding.is_new for finding in self.findings)

    @property
    def own(self) -> bool:
        """Whether any of its findings breaks the documentation of its own API."""
        return any(finding.sort == "own" for finding in self.findings)

    @property
    def is_alarming(self) -> bool:
        """Whether it is dangerous, or diverges from a document about its own API."""
        return self.danger in GRAVE or any(finding.is_binding for finding in self.findings)


@dataclass(frozen=True)
class Count:
    """How much is wrong in one respect."""

    causes: int
    findings: int


def findings(table: Table) -> tuple[Finding, ...]:
    """The findings of a results file: own, printed, deaths and hangs, then portability; of these by target and API."""
    members: dict[FindingKey, list[ResultRecord]] = {}
    for result in table.results.results:
        key = finding_key(result)
        if key is not None:
            members.setdefault(key, []).append(result)
    recorded = _recorded(table)
    found = [_finding(table, key, results, recorded) for key, results in members.items()]
    targets = {target: number for number, target in enumerate(table.targets)}
    apis = {key: number for number, key in enumerate(dict.fromkeys((target, api) for target, api, _ in table.cells))}

    def place(finding: Finding) -> tuple[int, int, int]:
        return FINDING_SORTS.index(finding.sort), targets[finding.target], apis[finding.target, finding.api]

    return tuple(sorted(found, key=place))


_Recorded = Mapping[tuple[str, str, str], str]
"""By framework, API and case, an entry that records it on any target."""


def _recorded(table: Table) -> _Recorded:
    recorded: dict[tuple[str, str, str], str] = {}
    for result in table.results.results:
        entry = result.known or result.elsewhere
        if entry is not None:
            recorded.setdefault((table.framework(result), result.api, result.case), entry)
    return recorded


def _elsewhere(table: Table, results: Sequence[ResultRecord], recorded: _Recorded) -> tuple[str, ...]:
    if results[0].known is not None:
        return ()
    entries = [recorded.get((table.framework(result), result.api, result.case)) for result in results]
    return tuple(dict.fromkeys(entry for entry in entries if entry)) if all(entries) else ()


def _finding(table: Table, key: FindingKey, results: Sequence[ResultRecord], recorded: _Recorded) -> Finding:
    cases = table.results.cases
    return Finding(
        *key,
        sum(result.confirmed == "alone" for result in results),
        tuple(results),
        len(table.cells[key.target, key.api, key.clause]),
        min(filter(None, (danger_of(result, cases.get(result.case)) for result in results)), key=DANGERS.index),
        _elsewhere(table, results, recorded),
    )


def causes(table: Table, found: Iterable[Finding], shared: SharedConditions | None = None) -> tuple[Cause, ...]:
    """The causes of findings: the most dangerous first, then those that break the documentation of their own API.

    shared: what is known of their calls already.
    """
    members: dict[tuple[object, ...], list[Finding]] = {}
    for finding in found:
        members.setdefault(_cause_key(table, finding), []).append(finding)
    _join(members, shared or SharedConditions(table))
    return tuple(
        sorted(
            (_cause(table, key, of_cause) for key, of_cause in members.items()),
            key=lambda cause: (DANGERS.index(cause.danger), not cause.own),
        )
    )


def _cause_key(table: Table, finding: Finding) -> tuple[object, ...]:
    target = table.targets[finding.target]
    if finding.known is not None:
        return target.framework, finding.known
    smallest = table.results.cases.get(finding.smallest or "")
    if smallest is not None and smallest.form is not None:
        return target.framework, target.path, smallest.form
    operation = table.operation(finding.first) or finding.clause
    return target.framework, target.path, finding.api, operation, finding.sort, finding.kinds


def _join(members: dict[tuple[object, ...], list[Finding]], shared: SharedConditions) -> None:
    """Put findings of an API under one key that differ only in the document which they break, and whose calls share a condition.

    What is wrong with every view is one bug, whichever clauses its calls are about.
    """
    alike: dict[tuple[object, ...], list[tuple[object, ...]]] = {}
    for key, of_key in members.items():
        if of_key[0].known is None and of_key[0].sort in _BY_DOCUMENT and of_key[0].smallest is None:
            alike.setdefault(tuple(part for part in key if part != of_key[0].sort), []).append(key)
    for keys in alike.values():
        first, *others = sorted(keys, key=lambda key: FINDING_SORTS.index(members[key][0].sort))
        of_first = _conditions(members[first], shared) if others else None
        for key in others:
            if of_first is not None and _conditions(members[key], shared) == of_first:
                members[first] += members.pop(key)


def _conditions(found: Sequence[Finding], shared: SharedConditions) -> tuple[str, ...] | None:
    common = shared.of([result for finding in found for result in finding.results])
    return common.conditions if common is not None else None


def _cause(table: Table, key: tuple[object, ...], members: Sequence[Finding]) -> Cause:
    first = members[0]
    framework = table.framework(first.first)
    identity = first.known if first.known is not None else _digest(*map(str, key))
    return Cause(
        f"{framework}:{identity}",
        framework,
        first.known,
        table.results.known.get((framework, first.known)) if first.known is not None else None,
        tuple(members),
        all(table.targets[finding.target].path for finding in members),
    )


def count(found: Iterable[Cause], *sorts: FindingSort) -> Count:
    """The findings of these sorts, and the causes that have any."""
    numbers = [sum(finding.sort in sorts for finding in cause.findings) for cause in found]
    return Count(sum(map(bool, numbers)), sum(numbers))


def danger_of_kinds(kinds: Collection[str]) -> Danger:
    """The worst of some kinds of divergence; ``wrong`` for another result, whether or not a document of the API says otherwise."""
    return min((_DANGERS_OF_KINDS.get(kind, "error") for kind in kinds), key=DANGERS.index, default="error")


_DANGERS_OF_KINDS: Mapping[str, Danger] = {
    **dict.fromkeys(("unstable", "contaminated", "together"), "varies"),
    **dict.fromkeys(("died", "hung"), "ends"),
    **dict.fromkeys(("wrote-outside", "read-outside"), "outside"),
    "internal": "internal",
    **dict.fromkeys(("value", "inconsistent", "shape", "dtype", "input-changed", "aliased"), "wrong"),
    "accepted": "accepts",
    **dict.fromkeys(("rejected", "missing"), "refuses"),
}


def danger_of(result: ResultRecord, case: CaseRecord | None) -> Danger | None:
    """What is wrong with a result; None if nothing is, or if nothing was judged."""
    if result.verdict in ("died", "hung"):
        return "ends"
    if result.verdict != "diverges":
        return None
    danger = "varies" if varies(result) else danger_of_kinds(result.divergence)
    if DANGERS.index(danger) > DANGERS.index("outside") and _shows_other_memory(result, case):
        return "outside"
    return "differs" if danger == "wrong" and result.standing not in BINDING else danger


def _shows_other_memory(result: ResultRecord, case: CaseRecord | None) -> bool:
    return result.behaviour == "other" and case is not None and shows_other_memory(case, result.outcome)


def _digest(*parts: str) -> str:
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:ID_LENGTH]
