"""conclusions.json: every statement of the reports, with the results that it rests on, for other programs."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from conformance.findings.behaviour_table import Observation, Verb
from conformance.findings.conclusions import Conclusions
from conformance.findings.findings import Cause, Danger, Finding, FindingSort
from conformance.findings.timeline import VersionChange
from conformance.judging.vocabulary import Divergence
from conformance.reports.behaviours import Since, written_since
from conformance.reports.text import visible_tree, web_address
from conformance.results.file import Results
from conformance.results.table import Sort, Table, sort_of

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
    """The ids of the calls that show it."""
    of: int
    """The number of all calls of the API in this situation."""
    verdicts: dict[Sort, int]
    """The number of the calls with each verdict; a divergence by its standing."""
    since: Since | None
    """None if no call shows that an older version did something else."""
    claims: Sequence[str]
    """The claims of the API's own documents that the clauses of the calls cite, as ``document#locator``."""
    known: Sequence[str]
    """The ids of the known divergences that record any of the calls."""
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
        [_behaviour(conclusions.table, observation) for observation in conclusions.observations],
        [change for timeline in conclusions.timelines for step in timeline.steps for change in step.changes],
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


def _behaviour(table: Table, observation: Observation) -> BehaviourEntry:
    results, api = table.results, observation.api
    framework = table.targets[observation.target].framework
    own = {document.document for document in results.documents if api in document.describes}
    clauses = dict.fromkeys(result.clause for result in observation.results)
    citations = (citation for clause in clauses for citation in results.clauses[clause].citations)
    known = tuple(dict.fromkeys(result.known for result in observation.results if result.known))
    records = (results.known.get((framework, name)) for name in known)
    return BehaviourEntry(
        api=api,
        operation=observation.operation,
        target=observation.target,
        situation=observation.situation.name,
        verb=observation.verb,
        cases=[result.case for result in observation.results],
        of=observation.of,
        verdicts=dict(Counter(map(sort_of, observation.results))),
        since=written_since(observation.since),
        claims=list(dict.fromkeys(f"{each.document}#{each.locator}" for each in citations if each.document in own)),
        known=known,
        links=[url for record in records if record is not None and (url := web_address(record.link))],
    )


def _value(value: Any) -> str:
    """As JSON; a list with one element on each line."""
    if not isinstance(value, list):
        return json.dumps(value, ensure_ascii=False)
    return "[\n" + ",\n".join(json.dumps(each, ensure_ascii=False) for each in value) + "\n]"
