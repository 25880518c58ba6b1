"""What the page shows without JavaScript: totals, findings, and for each operation a matrix of clauses by API."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import quote

from conformance.reports.figures import SORTS, all_targets, sort_of, word_of
from conformance.reports.html.words import FAMILIES
from conformance.reports.html.words import SORTS as WORDS
from conformance.reports.text import counted, visible
from conformance.runs.records import ClauseRecord, ResultRecord, TargetRecord
from conformance.runs.results import Results

UNJUDGED = ("observed", "unsupported")
JUDGED = tuple(sort for sort in SORTS if sort not in UNJUDGED)


@dataclass(frozen=True)
class Column:
    """One API of a target, or the place of a target that has none."""

    target: TargetRecord
    place: int
    api: str | None
    composed: bool = False
    follows: str | None = None


@dataclass(frozen=True)
class Cell:
    """What one API did with the cases of one clause: the worst of what could be judged, in a word."""

    column: Column
    sort: str
    word: str
    count: str = ""
    missing: int = 0
    """Cases of the clause without a result."""
    title: str = ""
    link: str = ""
    known: bool = False
    beside: str = ""
    """What was not judged beside that, as ``21 observed``."""
    sorts: str = "none"
    """Every sort among the results, for the filters."""


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
    place: int
    span: int


@dataclass(frozen=True)
class Operation:
    """One operation's matrix."""

    name: str
    heads: list[Head]
    columns: list[Column]
    families: list[tuple[str, list[Row]]]
    counts: Counter[str]


Found = dict[tuple[str, str, str], list[ResultRecord]]
"""Results by clause, target and API."""


def link_to(result: ResultRecord) -> str:
    """The address of one result on the page; it outlives the run, since ids do."""
    parts = {"case": result.case, "api": result.api, "target": result.target}
    return "#" + "&".join(f"{name}={quote(visible(text), safe='/')}" for name, text in parts.items())


def operations(results: Results) -> list[Operation]:
    """The matrices, in the order in which the file has the clauses."""
    found: Found = {}
    counts: dict[str, Counter[str]] = {}
    for result in results.results:
        found.setdefault((result.clause, result.target, result.api), []).append(result)
        counts.setdefault(operation_of(results, result), Counter())[sort_of(result)] += 1
    clauses: dict[str, list[ClauseRecord]] = {}
    for clause in results.clauses.values():
        clauses.setdefault(clause.operation, []).append(clause)
    return [_operation(results, name, some, found, counts.get(name, Counter())) for name, some in clauses.items()]


def operation_of(results: Results, result: ResultRecord) -> str:
    """The operation that a result is about."""
    clause = results.clauses.get(result.clause)
    return clause.operation if clause else result.clause.partition(".")[0]


def _operation(
    results: Results, name: str, clauses: Sequence[ClauseRecord], found: Found, counts: Counter[str]
) -> Operation:
    columns = _columns(results, name)
    spans = Counter(column.place for column in columns)
    targets = {column.place: column.target for column in columns}
    heads = [Head(target, place, spans[place]) for place, target in targets.items()]
    cases = Counter(case.clause for case in results.cases.values())
    families: dict[str, list[Row]] = {}
    for clause in clauses:
        families.setdefault(clause.family, []).append(_row(clause, columns, found, cases[clause.id]))
    titled = [(FAMILIES[family], families[family]) for family in FAMILIES if family in families]
    return Operation(name, heads, columns, titled, counts)


def _columns(results: Results, operation: str) -> list[Column]:
    mappings = {(one.target, one.api): one for one in results.mappings if one.operation == operation}
    apis: dict[str, list[str]] = {}
    for result in results.results:
        if operation_of(results, result) == operation:
            apis.setdefault(result.target, []).append(result.api)
    columns = []
    for place, target in enumerate(all_targets(results)):
        mapped = [api for owner, api in mappings if owner == target.id]
        names = list(dict.fromkeys([*mapped, *apis.get(target.id, [])]))
        for api in names:
            mapping = mappings.get((target.id, api))
            composed, follows = (mapping.composed, mapping.follows) if mapping else (False, None)
            columns.append(Column(target, place, api, composed, follows))
        if not names:
            columns.append(Column(target, place, None))
    return columns


def _row(clause: ClauseRecord, columns: Sequence[Column], found: Found, cases: int) -> Row:
    cells = [_cell(column, found.get((clause.id, column.target.id, column.api or ""), []), cases) for column in columns]
    documents = " ".join(f"{one.document} {one.locator}" for one in clause.citations)
    search = " ".join([clause.id, clause.states, documents, *(column.api or "" for column in columns)])
    return Row(clause, clause.id.removeprefix(f"{clause.operation}."), cells, search.lower())


def _cell(column: Column, some: Sequence[ResultRecord], cases: int) -> Cell:
    if not some:
        return _empty(column)
    by_sort: dict[str, list[ResultRecord]] = {}
    for result in some:
        by_sort.setdefault(sort_of(result), []).append(result)
    sort = next(name for name in (*JUDGED, *UNJUDGED) if name in by_sort)
    worst = by_sort[sort]
    missing = max(0, cases - len(some))
    return Cell(
        column,
        sort,
        ", ".join(dict.fromkeys(map(word_of, worst))),
        f"{len(worst)}/{len(some)}" if len(some) > 1 else "",
        missing,
        _title(by_sort, missing),
        link_to(worst[0]),
        all(result.known for result in worst),
        ", ".join(f"{len(by_sort[name])} {name}" for name in UNJUDGED if name in by_sort and name != sort),
        " ".join(by_sort),
    )


def _empty(column: Column) -> Cell:
    if column.target.blocked is not None:
        return Cell(column, "none", "no result", title=f"blocked: {column.target.blocked}")
    if column.api is None:
        return Cell(column, "none", "no API", title="No API of this target is mapped onto the operation.")
    return Cell(column, "none", "not run", title="No case of this clause has a result for this API.")


def _title(by_sort: dict[str, list[ResultRecord]], missing: int) -> str:
    parts = []
    for name in SORTS:
        for word, count in Counter(map(word_of, by_sort.get(name, []))).items():
            label = WORDS[name].label
            parts.append(f"{count} {label if word in label else f'{label}: {word}'}")
    parts += [f"{missing} not run"] if missing else []
    return f"{counted(missing + sum(map(len, by_sort.values())), 'case')}: {', '.join(parts)}"
