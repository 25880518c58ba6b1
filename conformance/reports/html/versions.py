"""The data of the versions view: words by version, and what changed between versions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from conformance.findings.conclusions import Conclusions
from conformance.findings.condition_changes import ConditionChange, condition_changes
from conformance.findings.timeline import BehaviourChange, Cell, Row, Step, Timeline, written_version
from conformance.reports.html.columns import ResultColumns
from conformance.reports.html.string_table import TextTable
from conformance.reports.text import visible
from conformance.results.table import sort_of

MOST_CALLS = 12
"""Of a condition, the number of calls to list."""
SAME = 0
"""A cell that equals the previous one."""


def timeline_data(line: Timeline, conclusions: Conclusions, columns: ResultColumns, texts: TextTable) -> dict[str, Any]:
    """``Timeline`` of ``payload.d.ts``; a changed clause has its first later result and the number of changed calls."""
    targets = {target.id for target in line.targets}
    lookup = {
        (result.target, result.api, result.case): result
        for result in conclusions.results.results
        if result.target in targets
    }
    by_condition = (condition_changes(conclusions.evidence, lookup, step) for step in line.steps)
    return {
        "framework": visible(line.framework),
        "title": visible(line.targets[0].title or line.framework),
        "where": visible(f"{line.device}, {line.mode}"),
        "targets": [
            {
                "id": visible(target.id),
                "version": visible(written_version(target) or "?"),
                "blocked": target.blocked is not None,
            }
            for target in line.targets
        ],
        "rows": [_row(row, texts) for row in line.rows],
        "steps": [
            {**_step(step, columns, texts), "conditions": [_condition(change, columns, texts) for change in changes]}
            for step, changes in zip(line.steps, by_condition, strict=True)
        ],
    }


def _row(row: Row, texts: TextTable) -> list[Any]:
    names = [texts.index(row.operation), texts.index(row.clause), texts.index(row.api)]
    return [*names, [_cell(cell, before, texts) for cell, before in zip(row.cells, [None, *row.cells], strict=False)]]


def _cell(cell: Cell | None, before: Cell | None, texts: TextTable) -> Any:
    if cell is None:
        return None
    return SAME if cell == before else [cell.state, [[texts.index(word), count] for word, count in cell.words.items()]]


def _step(step: Step, columns: ResultColumns, texts: TextTable) -> dict[str, Any]:
    ids = {"before": visible(step.before.id), "after": visible(step.after.id)}
    apis = [
        [change.kind, texts.index(change.operation), texts.index(change.api)]
        for change in step.changes
        if change.kind != "behaviour"
    ]
    changes = [_group(group, columns, texts) for group in change_groups(step.changes)]
    return {**ids, "apis": apis, "changes": changes, "same": step.same, "not_comparable": step.not_comparable}


def _condition(change: ConditionChange, columns: ResultColumns, texts: TextTable) -> list[Any]:
    """Operation, API, condition, what was and is, the results before and after of one call, their sorts, and all calls."""
    before, after = change.cases[0]
    names = (change.operation, change.api, change.condition, change.was, change.now)
    return [
        *map(texts.index, names),
        columns.number(before),
        columns.number(after),
        sort_of(after),
        [columns.number(now) for _, now in change.cases[:MOST_CALLS]],
        len(change.cases),
    ]


@dataclass(frozen=True)
class ChangeGroup:
    """Changes of one API from the same behaviour to the same behaviour, in any clauses."""

    changes: tuple[BehaviourChange, ...]

    @property
    def count(self) -> int:
        """The number of calls that changed."""
        return sum(len(change.cases) for change in self.changes)


def change_groups(changes: Iterable[BehaviourChange]) -> list[ChangeGroup]:
    """The changes of behaviour in groups, the largest first; changes from an error to another error come last."""
    groups: dict[tuple[str, str, str, str], list[BehaviourChange]] = {}
    for change in changes:
        if change.kind == "behaviour":
            groups.setdefault((change.operation, change.api, change.was, change.now), []).append(change)
    return sorted(map(ChangeGroup, map(tuple, groups.values())), key=lambda group: (_stays_error(group), -group.count))


def _stays_error(group: ChangeGroup) -> bool:
    return all(result.outcome.status == "raised" for result in group.changes[0].cases[0])


def _group(group: ChangeGroup, columns: ResultColumns, texts: TextTable) -> dict[str, Any]:
    first = group.changes[0]
    return {
        "operation": texts.index(first.operation),
        "api": texts.index(first.api),
        "was": texts.index(first.was),
        "now": texts.index(first.now),
        "sort": sort_of(first.cases[0][1]),
        "error": _stays_error(group),
        "clauses": [[columns.number(change.cases[0][1]), len(change.cases)] for change in group.changes],
    }
