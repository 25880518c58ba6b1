"""behaviours.json: what every API does in each situation, for other programs; and the words of its verbs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace

from packaging.version import InvalidVersion, Version

from conformance.findings.behaviours import Behaviour as BehaviourOfResults
from conformance.findings.behaviours import Since
from conformance.findings.conclusions import Conclusions
from conformance.findings.verbs import Verb
from conformance.reports.text import visible_json, visible_tree
from conformance.results.file import Results
from conformance.results.table import Sort

SCHEMA = 2
WORDS: Mapping[Verb, tuple[str, str]] = {
    "varies": ("↯", "varies"),
    "dies": ("✖", "ends the process"),
    "hangs": ("∞", "hangs"),
    "other": ("?", "does something else"),
    "changes-arguments": ("✎", "changes them"),
    "returns-wrong": ("≁", "returns wrong values"),
    "returns-other": ("≈", "returns other values"),
    "clamps": ("⇥", "clamps"),
    "wraps-negative": ("↺", "counts from the end"),
    "wraps-modulo": ("↻", "wraps around"),
    "fills": ("▢", "fills"),
    "stops": ("■", "stops"),
    "ignores": ("∅", "skips"),
    "keeps-one": ("1", "keeps one"),
    "keeps-first": ("⇤", "keeps the first"),
    "keeps-last": ("⇢", "keeps the last"),
    "keeps-largest": ("▲", "keeps the largest"),
    "keeps-smallest": ("▼", "keeps the smallest"),
    "averages": ("x̄", "averages"),
    "multiplies": ("∏", "multiplies"),
    "adds": ("∑", "adds"),
    "returns": ("→", "returns"),
    "keeps-arguments": ("=", "unchanged"),
    "raises": ("!", "raises"),
    "not-exported": ("⊘", "cannot be exported"),
}
"""Verb to its icon and word."""


@dataclass(frozen=True)
class SinceEntry:
    """From when on calls do the same, as calls show that both versions made. Releases between the two were not tested."""

    first: str
    """The first version that does it, without a local part."""
    not_in: str
    """The last tested version before it, which does not."""
    before: list[Verb]
    """What that one does."""


@dataclass(frozen=True)
class Behaviour:
    """What an API of a target does in a situation; one for each verb."""

    api: str
    operation: str
    target: str
    situation: str
    verb: Verb
    calls: int
    """The number of calls that show it."""
    of: int
    """The number of all calls of the API in this situation."""
    verdicts: dict[Sort, int]
    """The number of the calls with each verdict on what the verb is about; a divergence by its standing."""
    since: SinceEntry | None
    """None if no call shows that an older version did something else."""
    claims: Sequence[str]
    """What the API's own documentation says of what is unusual about these calls, as ``document#locator``; empty if it does
    not say."""
    of_all_calls: bool
    """There is no such claim, but what the documentation says of all calls holds for these too."""
    known: Sequence[str]
    """The ids of the known divergences that record any of the calls."""
    links: Sequence[str]
    """The upstream threads of these."""
    case: str
    """One of the calls with the worst verdict."""


@dataclass(frozen=True)
class Behaviours:
    """The file."""

    schema: int
    started: str
    suite_version: str
    spec_digest: str
    situations: dict[str, str]
    """Name to title."""
    behaviours: list[Behaviour]


def behaviours_json(results: Results, conclusions: Conclusions | None = None) -> str:
    """Return the whole file, with one behaviour on each line."""
    conclusions = conclusions or Conclusions(results)
    run, shown = results.run, _newest(conclusions)
    situations = {each.situation.name: each.situation.title for each in shown}
    entries = list(behaviours(conclusions))
    file = Behaviours(SCHEMA, run.started, run.suite_version, run.spec_digest, situations, entries)
    fields = {**visible_tree(asdict(replace(file, behaviours=[]))), "behaviours": None}
    rows = (visible_json(asdict(entry)) for entry in file.behaviours)
    head = json.dumps(fields, ensure_ascii=False).removesuffix("null}")
    return head + "[\n" + ",\n".join(rows) + "\n]}\n"


def behaviours(conclusions: Conclusions) -> Iterator[Behaviour]:
    """What the APIs of the newest version of each framework do, in each mode."""
    return map(behaviour_row, _newest(conclusions))


def behaviour_row(behaviour: BehaviourOfResults) -> Behaviour:
    """What is written of a behaviour."""
    return Behaviour(
        api=behaviour.api,
        operation=behaviour.operation,
        target=behaviour.target,
        situation=behaviour.situation.name,
        verb=behaviour.verb,
        calls=len(behaviour.results),
        of=behaviour.of,
        verdicts=dict(behaviour.verdicts),
        since=_since_entry(behaviour.since),
        claims=claims_of(behaviour),
        of_all_calls=behaviour.said.of_all_calls,
        known=behaviour.known,
        links=behaviour.links,
        case=behaviour.worst.case,
    )


def _newest(conclusions: Conclusions) -> list[BehaviourOfResults]:
    newest = {column.target.id for column in conclusions.columns}
    return [behaviour for behaviour in conclusions.behaviours if behaviour.target in newest]


def _since_entry(since: Since | None) -> SinceEntry | None:
    """With the versions instead of the records of the targets."""
    if since is None:
        return None
    return SinceEntry(public_version(since.first.version), public_version(since.not_in.version), list(since.before))


def public_version(version: str | None) -> str:
    """A version without its local part: builds for several devices are one release."""
    try:
        return Version(version or "0").public
    except InvalidVersion:
        return version or "0"


def claims_of(behaviour: BehaviourOfResults) -> list[str]:
    """Its claims as ``document#locator``."""
    return [f"{claim.document}#{claim.locator}" for claim in behaviour.claims]
