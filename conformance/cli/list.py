"""``conformance list``: operations, clauses, cases, targets, and what a target has that no adapter maps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from conformance.app.errors import ConformanceError
from conformance.app.listings import listing
from conformance.app.selecting import choose
from conformance.cases.selection import KeywordError, Selection, keyword
from conformance.reports.tables import table, terminal_width
from conformance.reports.text import json_text
from conformance.results.exit_status import NOTHING_SELECTED

if TYPE_CHECKING:
    from conformance.cases.store.listing import Listing
    from conformance.execution.plan import Interpreters

Row = dict[str, Any]
NEW = "neither mapped nor excused"


def show_list(
    kind: str,
    ids: tuple[str, ...],
    operations: tuple[str, ...],
    keyword: str | None,
    specs: Path | None,
    interpreters: Interpreters,
    *,
    as_json: bool,
) -> int:
    """Print a table of what the specs contain, of the targets, or of what a target has and no adapter maps."""
    if kind == "unmapped":
        rows = _unmapped(ids, Selection(keyword=keyword), specs, interpreters)
    elif kind == "targets":
        rows = _targets()
    else:
        rows = _rows(kind, listing(specs), Selection(ids, operations, keyword))
    if as_json and kind == "cases":
        _print_cases({row["id"] for row in rows}, specs)
    elif as_json:
        click.echo(json_text(rows, indent=1))
    else:
        _print(rows)
    return 0


def _rows(kind: str, listed: Listing, selection: Selection) -> list[Row]:
    clauses = {clause.id: clause for operation in listed.values() for clause in operation.clauses}
    places = {clause: place for place, clause in enumerate(clauses)}
    cases = [case for operation in listed.values() for case in operation.cases]
    selected = choose(selection, sorted(cases, key=lambda case: places[case.clause_id]))
    if kind == "cases":
        return [{"id": case.id} for case in selected]
    counts = Counter(case.clause_id for case in selected)
    if kind == "clauses":
        return [
            {"id": clause.id, "cases": counts[clause.id], "states": clause.states}
            for clause in clauses.values()
            if clause.id in counts
        ]
    rows = [
        {
            "operation": operation.name,
            "clauses": sum(clause.id in counts for clause in operation.clauses),
            "cases": sum(counts[clause.id] for clause in operation.clauses),
            "summary": operation.summary,
        }
        for operation in listed.values()
    ]
    return [row for row in rows if row["cases"]]


def _targets() -> list[Row]:
    from conformance.environments.definition import definitions
    from conformance.environments.packages import target_folders

    folders = target_folders()
    return [
        {
            "target": name,
            "tested": definition.tested or "",
            "devices": ", ".join(definition.devices),
            "modes": ", ".join(definition.modes),
            "framework": definition.title,
            "from": folders[name].source,
        }
        for name, definition in definitions().items()
    ]


def _unmapped(
    names: tuple[str, ...], selection: Selection, specs: Path | None, interpreters: Interpreters
) -> list[Row]:
    from conformance.app import loading
    from conformance.app.selecting import check_targets
    from conformance.cli.check_variants import accounts_of
    from conformance.cli.docs_target import session_of
    from conformance.environments.definition import definitions
    from conformance.specification.adapter_files import api_names

    if len(names) != 1:
        raise ConformanceError("expected one target, as in `conformance list unmapped torch`")
    check_targets(names)
    mapped = {api for definition in definitions().values() for api in api_names(definition.adapter)}
    with session_of(names[0], loading.catalogue(specs), interpreters) as session:
        found = session.unmapped(sorted(mapped.union(api["name"] for api in session.target.apis)))
        accounted = accounts_of(session)
    reasons = {**accounted.unmapped, **dict.fromkeys(accounted.new, NEW)} if accounted is not None else {}
    found = {name: found.get(name, ()) for name in sorted({*found, *reasons})}
    shown = _matching(selection.keyword, found) if selection.keyword is not None else [*found]
    rows: list[Row] = [{"name": name, "words": list(found[name]), "reason": reasons.get(name, "")} for name in shown]
    if not rows and selection.keyword is not None:
        text = f"no unmapped callable matches {selection.keyword!r} (of {len(found)})"
        raise ConformanceError(text, NOTHING_SELECTED)
    if not rows:
        click.echo("no callable is unmapped", err=True)
    return rows


def _matching(expression: str, candidates: Iterable[str]) -> list[str]:
    try:
        matches = keyword(expression)
        return [name for name in candidates if matches(name)]
    except KeywordError as error:
        raise ConformanceError(str(error)) from None


def _print_cases(selected: Collection[str], specs: Path | None) -> None:
    """Print the whole cases, as in a results file, one a line of the array."""
    from conformance.app import loading
    from conformance.results.codec import encoded
    from conformance.results.describe import case_record

    with loading.kept_to_the_end():
        cases = loading.with_cases(specs, loading.named(selected) if specs is None else None).cases
    lines = ",\n".join(encoded(case_record(case)) for case in cases if case.id in selected)
    click.echo(f"[\n{lines}\n]")


def _print(rows: list[Row]) -> None:
    """Print a table; a single column gets no heading."""
    cells = [[_cell(value) for value in row.values()] for row in rows]
    if rows and len(rows[0]) > 1:
        cells = [[name.upper() for name in rows[0]], *cells]
    for line in table(cells, terminal_width()):
        click.echo(line)


def _cell(value: object) -> str:
    return ", ".join(value) if isinstance(value, list) else str(value)
