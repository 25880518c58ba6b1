"""The behaviour table: for each operation, what every framework does in each situation, in which mode, since when.

A cell has a line for each verb. Calls that an API has no form for, that were blocked, or whose result cannot tell one
behaviour from another are left out; a cell without any has no lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from conformance.findings.behaviour import depends_on_other_calls, varies, was_called
from conformance.findings.combining import combination
from conformance.findings.compare import differing
from conformance.findings.newest import version_of
from conformance.findings.recorded_call import recorded_call
from conformance.findings.situations import (
    ARGUMENTS,
    INDEX_DTYPE,
    LAST,
    ORDER,
    OUTSIDE,
    USUAL,
    Place,
    Situation,
    index_dtype,
    places,
)
from conformance.outcomes.model import Died, Hung, NotExported, Raised, Returned
from conformance.results.file import Results
from conformance.results.records import ResultRecord, TargetRecord

REFERENCE = "reference"
Verb = Literal[
    "varies",
    "dies",
    "hangs",
    "other",
    "changes-arguments",
    "returns-wrong",
    "clamps",
    "wraps-negative",
    "wraps-modulo",
    "fills",
    "stops",
    "ignores",
    "keeps-one",
    "keeps-first",
    "keeps-last",
    "keeps-largest",
    "keeps-smallest",
    "averages",
    "multiplies",
    "adds",
    "returns",
    "keeps-arguments",
    "raises",
    "not-exported",
]
"""What calls do, the most dangerous first."""
VERBS: tuple[Verb, ...] = get_args(Verb)


@dataclass(frozen=True)
class Column:
    """A framework in one mode on one device, with its versions."""

    framework: str
    mode: str
    device: str
    versions: tuple[TargetRecord, ...]
    """Those that started, the oldest first; never empty."""

    @property
    def target(self) -> TargetRecord:
        """The newest version."""
        return self.versions[-1]


@dataclass(frozen=True)
class Since:
    """From when on calls do what they do in the newest version, as calls show that both versions made."""

    first: TargetRecord
    """The first version in which any of them does, without interruption until the newest."""
    not_in: TargetRecord
    """The last version before that; in it all of them do something else. Releases between the two were not tested."""
    before: tuple[Verb, ...]
    """What they do in it, never empty."""

    @property
    def text(self) -> str:
        """``2.13.0 or earlier, after 2.6.0``."""
        return f"{self.first.version} or earlier, after {self.not_in.version}"


@dataclass(frozen=True)
class Line:
    """The APIs of a target that do the same in a situation."""

    verb: Verb
    apis: tuple[str, ...]
    results: tuple[ResultRecord, ...]
    """The results with this verb, never empty."""
    since: Since | None
    """From when on; None if no call shows that an older version did something else."""


@dataclass(frozen=True)
class Row:
    """A situation, with the lines of each column."""

    operation: str
    situation: Situation
    cells: tuple[tuple[Line, ...], ...]


@dataclass(frozen=True)
class Observation:
    """What an API of a target does in a situation."""

    operation: str
    situation: Situation
    target: str
    api: str
    verb: Verb
    results: tuple[ResultRecord, ...]
    """The results with this verb, never empty."""
    of: int
    """The number of all results of the API in this situation."""
    since: Since | None
    """From when on; None if no call shows that an older version did something else."""


Verbs = dict[Verb, list[ResultRecord]]
"""Verb to its results."""
_Key = tuple[str, Situation, str]
"""Operation, situation and target."""


@dataclass(frozen=True)
class BehaviourTable:
    """The rows of all operations."""

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    observed: Mapping[_Key, Mapping[str, Verbs]]
    """By operation, situation and target, also of older versions: by API, what its calls did."""

    def of(self, operation: str) -> tuple[Row, ...]:
        """The rows of an operation."""
        return tuple(row for row in self.rows if row.operation == operation)


def behaviour_table(results: Results) -> BehaviourTable:
    """The table of a results file, in the order of its operations and targets."""
    columns = _columns(results)
    observed = _observed(results)
    operations = dict.fromkeys(clause.operation for clause in results.clauses.values())
    situations: dict[str, dict[Situation, None]] = {operation: {} for operation in operations}
    for operation, situation, _ in observed:
        situations[operation][situation] = None
    rows = (
        Row(operation, situation, tuple(tuple(_lines(observed, operation, situation, column)) for column in columns))
        for operation, of_operation in situations.items()
        for situation in sorted(of_operation, key=_rank)
    )
    return BehaviourTable(tuple(columns), tuple(row for row in rows if any(row.cells)), observed)


def _rank(situation: Situation) -> tuple[int, list[tuple[str, int]]]:
    names = [*(known.name for known in ORDER), INDEX_DTYPE, *(known.name for known in LAST)]
    return names.index(situation.of), [
        (text, int(digits or 0)) for text, digits in re.findall(r"(\D+)(\d*)", situation.name)
    ]


def _columns(results: Results) -> list[Column]:
    started = [
        target for target in {target.id: target for target in results.targets}.values() if target.blocked is None
    ]
    if any(target.framework != REFERENCE for target in started):
        started = [target for target in started if target.framework != REFERENCE]
    configurations: dict[tuple[str, str, str], list[TargetRecord]] = {}
    for target in started:
        configurations.setdefault((target.framework, target.mode, target.device), []).append(target)
    return [
        Column(*key, tuple(sorted(targets, key=lambda target: version_of(target.version))))
        for key, targets in configurations.items()
    ]


def _observed(results: Results) -> dict[_Key, dict[str, Verbs]]:
    """By operation, situation and target: by API, the verbs of its results."""
    of_cases = places(results)
    in_place = {(mapping.target, mapping.api, mapping.operation): mapping.in_place for mapping in results.mappings}
    combinations: dict[tuple[str, str], Verb | None] = {}
    observed: dict[_Key, dict[str, Verbs]] = {}
    for result in results.results:
        clause = results.clauses.get(result.clause)
        if clause is None or not (was_called(result) or _is_not_exported(result)):
            continue
        place = of_cases.get(result.case)
        verbs = list(_verbs(result, place, combinations)) if place else []
        if not result.relation and isinstance(result.outcome, Returned | Raised):
            own = in_place.get((result.target, result.api, clause.operation))
            verbs.append((ARGUMENTS, _arguments_verb(result.outcome, own)))
        for situation, verb in verbs:
            by_api = observed.setdefault((clause.operation, situation, result.target), {})
            by_api.setdefault(result.api, {}).setdefault(verb, []).append(result)
    return observed


def _verbs(
    result: ResultRecord, place: Place, combinations: dict[tuple[str, str], Verb | None]
) -> Iterator[tuple[Situation, Verb]]:
    """Each situation that a result tells something about, with the verb."""
    about = result.dtype_claim.dtypes if result.dtype_claim else {}
    if not about:
        verb = _verb(result, place, combinations)
        if verb:
            yield place.situation, verb
    if place.situation == USUAL and place.index and place.index_dtype and about.keys() <= {place.index}:
        yield index_dtype(result.cast.get(place.index) or place.index_dtype), _plain_verb(result)


def _verb(result: ResultRecord, place: Place, combinations: dict[tuple[str, str], Verb | None]) -> Verb | None:
    """What the call did, in a word of VERBS; None if its result does not tell."""
    outcome = result.outcome
    if isinstance(outcome, Returned) and not _changes(result):
        if place.situation in OUTSIDE:
            return result.behaviour or _plain_verb(result)
        if place.writes_twice:
            key = result.case, outcome.digest
            if key not in combinations:
                call = recorded_call(place.case)
                combinations[key] = combination(call, outcome) if call else None
            return combinations[key]
    return _plain_verb(result)


def _changes(result: ResultRecord) -> bool:
    """Whether the call does not do the same each time, or not after every other call."""
    return varies(result) or depends_on_other_calls(result)


def _plain_verb(result: ResultRecord) -> Verb:
    if _changes(result):
        return "varies"
    if isinstance(result.outcome, Died):
        return "dies"
    if isinstance(result.outcome, Hung):
        return "hangs"
    if isinstance(result.outcome, Raised):
        return "raises"
    if isinstance(result.outcome, NotExported):
        return "not-exported"
    return "returns-wrong" if {"value", "shape", "dtype"} & {*result.divergence} else "returns"


def _is_not_exported(result: ResultRecord) -> bool:
    return isinstance(result.outcome, NotExported) and result.verdict != "blocked" and result.confirmed


def _arguments_verb(outcome: Returned | Raised, in_place: str | None) -> Verb:
    changed = {*outcome.changed, *outcome.spilled} - {in_place}
    return "changes-arguments" if changed else "keeps-arguments"


def observations(table: BehaviourTable) -> Iterator[Observation]:
    """What each API of each target does, also of those that are not the newest version; its most dangerous verb first."""
    for (operation, situation, target), by_api in table.observed.items():
        versions = next((versions for column in table.columns if (versions := _until(column, target))), ())
        histories = [table.observed.get((operation, situation, version.id), {}) for version in versions]
        for api, verbs in by_api.items():
            of_api = [history.get(api, {}) for history in histories]
            of = sum(map(len, verbs.values()))
            for verb, results in sorted(verbs.items(), key=lambda of_verb: VERBS.index(of_verb[0])):
                since = _since(versions, _span(of_api, verb, situation)) if versions else None
                yield Observation(operation, situation, target, api, verb, tuple(results), of, since)


def _until(column: Column, target: str) -> Sequence[TargetRecord]:
    """The versions of a column until that of a target; empty if it is none of them."""
    ids = [version.id for version in column.versions]
    return column.versions[: ids.index(target) + 1] if target in ids else ()


def _lines(
    observed: Mapping[_Key, dict[str, Verbs]], operation: str, situation: Situation, column: Column
) -> Iterator[Line]:
    """The lines of a cell, the most dangerous verb first."""
    versions = [observed.get((operation, situation, target.id), {}) for target in column.versions]
    lines: dict[tuple[Verb, _Span | None], dict[str, list[ResultRecord]]] = {}
    for api, verbs in versions[-1].items():
        of_api = [by_api.get(api, {}) for by_api in versions]
        for verb, members in verbs.items():
            lines.setdefault((verb, _span(of_api, verb, situation)), {})[api] = members
    for (verb, span), by_api in sorted(lines.items(), key=lambda line: VERBS.index(line[0][0])):
        of_line = tuple(result for members in by_api.values() for result in members)
        yield Line(verb, tuple(by_api), of_line, _since(column.versions, span))


_Span = tuple[int, int, tuple[Verb, ...]]
"""The numbers of the versions of a ``Since``, and what calls did in the second."""


def _since(versions: Sequence[TargetRecord], span: _Span | None) -> Since | None:
    return None if span is None else Since(versions[span[0]], versions[span[1]], span[2])


def _span(versions: Sequence[Verbs], verb: Verb, situation: Situation) -> _Span | None:
    """From when on the calls that have a verb in the last version have it; see ``Since``."""
    newest = {result.case: result for result in versions[-1][verb]}
    first = len(versions) - 1
    for number in reversed(range(first)):
        did = [
            (other, result, newest[result.case])
            for other, results in versions[number].items()
            for result in results
            if result.case in newest and not isinstance(differing(result, newest[result.case], "behaviour"), str)
        ]
        # Another verb may be due to another judgement of the same behaviour, but not for arguments, which are not compared.
        if any(
            other == verb or not (situation == ARGUMENTS or differing(was, now, "behaviour")) for other, was, now in did
        ):
            first = number
        elif did:
            return first, number, tuple(other for other in VERBS if other in {other for other, _, _ in did})
    return None
