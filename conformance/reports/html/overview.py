"""For each operation a matrix of clauses by API; the page's markup has the columns that are shown at first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from conformance.findings.kernels import missing_kernels
from conformance.findings.newest import newest
from conformance.reports.html.labels import ALARMING, FAMILIES
from conformance.reports.statistics import CELL_ORDER
from conformance.reports.wording import word_of
from conformance.results.records import ClauseRecord, ResultRecord, TargetRecord, documents_device
from conformance.results.table import Table, sort_of

UNJUDGED = ("observed", "unsupported")
FEW = 6
"""Up to this many targets are all shown at first."""


@dataclass(frozen=True)
class Column:
    """An API of a target, or a target without one."""

    target: TargetRecord
    api: str | None
    label: str = ""
    """The API, followed by its target if several targets have an API of that name."""
    composed: bool = False
    follows: str | None = None
    shown: bool = True
    """Whether the page shows it at first; the others are in its data."""
    first: bool = False
    """Whether it is the first column of its target."""
    lacks_kernel: bool = False
    """Whether the framework has no kernel for it on the target's device."""

    @property
    def notes(self) -> list[tuple[str, str]]:
        """What stands below the name of the API, with an explanation or an empty text."""
        if self.api is None:
            return [("did not start" if self.target.blocked is not None else "no API", "")]
        notes = {
            ("no kernel on this device", ""): self.lacks_kernel,
            ("composed", "Composed of several calls, so it is judged for portability only."): self.composed,
            (f"follows {self.follows}", "The documentation of this API applies to it."): self.follows,
        }
        return [note for note, applies in notes.items() if applies]

    @property
    def device(self) -> str:
        """The kind of device that documents refer to."""
        return documents_device(self.target.device, gpu=self.target.gpu) or "neither"


@dataclass(frozen=True)
class Cell:
    """The worst result of an API under a clause among the cases that could be judged, in a word."""

    column: Column
    sort: str
    word: str
    count: str = ""
    """How many of the judged cases had this result, such as ``1 of 3``, or ``3 judged`` if all conform."""
    news: str = ""
    """``known`` for a known divergence, ``new`` for a new one, or empty."""
    not_judged: tuple[str, ...] = ()
    """Counts of other results: ``21 open`` if they were not judged, and of missing ones."""
    sorts: str = ""
    """Every sort among the results if there are several, for the filters."""


@dataclass(frozen=True)
class Row:
    """A clause."""

    clause: ClauseRecord
    name: str
    """The clause's id without its operation."""
    cells: list[Cell]
    search: str

    @property
    def shown_cells(self) -> list[Cell]:
        return [cell for cell in self.cells if cell.column.shown]


@dataclass(frozen=True)
class Head:
    """A target above its APIs."""

    target: TargetRecord
    span: int
    place: int
    """Number of its first column."""


@dataclass(frozen=True)
class Operation:
    """The matrix of an operation."""

    name: str
    columns: list[Column]
    families: list[tuple[str, list[Row]]]

    @property
    def shown_columns(self) -> list[tuple[int, Column]]:
        """The columns that are shown at first, with their numbers."""
        return [(place, column) for place, column in enumerate(self.columns) if column.shown]

    @property
    def shown_heads(self) -> list[Head]:
        spans = Counter(column.target.id for column in self.columns)
        return [
            Head(column.target, spans[column.target.id], place) for place, column in self.shown_columns if column.first
        ]


def shown_at_first(targets: Sequence[TargetRecord]) -> set[str]:
    """The ids of the targets that a matrix shows at first: all if they are few, or else one for each framework."""
    return {target.id for target in (targets if len(targets) <= FEW else newest(targets).values())}


def operations(table: Table) -> list[Operation]:
    """The matrices, in the order of the clauses in the file."""
    index = _index(table)
    clauses: dict[str, list[ClauseRecord]] = {}
    for clause in table.results.clauses.values():
        clauses.setdefault(clause.operation, []).append(clause)
    return [_operation(table, name, of_operation, index) for name, of_operation in clauses.items()]


@dataclass(frozen=True)
class _Index:
    """What the columns and cells need besides the table."""

    apis: dict[tuple[str, str], dict[str, None]]
    """By operation and target, in the order of their results."""
    cases: Counter[tuple[str, str | None]]
    """By clause and the kind of device that they are for, None for all."""


def _index(table: Table) -> _Index:
    given = [case for case in table.results.cases.values() if not case.is_counterexample]
    index = _Index({}, Counter((case.clause, case.device) for case in given))
    for mapping in table.results.mappings:
        index.apis.setdefault((mapping.operation, mapping.target), {})[mapping.api] = None
    for (target, api, _), results in table.cells.items():
        index.apis.setdefault((table.operation(results[0]), target), {})[api] = None
    return index


def _operation(table: Table, name: str, clauses: Sequence[ClauseRecord], index: _Index) -> Operation:
    columns = _columns(table, name, index)
    families: dict[str, list[Row]] = {}
    for clause in clauses:
        families.setdefault(clause.family, []).append(_row(table, clause, columns, index))
    titled = [(FAMILIES[family], families[family]) for family in FAMILIES if family in families]
    return Operation(name, columns, titled)


def _columns(table: Table, operation: str, index: _Index) -> list[Column]:
    targets = list(table.targets.values())
    shown = shown_at_first(targets)
    apis = {target.id: list(index.apis.get((operation, target.id), ())) for target in targets}
    owners = Counter(api for target in shown for api in apis[target])
    mappings = {
        (mapping.target, mapping.api): mapping for mapping in table.results.mappings if mapping.operation == operation
    }
    kernels = {target.id: missing_kernels(table.results, target.id) for target in targets}
    columns: list[Column] = []
    for target in targets:
        for number, api in enumerate(apis[target.id] or [None]):
            mapping = mappings.get((target.id, api or ""))
            is_shown = target.id in shown
            label = "" if api is None else api if is_shown and owners[api] == 1 else f"{api} {target.id}"
            composed, follows = (mapping.composed, mapping.follows) if mapping else (False, None)
            lacks_kernel = api in kernels[target.id]
            columns.append(Column(target, api, label, composed, follows, is_shown, number == 0, lacks_kernel))
    return columns


def _row(table: Table, clause: ClauseRecord, columns: Sequence[Column], index: _Index) -> Row:
    cells = [
        _cell(
            column,
            table.cells.get((column.target.id, column.api or "", clause.id), []),
            index.cases[clause.id, None] + index.cases[clause.id, column.device],
        )
        for column in columns
    ]
    documents = " ".join(f"{citation.document} {citation.locator}" for citation in clause.citations)
    apis = dict.fromkeys(column.api or "" for column in columns)
    search = " ".join([clause.id, clause.states, documents, *apis])
    return Row(clause, clause.id.removeprefix(f"{clause.operation}."), cells, search.lower())


def _cell(column: Column, results: Sequence[ResultRecord], cases: int) -> Cell:
    if not results:
        return _empty(column)
    by_sort: dict[str, list[ResultRecord]] = {}
    for result in results:
        by_sort.setdefault(sort_of(result), []).append(result)
    sort = next(name for name in CELL_ORDER if name in by_sort)
    worst = by_sort[sort]
    missing = cases - len(results)
    unjudged = sum(len(by_sort.get(name, ())) for name in UNJUDGED)
    others = [f"{unjudged} open"] if unjudged and sort not in UNJUDGED else []
    return Cell(
        column,
        sort,
        ", ".join(dict.fromkeys(map(word_of, worst))),
        _count(sort, len(worst), len(results) - (0 if sort in UNJUDGED else unjudged)),
        _news(sort, worst),
        (*others, *([f"{missing} not run"] if missing > 0 else [])),
        " ".join(by_sort) if len(by_sort) > 1 else "",
    )


def _count(sort: str, count: int, of: int) -> str:
    if sort == "conforms":
        return f"{count} judged"
    return f"{count} of {of}" if of > 1 else ""


def _news(sort: str, worst: Sequence[ResultRecord]) -> str:
    if all(result.known for result in worst):
        return "known"
    return "new" if sort in ALARMING else ""


def _empty(column: Column) -> Cell:
    if column.target.blocked is not None:
        return Cell(column, "none", "no result")
    return Cell(column, "none", "no API" if column.api is None else "not run")
