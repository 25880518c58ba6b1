"""The behaviour table as the page shows it: rows with equal cells are one row, and each line links one of its results."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from conformance.findings.behaviour_table import BehaviourTable, Column, Line, Row
from conformance.findings.kernels import missing_kernels
from conformance.findings.situations import INDEX_DTYPE
from conformance.reports.behaviours import WORDS, verdict_of, worst_of
from conformance.reports.text import counted
from conformance.results.file import Results
from conformance.results.records import ResultRecord

FEW_APIS = 2
"""Up to this many APIs of a line are named."""
Number = Callable[[ResultRecord], int]
"""The number of a result in the data of the page."""


@dataclass(frozen=True)
class ShownLine:
    """A line of a cell."""

    icon: str
    word: str
    sort: str
    apis: str
    """Their names, or how many; empty if all APIs of the cell do the same."""
    since: str
    """``since 2.13.0, before: raises``, or empty."""
    title: str
    number: int


@dataclass(frozen=True)
class ShownCell:
    """What a framework does in a situation."""

    lines: Sequence[ShownLine]
    empty: str
    """Why there are no lines."""

    @property
    def sort(self) -> str:
        return self.lines[0].sort if len({line.sort for line in self.lines}) == 1 else ""


@dataclass(frozen=True)
class ShownRow:
    """A situation, or several in which every framework does the same."""

    title: str
    names: str
    cells: Sequence[ShownCell]


@dataclass(frozen=True)
class ShownOperation:
    """The table of an operation."""

    name: str
    columns: Sequence[Column]
    rows: Sequence[ShownRow]
    apis: Mapping[str, Sequence[str]]
    """Framework to its APIs."""


def shown_operations(results: Results, table: BehaviourTable, number: Number) -> list[ShownOperation]:
    """The table of each operation, without columns of frameworks that have no API for it."""
    shown = []
    for name in dict.fromkeys(row.operation for row in table.rows):
        apis = _apis(results, name)
        chosen = [place for place, column in enumerate(table.columns) if column.target.id in apis]
        columns = [table.columns[place] for place in chosen]
        empty = [_empty_text(results, column, apis[column.target.id]) for column in columns]
        rows = [
            ShownRow(
                _title(rows),
                " ".join(row.situation.name for row in rows),
                [
                    ShownCell([_line(line, rows[0].cells[place], number) for line in rows[0].cells[place]], text)
                    for place, text in zip(chosen, empty, strict=True)
                ],
            )
            for rows in _equal_rows(table.of(name))
        ]
        shown.append(ShownOperation(name, columns, rows, _by_framework(columns, apis)))
    return shown


def _by_framework(columns: Sequence[Column], apis: Mapping[str, Iterable[str]]) -> dict[str, list[str]]:
    frameworks: dict[str, dict[str, None]] = {}
    for column in columns:
        frameworks.setdefault(column.target.title or column.framework, {}).update(dict.fromkeys(apis[column.target.id]))
    return {framework: list(names) for framework, names in frameworks.items()}


def _apis(results: Results, operation: str) -> dict[str, dict[str, None]]:
    apis: dict[str, dict[str, None]] = {}
    for mapping in results.mappings:
        if mapping.operation == operation:
            apis.setdefault(mapping.target, {})[mapping.api] = None
    return apis


def _empty_text(results: Results, column: Column, apis: Mapping[str, None]) -> str:
    lacks_kernels = apis and apis.keys() <= {*missing_kernels(results, column.target.id)}
    return "no kernel on this device" if lacks_kernels else "not called"


def _equal_rows(rows: Sequence[Row]) -> list[list[Row]]:
    """The rows; those about dtypes of indices that are equal in every cell are together."""
    groups: dict[object, list[Row]] = {}
    for row in rows:
        same = tuple(tuple((line.verb, line.apis, line.since.id, line.before) for line in cell) for cell in row.cells)
        sorts = tuple(tuple(map(verdict_of, cell)) for cell in row.cells)
        is_dtype = row.situation.of == INDEX_DTYPE
        groups.setdefault((same, sorts) if is_dtype else row.situation.name, []).append(row)
    return list(groups.values())


def _title(rows: Sequence[Row]) -> str:
    if len(rows) == 1:
        return rows[0].situation.title
    return f"{', '.join(row.situation.detail for row in rows)} indices"


def _line(line: Line, cell: Sequence[Line], number: Number) -> ShownLine:
    icon, word = WORDS[line.verb]
    apis = ", ".join(line.apis) if len(line.apis) <= FEW_APIS else f"{len(line.apis)} APIs"
    before = " or ".join(WORDS[verb][1] for verb in line.before)
    since = f"since {line.since.version}, before: {before}" if before else ""
    title = f"{', '.join(line.apis)}: {counted(len(line.results), 'call')}"
    return ShownLine(icon, word, verdict_of(line), apis if len(cell) > 1 else "", since, title, number(worst_of(line)))
