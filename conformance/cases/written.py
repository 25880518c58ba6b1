"""Builds the cases of the calls written in specs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Literal

import numpy as np

from conformance.cases.duplicates import duplicates_of
from conformance.cases.model import Case, Expectation, PolicyOutcome, Returns
from conformance.cases.policies import indistinguishable, policy_outcomes, required_outcomes
from conformance.cases.reference import REMEDY, NoReference, Reference, ReferenceFailed
from conformance.cases.rounding import rounding_bounds
from conformance.cases.vacuous import vacuous
from conformance.specification.literals import LiteralError, Tensor, sized, tensor
from conformance.specification.model import (
    Behaves,
    Call,
    Clause,
    Observed,
    OneRemains,
    Operation,
    Printed,
    Raises,
    WrittenCall,
)
from conformance.specification.problems import Problem


def written_cases(operation: Operation, reference: Reference) -> Iterator[Case | Problem]:
    """A case for each written call, or a Problem if its expectation cannot be built."""
    for clause in operation.clauses:
        for written_call in clause.written_calls if clause.relation is None else ():
            try:
                yield case_of(operation, clause, written_call, reference)
            except (LiteralError, ReferenceFailed) as error:
                case = case_id(clause, written_call)
                message = str(error)
                if isinstance(error, NoReference):
                    message = f"no expected result: {error}; add returns, or {REMEDY}"
                yield Problem(written_call.location, f"{case}: {message}", clause.id, case)


def case_id(clause: Clause, written_call: WrittenCall) -> str:
    return f"{clause.id}/{written_call.name}"


def case_of(operation: Operation, clause: Clause, written_call: WrittenCall, reference: Reference) -> Case:
    """The case of a written call; LiteralError or ReferenceFailed if its expectation cannot be built."""
    if not isinstance(written_call.expected, Raises | Observed):
        _limit_result(operation, written_call.call)
    policies = policy_outcomes(operation, written_call.call, reference)
    same = indistinguishable(policies)
    # The values of examples and of calls found on targets were not chosen.
    if same is not None and clause.family != "example" and written_call.provenance == "written":
        raise LiteralError(
            f"its values do not distinguish {same}: the reference gives the same result for both; choose other values, "
            "or correct the reference"
        )
    expectation = _expectation(operation, clause, written_call, reference, policies)
    if isinstance(expectation, Returns) and clause.family != "example" and written_call.provenance == "written":
        why = vacuous(operation, written_call.call, expectation)
        if why is not None:
            raise LiteralError(f"its expected result proves nothing, since {why}; choose other values")
    return Case(
        id=case_id(clause, written_call),
        operation=operation,
        clause=clause,
        written=written_call,
        expectation=expectation,
        policies=policies,
        duplicates=duplicates_of(operation, written_call.call, reference, expectation),
        base=_with_any_index(operation, clause, written_call),
    )


def _with_any_index(operation: Operation, clause: Clause, written_call: WrittenCall) -> Case | None:
    """For a call that is about the dtype of its indices: the same call with them in any dtype that an API takes."""
    if written_call.breaks or not any(operation.arguments[name].index for name in written_call.about_dtype):
        return None
    call = replace(written_call, about_dtype=())
    return Case(case_id(clause, call), operation, clause, call, Observed("the original call"))


def _limit_result(operation: Operation, call: Call) -> None:
    """LiteralError if the reference would compute a result with too many elements."""
    with suppress(ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        sized(operation.result_shape.value(operation.values(call)))


def _expectation(
    operation: Operation,
    clause: Clause,
    written_call: WrittenCall,
    reference: Reference,
    policies: tuple[PolicyOutcome, ...],
) -> Expectation:
    expected = written_call.expected
    if not isinstance(expected, Printed | Behaves | OneRemains | None):
        return expected
    values = operation.values(written_call.call)
    accumulates = bool(operation.result_accumulates.value(values))
    if isinstance(expected, Behaves):
        outcomes = policies or required_outcomes(operation, written_call.call, reference)
        returns = Returns(_result_of(expected, outcomes), None, accumulates, "reference")
    elif isinstance(expected, OneRemains):
        returns = _any_of(duplicates_of(operation, written_call.call, reference))
    elif expected is None:
        returns = Returns(reference(operation, written_call.call), None, accumulates, "reference")
    else:
        value = tensor(str(operation.result_dtype.value(values)), expected.written)
        source: Literal["printed", "spec"] = "printed" if written_call.printed else "spec"
        returns = Returns(value, expected.digits, accumulates, source)
        if expected.within == "rounding":
            bounds = rounding_bounds(operation, written_call.call, reference)
            returns = replace(returns, bounds=bounds, within=float(bounds.max(initial=0.0)))
        elif expected.within is not None:
            _check_bound(operation, written_call.call, expected.within)
            returns = replace(returns, within=expected.within)
    _check_result(operation, clause, written_call.call, returns.value)
    return returns


def _any_of(returns: Returns | None) -> Returns:
    if returns is None or returns.writes is None:
        raise LiteralError("remains: any needs duplicate indices, and a single argument with the updates")
    return returns


def _check_bound(operation: Operation, call: Call, within: float) -> None:
    """LiteralError if the bound would hide a lost update."""
    data = [value for name, value in call.arguments.items() if not operation.arguments[name].index]
    sizes = [np.abs(value.array.astype(np.float64)) for value in data if isinstance(value, Tensor)]
    least = min((float(size[size > 0].min()) for size in sizes if (size > 0).any()), default=0.0)
    if within >= least:
        raise LiteralError(f"within: {within:g} is too large: it would hide a lost update of {least:g}")


def _result_of(expected: Behaves, policies: tuple[PolicyOutcome, ...]) -> Tensor:
    results = {outcome.policy: outcome.result for outcome in reversed(policies)}
    if expected.policy not in results:
        applicable = ", ".join(sorted(results.keys() - {"cut"})) or "none, because no index is out of bounds"
        raise LiteralError(f"behaviour: {expected.policy} does not apply to this call; applicable: {applicable}")
    return results[expected.policy]


def _check_result(operation: Operation, clause: Clause, call: Call, result: Tensor) -> None:
    """LiteralError if an expected result contradicts the spec."""
    values = {**operation.values(call), "result": result}
    shape = operation.result_shape.value(values)
    if result.shape != shape:
        raise LiteralError(f"expected result has shape {list(result.shape)}, but result: says {list(shape)}")
    if clause.rule is not None and clause.rule.ensure is not None and not clause.rule.ensure.holds(values):
        raise LiteralError(f"the expected result violates ensure: {clause.rule.ensure.text!r}")
