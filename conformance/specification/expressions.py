"""Rule expressions: a small, whitelisted subset of Python. Nothing else is evaluated."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import CodeType
from typing import Any

import numpy as np

from conformance.specification.dtypes import FAMILIES, NAMES
from conformance.specification.problems import nearest

LONGEST = 400
"""The maximum number of characters of an expression."""

_NODES = (
    ast.Expression, ast.BoolOp, ast.And, ast.Or, ast.UnaryOp, ast.Not, ast.USub, ast.BinOp, ast.Add, ast.Sub, ast.Mult,
    ast.FloorDiv, ast.Mod, ast.Compare, ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.In, ast.NotIn, ast.Is,
    ast.IsNot, ast.IfExp, ast.Name, ast.Load, ast.Store, ast.Constant, ast.Attribute, ast.Subscript, ast.Slice, ast.Tuple,
    ast.List, ast.Call, ast.GeneratorExp, ast.comprehension,
)  # fmt: skip
_ATTRIBUTES = ("shape", "rank", "dtype", "kind")


class ExpressionError(Exception):
    """An invalid expression; the message says what is allowed."""


def _within(values: Any, low: Any, high: Any) -> bool:
    """Whether every element is at least ``low`` and less than ``high``; tuples are bounds of the last axis's columns."""
    array = np.asarray(getattr(values, "array", values))
    return bool(np.all((np.asarray(low) <= array) & (array < np.asarray(high))))


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "all": all,
    "any": any,
    "len": len,
    "max": max,
    "min": min,
    "range": range,
    "sum": sum,
    "within": _within,
    "is_integer": lambda value: type(value) is int,
    "is_tuple": lambda value: type(value) is tuple,
    "is_tensor": lambda value: hasattr(value, "array"),
}
_NAMESPACE = {"__builtins__": {}, **FUNCTIONS}


@dataclass(frozen=True)
class Expression:
    """An expression over named values."""

    text: str
    code: CodeType
    names: frozenset[str]
    """The values that it uses."""
    terms: frozenset[str] = frozenset()
    """The same with the attribute that is used of each, such as ``indices.rank``."""

    def __reduce__(self) -> tuple[Any, ...]:
        """To be stored without its code, which is compiled again from the text that was checked."""
        return _compiled, (self.text, self.names, self.terms)

    def value(self, values: Mapping[str, Any]) -> Any:
        """Its value; errors of Python propagate if the values do not fit."""
        # A generator expression only sees globals, so the values are passed as globals.
        return eval(self.code, {**_NAMESPACE, **values})  # noqa: S307 - every node was checked

    def holds(self, values: Mapping[str, Any]) -> bool:
        """Whether it is true; False if it cannot be evaluated, for example for a missing axis."""
        try:
            return bool(self.value(values))
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
            return False


def compile_expression(text: str, names: Iterable[str], calls: Iterable[str] = ()) -> Expression:
    """A compiled expression over ``names``; ExpressionError if it is invalid.

    calls: additional functions, which are passed among the values at evaluation.
    """
    allowed = frozenset(names)
    if len(text) > LONGEST:
        raise ExpressionError(f"the expression has {len(text)} characters; at most {LONGEST} are allowed")
    try:
        with warnings.catch_warnings(action="ignore"):
            tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        raise ExpressionError(f"not an expression: {text!r}: {getattr(error, 'msg', error)}") from None
    used = _check(tree, allowed, frozenset([*FUNCTIONS, *calls]))
    return Expression(text, compile(tree, "<rule>", "eval"), used, _terms(tree, used))


def _compiled(text: str, names: frozenset[str], terms: frozenset[str]) -> Expression:
    return Expression(text, compile(text.strip(), "<rule>", "eval"), names, terms)


def _terms(tree: ast.Expression, names: frozenset[str]) -> frozenset[str]:
    nodes = list(ast.walk(tree))
    with_attribute = {id(node.value): node.attr for node in nodes if isinstance(node, ast.Attribute)}
    used = (node for node in nodes if isinstance(node, ast.Name) and node.id in names)
    return frozenset(
        f"{node.id}.{with_attribute[id(node)]}" if id(node) in with_attribute else node.id for node in used
    )


def _check(tree: ast.Expression, names: frozenset[str], functions: frozenset[str]) -> frozenset[str]:
    bound = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    used: set[str] = set()
    for node in ast.walk(tree):
        if not isinstance(node, _NODES):
            raise ExpressionError(f"{type(node).__name__} is not part of the rule language ({ast.unparse(node)!r})")
        if isinstance(node, ast.Name) and node.id not in bound:
            if node.id not in names and node.id not in functions:
                raise ExpressionError(f"undefined name {node.id!r}{_suggestion(node.id, [*names, *functions])}")
            used |= {node.id} & names
        _check_node(node, functions)
    return frozenset(used)


def _suggestion(word: str, allowed: Iterable[str]) -> str:
    if word in NAMES or word in FAMILIES:
        return f"; write the name of a dtype or dtype family in quotes: {word!r}"
    return nearest(word, allowed)


def _check_node(node: ast.AST, functions: frozenset[str]) -> None:
    if isinstance(node, ast.Attribute) and node.attr not in _ATTRIBUTES:
        raise ExpressionError(f"undefined attribute {node.attr!r}{nearest(node.attr, _ATTRIBUTES)}")
    if isinstance(node, ast.Constant) and not isinstance(node.value, int | float | str | None):
        raise ExpressionError(f"invalid constant {node.value!r}; expected a number, a string or None")
    if isinstance(node, ast.comprehension) and (node.is_async or node.ifs):
        raise ExpressionError("a comprehension cannot have a condition; combine the condition with the element")
    if isinstance(node, ast.Call):
        if not isinstance(node.func, ast.Name) or node.func.id not in functions:
            raise ExpressionError(f"cannot call {ast.unparse(node.func)!r}; available: {', '.join(sorted(functions))}")
        if node.keywords or any(isinstance(argument, ast.Starred) for argument in node.args):
            raise ExpressionError(f"keyword and starred arguments are not allowed: {ast.unparse(node)!r}")
