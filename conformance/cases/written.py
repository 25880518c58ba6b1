"""The cases that a spec writes down, call by call."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import numpy as np

from conformance.cases.duplicates import duplicates_of
from conformance.cases.model import Case, Expectation, PolicyOutcome, Returns
from conformance.cases.policies import alike, policy_outcomes, required_outcomes
from conformance.cases.reference import Reference, ReferenceFailed
from conformance.specification.literals import LiteralError, Tensor, tensor
from conformance.specification.model import Behaves, Call, Clause, OneRemains, Operation, Printed, WrittenCall
from conformance.specification.problems import Problem


def written_cases(operation: Operation, reference: Reference) -> Iterator[Case | Problem]:
    """The calls that a spec writes down; a Problem in place of a case whose expectation cannot be."""
    for clause in operation.clauses:
        for written_call in clause.written_calls if clause.relation is None else ():
            try:
                yield case_of(operation, clause, written_call, reference)
            except (LiteralError, ReferenceFailed) as error:
                yield unbuildable(clause, written_call, str(error))


def case_id(clause: Clause, written_call: WrittenCall) -> str:
    return f"{clause.id}/{written_call.name}"


def unbuildable(clause: Clause, written_call: WrittenCall, message: str) -> Problem:
    """The problem of a written call that cannot become a case."""
    case = case_id(clause, written_call)
    return Problem(written_call.location, f"{case}: {message}", clause.id, case)


def case_of(operation: Operation, clause: Clause, written_call: WrittenCall, reference: Reference) -> Case:
    """The case of a written call; LiteralError or ReferenceFailed where its expectation cannot be."""
    policies = policy_outcomes(operation, written_call.call, reference)
    same = alike(policies)
    # What a document prints, and what was found on a target, nobody chose.
    if same is not None and clause.family != "example" and written_call.provenance == "written":
        raise LiteralError(f"its values cannot tell {same} apart, which give the same result; choose others")
    expectation = _expectation(operation, clause, written_call, reference, policies)
    return Case(
        id=case_id(clause, written_call),
        operation=operation,
        clause=clause,
        written=written_call,
        expectation=expectation,
        policies=policies,
        duplicates=duplicates_of(operation, written_call.call, reference, expectation),
    )


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
        known = policies or required_outcomes(operation, written_call.call, reference)
        returns = Returns(_result_of(expected, known), None, accumulates, "reference")
    elif isinstance(expected, OneRemains):
        returns = _any_of(duplicates_of(operation, written_call.call, reference))
    elif expected is None:
        returns = Returns(reference(operation, written_call.call), None, accumulates, "reference")
    else:
        value = tensor(str(operation.result_dtype.value(values)), expected.written)
        source: Literal["printed", "spec"] = "printed" if written_call.printed else "spec"
        returns = Returns(value, expected.digits, accumulates, source, expected.within)
        _check_bound(operation, written_call.call, expected.within)
    _check_result(operation, clause, written_call.call, returns.value)
    return returns


def _any_of(returns: Returns | None) -> Returns:
    if returns is None or returns.writes is None:
        raise LiteralError("remains: any: no place is written twice here, or it cannot be told with what")
    return returns


def _check_bound(operation: Operation, call: Call, within: float | None) -> None:
    """An update that is lost must show."""
    if within is None:
        return
    data = [value for name, value in call.arguments.items() if not operation.arguments[name].index]
    sizes = [np.abs(value.array.astype(np.float64)) for value in data if isinstance(value, Tensor)]
    least = min((float(some[some > 0].min()) for some in sizes if (some > 0).any()), default=0.0)
    if within >= least:
        raise LiteralError(f"within: {within:g} would hide the loss of {least:g}; the bound must be smaller")


def _result_of(expected: Behaves, policies: tuple[PolicyOutcome, ...]) -> Tensor:
    found = [outcome.result for outcome in policies if outcome.policy == expected.policy]
    if not found:
        given = ", ".join(sorted({outcome.policy for outcome in policies})) or "none, as no index points outside"
        raise LiteralError(f"behaviour: {expected.policy} gives no result here; those that do: {given}")
    return found[0]


def _check_result(operation: Operation, clause: Clause, call: Call, result: Tensor) -> None:
    """An expectation must itself fulfil what the spec says of results."""
    values = {**operation.values(call), "result": result}
    shape = operation.result_shape.value(values)
    if result.shape != shape:
        raise LiteralError(
            f"a result of shape {list(result.shape)} is expected, where results have shape {list(shape)}"
        )
    if clause.rule is not None and clause.rule.ensure is not None and not clause.rule.ensure.holds(values):
        raise LiteralError(f"the expected result does not fulfil {clause.rule.ensure.text!r}")
