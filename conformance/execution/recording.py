"""Converts the result of an attempt to a record of the results file."""

from __future__ import annotations

from conformance.execution.attempt import AttemptResult
from conformance.judging.compare import Comparison
from conformance.judging.dtype_claims import dtypes_tested
from conformance.outcomes.observation import Observation
from conformance.results.records import (
    ControlRecord,
    Difference,
    Differences,
    DtypeClaimRecord,
    PolluterRecord,
    RelationRecord,
    ResultRecord,
)


def result_record(result: AttemptResult, target: str) -> ResultRecord:
    """The record of a result; ``target`` is the canonical name of the target."""
    attempt, observation, judgement = result.attempt, result.observation, result.judgement
    case, polluter = attempt.case, judgement.polluter
    return ResultRecord(
        case=case.id,
        target=target,
        api=attempt.api,
        clause=case.clause.id,
        outcome=observation.outcome,
        verdict=judgement.verdict,
        standing=attempt.subject.standing,
        divergence=list(judgement.divergences),
        explanation=judgement.explanation,
        differences=_differences(judgement.comparison),
        behaviour=judgement.behaviour,
        seconds=round(observation.seconds, 7),
        step=result.step,
        determinism=result.determinism,
        control=_control(observation),
        cast=attempt.cast,
        dtype_claim=_dtype_claim(result) if case.about_dtype else None,
        relation=RelationRecord(result.partners, result.right) if case.clause.relation else None,
        polluter=PolluterRecord(polluter.api, polluter.case) if polluter else None,
        confirmed=result.confirmed,
    )


def _control(observation: Observation) -> ControlRecord | None:
    before = observation.control_before
    return ControlRecord(before, observation.control_after) if before else None


def _differences(comparison: Comparison | None) -> Differences | None:
    if comparison is None:
        return None
    first = [Difference(list(index), expected, got) for index, expected, got in comparison.first]
    largest = None
    if comparison.largest is not None:
        index, expected, got, difference = comparison.largest
        largest = Difference(list(index), expected, got, difference)
    return Differences(comparison.count, comparison.total, first, largest, comparison.bound)


def _dtype_claim(result: AttemptResult) -> DtypeClaimRecord:
    """The claim about the dtypes that a case tests."""
    claim = result.attempt.subject.dtype_claim
    return DtypeClaimRecord(
        dtypes=dtypes_tested(result.attempt.case),
        claimed="no" if claim is None else "yes" if claim.named else "family",
        by=claim.by if claim else None,
    )
