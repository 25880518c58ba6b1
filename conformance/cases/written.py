"""Builds the cases of the calls written in specs, and selects those from which others are derived."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Literal

import numpy as np

from conformance.cases.duplicates import duplicates_of
from conformance.cases.expectations import (
    Compared,
    Expectation,
    Returning,
    Returns,
    ReturnsAnyWritten,
    ToDigits,
    Tolerance,
    Within,
)
from conformance.cases.model import Case, Entry, PolicyOutcome
from conformance.cases.policies import indistinguishable, policy_outcomes, required_outcomes
from conformance.cases.reference import REMEDY, NoReference, Reference, ReferenceFailed
from conformance.cases.rounding import rounding_bounds
from conformance.cases.vacuous import vacuous
from conformance.cases.variation import DtypeTest, Found, Written
from conformance.specification.applied import Applied
from conformance.specification.literals import LiteralError, Tensor, sized
from conformance.specification.model import (
    Behaves,
    Clause,
    Observed,
    OneRemains,
    Operation,
    Printed,
    Raises,
    WrittenCall,
)
from conformance.specification.problems import Problem

ORIGINAL = "the original call"
"""Why nothing is expected of the call that one in another dtype was derived from."""


def written_cases(operation: Operation, reference: Reference) -> Iterator[Case | Problem]:
    """A case for each written call, or a Problem if its expectation cannot be built."""
    for clause in operation.clauses:
        for written_call in clause.written_calls if clause.relation is None else ():
            try:
                yield case_of(Applied(operation, written_call.call), clause, written_call, reference)
            except (LiteralError, ReferenceFailed) as error:
                case = case_id(clause, written_call)
                message = str(error)
                if isinstance(error, NoReference):
                    message = f"no expected result: {error}; add returns, or {REMEDY}"
                yield Problem(written_call.location, f"{case}: {message}", clause.id, case)


def case_id(clause: Clause, written_call: WrittenCall) -> str:
    return f"{clause.id}/{written_call.name}"


def case_of(call: Applied, clause: Clause, written_call: WrittenCall, reference: Reference) -> Case:
    """The case of a written call; LiteralError or ReferenceFailed if its expectation cannot be built."""
    if not isinstance(written_call.expected, Raises | Observed):
        _limit_result(call)
    policies = policy_outcomes(call, reference)
    same = indistinguishable(policies)
    # The values of examples and of calls found on targets were not chosen.
    was_chosen = clause.family != "example" and not written_call.found
    if same is not None and was_chosen:
        raise LiteralError(
            f"its values do not distinguish {same}: the reference gives the same result for both; choose other values, "
            "or correct the reference"
        )
    expectation = _expectation(call, clause, written_call, reference, policies)
    if isinstance(expectation, Returning) and was_chosen:
        why = vacuous(call, expectation)
        if why is not None:
            raise LiteralError(f"its expected result proves nothing, since {why}; choose other values")
    dtype_test = dtype_test_of(call, clause, written_call)
    return Case(
        id=case_id(clause, written_call),
        call=call,
        clause=clause,
        expectation=expectation,
        entry=Entry.of(written_call),
        variation=(Found if written_call.found else Written)(dtype_test, written_call.breaks),
        control=_control(call, written_call),
        policies=policies,
        duplicates=duplicates_of(call, reference, expectation),
    )


def plain_case(call: Applied, clause: Clause, written_call: WrittenCall, reason: str) -> Case:
    """A case of a written call of which nothing is expected, for this reason."""
    return Case(
        case_id(clause, written_call),
        call,
        clause,
        Observed(reason),
        Entry.of(written_call),
        Written(),
        _control(call, written_call),
    )


def _control(call: Applied, written_call: WrittenCall) -> Applied | None:
    """The control of a call that should raise."""
    return Applied(call.operation, written_call.fixed) if written_call.fixed is not None else None


def dtype_test_of(call: Applied, clause: Clause, written_call: WrittenCall) -> DtypeTest | None:
    """What a written call tests of dtypes; None if nothing.

    If it is about the dtype of its indices, its original is the same call with them in any dtype that an API takes.
    """
    names = written_call.about_dtype
    if not names:
        return None
    if written_call.breaks or not any(call.operation.arguments[name].index for name in names):
        return DtypeTest(names)
    return DtypeTest(names, plain_case(call, clause, written_call, ORIGINAL))


def _limit_result(call: Applied) -> None:
    """LiteralError if the reference would compute a result with too many elements."""
    with suppress(ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        sized(call.result_shape)


def _expectation(
    call: Applied,
    clause: Clause,
    written_call: WrittenCall,
    reference: Reference,
    policies: tuple[PolicyOutcome, ...],
) -> Expectation:
    expected = written_call.expected
    if not isinstance(expected, Printed | Behaves | OneRemains | None):
        return expected
    returns: Compared
    if isinstance(expected, Behaves):
        outcomes = policies or required_outcomes(call, reference)
        returns = Returns(_result_of(expected, outcomes), call.accumulates)
    elif isinstance(expected, OneRemains):
        returns = _any_of(duplicates_of(call, reference))
    elif expected is None:
        returns = Returns(reference(call), call.accumulates)
    else:
        value = call.result_written(expected.written)
        source: Literal["printed", "spec"] = "printed" if written_call.printed else "spec"
        returns = Returns(value, call.accumulates, source, _tolerance(call, expected, reference))
    _check_result(clause, call, returns.value)
    return returns


def _tolerance(call: Applied, expected: Printed, reference: Reference) -> Tolerance | None:
    if expected.digits is not None:
        return ToDigits(expected.digits)
    if expected.within == "rounding":
        bounds = rounding_bounds(call, reference)
        _check_bound(call, float(bounds.max(initial=0.0)))
        return Within.each(bounds)
    if expected.within is not None:
        _check_bound(call, expected.within)
        return Within(expected.within)
    return None


def _any_of(returns: Returning | None) -> ReturnsAnyWritten:
    if not isinstance(returns, ReturnsAnyWritten):
        raise LiteralError("remains: any needs duplicate indices, and a single argument with the updates")
    return returns


def _check_bound(call: Applied, within: float) -> None:
    """LiteralError if the bound would hide a lost update."""
    sizes = [np.abs(value.array.astype(np.float64)) for value in call.data.values()]
    least = min((float(size[size > 0].min()) for size in sizes if (size > 0).any()), default=0.0)
    if within >= least:
        raise LiteralError(f"within: {within:g} is too large: it would hide a lost update of {least:g}")


def _result_of(expected: Behaves, policies: tuple[PolicyOutcome, ...]) -> Tensor:
    results = {outcome.policy: outcome.result for outcome in reversed(policies)}
    if expected.policy not in results:
        applicable = ", ".join(sorted(results.keys() - {"cut"})) or "none, because no index is out of bounds"
        raise LiteralError(f"behaviour: {expected.policy} does not apply to this call; applicable: {applicable}")
    return results[expected.policy]


def _check_result(clause: Clause, call: Applied, result: Tensor) -> None:
    """LiteralError if an expected result contradicts the spec."""
    values = {**call.values, "result": result}
    shape = call.operation.result_shape.value(values)
    if result.shape != shape:
        raise LiteralError(f"expected result has shape {list(result.shape)}, but result: says {list(shape)}")
    if clause.rule is not None and clause.rule.ensure is not None and not clause.rule.ensure.holds(values):
        raise LiteralError(f"the expected result violates ensure: {clause.rule.ensure.text!r}")


MOST_RULES, MOST_BEHAVIOURS = 3, 2
"""The maximum numbers of rules and behaviours of an operation that provide their first valid call."""
_ABOUT_DTYPES = (".dtype", ".kind")


def representative_calls(operation: Operation) -> Iterator[tuple[Clause, WrittenCall, Applied]]:
    """Valid written calls with a definite result, with their clauses, and applied."""
    remaining = {"example": len(operation.clauses), "rule": MOST_RULES, "behaviour": MOST_BEHAVIOURS}
    for clause in operation.clauses:
        found = None if is_about_dtypes(clause) else _first_valid(operation, clause)
        if found is not None and remaining.get(clause.family, 0):
            remaining[clause.family] -= 1
            yield clause, *found


def first_behaviour(operation: Operation) -> tuple[Clause, list[Applied]]:
    """The first behaviour with valid written calls, and these; of a spec without any, the first clause, which may have none."""
    behaviours = (
        (clause, [call for written_call, call in _applied(operation, clause) if _is_valid(written_call, call)])
        for clause in operation.clauses
        if clause.family == "behaviour"
    )
    return next((each for each in behaviours if each[1]), (operation.clauses[0], []))


def _applied(operation: Operation, clause: Clause) -> Iterator[tuple[WrittenCall, Applied]]:
    return ((written_call, Applied(operation, written_call.call)) for written_call in clause.written_calls)


def _first_valid(operation: Operation, clause: Clause) -> tuple[WrittenCall, Applied] | None:
    return next((found for found in _applied(operation, clause) if _is_valid(*found)), None)


def _is_valid(written_call: WrittenCall, call: Applied) -> bool:
    returns = written_call.expected is None or isinstance(written_call.expected, Printed)
    unconditional = written_call.device is None and not written_call.about_dtype
    return returns and unconditional and not call.broken_rules


def is_about_dtypes(clause: Clause) -> bool:
    """Whether its rule is about the dtype of an argument."""
    if clause.rule is None:
        return False
    expression = clause.rule.require or clause.rule.ensure
    return expression is not None and any(part in expression.text for part in _ABOUT_DTYPES)
