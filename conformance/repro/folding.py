"""An adapter's function with its plain arguments put in, as far as that decides its branches."""

from __future__ import annotations

import ast
import copy
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

_COMPARED: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.In: lambda one, some: one in some,
    ast.NotIn: lambda one, some: one not in some,
}
_UNKNOWN = object()


def substituted(node: Any, values: Mapping[str, ast.expr]) -> Any:
    """A copy of a node in which names that are read stand for these expressions."""
    return ast.fix_missing_locations(_Substitution(values).visit(copy.deepcopy(node)))


def folded(body: Sequence[ast.stmt]) -> list[ast.stmt]:
    """Statements without the branches that constants rule out, and without what follows a return."""
    kept: list[ast.stmt] = []
    for statement in body:
        folded_one = _Folding().visit(copy.deepcopy(statement))
        inner = _branch(folded_one) if isinstance(folded_one, ast.If) else [folded_one]
        kept += inner
        if kept and isinstance(kept[-1], ast.Return):
            break
    return [ast.fix_missing_locations(one) for one in kept]


def _branch(statement: ast.If) -> list[ast.stmt]:
    value = _value(statement.test)
    if value is _UNKNOWN:
        return [statement]
    return folded(statement.body if value else statement.orelse)


class _Substitution(ast.NodeTransformer):
    def __init__(self, values: Mapping[str, ast.expr]) -> None:
        self._values = values

    def visit_Name(self, node: ast.Name) -> ast.expr:  # ast's own naming
        if isinstance(node.ctx, ast.Load) and node.id in self._values:
            return copy.deepcopy(self._values[node.id])
        return node


class _Folding(ast.NodeTransformer):
    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        self.generic_visit(node)
        decides = isinstance(node.op, ast.Or)
        values = list(node.values)
        while len(values) > 1 and (first := _value(values[0])) is not _UNKNOWN:
            if bool(first) is decides:
                return values[0]
            values.pop(0)
        return values[0] if len(values) == 1 else ast.BoolOp(node.op, values)

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        self.generic_visit(node)
        value = _value(node.test)
        if value is _UNKNOWN:
            return node
        return node.body if value else node.orelse

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        self.generic_visit(node)
        value = _value(node)
        return node if value is _UNKNOWN else ast.Constant(value)


def _value(node: ast.expr) -> Any:
    """What an expression of constants comes to; ``_UNKNOWN`` for any other."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        value = _value(node.operand)
        return _UNKNOWN if value is _UNKNOWN else not value
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        compare = _COMPARED.get(type(node.ops[0]))
        sides = _value(node.left), _value(node.comparators[0])
        return _UNKNOWN if compare is None or _UNKNOWN in sides else compare(*sides)
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError):
        return _UNKNOWN
