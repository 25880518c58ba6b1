"""The columns of the matrices that the page does not show at first, as data: most targets are never looked at."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from conformance.reports.html.overview import Cell, Column, Operation
from conformance.reports.html.string_table import Table, TextTable
from conformance.reports.text import visible
from conformance.results.records import TargetRecord

_CellRow = tuple[str, int, str, str, tuple[str, ...], str]


def matrices_payload(operations: Sequence[Operation], targets: Sequence[TargetRecord], texts: TextTable) -> Any:
    """``Matrices`` of ``payload.d.ts``."""
    cells: Table[_CellRow] = Table()
    numbers = {target.id: number for number, target in enumerate(targets)}
    columns = [
        [
            _column(column, place, numbers[column.target.id], texts)
            | {"cells": [cells.index(_cell(row.cells[place], texts)) for _, rows in operation.families for row in rows]}
            for place, column in enumerate(operation.columns)
            if not column.shown
        ]
        for operation in operations
    ]
    return {"columns": columns, "cells": cells.values}


def _column(column: Column, place: int, target: int, texts: TextTable) -> dict[str, Any]:
    return {
        "place": place,
        "target": target,
        "api": texts.optional_index(column.api),
        "label": visible(column.label),
        "notes": [(visible(note), title) for note, title in column.notes],
        "first": column.first,
    }


def _cell(cell: Cell, texts: TextTable) -> _CellRow:
    return cell.sort, texts.index(cell.word), cell.count, cell.news, cell.not_judged, cell.sorts
