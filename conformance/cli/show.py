"""``conformance show``: the details of clauses and cases."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import click

from conformance.app import loading
from conformance.app.selecting import choose, operations_of
from conformance.cases.model import Case
from conformance.cases.selection import Selection
from conformance.reports.literals import call_text, expectation_text, source_text
from conformance.results.describe import case_record, clause_record
from conformance.results.records import CaseRecord, ClauseRecord


def show(ids: tuple[str, ...], specs: Path | None, *, as_json: bool) -> int:
    """Print the clauses and cases with these ids."""
    with loading.kept_to_the_end():
        named = loading.named(ids) if specs is None else None
        loaded = loading.with_cases(specs, named)
        selection = Selection(ids)
        read = named or operations_of(selection, loaded.facts, are_all=True)
        cases = loaded.of_operations(read)
    selected = choose(selection, cases)
    for line in _records(selected) if as_json else _texts(selected):
        click.echo(line)
    return 0


def _records(cases: list[Case]) -> Iterator[str]:
    for clause in {case.clause.id: case.clause for case in cases}.values():
        yield json.dumps(asdict(clause_record(clause)), ensure_ascii=False)
    for case in cases:
        yield json.dumps(asdict(case_record(case)), ensure_ascii=False)


def _texts(cases: list[Case]) -> Iterator[str]:
    clauses: set[str] = set()
    derived = _derived(cases)
    for case in cases:
        if case.variation.base in derived:
            continue
        if case.clause.id not in clauses:
            yield from ([""] if clauses else [])
            clauses.add(case.clause.id)
            yield from _clause_lines(clause_record(case.clause))
        yield ""
        yield from _case_lines(case_record(case))
        if case.id in derived:
            suffixes = ", ".join(name.removeprefix(case.id) for name in derived[case.id])
            yield from textwrap.wrap(f"and the same for {suffixes}", 100, initial_indent="  ", subsequent_indent="    ")


def _derived(cases: list[Case]) -> dict[str, list[str]]:
    """The ids of derived cases, by that of the case they derive from. They are listed by name, with no details."""
    ids = {case.id for case in cases}
    derived: dict[str, list[str]] = {}
    for case in cases:
        base = case.variation.base
        if base is not None and base in ids:
            derived.setdefault(base, []).append(case.id)
    return derived


def _clause_lines(clause: ClauseRecord) -> Iterator[str]:
    yield f"{clause.id}  ({clause.source})"
    yield f"  {clause.states}"
    if clause.requires:
        yield f"  {clause.requires}"
    for citation in clause.citations:
        yield f"  {citation.document}#{citation.locator}: {citation.says}"


def _case_lines(case: CaseRecord) -> Iterator[str]:
    yield f"{case.id}  ({case.source})"
    if case.note:
        yield f"  {case.note}"
    if case.program is not None:
        yield from _indented(case.program, 2)
    yield from _indented(call_text(case.arguments), 2)
    source = source_text(case.expectation)
    yield "  expected" + (f", {source}:" if source else ":")
    yield from _indented(expectation_text(case.expectation), 4)
    if case.control is not None:
        yield "  control:"
        yield from _indented(call_text(case.control), 4)


def _indented(text: str, columns: int) -> Iterator[str]:
    for line in text.splitlines():
        yield " " * columns + line
