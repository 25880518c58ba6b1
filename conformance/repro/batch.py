"""Scripts for what a run found, one for each cause, out of its results file.

``conformance repro --all --results DIR`` stores each in the results file, as the ``script`` of the result that it shows. A
script of a single call is written from what the results file says, which the run has confirmed. It costs two starts of the
target's interpreter: one to choose the forms of its tensors, and one to run it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from conformance.cases.model import Case
from conformance.cases.reference import Reference, ReferenceFailed
from conformance.cases.written import case_of
from conformance.repro.errors import NoScript
from conformance.repro.interpreter import Interpreter
from conformance.repro.make import make
from conformance.results.describe import case_record
from conformance.results.file import Results
from conformance.results.observed import CaseResult, ObservedCall
from conformance.results.records import CaseRecord, ResultRecord, TargetRecord
from conformance.specification.literals import LiteralError, argument
from conformance.specification.model import Call, Catalogue, Clause, WrittenCall


@dataclass(frozen=True)
class ScriptOrReason:
    """A result, and the script that shows it or why there is none."""

    result: ResultRecord
    script: str | None
    reason: str | None = None


def found_cases(results: Results, catalogue: Catalogue, reference: Reference) -> Iterator[Case]:
    """The counterexamples of a run as cases of the specs; those that do not fit the specs any more are left out."""
    operations = catalogue.operations.values()
    clauses = {clause.id: (operation, clause) for operation in operations for clause in operation.clauses}
    for record in results.cases.values():
        if record.provenance == "found" and record.clause in clauses:
            operation, clause = clauses[record.clause]
            with suppress(LiteralError, ReferenceFailed):
                yield case_of(operation, clause, _written_call(clause, record), reference)


def _written_call(clause: Clause, record: CaseRecord) -> WrittenCall:
    """As in a case file, a call that breaks its rule is one that has a valid control."""
    control = _call(record.control) if record.control is not None else None
    breaks = control is not None and clause.rule is not None and clause.rule.require is not None
    expected = clause.rule.broken if clause.rule and breaks else None
    name = record.id.removeprefix(f"{clause.id}/")
    return WrittenCall(name, _call(record.call), expected, control, record.note, clause.location)


def _call(arguments: Mapping[str, Any]) -> Call:
    return Call({name: argument(value) for name, value in arguments.items()})


def causes(results: Results, target: TargetRecord) -> list[ResultRecord]:
    """Of one target one result for each cause: own divergences, deaths, hangs, and whatever has a counterexample.

    Results of one API under one clause that went wrong alike have one cause; a counterexample stands for the rest, else
    the smallest call does.
    """
    groups: dict[tuple[object, ...], list[ResultRecord]] = {}
    for result in results.results:
        if result.target == target.id and result.verdict in ("diverges", "died", "hung"):
            key = (result.api, result.clause, result.verdict, *result.divergence, result.behaviour)
            groups.setdefault(key, []).append(result)
    found = {case.id for case in results.cases.values() if case.provenance == "found"}

    def is_wanted(result: ResultRecord) -> bool:
        return result.standing == "own" or result.verdict in ("died", "hung") or result.case in found

    wanted = [group for group in groups.values() if any(map(is_wanted, group))]
    return [min(group, key=lambda result: (result.case not in found, _length(results, result))) for group in wanted]


def scripts(
    results: Results,
    target: TargetRecord,
    cases: Mapping[str, Case],
    interpreter: Interpreter,
    calls_of: Callable[[CaseResult], Sequence[ObservedCall]],
) -> Iterator[ScriptOrReason]:
    """For each cause its script, made and run one after the other.

    cases: by id, as the specs have them, counterexamples among them.
    calls_of: makes the calls that show a result; NoScript where it cannot.
    TargetBlocked where the target does not start.
    """
    mappings = [mapping for mapping in results.mappings if mapping.target == target.id]
    for result in causes(results, target):
        try:
            shown = CaseResult(_case(results, cases, result), result, target, mappings)
            yield ScriptOrReason(result, _script(shown, interpreter, calls_of))
        except NoScript as error:
            yield ScriptOrReason(result, None, str(error))


def with_scripts(results: Results, scripts: Iterable[ScriptOrReason]) -> Results:
    """The results with these scripts in place of those that they have."""
    by_key = {_key(one.result): one.script for one in scripts}
    shown = [replace(result, script=by_key.get(_key(result), result.script)) for result in results.results]
    return replace(results, results=shown)


def _length(results: Results, result: ResultRecord) -> int:
    case = results.cases.get(result.case)
    return len(json.dumps(dict(case.call))) if case else 0


def _case(results: Results, cases: Mapping[str, Case], result: ResultRecord) -> Case:
    case, record = cases.get(result.case), results.cases.get(result.case)
    if case is None:
        raise NoScript("the specs have no such case: it was generated, or is gone")
    if record is not None and case_record(case).digest != record.digest:
        raise NoScript("its call or expectation in the specs has changed since the run")
    return case


def _script(
    shown: CaseResult, interpreter: Interpreter, calls_of: Callable[[CaseResult], Sequence[ObservedCall]]
) -> str:
    if shown.result.polluter is not None:
        raise NoScript("it depends on an earlier call; conformance repro CASE --results DIR shows both")
    script = make(shown, calls_of(shown), interpreter)
    if script.mismatch is not None:
        raise NoScript(f"its script does not show it: {script.mismatch}")
    return script.text


def _key(result: ResultRecord) -> tuple[str, str, str]:
    return result.case, result.target, result.api


def summary(scripts: Sequence[ScriptOrReason]) -> str:
    """``12 scripts written; 2 causes have none``."""
    written = sum(one.script is not None for one in scripts)
    without = len(scripts) - written
    text = f"{written} script{'s' if written != 1 else ''} written"
    return f"{text}; {without} cause{'s have' if without != 1 else ' has'} none" if without else text
