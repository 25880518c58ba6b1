"""The suite's own values as the records of a results file."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict
from functools import lru_cache
from typing import Any

import numpy as np

from conformance.cases.model import Agrees, Case, Expectation, Returns
from conformance.execution.attempt import Attempt
from conformance.judging.compare import Comparison
from conformance.judging.judge import Judgement, Observation
from conformance.known.model import Ledger
from conformance.results.records import (
    CaseRecord,
    CitationRecord,
    ClaimRecord,
    ClauseRecord,
    Differences,
    KnownRecord,
    ResultRecord,
)
from conformance.specification.axes import axes_of
from conformance.specification.dtypes import NAMES, numpy_dtype
from conformance.specification.literals import Tensor, written_form
from conformance.specification.model import Call, Citation, Clause, Document, Raises
from conformance.specification.numbers import elements

MOST_VALUES = 200
"""Elements up to which a result is kept whole; of a larger one its digest."""
DOCUMENTED_ARRAY = 400
"""Elements up to which an expected result is written out."""


def claim_records(documents: Mapping[str, Document]) -> list[ClaimRecord]:
    """Every claim of every document."""
    return [
        ClaimRecord(
            document=document.id,
            title=document.title,
            locator=claim.locator,
            says=claim.says,
            official=document.official,
            url=document.url,
            untestable=claim.untestable,
        )
        for document in documents.values()
        for claim in document.claims.values()
    ]


def known_records(ledgers: Mapping[str, Ledger]) -> list[KnownRecord]:
    """Every entry of each framework's ledger."""
    return [
        KnownRecord(framework, entry.id, entry.reason, entry.link, str(entry.place))
        for framework, ledger in ledgers.items()
        for entry in ledger.entries
    ]


def clause_record(clause: Clause) -> ClauseRecord:
    rule = clause.rule
    expression = rule and (rule.require or rule.ensure)
    return ClauseRecord(
        id=clause.id,
        operation=clause.operation,
        family=clause.family,
        states=clause.states,
        citations=[_citation(citation) for citation in clause.citations],
        source=str(clause.place),
        requires=expression.text if expression else None,
    )


def case_record(case: Case, number: int | None = None) -> CaseRecord:
    """The record of a case, with its place among all cases of the run; a case that a run made itself has none."""
    axes = axes_of(case.operation, case.call) or {}
    declared = {name: spec.indexing for name, spec in case.operation.arguments.items() if spec.indexing}
    return CaseRecord(
        id=case.id,
        clause=case.clause.id,
        operation=case.operation.name,
        call=_call(case.call),
        expectation=_expectation(case.expectation),
        dtypes={name: value.dtype for name, value in case.call.arguments.items() if isinstance(value, Tensor)},
        digest=_case_digest(case),
        source=str(case.place),
        note=case.note,
        control=_call(case.control) if case.control else None,
        axes={name: list(groups) for name, groups in axes.items()} if case.operation.layout else None,
        points={name: asdict(indexing) for name, indexing in declared.items() if name in axes},
        number=number,
    )


def result_record(attempt: Attempt, target: str, observation: Observation, judgement: Judgement) -> ResultRecord:
    seconds = float(observation.outcome.get("seconds", 0.0))
    claimed = {"claim": _claimed(attempt, judgement)} if attempt.case.about_dtype else {}
    return ResultRecord(
        case=attempt.case.id,
        target=target,
        api=attempt.api,
        clause=attempt.case.clause.id,
        outcome=outcome_of(observation, attempt.cast) | claimed,
        verdict=judgement.verdict,
        standing=attempt.subject.standing,
        divergence=list(judgement.divergences),
        explanation=judgement.explanation,
        differences=_differences(judgement.comparison),
        behaviour=judgement.behaviour,
        seconds=round(seconds, 7),
    )


def _citation(citation: Citation) -> CitationRecord:
    document = citation.document
    return CitationRecord(document.id, citation.claim.locator, citation.claim.says, document.official, document.url)


def _call(call: Call) -> dict[str, Any]:
    return {name: written_form(value) for name, value in call.arguments.items()}


def _expectation(expectation: Expectation) -> dict[str, Any]:
    if isinstance(expectation, Returns):
        return {"returns": _returns(expectation)}
    if isinstance(expectation, Raises):
        return {"raises": expectation.error or True}
    if isinstance(expectation, Agrees):
        return {"relation": {"left": expectation.relation.left.text, "right": expectation.relation.right.text}}
    return {"observed": expectation.reason}


def _returns(expectation: Returns) -> dict[str, Any]:
    value = expectation.value
    described: dict[str, Any] = {"dtype": value.dtype, "shape": list(value.shape), "source": expectation.source}
    if expectation.digits is not None:
        described["digits"] = expectation.digits
    if expectation.within is not None:
        described["within"] = expectation.within
    if expectation.writes is not None:
        described["remains"] = "any"
    if value.array.size <= DOCUMENTED_ARRAY:
        described["values"] = elements(value.array)
    else:
        described["text"] = value.written if isinstance(value.written, str) else f"digest {digest(value)}"
    return described


def outcome_of(observation: Observation, cast: dict[str, str]) -> dict[str, Any]:
    outcome = {key: value for key, value in observation.outcome.items() if key not in ("seconds", "how")}
    if observation.result is not None:
        result = observation.result
        outcome |= {"dtype": result.dtype, "shape": list(result.shape)}
        if result.array.size <= MOST_VALUES and result.dtype in NAMES:
            outcome["digest"], outcome["values"] = _small(result.dtype, result.shape, result.array.tobytes())
        else:
            outcome["digest"] = digest(result)
    if observation.control_before is not None:
        outcome["control"] = {"before": observation.control_before, "after": observation.control_after}
    if cast:
        outcome["cast"] = cast
    return outcome


@lru_cache(maxsize=1024)
def _small(dtype: str, shape: tuple[int, ...], data: bytes) -> tuple[str, Any]:
    """Digest and elements of a small result; the same one comes from API after API."""
    array = np.frombuffer(data, numpy_dtype(dtype)).reshape(shape)
    return digest(Tensor(dtype, array, None)), elements(array)


def _differences(comparison: Comparison | None) -> Differences | None:
    if comparison is None:
        return None
    first = [{"index": list(index), "expected": expected, "got": got} for index, expected, got in comparison.first]
    largest = None
    if comparison.largest is not None:
        index, expected, got, difference = comparison.largest
        largest = {"index": list(index), "expected": expected, "got": got, "difference": difference}
    return Differences(comparison.count, comparison.total, first, largest, comparison.bound)


def digest(value: Tensor) -> str:
    """A short name of a tensor's dtype, shape and bytes."""
    text = f"{value.dtype} {list(value.shape)}\0".encode()
    return hashlib.sha256(text + np.ascontiguousarray(value.array).tobytes()).hexdigest()[:16]


def _shown(value: Tensor) -> str:
    return f"{digest(value)} {value.view}" if value.view else digest(value)


def _claimed(attempt: Attempt, judgement: Judgement) -> dict[str, Any]:
    """What a document claims of the dtypes that a case is about, beside what was found."""
    claim = attempt.subject.dtype_claim
    dtypes = {name: case_dtype(attempt.case, name) for name in attempt.case.about_dtype}
    found = judgement.divergences if judgement.unclaimed is None else judgement.unclaimed
    claimed = "no" if claim is None else "yes" if claim.named else "family"
    return {"dtypes": dtypes, "claimed": claimed, "by": claim.by if claim else None, "found": list(found)}


def case_dtype(case: Case, argument: str) -> str | None:
    """The dtype of a case's argument; None where it is no tensor."""
    value = case.call.arguments.get(argument)
    return value.dtype if isinstance(value, Tensor) else None


def _case_digest(case: Case) -> str:
    parts = [case.operation.name]
    for call in filter(None, [case.call, case.control]):
        for name, value in sorted(call.arguments.items()):
            parts.append(f"{name}={_shown(value)}" if isinstance(value, Tensor) else f"{name}={value!r}")
    expectation = case.expectation
    if isinstance(expectation, Returns):
        parts.append(f"{digest(expectation.value)} {expectation.digits}")
        parts += [f"within {expectation.within!r}"] if expectation.within is not None else []
        parts += ["any remains"] if expectation.writes is not None else []
    elif isinstance(expectation, Agrees):
        parts.append(f"{expectation.relation.left.text} == {expectation.relation.right.text}")
    else:
        parts.append(repr(asdict(expectation)))
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]
