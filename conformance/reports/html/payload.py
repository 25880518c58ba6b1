"""What the page's JavaScript opens: every result with its case, clause and code, as compressed JSON."""

from __future__ import annotations

import base64
import gzip
import json
from dataclasses import asdict
from typing import Any

from conformance.reports.account import index_text, remarks
from conformance.reports.figures import all_targets, sort_of, word_of
from conformance.reports.html.claims import address_of, claim_id
from conformance.reports.html.grids import blocks, marks
from conformance.reports.html.words import DIVERGENCES, SORTS
from conformance.reports.literals import call_text, element, expectation_text, outcome_text, source_text
from conformance.reports.text import visible_tree
from conformance.runs.records import CaseRecord, ClauseRecord, Differences, ResultRecord, TargetRecord
from conformance.runs.results import Results


def packed(results: Results) -> str:
    """The payload as base64 of gzip of JSON, the same for the same results."""
    text = json.dumps(payload(results), ensure_ascii=True, separators=(",", ":"))
    return base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode()


def payload(results: Results) -> Any:
    """All that a panel can show, its numbers as text."""
    data = {
        "sorts": {name: asdict(sort) for name, sort in SORTS.items()},
        "divergences": DIVERGENCES,
        "targets": [_target(target) for target in all_targets(results)],
        "clauses": {clause.id: _clause(clause) for clause in results.clauses.values()},
        "cases": {case.id: _case(case) for case in results.cases.values()},
        "mappings": [asdict(mapping) for mapping in results.mappings],
        "results": [_result(result) for result in results.results],
    }
    return visible_tree(data)


def web_address(url: str | None) -> str | None:
    """The address if a browser may be sent there; anything else, a script's for one, is no link."""
    return url if url and url.startswith(("https://", "http://")) else None


def _target(target: TargetRecord) -> dict[str, Any]:
    return {
        "id": target.id,
        "title": f"{target.title or target.framework} {target.version or ''}".strip(),
        "where": f"{target.device}, {target.mode}",
        "issues": web_address(target.issues),
    }


def _clause(clause: ClauseRecord) -> dict[str, Any]:
    citations = [
        {**asdict(one), "url": web_address(one.url), "claim": address_of(claim_id(one))} for one in clause.citations
    ]
    return {
        "operation": clause.operation,
        "states": clause.states,
        "requires": clause.requires,
        "source": clause.source,
        "citations": citations,
    }


def _case(case: CaseRecord) -> dict[str, Any]:
    return {
        "call": call_text(case.call),
        "twin": call_text(case.twin) if case.twin else None,
        "expects": expectation_text(case.expectation),
        "from": source_text(case.expectation),
        "blocks": blocks(case.expectation.get("returns", {})),
        "note": case.note,
        "source": case.source,
    }


def _result(result: ResultRecord) -> dict[str, Any]:
    returned = result.outcome.get("status") == "returned"
    return {
        "case": result.case,
        "target": result.target,
        "api": result.api,
        "clause": result.clause,
        "sort": sort_of(result),
        "word": word_of(result),
        "kinds": result.divergence,
        "why": result.explanation,
        "got": outcome_text(result.outcome),
        "blocks": blocks(result.outcome) if returned else None,
        "marks": marks(result.differences, result.outcome.get("shape", [])),
        "differs": _differences(result.differences),
        "remarks": list(remarks(result)),
        "known": result.known,
        "right": _right_side(result),
        "seconds": f"{result.seconds:.3g}",
    }


def _right_side(result: ResultRecord) -> Any:
    """What a law's right side gave, as text and matrices."""
    right = (result.outcome.get("law") or {}).get("right")
    if not right:
        return None
    return {"got": outcome_text(right), "blocks": blocks(right) if right.get("status") == "returned" else None}


def _differences(differences: Differences | None) -> dict[str, Any] | None:
    if differences is None:
        return None
    largest = differences.largest
    return {
        "said": f"{differences.count} of {differences.total}",
        "rows": [[index_text(one), element(one["expected"]), element(one["got"])] for one in differences.first],
        "more": max(0, differences.count - len(differences.first)),
        "largest": [element(largest.get("difference")), index_text(largest)] if largest else None,
    }
