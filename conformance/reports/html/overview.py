"""What the page shows without JavaScript: for each operation a matrix of clauses by API."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import quote

from conformance.reports.html.labels import CELL_ORDER, FAMILIES
from conformance.reports.html.representatives import representatives
from conformance.reports.statistics import all_targets, sort_of, word_of
from conformance.reports.text import visible
from conformance.results.file import Results
from conformance.results.records import ClauseRecord, ResultRecord, TargetRecord, documents_device

UNJUDGED = ("observed", "unsupported")
ALARMING = ("own", "died", "hung")


@dataclass(frozen=True)
class Column:
    """One API of a target, or the place of a target that has none."""

    target: TargetRecord
    place: int
    api: str | None
    label: str = ""
    """The API, with its target where another target of the matrix has an API of that name."""
    composed: bool = False
    follows: str | None = None
    shown: bool = True
    """Whether the page shows it at first."""
    first: bool = False
    """Whether it is the first of its target."""

    @property
    def device(self) -> str:
        """What documents call the target's device."""
        return documents_device(self.target.device, gpu=self.target.gpu) or "neither"


@dataclass(frozen=True)
class Cell:
    """What one API did with the cases of one clause: the worst of what could be judged, in a word."""

    column: Column
    sort: str
    word: str
    count: str = ""
    """``1/3``: how many of its cases came to that."""
    news: str = ""
    """``known`` to a ledger, or ``new``."""
    beside: tuple[str, ...] = ()
    """What was not judged besides, as ``21 observed``, and what is missing."""
    sorts: str = ""
    """Every sort among the results, where they are more than one, for the filters."""


@dataclass(frozen=True)
class Row:
    """One clause."""

    clause: ClauseRecord
    name: str
    """The clause's id without its operation."""
    cells: list[Cell]
    search: str


@dataclass(frozen=True)
class Head:
    """A target above its APIs."""

    target: TargetRecord
    span: int
    shown: bool


@dataclass(frozen=True)
class Operation:
    """One operation's matrix."""

    name: str
    heads: list[Head]
    columns: list[Column]
    families: list[tuple[str, list[Row]]]
    counts: Counter[str]


def link_to(result: ResultRecord) -> str:
    """The address of one result on the page; it outlives the run, since ids do."""
    parts = {"case": result.case, "api": result.api, "target": result.target}
    return "#" + "&".join(f"{name}={quote(visible(text), safe='/')}" for name, text in parts.items())


def operation_of(results: Results, result: ResultRecord) -> str:
    """The operation that a result is about."""
    clause = results.clauses.get(result.clause)
    return clause.operation if clause else result.clause.partition(".")[0]


def operations(results: Results) -> list[Operation]:
    """The matrices, in the order in which the file has the clauses."""
    seen = _seen(results)
    clauses: dict[str, list[ClauseRecord]] = {}
    for clause in results.clauses.values():
        clauses.setdefault(clause.operation, []).append(clause)
    return [_operation(results, name, some, seen) for name, some in clauses.items()]


@dataclass(frozen=True)
class _Seen:
    """The results by where they belong, gone through once."""

    cells: dict[tuple[str, str, str], list[ResultRecord]]
    """By clause, target and API."""
    counts: dict[str, Counter[str]]
    apis: dict[tuple[str, str], dict[str, None]]
    """By operation and target, in the order of their results."""
    cases: Counter[tuple[str, str | None]]
    """By clause and the kind of device that they are for, None for all."""


def _seen(results: Results) -> _Seen:
    seen = _Seen(
        {}, {}, {}, Counter((case.clause, case.device) for case in results.cases.values() if not case.is_counterexample)
    )
    for mapping in results.mappings:
        seen.apis.setdefault((mapping.operation, mapping.target), {})[mapping.api] = None
    for result in results.results:
        operation = operation_of(results, result)
        seen.cells.setdefault((result.clause, result.target, result.api), []).append(result)
        seen.counts.setdefault(operation, Counter())[sort_of(result)] += 1
        seen.apis.setdefault((operation, result.target), {})[result.api] = None
    return seen


def _operation(results: Results, name: str, clauses: Sequence[ClauseRecord], seen: _Seen) -> Operation:
    columns = _columns(results, name, seen)
    spans = Counter(column.target.id for column in columns)
    heads = [Head(one.target, spans[one.target.id], one.shown) for one in columns if one.first]
    families: dict[str, list[Row]] = {}
    for clause in clauses:
        families.setdefault(clause.family, []).append(_row(clause, columns, seen))
    titled = [(FAMILIES[family], families[family]) for family in FAMILIES if family in families]
    return Operation(name, heads, columns, titled, seen.counts.get(name, Counter()))


def _columns(results: Results, operation: str, seen: _Seen) -> list[Column]:
    mappings = {(one.target, one.api): one for one in results.mappings if one.operation == operation}
    targets = all_targets(results)
    shown = representatives(targets)
    owners = Counter(
        api for target in targets if target.id in shown for api in seen.apis.get((operation, target.id), ())
    )
    columns: list[Column] = []
    for place, target in enumerate(targets):
        for api in seen.apis.get((operation, target.id)) or [None]:
            mapping = mappings.get((target.id, api or ""))
            composed, follows = (mapping.composed, mapping.follows) if mapping else (False, None)
            alone = target.id in shown and owners[api or ""] == 1
            label = "" if api is None else api if alone else f"{api} {target.id}"
            first = not columns or columns[-1].place != place
            columns.append(Column(target, place, api, label, composed, follows, target.id in shown, first))
    return columns


def _row(clause: ClauseRecord, columns: Sequence[Column], seen: _Seen) -> Row:
    cells = [
        _cell(
            column,
            seen.cells.get((clause.id, column.target.id, column.api or ""), []),
            seen.cases[clause.id, None] + seen.cases[clause.id, column.device],
        )
        for column in columns
    ]
    documents = " ".join(f"{one.document} {one.locator}" for one in clause.citations)
    apis = dict.fromkeys(column.api or "" for column in columns)
    search = " ".join([clause.id, clause.states, documents, *apis])
    return Row(clause, clause.id.removeprefix(f"{clause.operation}."), cells, search.lower())


def _cell(column: Column, some: Sequence[ResultRecord], cases: int) -> Cell:
    if not some:
        return _empty(column)
    by_sort: dict[str, list[ResultRecord]] = {}
    for result in some:
        by_sort.setdefault(sort_of(result), []).append(result)
    sort = next(name for name in CELL_ORDER if name in by_sort)
    worst = by_sort[sort]
    missing = cases - len(some)
    beside = [f"{len(by_sort[name])} {name}" for name in UNJUDGED if name in by_sort and name != sort]
    return Cell(
        column,
        sort,
        ", ".join(dict.fromkeys(map(word_of, worst))),
        f"{len(worst)}/{len(some)}" if len(some) > 1 else "",
        _news(sort, worst),
        (*beside, *([f"{missing} not run"] if missing > 0 else [])),
        " ".join(by_sort) if len(by_sort) > 1 else "",
    )


def _news(sort: str, worst: Sequence[ResultRecord]) -> str:
    if all(result.known for result in worst):
        return "known"
    return "new" if sort in ALARMING else ""


def _empty(column: Column) -> Cell:
    if column.target.blocked is not None:
        return Cell(column, "none", "no result")
    return Cell(column, "none", "no API" if column.api is None else "not run")
