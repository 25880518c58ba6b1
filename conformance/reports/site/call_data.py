"""The calls behind the pages, as scripts that the panel loads: those of an API, and the cases of an operation.

A page from disk can load a script, but no JSON. ``page.d.ts`` has the types.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Generic, TypeVar

from conformance.findings.situations import ARGUMENTS
from conformance.outcomes.model import Returned
from conformance.reports.commands import folder_of, needs_results, options_of
from conformance.reports.details import index_text, remarks
from conformance.reports.glossary import KINDS, sentence
from conformance.reports.literals import (
    Description,
    Elements,
    call_texts,
    element,
    expectation_description,
    outcome_description,
    source_text,
)
from conformance.reports.site import search_words
from conformance.reports.site.addresses import anchor
from conformance.reports.site.claims import claim_anchor
from conformance.reports.site.facts import Api, Facts
from conformance.reports.site.labels import SORTS
from conformance.reports.site.pictures import picture
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
from conformance.results.variations import TransformedRecord

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
    shared = _SharedByCases(facts)
    fields: dict[str, Iterable[str]] = {
        "apis": [_json(names)],
        "clauses": [_json(clauses)],
        "cases": _object(_each_case(facts, operation, apis, shared)),
        # These are known when the cases have been written.
        "abouts": _list_of(lambda: map(_json, shared.abouts.values)),
        "also": _list_of(lambda: shared.also.values),
        "pictures": _list_of(lambda: shared.pictures.values),
    }
    yield from _script(f"cases of {operation}", _object(fields.items()))


def _each_case(
    facts: Facts, operation: str, apis: Sequence[Api], shared: _SharedByCases
) -> Iterator[tuple[str, Sequence[str]]]:
    table = facts.conclusions.table
    for case in table.of_operation.get(operation, ()):
        if case.id in table.of_case:
            newest = ((number, table.result(api.newest.id, api.name, case.id)) for number, api in enumerate(apis))
            also = _json([[number, sort_of(result), word_of(result)] for number, result in newest if result])
            control = _control(case)
            row = [
                shared.about(case),
                shared.also.of(also),
                shared.picture(case),
                arguments_of(case.arguments),
                compact(expectation_description(case.expectation)),
                *([control] if control else []),
            ]
            yield case.id, [_json(row)]


class _SharedByCases:
    """What many cases of an operation have in common."""

    def __init__(self, facts: Facts) -> None:
        self.abouts: Numbers[tuple[str | None, ...]] = Numbers()
        self.also: Numbers[str] = Numbers()
        """Each as JSON, as pictures are."""
        self.pictures: Numbers[str] = Numbers()
        self._alike = facts.conclusions.table.alike
        self._pictures: dict[Hashable, int] = {}

    def about(self, case: CaseRecord) -> int:
        return self.abouts.of((case.clause, source_text(case.expectation), case.note, case.program, case.source))

    def picture(self, case: CaseRecord) -> int | None:
        """The number of a picture without what stands in the call."""
        # A picture shows, besides the call, the shape of what is expected.
        expected = case.expectation.get("returns", {}).get("shape")
        is_transformed = isinstance(case.variation, TransformedRecord)
        key = (self._alike.first(case).id, repr(expected), "relation" in case.expectation, is_transformed)
        if key not in self._pictures:
            self._pictures[key] = self.pictures.of(_json(_without_elements(case, picture(case))))
        return self._pictures[key]


def _without_elements(case: CaseRecord, drawn: dict[str, Any] | None) -> dict[str, Any] | None:
    """A picture without what the call beside it says of its tensors; what a program makes of its arguments is not there."""
    if drawn is None or case.program is not None:
        return drawn
    for part in drawn["parts"]:
        if literal_array(case.call.get(part["name"])) is not None:
            del part["head"], part["cells"]
    return drawn


def arguments_of(call: Mapping[str, Any]) -> dict[str, list[str] | str]:
    """Each argument: a tensor with its elements, or text."""
    arrays = {name: literal_array(value) for name, value in call.items()}
    texts = call_texts({name: None if arrays[name] else value for name, value in call.items()}, CALL_INDENT)
    return {name: texts[name] if array is None else _array(*array) for name, array in arrays.items()}


def _array(dtype: str, elements: Any, view: str | None) -> list[str]:
    return [dtype, elements_text(elements), *([str(view)] if view else [])]


def _control(case: CaseRecord) -> dict[str, list[str] | str]:
    """The arguments that are others in the control."""
    control, call = case.control or {}, case.call
    return arguments_of({name: control[name] for name in call if name in control and control[name] != call[name]})


def literal_array(value: Any) -> tuple[str, Any, str | None] | None:
    """The dtype, elements and view of what is written as lists; None for any other argument."""
    if not isinstance(value, Mapping) or len(value) != 1 + ("view" in value):
        return None
    dtype = next(name for name in value if name != "view")
    return (dtype, value[dtype], value.get("view")) if isinstance(value[dtype], list) else None


def elements_text(values: Any) -> str:
    """The elements of an array as JSON in a text, since numbers of JavaScript are not those of every dtype."""
    text = _json(values)
    return text if "{" not in text else _json(_texts(values))


def _texts(values: Any) -> Any:
    return [_texts(value) for value in values] if isinstance(values, list) else element(values)


def compact(description: Description) -> list[Any] | dict[str, Any]:
    """An expectation or an outcome: dtype, shape, elements and remarks of an array, or words. What is empty is left out."""
    if isinstance(description, Elements):
        return [description.dtype, list(description.shape), elements_text(description.values), *description.notes]
    fields = {name: getattr(description, name) for name in ("head", "body", "notes", "shape")}
    return {name: value for name, value in fields.items() if value or (name == "shape" and value == ())}


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
        "of": _operations_of(with_results, api.operations, table.results.cases),
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
        return self._outcomes.of(_json(compact(description)))


def _operations_of(cases: Sequence[str], operations: Sequence[str], known: Mapping[str, CaseRecord]) -> list[int]:
    """By case, the number of its operation, or -1; nothing if the API has one only, and each case of it is known."""
    numbers = {operation: number for number, operation in enumerate(operations)}
    found = [numbers.get(known[case].operation, -1) if case in known else -1 for case in cases]
    return found if any(found) else []


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


def _list_of(items: Callable[[], Iterable[str]]) -> Iterator[str]:
    """A list of JSON in parts, of what is not known before the parts before it were written."""
    yield from _list(items())


def _list(items: Iterable[str]) -> Iterator[str]:
    """A list of JSON in parts."""
    start = "["
    for item in items:
        yield f"{start}{item}"
        start = ","
    yield "[]" if start == "[" else "]"


def _json(value: Any) -> str:
    return visible_json(value, is_compact=True)
