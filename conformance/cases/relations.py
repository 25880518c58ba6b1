"""Cases of relations: the target computes both sides, and the reference has verified the relation before."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from conformance.cases.expectations import Agrees
from conformance.cases.model import Case, Entry
from conformance.cases.reference import REMEDY, NoReference, Reference, ReferenceFailed
from conformance.cases.variation import DtypeTest, Written
from conformance.specification.applied import Applied
from conformance.specification.literals import Tensor
from conformance.specification.model import Clause, MetamorphicRelation, Operation, WrittenCall
from conformance.specification.problems import Problem
from conformance.specification.relations import evaluate

USUAL = frozenset({"int32", "int64", "float32", "float64"})
"""Dtypes that every API of the family takes."""
NOT_FITTING = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""Errors of an expression whose values do not fit."""


class RelationError(Exception):
    """A relation cannot be tested with these arguments; the message gives the reason."""


def relation_cases(operation: Operation, reference: Reference) -> Iterator[Case | Problem]:
    """A case for each set of arguments of each relation; a Problem if the relation does not hold on the reference."""
    for clause in operation.clauses:
        if clause.relation is not None:
            for written_call in clause.written_calls:
                yield _case(Applied(operation, written_call.call), clause, clause.relation, written_call, reference)


def _case(
    call: Applied, clause: Clause, relation: MetamorphicRelation, written_call: WrittenCall, reference: Reference
) -> Case | Problem:
    name = f"{clause.id}/{written_call.name}"
    try:
        _prove(relation, call, reference)
    except NoReference as error:
        return Problem(
            written_call.location, f"{name}: {error}, on which its sides are compared; add {REMEDY}", clause.id, name
        )
    except (RelationError, ReferenceFailed) as error:
        return Problem(written_call.location, f"{name}: {error}", clause.id, name)
    # What a relation rests on says nothing of dtypes, so that a refusal of an unusual one shows nothing about the relation.
    unusual = tuple(name for name, value in call.tensors.items() if value.dtype not in USUAL)
    return Case(
        name,
        call,
        clause,
        Agrees(relation),
        Entry.of(written_call),
        Written(DtypeTest(unusual) if unusual else None),
    )


def _prove(relation: MetamorphicRelation, call: Applied, reference: Reference) -> None:
    left, right = (_value(relation, name, call, reference) for name in ("left", "right"))
    if (left.dtype, left.shape) != (right.dtype, right.shape):
        results = " and ".join(f"{value.dtype} of shape {list(value.shape)}" for value in (left, right))
        raise RelationError(f"the two sides differ on the reference: {results}")
    if not np.array_equal(left.array, right.array, equal_nan=True):
        raise RelationError(
            f"it is false on the reference: left is {left.array.tolist()}, right is {right.array.tolist()}"
        )


def _value(relation: MetamorphicRelation, name: str, call: Applied, reference: Reference) -> Tensor:
    side = relation.left if name == "left" else relation.right

    def apply(call: Applied) -> Tensor:
        broken = call.broken_rules
        if broken:
            raise RelationError(f"on its {name} side, the call of {call.operation.name} breaks {', '.join(broken)}")
        return reference(call)

    try:
        value = evaluate(side, relation, call, apply)
    except NOT_FITTING as error:
        raise RelationError(f"its {name} side cannot be evaluated: {error}; {side.text!r}") from None
    if not isinstance(value, Tensor):
        raise RelationError(f"its {name} side is not a tensor but {value!r}; {side.text!r}")
    return value
