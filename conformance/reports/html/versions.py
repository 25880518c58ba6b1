"""The data of the versions view: words by version, and what changed between versions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from conformance.findings.timeline import BehaviourChange, Cell, Row, Step, Timeline, written_version
from conformance.reports.html.columns import ResultColumns
from conformance.reports.html.string_table import TextTable
from conformance.reports.statistics import sort_of
from conformance.reports.text import visible

SAME = 0
"""A cell that equals the previous one."""


def timeline_data(line: Timeline, columns: ResultColumns, texts: TextTable) -> dict[str, Any]:
    """``Timeline`` of ``payload.d.ts``; a changed clause has its first later result and the number of changed calls."""
    return {
        "framework": visible(line.framework),
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
        "steps": [_step(step, columns, texts) for step in line.steps],
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
        "clauses": [[columns.number(change.cases[0][1]), len(change.cases)] for change in group.changes],
    }
