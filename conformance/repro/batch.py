"""Scripts for the causes of a run, written from its results file.

``conformance repro --all --results DIR`` stores each script in the results file, in the field ``script`` of the result that it
reproduces. A script of a single call is written from the results file alone, since the run has confirmed the result. It costs
two starts of the target's interpreter: one to choose the forms of its tensors, and one to run it.
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
from conformance.judging.vocabulary import BINDING
from conformance.repro.errors import NoScript
from conformance.repro.interpreter import Interpreter
from conformance.repro.make import make
from conformance.results.describe import case_record
from conformance.results.file import Results
from conformance.results.observed import CaseResult, ObservedCall
from conformance.results.records import CaseRecord, ResultRecord, TargetRecord
from conformance.specification.dtypes import NAMES
from conformance.specification.literals import LiteralError, Tensor, argument
from conformance.specification.model import Call, Catalogue, Clause, WrittenCall


@dataclass(frozen=True)
class ScriptOrReason:
    """A result with its script, or with the reason why there is none."""

    result: ResultRecord
    script: str | None
    reason: str | None = None


def counterexample_cases(results: Results, catalogue: Catalogue, reference: Reference) -> Iterator[Case]:
    """The counterexamples of a run as cases; those that no longer fit the specs are left out."""
    operations = catalogue.operations.values()
    clauses = {clause.id: (operation, clause) for operation in operations for clause in operation.clauses}
    for record in results.cases.values():
        if record.provenance == "found" and record.clause in clauses:
            operation, clause = clauses[record.clause]
            with suppress(LiteralError, ReferenceFailed):
                yield case_of(operation, clause, _written_call(clause, record), reference)


def _written_call(clause: Clause, record: CaseRecord) -> WrittenCall:
    """As in a case file, a call with a control breaks its rule."""
    control = _call(record.control) if record.control is not None else None
    breaks = control is not None and clause.rule is not None and clause.rule.require is not None
    expected = clause.rule.broken if clause.rule and breaks else None
    name = record.id.removeprefix(f"{clause.id}/")
    return WrittenCall(name, _call(record.call), expected, control, record.note, clause.location)


def _call(arguments: Mapping[str, Any]) -> Call:
    return Call({name: argument(value) for name, value in arguments.items()})


def causes(results: Results, target: TargetRecord) -> list[ResultRecord]:
    """One result of a target for each cause that needs a script.

    These are divergences from documents about the API, wrong values, deaths, hangs and counterexamples.

    Results of one API under one clause with the same verdict, kinds and behaviour have one cause. Its counterexample
    represents it, or else its smallest call.
    """
    groups: dict[tuple[object, ...], list[ResultRecord]] = {}
    for result in results.results:
        if result.target == target.id and result.verdict in ("diverges", "died", "hung"):
            key = (result.api, result.clause, result.verdict, *result.divergence, result.behaviour)
            groups.setdefault(key, []).append(result)
    counterexamples = {case.id for case in results.cases.values() if case.provenance == "found"}

    def needs_script(result: ResultRecord) -> bool:
        is_wrong = result.standing in BINDING or "value" in result.divergence or result.verdict in ("died", "hung")
        return is_wrong or result.case in counterexamples

    def preference(result: ResultRecord) -> tuple[bool, int]:
        return result.case not in counterexamples, _length(results, result)

    return [min(group, key=preference) for group in groups.values() if any(map(needs_script, group))]


def scripts(
    results: Results,
    target: TargetRecord,
    cases: Mapping[str, Case],
    interpreter: Interpreter,
    calls_of: Callable[[CaseResult], Sequence[ObservedCall]],
) -> Iterator[ScriptOrReason]:
    """The script of each cause, written and run one after the other.

    cases: the cases of the specs and the counterexamples, by id.
    calls_of: makes the calls that reproduce a result; may raise NoScript.
    Raises TargetBlocked if the target does not start.
    """
    mappings = [mapping for mapping in results.mappings if mapping.target == target.id]
    for result in causes(results, target):
        try:
            case_result = CaseResult(_case(results, cases, result), result, target, mappings)
            yield ScriptOrReason(result, _script(case_result, interpreter, calls_of))
        except NoScript as error:
            yield ScriptOrReason(result, None, str(error))


def with_scripts(results: Results, scripts: Iterable[ScriptOrReason]) -> Results:
    """The results with these scripts; results without a new script keep theirs."""
    by_key = {_key(script.result): script.script for script in scripts}
    updated = [replace(result, script=by_key.get(_key(result), result.script)) for result in results.results]
    return replace(results, results=updated)


def _length(results: Results, result: ResultRecord) -> int:
    case = results.cases.get(result.case)
    return len(json.dumps(dict(case.call))) if case else 0


def _case(results: Results, cases: Mapping[str, Case], result: ResultRecord) -> Case:
    case, record = cases.get(result.case), results.cases.get(result.case)
    if case is None:
        raise NoScript("the specs do not contain this case: it was drawn or removed")
    if record is not None and case_record(case).digest != record.digest:
        raise NoScript("the case has been edited in the specs since the run")
    tensors = {name for name, value in case.call.arguments.items() if isinstance(value, Tensor)}
    if not (result.cast.keys() <= tensors and {*result.cast.values()} <= {*NAMES}):
        raise NoScript("its record casts what is not a tensor of the case, or to an unknown dtype")
    return case


def _script(
    case_result: CaseResult, interpreter: Interpreter, calls_of: Callable[[CaseResult], Sequence[ObservedCall]]
) -> str:
    if case_result.result.polluter is not None:
        raise NoScript("it depends on an earlier call; use conformance repro CASE --results DIR")
    script = make(case_result, calls_of(case_result), interpreter)
    if script.mismatch is not None:
        raise NoScript(f"the script does not reproduce it: {script.mismatch}")
    return script.text


def _key(result: ResultRecord) -> tuple[str, str, str]:
    return result.case, result.target, result.api


def summary(scripts: Sequence[ScriptOrReason]) -> str:
    """``12 scripts written; 2 causes have none``."""
    written = sum(script.script is not None for script in scripts)
    without = len(scripts) - written
    text = f"{written} script{'s' if written != 1 else ''} written"
    return f"{text}; {without} cause{'s have' if without != 1 else ' has'} none" if without else text
