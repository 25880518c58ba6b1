"""Cases of laws: both sides are computed by the target, and proven on the reference beforehand."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from conformance.cases.model import Agrees, Case
from conformance.cases.reference import Reference, ReferenceFailed
from conformance.spec.laws import evaluate
from conformance.spec.literals import Tensor
from conformance.spec.model import Call, Clause, Law, Operation, Trial
from conformance.spec.problems import Problem

NOT_FITTING = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""What an expression raises where its values do not fit it."""


class LawError(Exception):
    """Arguments on which a law cannot be tried; the message says why."""


def law_cases(operation: Operation, reference: Reference) -> Iterator[Case | Problem]:
    """A case for each set of arguments of each law; a Problem where the law does not hold on the reference."""
    for clause in operation.clauses:
        for trial in clause.trials if clause.law is not None else ():
            yield _case(operation, clause, clause.law, trial, reference)  # type: ignore[arg-type] # is there


def _case(operation: Operation, clause: Clause, law: Law, trial: Trial, reference: Reference) -> Case | Problem:
    name = f"{clause.id}/{trial.name}"
    try:
        _prove(law, trial.call, reference)
    except (LawError, ReferenceFailed) as error:
        return Problem(trial.place, f"{name}: {error}")
    return Case(name, operation, clause, trial.call, Agrees(law), None, trial.note, trial.place)


def _prove(law: Law, call: Call, reference: Reference) -> None:
    left, right = (_value(law, name, call, reference) for name in ("left", "right"))
    if (left.dtype, left.shape) != (right.dtype, right.shape):
        said = " and ".join(f"{one.dtype} of shape {list(one.shape)}" for one in (left, right))
        raise LawError(f"the reference gives {said} on its two sides")
    if not np.array_equal(left.array, right.array):
        raise LawError(f"it is false on the reference: left is {left.array.tolist()}, right is {right.array.tolist()}")


def _value(law: Law, name: str, call: Call, reference: Reference) -> Tensor:
    side = law.left if name == "left" else law.right

    def apply(operation: Operation, made: Call) -> Tensor:
        broken = operation.broken_rules(made)
        if broken:
            raise LawError(f"on its {name} side, the call of {operation.name} breaks {', '.join(broken)}")
        return reference(operation, made)

    try:
        value = evaluate(side, law, call, apply)
    except NOT_FITTING as error:
        raise LawError(f"its {name} side cannot be evaluated: {error}; {side.text!r}") from None
    if not isinstance(value, Tensor):
        raise LawError(f"its {name} side is no tensor but {value!r}; {side.text!r}")
    return value
