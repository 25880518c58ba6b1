"""``conformance show``: the details of clauses and cases, and what APIs do."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import click

from conformance.app import loading
from conformance.app.errors import ConformanceError
from conformance.app.published import published
from conformance.app.selecting import choose, operation_in, operations_of
from conformance.cases.model import Case
from conformance.cases.selection import Selection
from conformance.cli.show_api import show_apis
from conformance.data_folders import suite_operations
from conformance.reports.literals import call_text, expectation_text, source_text
from conformance.reports.text import json_text
from conformance.results.describe import case_record, clause_record
from conformance.results.records import CaseRecord, ClauseRecord
from conformance.specification.problems import did_you_mean


def show(ids: tuple[str, ...], specs: Path | None, *, as_json: bool) -> int:
    """Print the clauses and cases with these ids, and what APIs of these names do."""
    known = published() if specs is None else None
    if known is not None:
        apis = [name for name in ids if name in known.of_api]
        ids = tuple(name for name in ids if name not in known.of_api)
        for name in ids:
            if operation_in(name) not in suite_operations() and (hint := did_you_mean(name, known.of_api)):
                raise ConformanceError(
                    f"{name!r} is no API of the published run, and no operation, clause or case{hint}"
                )
        show_apis(apis, known, as_json=as_json)
    return _show_cases(ids, specs, as_json=as_json) if ids else 0


def _show_cases(ids: tuple[str, ...], specs: Path | None, *, as_json: bool) -> int:
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
        yield json_text(asdict(clause_record(clause)))
    for case in cases:
        yield json_text(asdict(case_record(case)))


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
