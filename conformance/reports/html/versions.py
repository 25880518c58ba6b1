"""The timelines of a file as the page shows them: words by version, and what changed from one to the next."""

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
"""A cell that is as the one before it."""


def timeline_data(line: Timeline, columns: ResultColumns, texts: TextTable) -> dict[str, Any]:
    """A timeline for ``versions.js``; of the changes in a clause it has the first result afterwards and their number."""
    return {
        "framework": visible(line.framework),
        "where": visible(f"{line.device}, {line.mode}"),
        "targets": [
            {"id": visible(one.id), "version": visible(written_version(one) or "?"), "blocked": one.blocked is not None}
            for one in line.targets
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
        [one.kind, texts.index(one.operation), texts.index(one.api)] for one in step.changes if one.kind != "behaviour"
    ]
    alike = [_alike(one, columns, texts) for one in alike_changes(step.changes)]
    return {**ids, "apis": apis, "changes": alike, "same": step.same, "untold": step.not_comparable}


@dataclass(frozen=True)
class Alike:
    """Changes of one API from the same to the same, in whichever clauses."""

    changes: tuple[BehaviourChange, ...]

    @property
    def count(self) -> int:
        """Calls that changed so."""
        return sum(len(change.cases) for change in self.changes)


def alike_changes(changes: Iterable[BehaviourChange]) -> list[Alike]:
    """The changes of behaviour that are alike together: those from an error to an error last, of most calls first."""
    found: dict[tuple[str, str, str, str], list[BehaviourChange]] = {}
    for one in changes:
        if one.kind == "behaviour":
            found.setdefault((one.operation, one.api, one.was, one.now), []).append(one)
    return sorted((Alike(tuple(some)) for some in found.values()), key=lambda one: (_stays_error(one), -one.count))


def _stays_error(one: Alike) -> bool:
    return all(result.outcome.status == "raised" for result in one.changes[0].cases[0])


def _alike(one: Alike, columns: ResultColumns, texts: TextTable) -> dict[str, Any]:
    first = one.changes[0]
    return {
        "operation": texts.index(first.operation),
        "api": texts.index(first.api),
        "was": texts.index(first.was),
        "now": texts.index(first.now),
        "sort": sort_of(first.cases[0][1]),
        "clauses": [[columns.number(change.cases[0][1]), len(change.cases)] for change in one.changes],
    }
