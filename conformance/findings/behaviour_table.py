"""The behaviours of the newest versions as a table: for each operation, situations by framework, mode and device.

A cell has a line for each verb; a cell without any has no lines.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from conformance.findings.behaviours import Behaviour, Column, Since
from conformance.findings.situations import Situation
from conformance.findings.verbs import VERBS, Verb
from conformance.results.records import ResultRecord
from conformance.results.table import Sort


@dataclass(frozen=True)
class Line:
    """The APIs of a target that do the same in a situation, and are judged alike."""

    behaviours: tuple[Behaviour, ...]
    """That of each API; never empty."""

    @property
    def verb(self) -> Verb:
        return self.behaviours[0].verb

    @property
    def sort(self) -> Sort:
        """The worst verdict of the calls of each of the APIs."""
        return self.behaviours[0].sort

    @property
    def since(self) -> Since | None:
        return self.behaviours[0].since

    @property
    def apis(self) -> tuple[str, ...]:
        return tuple(behaviour.api for behaviour in self.behaviours)

    @property
    def worst(self) -> ResultRecord:
        """The first with the worst verdict, of the first API."""
        return self.behaviours[0].worst

    @property
    def results(self) -> tuple[ResultRecord, ...]:
        return tuple(result for behaviour in self.behaviours for result in behaviour.results)


@dataclass(frozen=True)
class Row:
    """A situation, with the lines of each column."""

    operation: str
    situation: Situation
    cells: tuple[tuple[Line, ...], ...]


@dataclass(frozen=True)
class BehaviourTable:
    """The rows of all operations."""

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]

    def of(self, operation: str) -> tuple[Row, ...]:
        """The rows of an operation."""
        return tuple(row for row in self.rows if row.operation == operation)


def behaviour_table(columns: Sequence[Column], behaviours: Sequence[Behaviour]) -> BehaviourTable:
    """The table of behaviours, in their order and in that of the columns."""
    cells: dict[tuple[str, Situation], dict[str, list[Behaviour]]] = {}
    newest = {column.target.id for column in columns}
    for behaviour in behaviours:
        if behaviour.target in newest:
            row = cells.setdefault((behaviour.operation, behaviour.situation), {})
            row.setdefault(behaviour.target, []).append(behaviour)
    rows = (
        Row(operation, situation, tuple(_lines(row.get(column.target.id, ())) for column in columns))
        for (operation, situation), row in cells.items()
    )
    return BehaviourTable(tuple(columns), tuple(rows))


def _lines(members: Sequence[Behaviour]) -> tuple[Line, ...]:
    """The lines of a cell, the most dangerous verb first."""
    alike: dict[object, list[Behaviour]] = {}
    for behaviour in members:
        since = behaviour.since and (behaviour.since.text, behaviour.since.before)
        alike.setdefault((behaviour.verb, since, behaviour.sort), []).append(behaviour)
    lines = (Line(tuple(of_line)) for of_line in alike.values())
    return tuple(sorted(lines, key=lambda line: VERBS.index(line.verb)))
