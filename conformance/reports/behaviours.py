"""behaviours.json: what every target does in each situation, for other programs; and the words of its verbs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass

from conformance.findings.behaviour_table import BehaviourTable, Column, Line, Row, Verb
from conformance.findings.behaviour_table import Since as VersionRange
from conformance.findings.conclusions import Conclusions
from conformance.reports.statistics import CELL_ORDER
from conformance.reports.text import visible_tree
from conformance.results.file import Results
from conformance.results.records import ResultRecord
from conformance.results.table import sort_of

SCHEMA = 1
WORDS: Mapping[Verb, tuple[str, str]] = {
    "varies": ("↯", "varies"),
    "dies": ("✖", "ends the process"),
    "hangs": ("∞", "hangs"),
    "other": ("?", "does something else"),
    "changes-arguments": ("✎", "changes them"),
    "returns-wrong": ("≁", "returns wrong values"),
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
class Since:
    """From when on calls do the same, as calls show that both versions made. Releases between the two were not tested."""

    first: str | None
    """The first version that does it."""
    not_in: str | None
    """The last tested version before it, which does not."""
    before: list[Verb]
    """What that one does."""


@dataclass(frozen=True)
class Behaviour:
    """What some APIs of a target do in a situation."""

    operation: str
    situation: str
    target: str
    verb: Verb
    since: Since | None
    """From when on they do; None if no call shows that an older version did something else."""
    verdict: str
    """The worst verdict of the calls; a divergence by its standing."""
    apis: list[str]
    calls: int
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
    run, table = results.run, (conclusions or Conclusions(results)).behaviours
    situations = {row.situation.name: row.situation.title for row in table.rows}
    file = Behaviours(SCHEMA, run.started, run.suite_version, run.spec_digest, situations, list(behaviours(table)))
    fields = {**visible_tree(asdict(file)), "behaviours": None}
    rows = (json.dumps(visible_tree(asdict(behaviour)), ensure_ascii=False) for behaviour in file.behaviours)
    head = json.dumps(fields, ensure_ascii=False).removesuffix("null}")
    return head + "[\n" + ",\n".join(rows) + "\n]}\n"


def behaviours(table: BehaviourTable) -> Iterator[Behaviour]:
    """The lines of the table, row by row."""
    for row in table.rows:
        for column, lines in zip(table.columns, row.cells, strict=True):
            for line in lines:
                yield _behaviour(row, column, line)


def _behaviour(row: Row, column: Column, line: Line) -> Behaviour:
    return Behaviour(
        operation=row.operation,
        situation=row.situation.name,
        target=column.target.id,
        verb=line.verb,
        since=written_since(line.since),
        verdict=verdict_of(line),
        apis=list(line.apis),
        calls=len(line.results),
        case=worst_of(line).case,
    )


def written_since(since: VersionRange | None) -> Since | None:
    """With the versions instead of the records of the targets."""
    return None if since is None else Since(since.first.version, since.not_in.version, list(since.before))


def verdict_of(line: Line) -> str:
    """The worst verdict of its results."""
    return verdict_of_calls(line.verb, line.results)


def worst_of(line: Line) -> ResultRecord:
    """The first result with the worst verdict."""
    return worst_of_calls(line.verb, line.results)


def verdict_of_calls(verb: Verb, results: Sequence[ResultRecord]) -> str:
    """The worst verdict; a divergence by its standing. Of arguments only what happened to them counts."""
    if verb == "keeps-arguments":
        return "conforms"
    worst = worst_of_calls(verb, results)
    return "observed" if verb == "changes-arguments" and "input-changed" not in worst.divergence else sort_of(worst)


def worst_of_calls(verb: Verb, results: Sequence[ResultRecord]) -> ResultRecord:
    """The first result with the worst verdict; of changed arguments, one that is judged for them."""
    about_arguments = verb == "changes-arguments"

    def rank(result: ResultRecord) -> tuple[bool, int]:
        return about_arguments and "input-changed" not in result.divergence, CELL_ORDER.index(sort_of(result))

    return min(results, key=rank)
