"""What was run: on each target, why an API says nothing about a situation, and what APIs have no form or kernel for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from conformance.findings.behaviour import was_called
from conformance.findings.behaviours import Behaviour
from conformance.findings.situations import USUAL, Place, Situation, index_dtype
from conformance.outcomes.model import NotExported, Unsupported
from conformance.results.file import Results
from conformance.results.records import (
    CaseRecord,
    MappingRecord,
    MergedRunRecord,
    ResultRecord,
    RunRecord,
    TargetRecord,
    documents_device,
)
from conformance.results.table import Table
from conformance.results.variations import AroundRecord, PassedRecord, TransformedRecord
from conformance.specification.vocabulary import LeftOut

Absence = Literal["deselected", "blocked", "unconfirmed", "arguments", "unsupported", "silent"]
"""Why a call says nothing: it was not part of the run of this target; its control or an earlier call failed; its result was
not confirmed; its arguments could not be created; the API has no form for it or cannot be exported; or its result is that
of several behaviours."""
ABSENCES: tuple[Absence, ...] = get_args(Absence)


@dataclass(frozen=True)
class Extent:
    """What was run on a target, of the cases in the file that concern it."""

    target: str
    cases: int
    """The number of the cases of the operations that it has an API for, without those that do not concern it."""
    called: int
    """The number of them that were called on any of its APIs."""
    not_called: Mapping[Absence, tuple[str, ...]]
    """The ids of the others, by why; what became of the call on the first API that has a result, if any has."""
    commands: tuple[str, ...]
    """The commands of the runs that had it, whose options select the cases."""
    left_out: Mapping[LeftOut, int]
    """The number of calls that the run left out since the mode is expensive, by what they vary. The file may lack their cases."""
    blocked: str | None
    """Why the target did not start, or gave up."""


@dataclass(frozen=True)
class Gap:
    """An API of which no call tells what it does in a situation, though there are calls of this situation, and why."""

    api: str
    operation: str
    target: str
    situation: Situation
    absences: Mapping[Absence, tuple[str, ...]]
    """The ids of all cases of the situation, by why they do not tell; never empty."""


def extents(table: Table) -> list[Extent]:
    """The extent of each target, in the order of the file."""
    return [_extent(table, target, _concerning(table, target)) for target in table.targets.values()]


def _extent(table: Table, target: TargetRecord, cases: Sequence[CaseRecord]) -> Extent:
    not_called: dict[Absence, list[str]] = {}
    called = 0
    for case in cases:
        results = [result for result in table.of_case.get(case.id, ()) if result.target == target.id]
        if any(map(was_called, results)):
            called += 1
        else:
            not_called.setdefault(_absence(results[0] if results else None), []).append(case.id)
    return Extent(
        target.id,
        len(cases),
        called,
        {absence: tuple(not_called[absence]) for absence in ABSENCES if absence in not_called},
        tuple(run.command for run in runs_of(table.results.run, target)),
        target.left_out,
        target.blocked,
    )


def runs_of(run: RunRecord, target: TargetRecord) -> Sequence[RunRecord | MergedRunRecord]:
    """The runs that had a target: those of the merged ones that name it, or the only one."""
    return [part for part in run.merged if {target.asked, target.id} & {*part.targets}] or [run]


def concerns(table: Table, case: CaseRecord, target: TargetRecord, api: str | None = None) -> bool:
    """Whether the call of a case is made on a target, or on an API of it, if nothing deselects it.

    It is not if it is for another kind of device, about APIs whose documentation promises what others do not, with arguments
    passed as only some modes can, or through a transform that its adapter lacks.
    """
    if case.device not in (None, documents_device(target.device, gpu=target.gpu)):
        return False
    if not is_for_some(table.results, case):
        return True
    if api is not None:
        return table.result(target.id, api, case.id) is not None
    return any(result.target == target.id for result in table.of_case.get(case.id, ()))


def is_for_some(results: Results, case: CaseRecord) -> bool:
    """Whether only some have the call: APIs by what their documentation promises and others' does not, or targets that can make it."""
    clause = results.clauses.get(case.clause)
    is_unusual = isinstance(case.variation, PassedRecord | AroundRecord | TransformedRecord)
    return is_unusual or bool(case.breaks_promises) or (clause is not None and clause.only_documented)


def _concerning(table: Table, target: TargetRecord) -> list[CaseRecord]:
    """The cases of its operations that concern it, without those that a run made itself."""
    operations = {mapping.operation for mapping in table.results.mappings if mapping.target == target.id}
    return [
        case
        for case in table.results.cases.values()
        if case.operation in operations and not case.is_counterexample and concerns(table, case, target)
    ]


def _absence(result: ResultRecord | None) -> Absence:
    if result is None:
        return "deselected"
    if result.verdict == "blocked":
        return "blocked"
    if isinstance(result.outcome, Unsupported | NotExported):
        return "unsupported"
    if result.unconfirmed:
        return "unconfirmed"
    return "silent" if was_called(result) else "arguments"


def gaps(table: Table, places: Mapping[str, Place], behaviours: Iterable[Behaviour]) -> Iterator[Gap]:
    """The gaps of every API, for the situations of its operation in which another API or target does something."""
    told = dict.fromkeys((each.operation, each.situation, each.target, each.api) for each in behaviours)
    situations: dict[str, dict[Situation, None]] = {}
    for operation, situation, _, _ in told:
        situations.setdefault(operation, {})[situation] = None
    of_situation: dict[tuple[str, Situation], list[CaseRecord]] = {}
    for case in table.results.cases.values():
        for situation in _situations(places.get(case.id)):
            of_situation.setdefault((case.operation, situation), []).append(case)
    for mapping in table.results.mappings:
        for situation in situations.get(mapping.operation, ()):
            if (mapping.operation, situation, mapping.target, mapping.api) not in told:
                absences = _absences(table, mapping, of_situation.get((mapping.operation, situation), ()))
                if absences:
                    yield Gap(mapping.api, mapping.operation, mapping.target, situation, absences)


def _absences(table: Table, mapping: MappingRecord, cases: Iterable[CaseRecord]) -> Mapping[Absence, tuple[str, ...]]:
    """Why the cases for the kind of device of a target tell nothing of an API."""
    target = table.targets.get(mapping.target)
    absences: dict[Absence, list[str]] = {}
    for case in cases:
        if target is not None and concerns(table, case, target, mapping.api):
            result = table.result(mapping.target, mapping.api, case.id)
            absences.setdefault(_absence(result), []).append(case.id)
    return {absence: tuple(absences[absence]) for absence in ABSENCES if absence in absences}


def _situations(place: Place | None) -> Iterator[Situation]:
    """The situations that a call is in; the dtype of its indices is one of its own."""
    if place is not None:
        yield place.situation
        if place.situation == USUAL and place.index_dtype:
            yield index_dtype(place.index_dtype)


@dataclass(frozen=True)
class MissingForm:
    """The calls of an API that are ``unsupported`` for one reason. They test nothing, and are counted apart from the others."""

    target: str
    api: str
    operation: str
    reason: str
    results: tuple[ResultRecord, ...]


def missing_forms(table: Table) -> list[MissingForm]:
    """By target, API, operation and reason, those with the most calls first."""
    members: dict[tuple[str, str, str, str], list[ResultRecord]] = {}
    for result in table.results.results:
        if result.verdict == "unsupported":
            key = result.target, result.api, table.operation(result), result.explanation or "no reason recorded"
            members.setdefault(key, []).append(result)
    forms = [MissingForm(*key, tuple(results)) for key, results in members.items()]
    return sorted(forms, key=lambda form: -len(form.results))


def missing_kernels(results: Results, target: str) -> list[str]:
    """The APIs of a target that its adapter declares for other devices only, if no call of them returned."""
    declared = [
        (mapping.api, mapping.operation)
        for mapping in results.mappings
        if mapping.target == target and mapping.lacks_kernel
    ]
    if not declared:
        return []
    names = {name for name, _ in declared}
    refused: dict[tuple[str, str], bool] = {}
    for result in results.results:
        # A call that was not made because the target gave up shows nothing.
        if result.target == target and result.api in names and result.verdict != "blocked":
            api = result.api, results.clauses[result.clause].operation
            refused[api] = refused.get(api, True) and isinstance(result.outcome, Unsupported)
    return list(dict.fromkeys(name for name, operation in declared if refused.get((name, operation))))
