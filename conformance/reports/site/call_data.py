"""The calls behind the pages, as scripts that the panel loads: those of an API, and the cases of an operation.

A page from disk can load a script, but no JSON. ``page.d.ts`` has the types.
"""

from __future__ import annotations

import shlex
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import Any, Generic, TypeVar

from conformance.findings.situations import ARGUMENTS
from conformance.outcomes.model import Returned
from conformance.reports.commands import folder_of, needs_results, options_of
from conformance.reports.details import index_text, remarks
from conformance.reports.glossary import KINDS, sentence
from conformance.reports.literals import (
    Description,
    call_texts,
    element,
    expectation_description,
    flat_elements,
    outcome_description,
    source_text,
)
from conformance.reports.site import search_words
from conformance.reports.site.addresses import anchor
from conformance.reports.site.claims import claim_anchor
from conformance.reports.site.facts import Api, Facts
from conformance.reports.site.labels import SORTS
from conformance.reports.site.pictures import is_drawn, picture
from conformance.reports.site.port_page import Ports
from conformance.reports.text import visible_json, web_address
from conformance.reports.wording import word_of
from conformance.results.records import (
    CaseRecord,
    CitationRecord,
    ClauseRecord,
    Difference,
    Differences,
    ResultRecord,
    TargetRecord,
)
from conformance.results.table import sort_of

T = TypeVar("T", bound=Hashable)
CALL_INDENT = 2
"""Columns before an argument where the panel shows a call."""
WORDS, NAMES = "data/words.js", "data/names.js"
START = "received("
"""How each of these files begins."""


class Numbers(Generic[T]):
    """Distinct values in the order in which they were added."""

    def __init__(self) -> None:
        self._numbers: dict[T, int] = {}

    def of(self, value: T) -> int:
        """The number of a value, which is added if it is new."""
        return self._numbers.setdefault(value, len(self._numbers))

    @property
    def values(self) -> list[T]:
        return list(self._numbers)


def words() -> Iterator[str]:
    """What the sorts of results and the kinds of divergence mean."""
    sorts = {name: asdict(sort) for name, sort in SORTS.items()}
    data = {"sorts": sorts, "divergences": {kind: sentence(text) for kind, text in KINDS.items()}}
    yield from _script("words", [_json(data)])


def names(facts: Facts, ports: Ports) -> Iterator[str]:
    """What the search finds."""
    yield from _script("names", [_json(search_words.names(facts, ports))])


def cases_of(facts: Facts, operation: str) -> Iterator[str]:
    """The cases of an operation that have a result, with their clauses, and what each API does in its newest version."""
    apis = [api for api in facts.operations[operation] if api.newest.blocked is None]
    names = [[api.name, _title(api.newest), facts.addresses.api(api.name), api.newest.id] for api in apis]
    clauses = {
        clause.id: _clause(facts, clause)
        for clause in facts.conclusions.results.clauses.values()
        if clause.operation == operation
    }
    fields = {
        "apis": [_json(names)],
        "clauses": [_json(clauses)],
        "cases": _object(_each_case(facts, operation, apis)),
    }
    yield from _script(f"cases of {operation}", _object(fields.items()))


def _each_case(facts: Facts, operation: str, apis: Sequence[Api]) -> Iterator[tuple[str, Sequence[str]]]:
    table = facts.conclusions.table
    for case in table.of_operation.get(operation, ()):
        if case.id in table.of_case:
            newest = ((number, table.result(api.newest.id, api.name, case.id)) for number, api in enumerate(apis))
            also = [[number, sort_of(result), word_of(result)] for number, result in newest if result]
            yield case.id, [_json({**_case(case), "also": also})]


def calls_of(facts: Facts, api: Api) -> Iterator[str]:
    """The results of an API on all its targets."""
    table, addresses = facts.conclusions.table, facts.addresses
    cases: Numbers[str] = Numbers()
    shared = _Shared()
    causes = {
        (result.target, result.case): addresses.cause(cause.id)
        for cause in facts.causes_of.get(api.name, ())
        for finding in cause.findings
        if finding.api == api.name
        for result in finding.results
    }
    rows: dict[str, list[str]] = {}
    for result in table.of_api.get((api.framework, api.name), ()):
        judgement = shared.judgement(result, causes.get((result.target, result.case)))
        rare = _rare(result, shared)
        if needs_results(result, table.results.cases.get(result.case)):
            rare["needsResults"] = True
        row = [cases.of(result.case), judgement, shared.outcome(result), *([rare] if rare else [])]
        rows.setdefault(result.target, []).append(_json(row))
    sources: Numbers[str] = Numbers()
    mappings = [
        [target, operation, sources.of(mapping.source), mapping.composed, mapping.in_place, mapping.follows]
        for (target, name, operation), mapping in facts.mappings.items()
        if name == api.name
    ]
    with_results = cases.values
    head = {
        "targets": {target.id: [_title(target), f"{target.device}, {target.mode}"] for target in api.targets},
        "options": {target.id: shlex.join(options) for target in api.targets if (options := _options(facts, target))},
        "folder": folder_of(table.results.run),
        "cases": with_results,
        "operations": {operation: addresses.cases(operation) for operation in api.operations},
        "clauses": {case: table.results.cases[case].operation for case in with_results if case in table.results.cases},
    }
    fields: dict[str, Iterable[str]] = {
        **{name: [_json(value)] for name, value in head.items()},
        "results": _object((target, _list(of_target)) for target, of_target in rows.items()),
        "judgements": [_json(shared.judgements.values)],
        "outcomes": _list(shared.outcomes),
        "remarks": [_json(shared.remarks.values)],
        "mappings": [_json(mappings)],
        "sources": [_json(sources.values)],
        "rows": [_json(_rows(facts, api, cases))],
    }
    yield from _script(f"calls of {api.name}", _object(fields.items()))


def _options(facts: Facts, target: TargetRecord) -> list[str]:
    return options_of(facts.conclusions.results.run, target)


def _rows(facts: Facts, api: Api, cases: Numbers[str]) -> dict[str, dict[str, list[int]]]:
    """By the id of a row of the page and by target, the numbers of the cases of its cell."""
    rows: dict[str, dict[str, list[int]]] = {}
    for operation in api.operations:
        prefix = f"{anchor(operation)}-" if len(api.operations) > 1 else ""
        for target in api.targets:
            for situation, behaviours in facts.does.get((api.name, operation, target.id), {}).items():
                if situation != ARGUMENTS:
                    numbers = [cases.of(result.case) for each in behaviours for result in each.results]
                    rows.setdefault(f"{prefix}{anchor(situation.title)}", {})[target.id] = numbers
    return rows


class _Shared:
    """What many results of an API have in common."""

    def __init__(self) -> None:
        self.judgements: Numbers[tuple[Any, ...]] = Numbers()
        self.remarks: Numbers[tuple[str, ...]] = Numbers()
        self._outcomes: Numbers[str] = Numbers()
        self._by_digest: dict[str, int] = {}

    @property
    def outcomes(self) -> Sequence[str]:
        """Each as JSON."""
        return self._outcomes.values

    def judgement(self, result: ResultRecord, cause: str | None) -> int:
        kinds = tuple(result.divergence)
        return self.judgements.of((sort_of(result), word_of(result), kinds, result.explanation, result.known, cause))

    def outcome(self, result: ResultRecord) -> int:
        outcome = result.outcome
        if isinstance(outcome, Returned) and outcome.digest in self._by_digest:
            return self._by_digest[outcome.digest]
        number = self.number(outcome_description(outcome))
        if isinstance(outcome, Returned):
            self._by_digest[outcome.digest] = number
        return number

    def number(self, description: Description) -> int:
        """The number of a description of an outcome."""
        return self._outcomes.of(_json(described(description)))


def described(description: Description) -> dict[str, Any]:
    """An expectation or an outcome, with its elements if they are few enough to draw."""
    shape, values = description.shape, description.values
    cells = list(flat_elements(values)) if shape is not None and values is not None and is_drawn(shape) else None
    return {
        "head": description.head,
        "body": description.body,
        "notes": list(description.notes),
        "shape": None if shape is None else list(shape),
        "cells": cells,
    }


def _case(case: CaseRecord) -> dict[str, Any]:
    control = case.control or {}
    changed = {name for name in control if name in case.call and control[name] != case.call[name]}
    written = call_texts({**case.call, **control}, CALL_INDENT) if changed else {}
    return {
        "clause": case.clause,
        "call": call_texts(case.arguments, CALL_INDENT),
        "control": {name: written[name] for name in case.call if name in changed} or None,
        "expected": described(expectation_description(case.expectation)),
        "origin": source_text(case.expectation),
        "note": case.note,
        "program": case.program,
        "source": case.source,
        "picture": picture(case),
    }


def _clause(facts: Facts, clause: ClauseRecord) -> dict[str, Any]:
    return {
        "states": clause.states,
        "requires": clause.requires,
        "source": clause.source,
        "citations": [_citation(facts, citation) for citation in clause.citations],
    }


def _citation(facts: Facts, citation: CitationRecord) -> dict[str, Any]:
    return {
        "document": citation.document,
        "locator": citation.locator,
        "says": citation.says,
        "official": citation.official,
        "versions": citation.versions,
        "url": web_address(citation.url),
        "page": f"{facts.addresses.document(citation.document)}#{claim_anchor(citation.locator)}",
    }


def _rare(result: ResultRecord, shared: _Shared) -> dict[str, Any]:
    """What few results have: remarks, differing elements, the right side of a relation, and a script."""
    right = result.relation.right if result.relation else None
    noted = tuple(remarks(result))
    return {
        **({"remarks": shared.remarks.of(noted)} if noted else {}),
        **({"differs": _differences(result.differences)} if result.differences else {}),
        **({"right": shared.number(outcome_description(right))} if right else {}),
        **({"script": result.script} if result.script else {}),
    }


def _differences(differences: Differences) -> dict[str, Any]:
    largest = differences.largest
    return {
        "count": differences.count,
        "total": differences.total,
        "rows": [[_place(row), element(row.expected), element(row.got)] for row in differences.first],
        "more": max(0, differences.count - len(differences.first)),
        "largest": [element(largest.difference), _place(largest)] if largest else None,
    }


def _place(difference: Difference) -> list[int] | str:
    """An index; of a program with several results, with the name of one."""
    return difference.index if difference.result is None else index_text(difference)


def _title(target: TargetRecord) -> str:
    return f"{target.title or target.framework} {target.version or ''}".strip()


def _script(name: str, data: Iterable[str]) -> Iterator[str]:
    """A call of the function that receives data, which are parts of JSON."""
    yield f"{START}{_json(name)}, "
    yield from data
    yield ");\n"


def _object(fields: Iterable[tuple[str, Iterable[str]]]) -> Iterator[str]:
    """An object of JSON in parts, so that neither it nor a value needs to be in memory as a whole."""
    start = "{"
    for name, value in fields:
        yield f"{start}{_json(name)}:"
        yield from value
        start = ","
    yield "{}" if start == "{" else "}"


def _list(items: Iterable[str]) -> Iterator[str]:
    """A list of JSON in parts."""
    start = "["
    for item in items:
        yield f"{start}{item}"
        start = ","
    yield "[]" if start == "[" else "]"


def _json(value: Any) -> str:
    return visible_json(value, is_compact=True)
