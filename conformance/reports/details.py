"""The details of one result as plain text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from conformance.judging.vocabulary import Confirmation, Determinism
from conformance.outcomes.model import Died, Hung, Raised, Returned, Warned
from conformance.reports.literals import call_text, element, expectation_text, result_text, source_text
from conformance.reports.text import counted
from conformance.results.file import Results
from conformance.results.records import (
    CaseRecord,
    CitationRecord,
    ClauseRecord,
    Difference,
    Differences,
    ResultRecord,
    TargetRecord,
)

MOST_ELEMENTS = 5
"""Differing elements for which both values are shown."""
OWN_VERBS = {
    "conforms": "conforms to",
    "observed": "conforms to",
    "unsupported": "conforms to",
    "blocked": "could not be checked against",
}
CONFIRMED: Mapping[Confirmation | None, str] = {
    "alone": "alone",
    "after-others": "after other calls",
    "together": "compiled together with other calls",
}
"""One that was not is said to be in its explanation."""


def reason(result: ResultRecord) -> str:
    """The explanation of the judgement, or else the outcome itself."""
    return result.explanation or " ".join(result_text(result).split())


def details(results: Results, result: ResultRecord) -> str:
    """Return standing, clause, citations, call, expectation, outcome and differences, a paragraph each."""
    clause, case = results.clauses.get(result.clause), results.cases.get(result.case)
    target = next((target for target in results.targets if target.id == result.target), None)
    exported = f" exported by {result.target}" if target and target.path else ""
    parts = [f"{standing_text(result, clause, exported)}\ncase: {result.case}\ntarget: {_target_text(result, target)}"]
    parts += [_clause_text(clause)] if clause else []
    parts += [_case_text(case)] if case else []
    parts.append(f"actual: {result_text(result)}")
    if result.differences:
        parts.append(differences_text(result.differences, MOST_ELEMENTS))
    parts += remarks(result)
    parts += [f"confirmed in a fresh process: {CONFIRMED[result.confirmed]}"] if result.confirmed in CONFIRMED else []
    parts += [_known_text(results, result)] if result.known else []
    return "\n\n".join(part for part in parts if part)


def standing_text(result: ResultRecord, clause: ClauseRecord | None, exported: str = "") -> str:
    """State whether the API conforms to its own documentation or to that of other APIs: ``tf.scatter_nd breaks ...``.

    exported: for a path, what was done with the API.
    """
    api = f"{result.api}{exported}"
    if result.standing == "own":
        return f"{api} {OWN_VERBS.get(result.verdict, 'breaks')} its own documentation (standing: own)"
    if result.standing == "printed":
        verb = {"conforms": "gives", "diverges": "does not give"}.get(result.verdict, "is compared with")
        return f"{api} {verb} the result of a worked example about it (standing: printed)"
    citations = clause.citations if clause else []
    documents = dict.fromkeys(f"{'' if cited.official else 'unofficial '}{cited.document}" for cited in citations)
    verb = "differs from" if result.verdict == "diverges" else "is compared with"
    return f"{api} {verb} other documentation: {', '.join(documents) or 'none'} (standing: portability)"


def _target_text(result: ResultRecord, target: TargetRecord | None) -> str:
    return f"{result.target}, device {target.device}, mode {target.mode}" if target else result.target


def _clause_text(clause: ClauseRecord) -> str:
    rule = [f"rule: {clause.requires}"] if clause.requires else []
    citations = [_citation_text(citation) for citation in clause.citations] or ["no document"]
    return "\n".join([f"clause: {clause.id} ({clause.source})", clause.states, *rule, "cited:", *citations])


def _citation_text(citation: CitationRecord) -> str:
    unofficial = "" if citation.official else " (unofficial)"
    return f"  {citation.document}, {citation.locator}{unofficial}: {citation.says}"


def _case_text(case: CaseRecord) -> str:
    source = source_text(case.expectation)
    origin = f" ({source})" if source else ""
    around = "" if case.program is None else f"program:\n{case.program.rstrip()}\n\n"
    return f"{around}call:\n{call_text(case.arguments)}\n\nexpected{origin}: {expectation_text(case.expectation)}"


def differences_text(differences: Differences, most: int | None = None) -> str:
    """The number of differing elements, and a line for each of the first of them."""
    first = differences.first[:most]
    lines = [f"differing elements: {differences.count} of {differences.total}"]
    for difference in first:
        expected, actual = element(difference.expected), element(difference.got)
        lines.append(f"  {index_text(difference)}: expected {expected}, actual {actual}")
    more = differences.count - len(first)
    lines += [f"  and {more} more"] if more > 0 else []
    return "\n".join(lines + _largest(differences))


def _largest(differences: Differences) -> list[str]:
    largest = differences.largest
    if not largest:
        return []
    bound = "exact match required" if differences.bound is None else f"{differences.bound:g} allowed"
    return [f"largest difference: {element(largest.difference)} at {index_text(largest)} ({bound})"]


def index_text(difference: Difference) -> str:
    """``[0, 3]``; of a program with several results ``y [0, 3]``."""
    index = f"[{', '.join(map(str, difference.index))}]"
    return index if difference.result is None else f"{difference.result} {index}"


def remarks(result: ResultRecord) -> Iterator[str]:
    """Further observations: other APIs of a relation, casts, control, behaviour, warnings; and why there is no script."""
    outcome, control = result.outcome, result.control
    if result.relation and result.relation.partners:
        partners = result.relation.partners.items()
        yield "also called: " + ", ".join(f"{api} for {operation}" for operation, api in partners)
    if result.cast:
        yield "cast for the call: " + ", ".join(f"{name} to {dtype}" for name, dtype in result.cast.items())
    if control:
        after = f", {control.after} after" if control.after else ""
        yield f"control: {control.before} before{after}"
    if isinstance(outcome, Returned | Raised) and outcome.changed:
        yield f"changed arguments: {', '.join(outcome.changed)}"
    if isinstance(outcome, Returned) and outcome.aliased:
        yield f"arguments that share memory with the result: {', '.join(outcome.aliased)}"
    if result.behaviour:
        yield f"behaviour: {result.behaviour}"
    if result.determinism:
        yield determinism_text(result.determinism)
    for warning in () if isinstance(outcome, Died | Hung) else outcome.warnings:
        yield _warning(warning)
    if result.no_script:
        yield f"no script: {result.no_script}"


def _known_text(results: Results, result: ResultRecord) -> str:
    known = results.known_record(result)
    reason = f": {' '.join(known.reason.split())} ({known.link})" if known else ""
    return f"known divergence: {result.known}{reason}"


def determinism_text(determinism: Determinism) -> str:
    """``repeated 11 times because of duplicate indices, with 8 threads: the same bits each time, a permitted result``."""
    if determinism.grade == "same-bits":
        results, permitted, forbidden = "the same bits each time", "a permitted result", "not a permitted result"
    else:
        results = f"{determinism.distinct} different results"
        permitted, forbidden = "all of them permitted", "not all of them permitted"
    judgement = {True: f", {permitted}", False: f", {forbidden}", None: ""}[determinism.permitted]
    threads = f", with {counted(determinism.threads, 'thread')}" if determinism.threads else ""
    times = counted(determinism.repeats, "time")
    return f"repeated {times} because of duplicate indices{threads}: {results}{judgement}"


def _warning(warning: Warned) -> str:
    return f"warning, {counted(warning.count, 'time')}: {warning.text}"
