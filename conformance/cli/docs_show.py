"""``conformance docs [show]``: print shipped documentation by sentence, or what nobody has read."""

from __future__ import annotations

import json
import shutil
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from conformance.app import loading
from conformance.cli.docs_target import documents_about, objects, shipped_by, target_of
from conformance.documentation.reading import Reading, Statement, read
from conformance.execution.plan import Interpreters
from conformance.execution.shipped import Shipped
from conformance.reports.text import counted, visible, wrapped
from conformance.specification.model import Citation


def show_documentation(
    apis: Sequence[str], target: str | None, specs: Path | None, interpreters: Interpreters, *,
    unread: bool, markdown: bool, as_json: bool,
) -> int:  # fmt: skip
    """Print the shipped documentation of APIs, or of all APIs of the target."""
    catalogue = loading.catalogue(specs)
    shipped = shipped_by(target_of(apis, target), catalogue, interpreters)
    documents = documents_about(catalogue, shipped)
    names = objects(shipped, apis)
    readings = [read(documents, name, shipped.texts[name]) for name in names if name in shipped.texts]
    if as_json:
        click.echo(json.dumps(_as_json(shipped, readings, names), indent=1))
        return 0
    for line in _markdown(shipped, readings) if markdown else _lines(shipped, readings, names, unread=unread):
        click.echo(line)
    return 0


def _lines(shipped: Shipped, readings: Sequence[Reading], names: Sequence[str], *, unread: bool) -> Iterator[str]:
    width = max(60, shutil.get_terminal_size((100, 24)).columns)
    for reading in readings:
        if not unread or reading.unread or reading.lost:
            yield from _reading_lines(shipped, reading, width, unread=unread)
            yield ""
    for name in names:
        if name in shipped.problems:
            yield f"no documentation: {visible(shipped.problems[name])}"
    yield f"{shipped.target}: {_summary(readings)}"


def _summary(readings: Sequence[Reading]) -> str:
    statements = sum(len(reading.statements) for reading in readings)
    unread = sum(len(reading.unread) for reading in readings)
    return (
        f"{counted(statements, 'statement')} in {counted(len(readings), 'text')}: "
        f"{sum(reading.claimed for reading in readings)} read by claims or run, "
        f"{sum(reading.untestable for reading in readings)} untestable, {unread} unread"
    )


def _reading_lines(shipped: Shipped, reading: Reading, width: int, *, unread: bool) -> Iterator[str]:
    yield reading.name
    others = [api for api in shipped.apis_of(reading.name) if api != reading.name]
    yield from wrapped(f"documents {', '.join(others)}", width, "  ", deeper=0) if others else ()
    yield f"  {_summary([reading])}"
    for statement in reading.unread if unread else reading.statements:
        yield ""
        yield f"  {statement.piece.hash}  {statement.piece.place}"
        yield from _text_lines(statement, width)
        yield from _reason_lines(statement, width)
    for lost in reading.lost:
        yield ""
        yield from _claim_lines(f"{', '.join(lost.missing)}  lost by ", lost.citation, "  ", width)


def _text_lines(statement: Statement, width: int) -> Iterator[str]:
    text = visible(statement.piece.text)
    if statement.piece.place.kind in ("code", "example"):
        yield from textwrap.indent(textwrap.dedent(text), "      ").splitlines()
    else:
        yield from wrapped(text, width, "      ", deeper=0)


def _reason_lines(statement: Statement, width: int) -> Iterator[str]:
    for citation in statement.claims:
        yield from _claim_lines("", citation, "    -> ", width)
    for document, erratum in statement.errata:
        yield from wrapped(f"{document}, erratum {erratum.slug}: {erratum.adopted}", width, "    -> ", deeper=0)
    for document, group in statement.untestable:
        yield from wrapped(f"{document}, untestable, {group.name}: {group.reason}", width, "    -- ", deeper=0)
    if statement.is_run:
        yield "    -> an example, which a run executes as it stands"
    if not statement.is_read:
        yield "    ?? nobody has read this"
    if statement.instead_of is not None:
        yield from _claim_lines("perhaps instead of ", statement.instead_of, "    ?? ", width)


def _claim_lines(before: str, citation: Citation, indent: str, width: int) -> Iterator[str]:
    reason = f" (untestable: {citation.claim.untestable})" if citation.claim.untestable is not None else ""
    yield from wrapped(f"{before}{citation}: {citation.claim.says}{reason}", width, indent, deeper=0)


def _markdown(shipped: Shipped, readings: Sequence[Reading]) -> Iterator[str]:
    """What a person has to read, as a list of tasks: places and hashes, no third-party text."""
    yield f"## {shipped.target}: documentation to read"
    yield ""
    yield f'{_summary(readings)}. `conformance docs --unread --target "{shipped.target}"` prints the text.'
    for reading in readings:
        if not reading.unread and not reading.lost:
            continue
        yield ""
        yield f"### `{reading.name}`"
        yield ""
        for statement in reading.unread:
            instead = f", perhaps instead of `{statement.instead_of}`" if statement.instead_of is not None else ""
            yield f"- [ ] {statement.piece.place} (`{statement.piece.hash}`){instead}"
        for lost in reading.lost:
            yield f"- [ ] `{lost.citation}` lost {', '.join(f'`{each}`' for each in lost.missing)}"


def _as_json(shipped: Shipped, readings: Sequence[Reading], names: Sequence[str]) -> dict[str, Any]:
    return {
        "target": shipped.target,
        "objects": [
            {
                "name": reading.name,
                "apis": shipped.apis_of(reading.name),
                "statements": [_statement_as_json(statement) for statement in reading.statements],
                "lost": [{"claim": str(lost.citation), "missing": list(lost.missing)} for lost in reading.lost],
            }
            for reading in readings
        ],
        "problems": {name: shipped.problems[name] for name in names if name in shipped.problems},
    }


def _statement_as_json(statement: Statement) -> dict[str, Any]:
    place = statement.piece.place
    return {
        "hash": statement.piece.hash,
        "kind": place.kind,
        "place": str(place),
        "locator": place.locator,
        "claims": [str(citation) for citation in statement.claims],
        "untestable": [f"{document}, {group.name}" for document, group in statement.untestable],
        "errata": [f"{document}, {erratum.slug}" for document, erratum in statement.errata],
        "instead_of": str(statement.instead_of) if statement.instead_of is not None else None,
    }
