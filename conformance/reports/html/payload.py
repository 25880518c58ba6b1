"""The data of the page's JavaScript: every result with its case, clause and code, as compressed JSON."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import Any

from conformance.findings.conclusions import Conclusions
from conformance.findings.dtype_support import Support
from conformance.reports.glossary import KINDS, sentence
from conformance.reports.html.apis import apis_payload
from conformance.reports.html.claims import address_of, claim_id
from conformance.reports.html.columns import CaseColumns, ResultColumns, Tables, mapping_rows
from conformance.reports.html.labels import SORTS
from conformance.reports.html.matrices import matrices_payload
from conformance.reports.html.overview import operations
from conformance.reports.html.pictures import picture
from conformance.reports.html.porting import porting_payload
from conformance.reports.html.questions import Question, questions
from conformance.reports.html.string_table import TextTable
from conformance.reports.html.versions import timeline_data
from conformance.reports.statistics import CELL_ORDER
from conformance.reports.text import visible_tree, web_address
from conformance.results.file import Results
from conformance.results.records import ClauseRecord, KnownRecord, ResultRecord, TargetRecord

_JSON = json.JSONEncoder(ensure_ascii=True, separators=(",", ":"))
_GZIP = zlib.MAX_WBITS + 16
"""With the header of gzip."""


class PageData:
    """Everything that the page's JavaScript can show."""

    def __init__(self, conclusions: Conclusions) -> None:
        results = conclusions.results
        self._results, self._conclusions = results, conclusions
        self._tables = Tables()
        self._cases = CaseColumns(results, self._tables)
        self._columns = ResultColumns(results, self._cases, self._tables)
        self.operations = operations(conclusions.table)
        """The matrices, whose shown columns are in the markup."""

    def number(self, result: ResultRecord) -> int:
        """The number of a result of the file in the data."""
        return self._columns.number(result)

    def packed(self) -> str:
        """The payload as gzipped JSON in base64; the same results give the same text.

        It is encoded and compressed part by part: as objects, the pictures of many cases would need several times the
        memory of the results.
        """
        stream = zlib.compressobj(9, wbits=_GZIP)
        packed = [stream.compress(text.encode()) for text in _encoded(self.fields())]
        return base64.b64encode(b"".join([*packed, stream.flush()])).decode()

    def fields(self) -> Iterator[tuple[str, Any]]:
        """All data by name, with an iterator for a long list; ``payload.d.ts`` declares their types."""
        results, tables, columns = self._results, self._tables, self._columns
        texts, lines = tables.texts, self._conclusions.timelines
        targets = list(self._conclusions.table.targets.values())
        plain = {
            "sorts": {name: {**asdict(sort), "rank": CELL_ORDER.index(name)} for name, sort in SORTS.items()},
            "divergences": {kind: sentence(line) for kind, line in KINDS.items()},
            "targets": [_target(target) for target in targets],
            "clauses": [_clause(clause) for clause in results.clauses.values()],
            "known": _known(list(results.known.values())),
        }
        yield from visible_tree(plain).items()
        yield "mappings", mapping_rows(results, texts)
        yield "results", columns.columns()
        yield "matrices", matrices_payload(self.operations, targets, texts)
        yield "questions", [_question(question, columns, texts) for question in questions(self._conclusions, lines)]
        yield "timelines", [timeline_data(line, self._conclusions, columns, texts) for line in lines]
        yield "dtypes", [_support(support, columns, texts) for support in self._conclusions.dtypes]
        yield "cases", self._cases.columns()
        yield "apis", apis_payload(self._conclusions, columns, texts)
        yield "porting", porting_payload(results, self._conclusions.evidence)
        yield "pictures", (visible_tree(picture(case, tables.cells)) for case in results.cases.values())
        yield "descriptions", tables.descriptions.rows
        yield "cells", visible_tree(tables.cells.values)
        yield "texts", texts.values  # last, since the other fields fill it


def payload(results: Results) -> Any:
    """The data of a page for these results."""
    fields = PageData(Conclusions(results)).fields()
    return {name: list(value) if isinstance(value, Iterator) else value for name, value in fields}


def _encoded(fields: Iterable[tuple[str, Any]]) -> Iterator[str]:
    """The JSON of an object with these fields, in parts."""
    for number, (name, value) in enumerate(fields):
        yield f"{',' if number else '{'}{_JSON.encode(name)}:"
        yield from _encoded_list(value) if isinstance(value, Iterator) else (_JSON.encode(value),)
    yield "}"


def _encoded_list(items: Iterator[Any]) -> Iterator[str]:
    yield "["
    for number, item in enumerate(items):
        yield f"{',' if number else ''}{_JSON.encode(item)}"
    yield "]"


def _target(target: TargetRecord) -> dict[str, Any]:
    return {
        "id": target.id,
        "framework": target.framework,
        "version": target.version,
        "title": f"{target.title or target.framework} {target.version or ''}".strip(),
        "where": f"{target.device}, {target.mode}",
        "issues": web_address(target.issues),
    }


def _clause(clause: ClauseRecord) -> dict[str, Any]:
    citations = [
        {**asdict(citation), "url": web_address(citation.url), "claim": address_of(claim_id(citation))}
        for citation in clause.citations
    ]
    return {
        "id": clause.id,
        "operation": clause.operation,
        "states": clause.states,
        "requires": clause.requires,
        "source": clause.source,
        "citations": citations,
    }


def _question(question: Question, columns: ResultColumns, texts: TextTable) -> dict[str, Any]:
    """A question, with result, sort, word, count and reason of each answer."""
    rows = [
        [
            columns.number(answer.first),
            answer.sort,
            texts.index(answer.word),
            texts.index(answer.count),
            texts.optional_index(answer.reason),
        ]
        for answer in question.answers
    ]
    return {"name": question.name, "title": question.title, "means": question.means, "rows": rows}


def _support(support: Support, columns: ResultColumns, texts: TextTable) -> list[Any]:
    """Worst result, operation, arguments, dtype, word, kind and source of the claim, cases that work, and cases that ran."""
    tried = sum(support.counts.values()) - support.counts["silent"]
    names = (
        texts.index(text)
        for text in (support.operation, support.arguments, support.dtype, support.word, support.claimed)
    )
    return [columns.number(support.worst), *names, texts.optional_index(support.by), support.counts["works"], tried]


def _known(entries: Sequence[KnownRecord]) -> list[dict[str, Any]]:
    """The known divergences; ``url`` is None if the link is not a web address, such as ``unreported``."""
    return [{**asdict(entry), "url": web_address(entry.link)} for entry in entries]
