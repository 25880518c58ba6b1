"""conclusions.json: every statement of the reports, with the results that it rests on, for other programs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from conformance.findings.behaviours import Behaviour
from conformance.findings.conclusions import Conclusions
from conformance.findings.findings import Cause, Danger, Finding, FindingSort
from conformance.findings.timeline import VersionChange
from conformance.findings.verbs import Verb
from conformance.judging.vocabulary import Divergence
from conformance.reports.behaviours import SinceEntry, claims_of, since_entry
from conformance.reports.text import visible_tree
from conformance.results.file import Results
from conformance.results.table import Sort

FILE_NAME = "conclusions.json"
SCHEMA = 1


@dataclass(frozen=True)
class FindingEntry:
    """The results of one API of a target that fail one clause in the same way. Each failing result is in one finding."""

    id: str
    """The same in every run."""
    target: str
    api: str
    clause: str
    sort: FindingSort
    kinds: Sequence[Divergence]
    known: str | None
    """The id of the known divergence that records it."""
    danger: Danger
    """What is wrong with the worst of its results."""
    confirmed: bool
    """Whether its results happened again in fresh processes."""
    results: Sequence[str]
    """The ids of the cases; with target and API, each is one result."""
    of: int
    """The number of all results of this API for this clause."""


@dataclass(frozen=True)
class CauseEntry:
    """The findings of a framework that have one reason. Each finding has one cause."""

    id: str
    """The same in every run."""
    framework: str
    known: str | None
    """The id of the known divergence that records its findings."""
    findings: Sequence[str]
    """Their ids."""
    apis: Sequence[str]
    targets: Sequence[str]
    own: bool
    """Whether any of its findings breaks the documentation of its own API."""
    danger: Danger
    """That of its worst finding."""


@dataclass(frozen=True)
class BehaviourEntry:
    """What an API of a target does in a situation; one for each verb."""

    api: str
    operation: str
    target: str
    situation: str
    verb: Verb
    cases: Sequence[str]
    """The ids of the calls that show it. Empty for ``keeps-arguments``, which all other calls of the API show that returned or
    raised."""
    of: int
    """The number of all calls of the API in this situation."""
    verdicts: dict[Sort, int]
    """The number of the calls with each verdict on what the verb is about; a divergence by its standing."""
    since: SinceEntry | None
    """None if no call shows that an older version did something else."""
    claims: Sequence[str]
    """What the API's own documentation says of these calls, as ``document#locator``; empty if it does not say."""
    known: Sequence[str]
    """The ids of the known divergences that record what the verb is about."""
    links: Sequence[str]
    """The upstream threads of these."""


@dataclass(frozen=True)
class ConclusionsFile:
    """The file."""

    schema: int
    started: str
    suite_version: str
    spec_digest: str
    complete: bool
    findings: Sequence[FindingEntry]
    causes: Sequence[CauseEntry]
    behaviours: Sequence[BehaviourEntry]
    changes: Sequence[VersionChange]
    """From version to version."""


def conclusions_json(results: Results, conclusions: Conclusions | None = None) -> str:
    """Return the whole file, with one finding, cause, behaviour or change on each line."""
    conclusions = conclusions or Conclusions(results)
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
    )
    fields = (f"{json.dumps(name)}: {_value(value)}" for name, value in visible_tree(asdict(file)).items())
    return "{\n" + ",\n".join(fields) + "\n}\n"


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
    return BehaviourEntry(
        api=behaviour.api,
        operation=behaviour.operation,
        target=behaviour.target,
        situation=behaviour.situation.name,
        verb=behaviour.verb,
        cases=() if behaviour.verb == "keeps-arguments" else behaviour.cases,
        of=behaviour.of,
        verdicts=dict(behaviour.verdicts),
        since=since_entry(behaviour.since),
        claims=claims_of(behaviour),
        known=behaviour.known,
        links=behaviour.links,
    )


def _value(value: Any) -> str:
    """As JSON; a list with one element on each line."""
    if not isinstance(value, list):
        return json.dumps(value, ensure_ascii=False)
    return "[\n" + ",\n".join(json.dumps(each, ensure_ascii=False) for each in value) + "\n]"
