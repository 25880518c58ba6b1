"""The cases that a spec writes down, call by call."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from conformance.cases.model import Case, Expectation, Returns
from conformance.cases.reference import Reference, ReferenceFailed
from conformance.spec.literals import LiteralError, Tensor, tensor
from conformance.spec.model import Call, Clause, Operation, Printed, Trial
from conformance.spec.problems import Problem


def written_cases(operation: Operation, reference: Reference) -> Iterator[Case | Problem]:
    """The calls that a spec writes down; a Problem in place of a case whose expectation cannot be."""
    for clause in operation.clauses:
        for trial in clause.trials:
            try:
                yield _case(operation, clause, trial, reference)
            except (LiteralError, ReferenceFailed) as error:
                yield Problem(trial.place, f"{case_id(clause, trial)}: {error}")


def case_id(clause: Clause, trial: Trial) -> str:
    return f"{clause.id}/{trial.name}"


def _case(operation: Operation, clause: Clause, trial: Trial, reference: Reference) -> Case:
    return Case(
        id=case_id(clause, trial),
        operation=operation,
        clause=clause,
        call=trial.call,
        expectation=_expectation(operation, clause, trial, reference),
        twin=trial.mended,
        note=trial.note,
        place=trial.place,
        device=trial.device,
    )


def _expectation(operation: Operation, clause: Clause, trial: Trial, reference: Reference) -> Expectation:
    expected = trial.expected
    if expected is not None and not isinstance(expected, Printed):
        return expected
    values = operation.values(trial.call)
    sums = bool(operation.result_sums.value(values))
    if expected is None:
        returns = Returns(reference(operation, trial.call), None, sums, "reference")
    else:
        value = tensor(str(operation.result_dtype.value(values)), expected.written)
        source: Literal["printed", "spec"] = "printed" if clause.family == "example" else "spec"
        returns = Returns(value, expected.digits, sums, source)
    _check_result(operation, clause, trial.call, returns.value)
    return returns


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
