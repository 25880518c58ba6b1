"""``conformance list``: operations, clauses, cases and targets."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from conformance.cli import loading
from conformance.cli.selecting import selecting, split_ids
from conformance.runs.selection import Selection
from conformance.spec.model import Catalogue, Clause

KINDS = ("operations", "clauses", "cases", "targets")
Row = dict[str, Any]


@click.command(name="list")
@click.argument("kind", type=click.Choice(KINDS), default="operations")
@click.argument("ids", nargs=-1, metavar="[ID]...")
@selecting
@click.option("--json", "as_json", is_flag=True, help="For programs: one JSON array.")
def command(
    kind: str,
    ids: tuple[str, ...],
    operations: tuple[str, ...],
    keyword: str | None,
    specs: Path | None,
    *,
    as_json: bool,
) -> int:
    """List what there is: operations (the default), clauses, cases or targets."""
    if kind == "targets":
        rows = _targets()
    else:
        catalogue = loading.catalogue(specs)
        split_ids(ids, catalogue)
        rows = _rows(kind, catalogue, Selection(ids, operations, keyword))
    if as_json:
        click.echo(json.dumps(rows, ensure_ascii=False, indent=1))
    else:
        _print(rows)
    return 0


def _rows(kind: str, catalogue: Catalogue, selection: Selection) -> list[Row]:
    clauses = [clause for operation in catalogue.operations.values() for clause in operation.clauses]
    ids = [f"{clause.id}/{trial.name}" for clause in clauses for trial in clause.trials]
    chosen = loading.chosen(selection, ids)
    if kind == "cases":
        return [{"id": one} for one in chosen]
    held: dict[str, int] = {}
    for one in chosen:
        clause = one.partition("/")[0]
        held[clause] = held.get(clause, 0) + 1
    if kind == "clauses":
        return [_clause(clause, held[clause.id]) for clause in clauses if clause.id in held]
    return [
        {
            "operation": name,
            "clauses": sum(clause.id in held for clause in operation.clauses),
            "cases": sum(held.get(clause.id, 0) for clause in operation.clauses),
            "summary": operation.summary,
        }
        for name, operation in catalogue.operations.items()
        if any(clause.id in held for clause in operation.clauses)
    ]


def _clause(clause: Clause, cases: int) -> Row:
    return {"id": clause.id, "cases": cases, "states": clause.states}


def _targets() -> list[Row]:
    from conformance.places import adapters_folder
    from conformance.targets.definition import find_definitions

    return [
        {
            "target": name,
            "tested": definition.tested or "",
            "devices": ", ".join(definition.devices),
            "modes": ", ".join(definition.modes),
            "framework": definition.title,
        }
        for name, definition in find_definitions(adapters_folder()).items()
    ]


def _print(rows: list[Row]) -> None:
    """Columns as wide as they need to be; the last one may run on."""
    columns = list(rows[0]) if rows else []
    widths = {name: max(len(str(row[name])) for row in [*rows, {name: name}]) for name in columns}
    if len(columns) > 1:
        click.echo("  ".join(name.upper().ljust(widths[name]) for name in columns).rstrip())
    for row in rows:
        click.echo("  ".join(str(row[name]).ljust(widths[name]) for name in columns).rstrip())
