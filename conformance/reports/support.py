"""support.json: by API, what it does in each situation and since which version; and the claims that documents make.

The form is that of tables of support for browsers: a statement has the version that added it, and the one that removed it.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass

from conformance.findings.behaviours import Behaviour, Column
from conformance.findings.conclusions import Conclusions
from conformance.findings.verbs import Verb
from conformance.reports.behaviours import claims_of, public_version
from conformance.reports.text import visible_tree
from conformance.results.file import Results
from conformance.results.records import ClaimRecord

SCHEMA = 1
UP_TO = "≤"
"""Before a version: it is the oldest that was tested and does it, and an earlier release may do it too."""


@dataclass(frozen=True)
class ClaimEntry:
    """What a document says of an API, in the suite's own words."""

    document: str
    title: str
    """Of the document."""
    says: str
    official: bool
    """Whether the framework's own developers publish it."""
    url: str | None
    versions: str | None
    """The releases whose documentation makes the claim, as a PEP 440 range; None for all."""
    untestable: str | None
    """The reason why no call can test it."""


@dataclass(frozen=True)
class Statement:
    """What an API does in a situation, and in which versions."""

    verb: Verb
    version_added: str
    """The first tested version that does it, without a local part, such as ``2.13.0``; ``≤2.6.0`` if no older one was tested, or if
    no call shows that an older one does something else. Releases between two that were tested were not."""
    version_removed: str | None
    """The first tested version after it in which no call shows it; None if the newest one does it."""
    calls: int
    """The number of calls that show it."""
    case: str
    """One of them, with the worst verdict."""
    claims: Sequence[str]
    """What the API's own documentation says of it: keys of ``claims``."""
    notes: Sequence[str]
    """The upstream threads about it."""


@dataclass(frozen=True)
class SupportFile:
    """The file."""

    schema: int
    started: str
    suite_version: str
    spec_digest: str
    situations: Mapping[str, str]
    """Name to title."""
    claims: Mapping[str, ClaimEntry]
    """By ``document#locator``."""
    tested: Mapping[str, Sequence[str]]
    """By configuration, such as ``torch[eager]@cpu``, the versions that were tested, the oldest first."""
    apis: Mapping[str, Mapping[str, Mapping[str, Mapping[str, Sequence[Statement]]]]]
    """By API, operation, configuration and situation; statements that hold in the newest version come first."""


def support_json(results: Results, conclusions: Conclusions | None = None) -> str:
    """The whole file."""
    conclusions = conclusions or Conclusions(results)
    run = results.run
    file = SupportFile(
        SCHEMA,
        run.started,
        run.suite_version,
        run.spec_digest,
        {each.situation.name: each.situation.title for each in conclusions.behaviours},
        {f"{claim.document}#{claim.locator}": _claim(claim) for claim in results.claims},
        {
            _configuration(column): [public_version(each.version) for each in column.versions]
            for column in conclusions.columns
        },
        _apis(conclusions),
    )
    return json.dumps(visible_tree(asdict(file)), ensure_ascii=False, separators=(",", ":")) + "\n"


def _claim(claim: ClaimRecord) -> ClaimEntry:
    return ClaimEntry(
        claim.document, claim.title, claim.says, claim.official, claim.url, claim.versions, claim.untestable
    )


_Apis = dict[str, dict[str, dict[str, dict[str, list[Statement]]]]]


def _apis(conclusions: Conclusions) -> _Apis:
    apis: _Apis = {}
    of_column = {target.id: column for column in conclusions.columns for target in column.versions}
    groups: dict[tuple[str, str, str, str], list[Behaviour]] = defaultdict(list)
    for behaviour in conclusions.behaviours:
        if (column := of_column.get(behaviour.target)) is not None:
            key = (behaviour.api, behaviour.operation, _configuration(column), behaviour.situation.name)
            groups[key].append(behaviour)
    for (api, operation, configuration, situation), found in groups.items():
        column = of_column[found[0].target]
        place = apis.setdefault(api, {}).setdefault(operation, {}).setdefault(configuration, {})
        place[situation] = list(_statements(column, found))
    return apis


def _statements(column: Column, found: Sequence[Behaviour]) -> Iterator[Statement]:
    """Of each verb, the versions without a gap up to the last that does it; what the newest does first."""
    order = {target.id: number for number, target in enumerate(column.versions)}
    by_verb: dict[Verb, dict[int, Behaviour]] = defaultdict(dict)
    for behaviour in found:
        by_verb[behaviour.verb][order[behaviour.target]] = behaviour
    for of_version in sorted(by_verb.values(), key=lambda of_version: -max(of_version)):
        last = first = max(of_version)
        while first - 1 in of_version:
            first -= 1
        yield _statement(column, of_version[last], first, last)


def _statement(column: Column, behaviour: Behaviour, first: int, last: int) -> Statement:
    since = behaviour.since
    added = (
        public_version(since.first.version)
        if since is not None
        else UP_TO + public_version(column.versions[first].version)
    )
    removed = public_version(column.versions[last + 1].version) if last + 1 < len(column.versions) else None
    return Statement(
        behaviour.verb,
        added,
        removed,
        len(behaviour.results),
        behaviour.worst.case,
        claims_of(behaviour),
        list(behaviour.links),
    )


def _configuration(column: Column) -> str:
    return f"{column.framework}[{column.mode}]@{column.device}"
