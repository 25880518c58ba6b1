"""The whole account of one result as plain text: what a person needs who has nothing but this."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from conformance.reports.literals import call_text, element, expectation_text, outcome_text, source_text
from conformance.runs.records import CaseRecord, ClauseRecord, Differences, ResultRecord
from conformance.runs.results import Results


def reason(result: ResultRecord) -> str:
    """Why it came out so, from the judgement or else from the outcome itself."""
    return result.explanation or " ".join(outcome_text(result.outcome).split())


def account(results: Results, result: ResultRecord) -> str:
    """Clause, citation, call, expectation, outcome and differences, a paragraph each."""
    clause, case = results.clauses.get(result.clause), results.cases.get(result.case)
    parts = [f"case: {result.case}\nstanding: {result.standing}"]
    parts += [_clause_text(clause)] if clause else []
    parts += [_case_text(case)] if case else []
    parts.append(f"got: {outcome_text(result.outcome)}")
    if result.differences:
        parts.append(differences_text(result.differences))
    parts += remarks(result)
    parts += [f"known divergence: {result.known}"] if result.known else []
    return "\n\n".join(part for part in parts if part)


def _clause_text(clause: ClauseRecord) -> str:
    cited = "; ".join(f"{one.document}, {one.locator}" for one in clause.citations)
    return f"clause: {clause.id} ({clause.source})\n{clause.states}\ncited: {cited or 'no document'}"


def _case_text(case: CaseRecord) -> str:
    source = source_text(case.expectation)
    said = f" ({source})" if source else ""
    return f"call:\n{call_text(case.call)}\n\nexpected{said}: {expectation_text(case.expectation)}"


def differences_text(differences: Differences) -> str:
    """How many elements differ and the first of them, a line each."""
    lines = [f"elements that differ: {differences.count} of {differences.total}"]
    for one in differences.first:
        lines.append(f"  {index_text(one)}: expected {element(one['expected'])}, got {element(one['got'])}")
    more = differences.count - len(differences.first)
    lines += [f"  and {more} more"] if more > 0 else []
    return "\n".join(lines + _largest(differences))


def _largest(differences: Differences) -> list[str]:
    largest = differences.largest
    if not largest:
        return []
    return [f"greatest difference: {element(largest.get('difference'))} at {index_text(largest)}"]


def index_text(difference: dict[str, Any]) -> str:
    """``[0, 3]``."""
    return f"[{', '.join(map(str, difference['index']))}]"


def remarks(result: ResultRecord) -> Iterator[str]:
    """What else was seen: the other APIs of a law, casts, the twin, behaviour, warnings."""
    outcome = result.outcome
    cast, twin = outcome.get("cast") or {}, outcome.get("twin") or {}
    others = (outcome.get("law") or {}).get("with") or {}
    if others:
        yield "called besides: " + ", ".join(f"{api} as {operation}" for operation, api in others.items())
    if cast:
        yield "cast for the call: " + ", ".join(f"{name} to {dtype}" for name, dtype in cast.items())
    if twin.get("before"):
        after = f", {twin['after']} after" if twin.get("after") else ""
        yield f"the valid call beside it: {twin['before']} before{after}"
    if outcome.get("changed"):
        yield f"arguments that were changed: {', '.join(outcome['changed'])}"
    if outcome.get("aliased"):
        yield f"arguments that share memory with the result: {', '.join(outcome['aliased'])}"
    if result.behaviour:
        yield f"behaviour: {result.behaviour}"
    for warning in outcome.get("warnings") or []:
        yield f"warning: {warning}"
