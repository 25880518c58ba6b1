"""Metamorphic relations: two expressions over calls of operations that should be equal.

The language is that of rules, extended by calls of operations with positional arguments in the order of their specs,
and by a few functions that create or rearrange a tensor. The caller of ``evaluate`` computes the results of operations.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from conformance.specification.applied import Applied
from conformance.specification.dtypes import numpy_dtype
from conformance.specification.expressions import FUNCTIONS, Expression, compile_expression
from conformance.specification.literals import Argument, Tensor, frozen, sized
from conformance.specification.model import Call, Clause, MetamorphicRelation, Operation
from conformance.specification.problems import Location, Problem, nearest

Operations = Mapping[str, Operation]
Apply = Callable[[Applied], Tensor]
"""Computes the result of a call of an operation."""


def _zeros(shape: Sequence[int], dtype: str) -> Tensor:
    return Tensor(dtype, frozen(np.zeros(sized(shape), numpy_dtype(dtype))), None)


def _reshape(value: Tensor, shape: Sequence[int]) -> Tensor:
    return Tensor(value.dtype, frozen(value.array.reshape(shape)), None)


def _permute(value: Tensor, order: Sequence[int]) -> Tensor:
    if not isinstance(order, list | tuple):
        raise TypeError(f"the order of permute is a list, as in [2, 0, 1]; found a {type(order).__name__.lower()}")
    if sorted(order) != list(range(value.shape[0])):
        raise ValueError(f"{list(order)} is not a permutation of {value.shape[0]} rows")
    return Tensor(value.dtype, frozen(value.array[list(order)]), None)


ARRAYS: dict[str, Callable[..., Tensor]] = {"zeros": _zeros, "reshape": _reshape, "permute": _permute}
"""``zeros(shape, dtype)``, ``reshape(tensor, shape)``, and ``permute(tensor, order)``, which reorders the first axis."""


def compile_side(text: str, names: Iterable[str], location: Location) -> Expression:
    """A compiled side of a relation; ``linked`` checks the operations that it calls. ExpressionError as for rules."""
    return compile_expression(text, names, [call.name for call in _calls(text)], location)


def names_of(relation: MetamorphicRelation) -> frozenset[str]:
    """The arguments that either side uses."""
    return relation.left.names | relation.right.names


def evaluate(side: Expression, relation: MetamorphicRelation, call: Applied, apply: Apply) -> Any:
    """The value of a side for the arguments of a call; errors of ``apply`` and of Python propagate."""

    def function(operation: Operation) -> Callable[..., Tensor]:
        def applied(*arguments: Argument) -> Tensor:
            return apply(Applied(operation, Call(dict(zip(operation.arguments, arguments, strict=False)))))

        return applied

    functions = {name: function(operation) for name, operation in relation.operations.items()}
    return side.value({**ARRAYS, **functions, **call.arguments})


def linked(operation: Operation, known: Operations, *, whole: bool) -> tuple[Operation, list[Problem]]:
    """An operation whose relations refer to the operations that they call, and the problems of invalid calls.

    whole: an unknown operation is an error; otherwise a relation that calls one is omitted.
    """
    problems: list[Problem] = []
    clauses = []
    for clause in operation.clauses:
        if clause.relation is not None:
            more = list(_problems(operation, clause, clause.relation, known))
            missing = any(name not in known for name in called_by(clause.relation))
            problems += more if whole or not missing else []
            if more:
                continue
            called = {name: known[name] for name in called_by(clause.relation) if name in known}
            clause = replace(clause, relation=replace(clause.relation, operations=called))  # noqa: PLW2901
        clauses.append(clause)
    return replace(operation, clauses=tuple(clauses)), problems


def called_by(relation: MetamorphicRelation) -> frozenset[str]:
    """The names of the operations that either side calls."""
    names = {call.name for side in (relation.left, relation.right) for call in _calls(side.text)}
    return frozenset(names - ARRAYS.keys() - FUNCTIONS.keys())


def _problems(
    operation: Operation, clause: Clause, relation: MetamorphicRelation, known: Operations
) -> Iterator[Problem]:
    if operation.name not in called_by(relation):
        yield Problem(clause.location, f"{clause.id}: neither side calls {operation.name}")
    for side in (relation.left, relation.right):
        for call in _calls(side.text):
            message = _error(call, known)
            if message:
                yield Problem(clause.location, f"{clause.id}: {message}")


class _Call:
    """The name of a function called in an expression, and the number of arguments."""

    def __init__(self, node: ast.Call, name: str) -> None:
        self.name = name
        self.arguments = len(node.args)


def _error(call: _Call, known: Operations) -> str | None:
    if call.name in FUNCTIONS or call.name in ARRAYS:
        return None
    if call.name not in known:
        return f"undefined operation {call.name!r}{nearest(call.name, [*known, *ARRAYS])}"
    arguments = known[call.name].arguments
    least = sum(not spec.optional for spec in arguments.values())
    if not least <= call.arguments <= len(arguments):
        return f"{call.name} is called with {call.arguments} arguments; it has {', '.join(arguments)}"
    return None


def _calls(text: str) -> list[_Call]:
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return []  # compiling it reports the error
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return [_Call(node, node.func.id) for node in nodes if isinstance(node.func, ast.Name)]
