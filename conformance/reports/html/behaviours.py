"""The behaviour table as the page shows it: rows with equal cells are one row, and each line links one of its results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from conformance.findings.behaviour_table import BehaviourTable, Line, Row
from conformance.findings.behaviours import Column, Since
from conformance.findings.kernels import missing_kernels
from conformance.findings.situations import INDEX_DTYPE
from conformance.reports.behaviours import WORDS
from conformance.reports.text import counted
from conformance.results.file import Results
from conformance.results.records import ResultRecord, TargetRecord

FEW_APIS = 2
"""Up to this many APIs of a line are named."""
MOST_COLUMNS = 10
"""A table with more columns shows one of each framework, and the others when a reader asks for them."""
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
    """``2.13.0 or earlier, after 2.6.0: raises``, or empty."""
    title: str
    number: int


@dataclass(frozen=True)
class ShownCell:
    """What a framework does in a situation."""

    lines: Sequence[ShownLine]
    empty: str
    """Why there are no lines."""
    otherwise: Sequence[str] = ()
    """The modes and devices of the folded columns of the same framework that do something else."""

    @property
    def sort(self) -> str:
        return self.lines[0].sort if len({line.sort for line in self.lines}) == 1 else ""


@dataclass(frozen=True)
class ShownColumn:
    """A framework in one mode on one device."""

    target: TargetRecord
    is_one_of_several: bool
    """Whether the framework has further columns."""
    folds: bool
    """Whether the column is folded at first."""

    @property
    def framework(self) -> str:
        return self.target.title or self.target.framework

    @property
    def where(self) -> str:
        return f"{self.target.device}, {self.target.mode}"

    @property
    def label(self) -> str:
        return f"{self.framework} {self.where}" if self.is_one_of_several else self.framework


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
    columns: Sequence[ShownColumn]
    rows: Sequence[ShownRow]
    apis: Mapping[str, Sequence[str]]
    """Framework to its APIs."""

    @property
    def folded(self) -> dict[str, int]:
        """Framework to how many of its columns are folded."""
        return dict(Counter(column.framework for column in self.columns if column.folds))


def shown_operations(results: Results, table: BehaviourTable, number: Number) -> list[ShownOperation]:
    """The table of each operation, without columns of frameworks that have no API for it."""
    shown = []
    for name in dict.fromkeys(row.operation for row in table.rows):
        apis = _apis(results, name)
        chosen = [place for place, column in enumerate(table.columns) if column.target.id in apis]
        columns = [table.columns[place] for place in chosen]
        empty = [_empty_text(results, column, apis[column.target.id]) for column in columns]
        shown_columns = _shown_columns(columns)
        rows = [
            ShownRow(
                _title(rows),
                " ".join(row.situation.name for row in rows),
                _shown_cells([rows[0].cells[place] for place in chosen], shown_columns, empty, number),
            )
            for rows in _equal_rows(table.of(name))
        ]
        shown.append(ShownOperation(name, shown_columns, rows, _by_framework(columns, apis)))
    return shown


def _shown_columns(columns: Sequence[Column]) -> list[ShownColumn]:
    counts = Counter(column.framework for column in columns)
    first: dict[str, Column] = {}
    for column in columns:
        first.setdefault(column.framework, column)
    are_many = len(columns) > MOST_COLUMNS
    return [
        ShownColumn(
            column.target, counts[column.framework] > 1, folds=are_many and first[column.framework] is not column
        )
        for column in columns
    ]


def _shown_cells(
    cells: Sequence[Sequence[Line]], columns: Sequence[ShownColumn], empty: Sequence[str], number: Number
) -> list[ShownCell]:
    return [
        ShownCell([_line(line, cell, number) for line in cell], text, _otherwise(cell, column, cells, columns))
        for cell, column, text in zip(cells, columns, empty, strict=True)
    ]


def _otherwise(
    cell: Sequence[Line], column: ShownColumn, cells: Sequence[Sequence[Line]], columns: Sequence[ShownColumn]
) -> list[str]:
    """Where the framework does something else than in this column, among its folded columns."""
    if column.folds:
        return []
    return [
        other.where
        for other, lines in zip(columns, cells, strict=True)
        if other.folds and other.framework == column.framework and lines and _words(lines) != _words(cell)
    ]


def _words(cell: Sequence[Line]) -> set[tuple[str, str]]:
    return {(line.verb, line.sort) for line in cell}


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
        same = tuple(tuple((line.verb, line.apis, _since_text(line.since)) for line in cell) for cell in row.cells)
        sorts = tuple(tuple(line.sort for line in cell) for cell in row.cells)
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
    since = _since_text(line.since)
    title = f"{', '.join(line.apis)}: {counted(len(line.results), 'call')}"
    return ShownLine(icon, word, line.sort, apis if len(cell) > 1 else "", since, title, number(line.worst))


def _since_text(since: Since | None) -> str:
    return f"{since.text}: {' or '.join(WORDS[verb][1] for verb in since.before)}" if since else ""
