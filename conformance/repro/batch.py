"""Scripts for the causes of a run, written from its results file.

``conformance repro --all --results DIR`` stores each script in the results file, in the field ``script`` of the result that it
reproduces, or the reason why there is none in ``no_script``. A script of a single call is written from the results file alone,
since the run has confirmed the result. It costs at most two starts of the target's interpreter: one to choose the forms of its
tensors, and one to run it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from conformance.cases.draws.choices import Rejected
from conformance.cases.draws.composition import composed
from conformance.cases.draws.program_source import program_case
from conformance.cases.draws.programs import drawable
from conformance.cases.model import Case
from conformance.cases.reference import Reference, ReferenceFailed
from conformance.cases.written import case_of
from conformance.findings.conclusions import Conclusions
from conformance.findings.findings import Finding
from conformance.repro.errors import NoScript
from conformance.repro.make import Script
from conformance.results.describe import case_record
from conformance.results.file import Results
from conformance.results.observed import CaseResult
from conformance.results.records import CaseRecord, PolluterRecord, ResultRecord, TargetRecord
from conformance.results.variations import DrawnProgramRecord, DrawnRecord, FoundRecord, WrittenRecord
from conformance.specification.applied import Applied
from conformance.specification.dtypes import NAMES
from conformance.specification.literals import LiteralError, Tensor, argument
from conformance.specification.model import Around, Call, Catalogue, Clause, Observed, Raises, WrittenCall
from conformance.specification.programs.reading import NotAProgram, read_program

MOST_POLLUTERS = 8
"""The number of earlier calls that are tried for a result whose polluter is unknown."""


@dataclass(frozen=True)
class ScriptOrReason:
    """A result with its script, or with the reason why there is none."""

    result: ResultRecord
    script: str | None
    reason: str | None = None


def recorded_cases(results: Results, catalogue: Catalogue, reference: Reference, ids: Set[str]) -> Iterator[Case]:
    """The draws and counterexamples of a run with these ids as cases, which the specs do not contain.

    Those that no longer fit the specs are left out.
    """
    operations = catalogue.operations.values()
    clauses = {clause.id: (operation, clause) for operation in operations for clause in operation.clauses}
    for record in results.cases.values():
        if record.id in ids and isinstance(record.variation, DrawnProgramRecord) and record.clause in clauses:
            with suppress(LiteralError, ReferenceFailed, Rejected, NotAProgram):
                yield _drawn_program(record, record.variation, catalogue, reference)
        if record.id in ids and isinstance(record.variation, FoundRecord | DrawnRecord) and record.clause in clauses:
            operation, clause = clauses[record.clause]
            with suppress(LiteralError, ReferenceFailed):
                written_call = _written_call(clause, record, record.variation)
                yield case_of(Applied(operation, written_call.call), clause, written_call, reference)


def _drawn_program(
    record: CaseRecord, variation: DrawnProgramRecord, catalogue: Catalogue, reference: Reference
) -> Case:
    operation = catalogue.operations[record.operation]
    changes = operation.main_argument if variation.apis == "changing" else None
    manner = Around(read_program(variation.program), variation.apis, changes)
    call = replace(_call(record.call), manner=manner)
    operations = drawable(catalogue.operations)
    values = composed(manner.program, call.arguments, operations, reference, changes)
    return program_case(
        Applied(operation, call), operations, reference, 1, accumulates=values.accumulates, name=record.id
    )


def _written_call(clause: Clause, record: CaseRecord, variation: FoundRecord | DrawnRecord) -> WrittenCall:
    """As in a case file; without a recorded error, what the reference returns is expected."""
    control = _call(record.control) if record.control is not None else None
    name = record.id.removeprefix(f"{clause.id}/")
    return WrittenCall(
        name,
        _call(record.call),
        _expected(record.expectation),
        control,
        record.note,
        clause.location,
        breaks=variation.breaks,
        found=True,
    )


def _expected(expectation: Mapping[str, Any]) -> Raises | Observed | None:
    if "raises" in expectation:
        error = expectation["raises"]
        return Raises(None if error is True else error)
    return Observed(expectation["observed"]) if "observed" in expectation else None


def _call(arguments: Mapping[str, Any]) -> Call:
    return Call({name: argument(value) for name, value in arguments.items()})


def representatives(conclusions: Conclusions, target: TargetRecord) -> list[ResultRecord]:
    """One result of a target for each cause that needs a script.

    These are divergences from documents about the API, wrong values, deaths, hangs and counterexamples. Of a cause, its
    counterexample is taken, or else its smallest call.
    """
    results = conclusions.results
    counterexamples = {case.id for case in results.cases.values() if case.is_counterexample}

    def needs_script(finding: Finding) -> bool:
        is_wrong = finding.is_binding or "value" in finding.kinds or finding.sort in ("died", "hung")
        return is_wrong or any(result.case in counterexamples for result in finding.results)

    def preference(result: ResultRecord) -> tuple[bool, bool, int]:
        has_unknown_polluter = "contaminated" in result.divergence and result.polluter is None
        return result.case not in counterexamples, has_unknown_polluter, _length(results, result)

    of_target = ([finding for finding in cause.findings if finding.target == target.id] for cause in conclusions.causes)
    return [
        min((result for finding in findings for result in finding.results), key=preference)
        for members in of_target
        if (findings := list(filter(needs_script, members)))
    ]


def examples(results: Results, target: TargetRecord) -> list[ResultRecord]:
    """One result of each API of a target that returns what is documented: its script shows how the API is called.

    It is the smallest call that a spec has written, if there is one, and that needed no cast.
    """
    groups: dict[tuple[str, str], list[ResultRecord]] = {}
    for result in results.results:
        case = results.cases.get(result.case)
        is_plain = case is not None and "returns" in case.expectation and not result.relation
        if case is not None and is_plain and result.target == target.id and result.verdict == "conforms":
            groups.setdefault((result.api, case.operation), []).append(result)

    def preference(result: ResultRecord) -> tuple[bool, bool, int]:
        is_written = isinstance(results.cases[result.case].variation, WrittenRecord)
        return bool(result.cast), not is_written, _length(results, result)

    return [min(group, key=preference) for group in groups.values()]


def polluters_of(results: Results, result: ResultRecord) -> list[PolluterRecord]:
    """The earlier calls that may have changed a result, the most probable first.

    These are the one that the run found, and if it found none, those of other results of the same operation.
    """
    if result.polluter is not None:
        return [result.polluter]
    operation = results.cases[result.case].operation
    others = Counter(
        other.polluter
        for other in results.results
        if other.polluter is not None
        and other.target == result.target
        and other.polluter.case in results.cases
        and results.cases[other.polluter.case].operation == operation
    )
    return [polluter for polluter, _ in others.most_common(MOST_POLLUTERS)]


def scripts(
    results: Results, target: TargetRecord, cases: Mapping[str, Case], script_of: Callable[[CaseResult], Script]
) -> Iterator[ScriptOrReason]:
    """The script of each cause and of an example of each API, written and run one after the other.

    cases: the cases of the specs and the recorded ones, by id.
    script_of: writes and runs the script of a result; may raise NoScript.
    Raises TargetBlocked if the target does not start.
    """
    mappings = [mapping for mapping in results.mappings if mapping.target == target.id]
    for result in [*representatives(Conclusions(results), target), *examples(results, target)]:
        try:
            check_made(result)
            case = case_in(cases, results, result.case)
            _check_cast(case, result)
            known = results.known_record(result)
            yield ScriptOrReason(result, _verified(script_of(CaseResult(case, result, target, mappings, known))))
        except NoScript as error:
            yield ScriptOrReason(result, None, str(error))


def check_made(result: ResultRecord) -> None:
    """NoScript if the framework was not asked: a script could only show what the adapter says."""
    if result.verdict in ("blocked", "unsupported") or "missing" in result.divergence:
        raise NoScript(f"{result.api}: {result.verdict}: {result.explanation}")


def case_in(cases: Mapping[str, Case], results: Results, case_id: str) -> Case:
    """The case that a run made; NoScript if the specs have it no longer, or have another one."""
    case, record = cases.get(case_id), results.cases.get(case_id)
    if case is None:
        raise NoScript(f"the specs do not contain {case_id}")
    if record is not None and case_record(case).digest != record.digest:
        raise NoScript(f"{case_id} has been edited in the specs since the run")
    return case


def _check_cast(case: Case, result: ResultRecord) -> None:
    tensors = {name for name, value in case.call.arguments.items() if isinstance(value, Tensor)}
    if not (result.cast.keys() <= tensors and {*result.cast.values()} <= {*NAMES}):
        raise NoScript("its record casts what is not a tensor of the case, or to an unknown dtype")


def _verified(script: Script) -> str:
    if script.mismatch is not None:
        raise NoScript(f"the script does not reproduce it: {script.mismatch}")
    return script.text


def with_scripts(results: Results, scripts: Iterable[ScriptOrReason]) -> Results:
    """The results with these scripts or reasons; the other results keep theirs."""
    by_key = {_key(script.result): script for script in scripts}

    def updated(result: ResultRecord) -> ResultRecord:
        script = by_key.get(_key(result))
        return result if script is None else replace(result, script=script.script, no_script=script.reason)

    return replace(results, results=list(map(updated, results.results)))


def _length(results: Results, result: ResultRecord) -> int:
    case = results.cases.get(result.case)
    return len(json.dumps(dict(case.call))) if case else 0


def _key(result: ResultRecord) -> tuple[str, str, str]:
    return result.case, result.target, result.api


def summary(scripts: Sequence[ScriptOrReason]) -> str:
    """``12 scripts written; 2 causes have none``."""
    written = sum(script.script is not None for script in scripts)
    without = len(scripts) - written
    text = f"{written} script{'s' if written != 1 else ''} written"
    return f"{text}; {without} cause{'s have' if without != 1 else ' has'} none" if without else text
