"""What the page's JavaScript opens: every result with its case, clause and code, as compressed JSON."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from conformance.findings.dtype_support import Support, dtype_support
from conformance.findings.timeline import timelines
from conformance.reports.html.claims import address_of, claim_id
from conformance.reports.html.columns import CaseColumns, ResultColumns, Tables, mapping_rows
from conformance.reports.html.labels import CELL_ORDER, DIVERGENCES, SORTS
from conformance.reports.html.pictures import picture
from conformance.reports.html.porting import porting_payload
from conformance.reports.html.questions import Question, questions
from conformance.reports.html.string_table import TextTable
from conformance.reports.html.versions import timeline_data
from conformance.reports.statistics import all_targets
from conformance.reports.text import visible_tree
from conformance.results.file import Results
from conformance.results.records import ClauseRecord, KnownRecord, TargetRecord


def packed(results: Results) -> str:
    """The payload as base64 of gzip of JSON, the same for the same results."""
    text = json.dumps(payload(results), ensure_ascii=True, separators=(",", ":"))
    return base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode()


def payload(results: Results) -> Any:
    """All that the page can show; see ``payload.d.ts``, which says what the page reads."""
    tables = Tables()
    texts = tables.texts
    cases = CaseColumns(results, tables)
    columns = ResultColumns(results, cases, tables)
    lines = timelines(results)
    plain = {
        "sorts": {name: {**asdict(sort), "rank": CELL_ORDER.index(name)} for name, sort in SORTS.items()},
        "divergences": DIVERGENCES,
        "targets": [_target(target) for target in all_targets(results)],
        "clauses": [_clause(clause) for clause in results.clauses.values()],
        "known": _known(list(results.known.values())),
    }
    return {
        **visible_tree(plain),
        "mappings": mapping_rows(results.mappings, texts),
        "results": columns.columns(),
        "questions": [_question(one, columns, texts) for one in questions(results, lines)],
        "timelines": [timeline_data(one, columns, texts) for one in lines],
        "dtypes": [_support(one, columns, texts) for one in dtype_support(results)],
        "cases": cases.columns(),
        "porting": porting_payload(results),
        "pictures": visible_tree([picture(case, tables.cells) for case in results.cases.values()]),
        "descriptions": tables.descriptions.rows,
        "cells": visible_tree(tables.cells.values),
        "texts": texts.values,  # the tables come last, since the others fill them
    }


def web_address(url: str | None) -> str | None:
    """The address if a browser may be sent there; anything else, a script's for one, is no link."""
    return url if url and url.startswith(("https://", "http://")) else None


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
        {**asdict(one), "url": web_address(one.url), "claim": address_of(claim_id(one))} for one in clause.citations
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
    """A question with a row for each finding: result, sort, word, count and reason."""
    rows = [
        [
            columns.number(one.first),
            one.sort,
            texts.index(one.word),
            texts.index(one.count),
            texts.optional_index(one.why),
        ]
        for one in question.findings
    ]
    return {"name": question.name, "title": question.title, "means": question.means, "rows": rows}


def _support(one: Support, columns: ResultColumns, texts: TextTable) -> list[Any]:
    """Its worst result, operation, arguments, dtype, word, whether and where it is claimed, and how often it works."""
    tried = sum(one.counts.values()) - one.counts["silent"]
    names = (texts.index(text) for text in (one.operation, one.arguments, one.dtype, one.word, one.claimed))
    return [columns.number(one.worst), *names, texts.optional_index(one.by), one.counts["works"], tried]


def _known(entries: Sequence[KnownRecord]) -> list[dict[str, Any]]:
    """The entries of ledgers; a link that no browser may follow, as ``unreported``, is told as it is."""
    return [{**asdict(one), "url": web_address(one.link)} for one in entries]
