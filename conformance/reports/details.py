"""The whole account of one result as plain text: what a person needs who has nothing but this."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from conformance.judging.vocabulary import Determinism
from conformance.outcomes.model import Died, Hung, Returned, Warned
from conformance.reports.literals import call_text, element, expectation_text, result_text, source_text
from conformance.reports.text import counted
from conformance.results.file import Results
from conformance.results.records import (
    CaseRecord,
    CitationRecord,
    ClauseRecord,
    Differences,
    ResultRecord,
)

MOST_ELEMENTS = 5
"""Elements that differ of which both values are shown."""


def reason(result: ResultRecord) -> str:
    """Why it came out so, from the judgement or else from the outcome itself."""
    return result.explanation or " ".join(result_text(result).split())


def account(results: Results, result: ResultRecord) -> str:
    """Whose fault it is, clause, citation, call, expectation, outcome and differences, a paragraph each."""
    clause, case = results.clauses.get(result.clause), results.cases.get(result.case)
    parts = [f"{standing_text(result, clause)}\ncase: {result.case}\ntarget: {_target_text(results, result)}"]
    parts += [_clause_text(clause)] if clause else []
    parts += [_case_text(case)] if case else []
    parts.append(f"got: {result_text(result)}")
    if result.differences:
        parts.append(differences_text(result.differences, MOST_ELEMENTS))
    parts += remarks(result)
    parts += [_known_text(results, result)] if result.known else []
    return "\n\n".join(part for part in parts if part)


def standing_text(result: ResultRecord, clause: ClauseRecord | None) -> str:
    """Whether the framework breaks its own documentation or differs from another's: ``tf.scatter_nd breaks ...``."""
    if result.standing == "own":
        kept = "keeps to" if result.verdict in ("conforms", "observed", "unsupported") else "breaks"
        if result.verdict == "blocked":
            kept = "could not be held to"
        return f"{result.api} {kept} its own documentation (standing: own)"
    cited = clause.citations if clause else []
    documents = dict.fromkeys(f"{'' if one.official else 'the unofficial '}{one.document}" for one in cited)
    differs = "differs from" if result.verdict == "diverges" else "is held to"
    return f"{result.api} {differs} what others document: {', '.join(documents) or 'nobody'} (standing: portability)"


def _target_text(results: Results, result: ResultRecord) -> str:
    target = next((one for one in results.targets if one.id == result.target), None)
    return f"{result.target}, device {target.device}, mode {target.mode}" if target else result.target


def _clause_text(clause: ClauseRecord) -> str:
    rule = [f"rule: {clause.requires}"] if clause.requires else []
    cited = [_citation_text(one) for one in clause.citations] or ["no document"]
    return "\n".join([f"clause: {clause.id} ({clause.source})", clause.states, *rule, "cited:", *cited])


def _citation_text(one: CitationRecord) -> str:
    return f"  {one.document}, {one.locator}{'' if one.official else ' (unofficial)'}: {one.says}"


def _case_text(case: CaseRecord) -> str:
    source = source_text(case.expectation)
    said = f" ({source})" if source else ""
    return f"call:\n{call_text(case.call)}\n\nexpected{said}: {expectation_text(case.expectation)}"


def differences_text(differences: Differences, most: int | None = None) -> str:
    """How many elements differ and the first of them, a line each."""
    first = differences.first[:most]
    lines = [f"elements that differ: {differences.count} of {differences.total}"]
    for one in first:
        lines.append(f"  {index_text(one)}: expected {element(one['expected'])}, got {element(one['got'])}")
    more = differences.count - len(first)
    lines += [f"  and {more} more"] if more > 0 else []
    return "\n".join(lines + _largest(differences))


def _largest(differences: Differences) -> list[str]:
    largest = differences.largest
    if not largest:
        return []
    bound = "every bit counts" if differences.bound is None else f"{differences.bound:g} is allowed"
    return [f"greatest difference: {element(largest.get('difference'))} at {index_text(largest)}, where {bound}"]


def index_text(difference: dict[str, Any]) -> str:
    """``[0, 3]``."""
    return f"[{', '.join(map(str, difference['index']))}]"


def remarks(result: ResultRecord) -> Iterator[str]:
    """What else was seen: the other APIs of a relation, casts, the control, behaviour, warnings."""
    outcome, control = result.outcome, result.control
    if result.relation and result.relation.partners:
        partners = result.relation.partners.items()
        yield "called besides: " + ", ".join(f"{api} as {operation}" for operation, api in partners)
    if result.cast:
        yield "cast for the call: " + ", ".join(f"{name} to {dtype}" for name, dtype in result.cast.items())
    if control:
        after = f", {control.after} after" if control.after else ""
        yield f"the valid call beside it: {control.before} before{after}"
    if isinstance(outcome, Returned) and outcome.changed:
        yield f"arguments that were changed: {', '.join(outcome.changed)}"
    if isinstance(outcome, Returned) and outcome.aliased:
        yield f"arguments that share memory with the result: {', '.join(outcome.aliased)}"
    if result.behaviour:
        yield f"behaviour: {result.behaviour}"
    if result.determinism:
        yield determinism_text(result.determinism)
    for warning in () if isinstance(outcome, Died | Hung) else outcome.warnings:
        yield _warning(warning)


def _known_text(results: Results, result: ResultRecord) -> str:
    framework = next((one.framework for one in results.targets if one.id == result.target), "")
    entry = results.known.get((framework, str(result.known)))
    why = f": {' '.join(entry.reason.split())} ({entry.link})" if entry else ""
    return f"known divergence: {result.known}{why}"


def varying_text(results: Results) -> str | None:
    """How many calls with duplicate indices gave another result when they were made again; None where none did."""
    some = [one for one in results.results if one.determinism and one.determinism.grade == "varies"]
    if not some:
        return None
    first = some[0]
    gave = f"{counted(len(some), 'call')} with duplicate indices gave another result when made again"
    return f"{gave}, as {first.api} on {first.target} in {first.case}."


def determinism_text(one: Determinism) -> str:
    """``made 4 times, as indices name a place twice: the same bits each time, one of the permitted results``."""
    if one.grade == "same-bits":
        came, right, wrong = "the same bits each time", "one of the permitted results", "none of the permitted results"
    else:
        came, right, wrong = f"{one.distinct} different results", "all of them permitted", "not all of them permitted"
    said = {True: f", {right}", False: f", {wrong}", None: ""}[one.permitted]
    return f"made {counted(one.repeats, 'time')}, as indices name a place twice: {came}{said}"


def _warning(warning: Warned) -> str:
    return f"warning, {counted(warning.count, 'time')}: {warning.text}"
