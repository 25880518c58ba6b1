"""The data of the versions view: words by version, and what changed between versions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from conformance.findings.behaviour import behaviour_text
from conformance.findings.compare import Side, sides
from conformance.findings.conclusions import Conclusions
from conformance.findings.condition_changes import ConditionChange, condition_changes
from conformance.findings.timeline import Step, Timeline, VersionChange
from conformance.reports.html.columns import ResultColumns
from conformance.reports.html.string_table import TextTable
from conformance.reports.text import visible
from conformance.results.file import Results
from conformance.results.records import ResultRecord
from conformance.results.table import sort_of

MOST_CALLS = 12
"""Of a condition, the number of calls to list."""
SAME = 0
"""A cell that equals the previous one."""
_Cell = tuple[int, dict[str, int]]
"""Which state of the row it is in, counted from 0, and the behaviours with their number of cases."""


@dataclass(frozen=True, eq=False)
class _Shown:
    """What all parts of a timeline need."""

    results: Results
    of_targets: Mapping[str, Side]
    columns: ResultColumns
    texts: TextTable

    def call(self, change: VersionChange, case: str) -> ResultRecord:
        return self.of_targets[change.second].results[case, change.api]


def timeline_data(line: Timeline, conclusions: Conclusions, columns: ResultColumns, texts: TextTable) -> dict[str, Any]:
    """``Timeline`` of ``payload.d.ts``; a changed clause has its first later result and the number of changed calls."""
    shown = _Shown(conclusions.results, sides(conclusions.results), columns, texts)
    by_condition = (
        condition_changes(conclusions.evidence, shown.of_targets[step.first], shown.of_targets[step.second])
        for step in line.steps
    )
    return {
        "framework": visible(line.framework),
        "title": visible(line.title),
        "where": visible(f"{line.device}, {line.mode}"),
        "targets": [
            {
                "id": visible(version.target),
                "version": visible(version.version or "?"),
                "blocked": version.blocked is not None,
            }
            for version in line.versions
        ],
        "rows": _rows(line, shown),
        "steps": [
            {**_step(step, shown), "conditions": [_condition(change, columns, texts) for change in changes]}
            for step, changes in zip(line.steps, by_condition, strict=True)
        ],
    }


def _rows(line: Timeline, shown: _Shown) -> list[Any]:
    """For each clause and API, a cell per version; its state is another one from each change on."""
    clauses = shown.results.clauses
    words: dict[tuple[str, str], dict[str, Counter[str]]] = {}
    for version in line.versions:
        for result in shown.of_targets[version.target].results.values():
            of_row = words.setdefault((result.clause, result.api), {})
            of_row.setdefault(version.target, Counter())[behaviour_text(result)] += 1
    changed = {
        (shown.call(change, case).clause, change.api, change.second)
        for step in line.steps
        for change in step.changes
        for case in change.cases
    }
    order = {clause: number for number, clause in enumerate(clauses)}
    rows = []
    for (clause, api), of_row in sorted(words.items(), key=lambda row: order[row[0][0]]):
        state, before, cells = 0, None, []
        for version in line.versions:
            state += (clause, api, version.target) in changed
            counts = of_row.get(version.target)
            cell: _Cell | None = (state, dict(counts.most_common())) if counts else None
            cells.append(_cell(cell, before, shown.texts))
            before = cell
        rows.append([*map(shown.texts.index, (clauses[clause].operation, clause, api)), cells])
    return rows


def _cell(cell: _Cell | None, before: _Cell | None, texts: TextTable) -> Any:
    if cell is None:
        return None
    return SAME if cell == before else [cell[0], [[texts.index(word), count] for word, count in cell[1].items()]]


def _step(step: Step, shown: _Shown) -> dict[str, Any]:
    texts = shown.texts
    apis = [
        [kind, texts.index(mapped.operation), texts.index(mapped.api)]
        for kind, of_kind in (("new", step.new), ("gone", step.gone))
        for mapped in of_kind
    ]
    return {
        "before": visible(step.first),
        "after": visible(step.second),
        "apis": apis,
        "changes": [_change(change, shown) for change in by_size(step.changes)],
        "same": step.same,
        "not_comparable": sum(step.not_comparable.values()),
    }


def by_size(changes: Iterable[VersionChange]) -> list[VersionChange]:
    """The changes with the most calls first; changes from an error to another error come last."""
    return sorted(changes, key=lambda change: (_stays_error(change), -len(change.cases)))


def _stays_error(change: VersionChange) -> bool:
    return change.statuses == ("raised", "raised")


def _change(change: VersionChange, shown: _Shown) -> dict[str, Any]:
    texts, columns = shown.texts, shown.columns
    calls = [shown.call(change, case) for case in change.cases]
    by_clause: dict[str, list[ResultRecord]] = {}
    for call in calls:
        by_clause.setdefault(call.clause, []).append(call)
    return {
        "operation": texts.index(change.operation),
        "api": texts.index(change.api),
        "was": texts.index(change.was),
        "now": texts.index(change.now),
        "sort": sort_of(calls[0]),
        "error": _stays_error(change),
        "clauses": [[columns.number(of_clause[0]), len(of_clause)] for of_clause in by_clause.values()],
    }


def _condition(change: ConditionChange, columns: ResultColumns, texts: TextTable) -> list[Any]:
    """Operation, API, condition, what was and is, the results before and after of one call, their sorts, and all calls."""
    first = change.changes[0]
    names = (change.operation, change.api, change.condition, change.was, change.now)
    return [
        *map(texts.index, names),
        columns.number(first.first),
        columns.number(first.second),
        sort_of(first.second),
        [columns.number(call.second) for call in change.changes[:MOST_CALLS]],
        len(change.changes),
    ]
