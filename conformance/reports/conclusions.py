"""conclusions.json: every statement of the reports, with the results that it rests on, for other programs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, fields
from typing import Any, TypeVar

from conformance.findings.behaviours import Behaviour
from conformance.findings.conclusions import Conclusions
from conformance.findings.dtype_support import Support, TransformSupport
from conformance.findings.extent import Extent, Gap
from conformance.findings.findings import Cause, Finding
from conformance.findings.ports import Port
from conformance.reports.behaviours import behaviour_row
from conformance.reports.statements import (
    BehaviourEntry,
    CauseEntry,
    ConclusionsFile,
    DtypeEntry,
    ExtentEntry,
    FindingEntry,
    GapEntry,
    PortEntry,
    SideEntry,
    TransformEntry,
)
from conformance.reports.text import visible_json
from conformance.results.file import Results

FILE_NAME = "conclusions.json"
SCHEMA = 1
K = TypeVar("K")


def conclusions_json(results: Results, conclusions: Conclusions | None = None) -> str:
    """Return the whole file, with one statement on each line."""
    return "".join(conclusions_parts(results, conclusions or Conclusions(results)))


def conclusions_parts(results: Results, conclusions: Conclusions) -> Iterator[str]:
    """The parts of the file, which may be as long as hundreds of pages."""
    run = results.run
    file = ConclusionsFile(
        SCHEMA,
        run.started,
        run.suite_version,
        run.spec_digest,
        results.complete,
        [_finding(finding) for finding in conclusions.findings],
        [_cause(cause) for cause in conclusions.causes],
        list(map(_behaviour, conclusions.behaviours)),
        conclusions.changes,
        list(map(_dtype, conclusions.dtypes)),
        list(map(_transform, conclusions.transforms)),
        list(map(_port, conclusions.ports)),
        list(map(_extent, conclusions.extents)),
        [_gap(gap) for gap in conclusions.gaps if {*gap.absences} != {"deselected"}],
    )
    start = "{\n"
    for field in fields(file):
        yield f"{start}{json.dumps(field.name)}: "
        yield from _value(getattr(file, field.name))
        start = ",\n"
    yield "\n}\n"


def _finding(finding: Finding) -> FindingEntry:
    cases = [result.case for result in finding.results]
    return FindingEntry(
        id=finding.id,
        target=finding.target,
        api=finding.api,
        clause=finding.clause,
        sort=finding.sort,
        kinds=finding.kinds,
        known=finding.known,
        danger=finding.danger,
        confirmed=finding.confirmed,
        elsewhere=finding.elsewhere,
        alone=finding.alone,
        results=cases,
        of=finding.of,
    )


def _cause(cause: Cause) -> CauseEntry:
    return CauseEntry(
        id=cause.id,
        framework=cause.framework,
        known=cause.known,
        findings=[finding.id for finding in cause.findings],
        apis=cause.apis,
        targets=cause.targets,
        own=cause.own,
        danger=cause.danger,
    )


def _behaviour(behaviour: Behaviour) -> BehaviourEntry:
    cases = () if behaviour.verb == "keeps-arguments" else behaviour.cases
    return BehaviourEntry(**vars(behaviour_row(behaviour)), cases=cases)


def _dtype(support: Support) -> DtypeEntry:
    return DtypeEntry(
        api=support.api,
        operation=support.operation,
        target=support.target,
        arguments=support.arguments,
        dtype=support.dtype,
        claimed=support.claimed,
        by=support.by,
        cases=dict(support.cases),
    )


def _transform(support: TransformSupport) -> TransformEntry:
    return TransformEntry(
        api=support.api,
        operation=support.operation,
        target=support.target,
        transform=support.transform,
        of=support.of,
        arguments=support.arguments,
        axis=support.axis,
        cases=dict(support.cases),
    )


def _port(port: Port) -> PortEntry:
    sides = ((port.first, port.first_lacks), (port.second, port.second_lacks))
    return PortEntry(
        operation=port.operation,
        sides=[SideEntry(side.target, side.api, lacks) for side, lacks in sides],
        same=len(port.same),
        different=port.different,
        conditions=_counts(port.conditions),
    )


def _extent(extent: Extent) -> ExtentEntry:
    return ExtentEntry(
        target=extent.target,
        cases=extent.cases,
        called=extent.called,
        not_called=_counts(extent.not_called),
        commands=extent.commands,
        left_out={str(what): number for what, number in extent.left_out.items()},
        blocked=extent.blocked,
    )


def _gap(gap: Gap) -> GapEntry:
    return GapEntry(gap.api, gap.operation, gap.target, gap.situation.name, _counts(gap.absences))


def _counts(cases: Mapping[K, Sequence[str]]) -> dict[K, int]:
    return {key: len(ids) for key, ids in cases.items()}


def _value(value: Any) -> Iterator[str]:
    """As JSON; a list with one element on each line."""
    if not isinstance(value, list | tuple):
        yield visible_json(value)
        return
    start = "[\n"
    for each in value:
        yield f"{start}{visible_json(asdict(each))}"
        start = ",\n"
    yield "\n]" if value else "[\n\n]"
