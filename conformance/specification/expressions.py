"""Rule expressions: a small, whitelisted subset of Python. Nothing else is evaluated.

What an evaluation may cost is limited: the elements that it visits are counted before they are made, products are of
numbers only, and the lengths of its values are limited where they are read (``literals``).
"""

from __future__ import annotations

import ast
import math
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import CodeType
from typing import Any

import numpy as np

from conformance.specification.dtypes import FAMILIES, NAMES
from conformance.specification.indices.keys import Filled, Index, broadcast, broadcasts, key_of
from conformance.specification.problems import Location, Problem, SpecError, nearest

LONGEST = 400
"""The maximum number of characters of an expression."""

MOST_ELEMENTS = 10_000
"""The maximum number of elements of ranges and comprehensions in an evaluation."""
MOST_BITS = 1000
"""The maximum number of bits of a product."""

NOWHERE = Location("expression")
"""The location of an expression that is in no file."""

_NODES = (
    ast.Expression, ast.BoolOp, ast.And, ast.Or, ast.UnaryOp, ast.Not, ast.USub, ast.BinOp, ast.Add, ast.Sub, ast.Mult,
    ast.FloorDiv, ast.Mod, ast.Compare, ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.In, ast.NotIn, ast.Is,
    ast.IsNot, ast.IfExp, ast.Name, ast.Load, ast.Store, ast.Constant, ast.Attribute, ast.Subscript, ast.Slice, ast.Tuple,
    ast.List, ast.Call, ast.GeneratorExp, ast.comprehension,
)  # fmt: skip
_ATTRIBUTES = ("shape", "rank", "size", "dtype", "kind")
_ASSIGNMENT = re.compile("(?<![=!<>])=(?!=)")


class ExpressionError(Exception):
    """An invalid expression; the message says what is allowed."""


class _LimitExceeded(Exception):
    """An evaluation was stopped before it exceeded a limit; the message gives the limit."""


def _within(values: Any, low: Any, high: Any) -> bool:
    """Whether every element is at least ``low`` and less than ``high``; tuples are bounds of the last axis's columns."""
    array = np.asarray(getattr(values, "array", values))
    return bool(np.all((np.asarray(low) <= array) & (array < np.asarray(high))))


def _within_either_end(values: Any, lengths: Any) -> bool:
    """Whether every element is a position of an axis, counted from its start or, if negative, from its end."""
    return _within(values, -np.asarray(lengths), lengths)


def _largest(values: Any, otherwise: int) -> int:
    """The largest element of a tensor of integers, or ``otherwise`` if it has none."""
    array = np.asarray(getattr(values, "array", values))
    return int(array.max()) if array.size else otherwise


def _count(mask: Any, shape: Any = None) -> int:
    """How many elements of a mask are true; of as many as it has if broadcast with another shape, where it can be."""
    array = np.asarray(getattr(mask, "array", mask))
    count = int(np.count_nonzero(array))
    try:
        size = math.prod(np.broadcast_shapes(array.shape, tuple(shape or array.shape)))
    except ValueError:
        return count
    return count * size // array.size if array.size else 0


def _ascending(values: Any) -> bool:
    """Whether no element of a tensor is less than the one before it, in row-major order."""
    array = np.asarray(getattr(values, "array", values)).reshape(-1)
    return bool(np.all(array[:-1] <= array[1:]))


def _rises(values: Any) -> bool:
    """Whether no element of a tensor is less than the one before it along its last axis."""
    array = np.asarray(getattr(values, "array", values))
    return bool(np.all(array[..., :-1] <= array[..., 1:]))


def _adds_up(values: Any, total: int) -> bool:
    """Whether the elements along the last axis of a tensor add up to a number, wherever on its other axes."""
    array = np.asarray(getattr(values, "array", values))
    return bool(np.all(array.sum(axis=-1) == total))


def _filled(key: str, indices: Iterable[Index | None]) -> Filled:
    """A key with the tensors in it; None for one that the call does not have."""
    return Filled(key, [index for index in indices if index is not None])


def _key_bounds(key: str, shape: Sequence[int], *indices: Index | None) -> list[tuple[Index, int]]:
    """The tensors in a key, each with the length of its axis."""
    lengths = _filled(key, indices).lengths(tuple(shape))
    return list(zip((index for index in indices if index is not None), lengths, strict=True))


def _key_broadcasts(key: str, *indices: Index | None) -> bool:
    """Whether the indices in a key can be broadcast against each other."""
    try:
        broadcast(_filled(key, indices).shapes)
    except ValueError:
        return False
    return True


_COUNTED, _TIMES, _MODULO = "counted()", "times()", "modulo()"
"""Names that no expression can contain, of what replaces parts of the tree."""


class _Counter:
    """Counts the elements of one evaluation before they are made."""

    def __init__(self) -> None:
        self._left = MOST_ELEMENTS

    def range(self, *bounds: int) -> range:
        values = range(*bounds)
        # Not len(), which fails for more elements than an index can count.
        self._take(max(0, -((values.start - values.stop) // values.step)))
        return values

    def iterable(self, values: Any) -> Any:
        """The elements that a comprehension visits; a nested comprehension has counted its own."""
        self._take(len(values) if hasattr(values, "__len__") else 0)
        return values

    def within(self, values: Any, low: Any, high: Any) -> bool:
        self._compared(values)
        return _within(values, low, high)

    def within_either_end(self, values: Any, lengths: Any) -> bool:
        self._compared(values)
        return _within_either_end(values, lengths)

    def largest(self, values: Any, otherwise: int) -> int:
        self._compared(values)
        return _largest(values, otherwise)

    def count(self, mask: Any, shape: Any = None) -> int:
        self._counted(mask)
        return _count(mask, shape)

    def ascending(self, values: Any) -> bool:
        self._compared(values)
        return _ascending(values)

    def of_key(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """A function of a key, which counts the true elements of the masks in it."""

        def counted(key: str, *others: Any) -> Any:
            for mask in (other for other in others if getattr(other, "kind", None) == "bool"):
                self._counted(mask)
            return function(key, *others)

        return counted

    def _counted(self, mask: Any) -> None:
        array = np.asarray(getattr(mask, "array", mask))
        if array.dtype == bool:
            self._take(1 + array.size // 1_000_000)  # so many bytes take NumPy as long as 1000 comparisons
        else:
            self._compared(array)

    def _compared(self, values: Any) -> None:
        size = np.size(getattr(values, "array", values))
        self._take(1 + size // 1000)  # NumPy needs about as long for 1000 elements as Python for one

    def _take(self, count: int) -> None:
        self._left -= count
        if self._left < 0:
            raise _LimitExceeded(f"it visits more than {MOST_ELEMENTS} elements; at most {MOST_ELEMENTS} are allowed")


def _times(left: Any, right: Any) -> Any:
    """The product of two numbers; Python would repeat a text or a shape."""
    for value in (left, right):
        if isinstance(value, str | tuple | list):
            raise _LimitExceeded(f"* takes numbers; found a {type(value).__name__}")
    bits = sum(value.bit_length() for value in (left, right) if isinstance(value, int))
    if bits > MOST_BITS:
        raise _LimitExceeded(f"a product has about {bits} bits; at most {MOST_BITS} are allowed")
    return left * right


def _modulo(left: Any, right: Any) -> Any:
    """The remainder of two numbers; Python would format values into a text."""
    if isinstance(left, str):
        raise TypeError("% takes numbers")
    return left % right


def _sum(values: Any, start: Any = 0) -> Any:
    """The sum of numbers; Python would join shapes, and copy all before for each."""
    if isinstance(start, str | tuple | list):
        raise _LimitExceeded(f"sum takes numbers; found a {type(start).__name__} to start with")
    return sum(values, start)


class _Limited(ast.NodeTransformer):
    """Replaces what may cost more than its text: products, remainders, and the iterables of comprehensions."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        name = {ast.Mult: _TIMES, ast.Mod: _MODULO}.get(type(node.op))
        return _call_of(name, node.left, node.right) if name else node

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        self.generic_visit(node)
        node.iter = _call_of(_COUNTED, node.iter)
        return node


def _call_of(name: str, *arguments: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), [*arguments], [])


def _tree(text: str) -> ast.Expression:
    with warnings.catch_warnings(action="ignore"):
        return ast.parse(text.strip(), mode="eval")


def _code(tree: ast.Expression) -> CodeType:
    with warnings.catch_warnings(action="ignore"):  # such as that a number cannot be called
        return compile(ast.fix_missing_locations(_Limited().visit(tree)), "<rule>", "eval")


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "all": all,
    "any": any,
    "len": len,
    "max": max,
    "min": min,
    "sum": _sum,
    "range": range,
    "within": _within,
    "within_either_end": _within_either_end,
    "largest": _largest,
    "ascending": _ascending,
    "rises": _rises,
    "adds_up": _adds_up,
    "count": _count,
    "is_integer": lambda value: type(value) is int,
    "is_tuple": lambda value: type(value) is tuple,
    "is_tensor": lambda value: hasattr(value, "array"),
    "broadcasts": broadcasts,
    "key_rank": lambda key, *indices: _filled(key, indices).key.rank,
    "key_lengths": lambda key, shape, *indices: _filled(key, indices).lengths(shape),
    "key_shape": lambda key, shape, *indices: _filled(key, indices).taken(shape),
    "key_masks": lambda key, shape, *indices: _filled(key, indices).masks_fit(shape),
    "key_numbers": lambda key, shape, *indices: _filled(key, indices).key.numbers_fit(shape),
    "key_steps": lambda key: key_of(key).has_steps,
    "key_bounds": _key_bounds,
    "key_broadcasts": _key_broadcasts,
}
_READING = {"within", "within_either_end", "largest", "ascending", "rises", "adds_up", "count"}
"""The functions that read the elements of arguments."""
_OF_KEYS = {name: function for name, function in FUNCTIONS.items() if name.startswith("key_")}
_NAMESPACE = {"__builtins__": {}, **FUNCTIONS, _TIMES: _times, _MODULO: _modulo}


@dataclass(frozen=True)
class Expression:
    """An expression over named values."""

    text: str
    code: CodeType
    names: frozenset[str]
    """The values that it uses."""
    terms: frozenset[str] = frozenset()
    """The same with the attribute that is used of each, such as ``indices.rank``."""
    location: Location = NOWHERE

    @property
    def reads_values(self) -> bool:
        """Whether it depends on elements of arguments, and not on shapes and dtypes alone."""
        return any(isinstance(node, ast.Name) and node.id in _READING for node in ast.walk(_tree(self.text)))

    def __reduce__(self) -> tuple[Any, ...]:
        """To be stored without its code, which is compiled again from the text that was checked."""
        return _compiled, (self.text, self.names, self.terms, self.location)

    def value(self, values: Mapping[str, Any]) -> Any:
        """Its value; errors of Python propagate if the values do not fit. SpecError if it exceeds a limit."""
        counter = _Counter()
        counted = {
            "range": counter.range,
            "within": counter.within,
            "within_either_end": counter.within_either_end,
            "largest": counter.largest,
            "ascending": counter.ascending,
            "count": counter.count,
            _COUNTED: counter.iterable,
            **{name: counter.of_key(function) for name, function in _OF_KEYS.items()},
        }
        try:
            # A generator expression only sees globals, so the values are passed as globals.
            return eval(self.code, {**_NAMESPACE, **counted, **values})  # noqa: S307 - every node was checked
        except _LimitExceeded as error:
            raise SpecError([Problem(self.location, f"{self.text!r}: {error}")]) from None

    def holds(self, values: Mapping[str, Any]) -> bool:
        """Whether it is true; False if it cannot be evaluated, for example for a missing axis."""
        try:
            return bool(self.value(values))
        except EVALUATION_ERRORS:
            return False

    def fails(self, values: Mapping[str, Any]) -> bool:
        """Whether it is false; no if it cannot be evaluated."""
        try:
            return not self.value(values)
        except EVALUATION_ERRORS:
            return False


EVALUATION_ERRORS = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""What an expression raises that cannot be evaluated, for example for a missing axis."""


def compile_expression(
    text: str, names: Iterable[str], calls: Iterable[str] = (), location: Location = NOWHERE
) -> Expression:
    """A compiled expression over ``names``; ExpressionError if it is invalid.

    calls: additional functions, which are passed among the values at evaluation. location: where it is written.
    """
    allowed = frozenset(names)
    if len(text) > LONGEST:
        raise ExpressionError(f"the expression has {len(text)} characters; at most {LONGEST} are allowed")
    try:
        tree = _tree(text)
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        hint = "; write == to compare" if _ASSIGNMENT.search(text) else ""
        raise ExpressionError(f"not an expression: {text!r}: {getattr(error, 'msg', error)}{hint}") from None
    used = _check(tree, allowed, frozenset([*FUNCTIONS, *calls]))
    terms = _terms(tree, used)
    return Expression(text, _code(tree), used, terms, location)


def _compiled(text: str, names: frozenset[str], terms: frozenset[str], location: Location) -> Expression:
    return Expression(text, _code(_tree(text)), names, terms, location)


def _terms(tree: ast.Expression, names: frozenset[str]) -> frozenset[str]:
    nodes = list(ast.walk(tree))
    with_attribute = {id(node.value): node.attr for node in nodes if isinstance(node, ast.Attribute)}
    used = (node for node in nodes if isinstance(node, ast.Name) and node.id in names)
    return frozenset(
        f"{node.id}.{with_attribute[id(node)]}" if id(node) in with_attribute else node.id for node in used
    )


def _check(tree: ast.Expression, names: frozenset[str], functions: frozenset[str]) -> frozenset[str]:
    for node in ast.walk(tree):
        if not isinstance(node, _NODES):
            raise ExpressionError(f"{type(node).__name__} is not part of the rule language ({ast.unparse(node)!r})")
        _check_node(node, functions)
    free = {name.id for name in _free(tree, frozenset())}
    for name in sorted(free - names - functions):
        raise ExpressionError(f"undefined name {name!r}{_suggestion(name, [*names, *functions])}")
    return frozenset(free & names)


def _free(node: ast.AST, bound: frozenset[str]) -> Iterator[ast.Name]:
    """The names in a part of an expression that no comprehension around them binds."""
    if isinstance(node, ast.Name) and node.id not in bound:
        yield node
    if isinstance(node, ast.GeneratorExp):
        for generator in node.generators:
            yield from _free(generator.iter, bound)
            bound |= {name.id for name in ast.walk(generator.target) if isinstance(name, ast.Name)}
        yield from _free(node.elt, bound)
        return
    for part in ast.iter_child_nodes(node):
        yield from _free(part, bound)


def _suggestion(word: str, allowed: Iterable[str]) -> str:
    if word in NAMES or word in FAMILIES:
        return f"; write the name of a dtype or dtype family in quotes: {word!r}"
    if word == "result":
        return "; a rule about the result of a call has ensure in place of require"
    return nearest(word, allowed)


def _check_node(node: ast.AST, functions: frozenset[str]) -> None:
    if isinstance(node, ast.Attribute) and node.attr not in _ATTRIBUTES:
        hint = "; did you mean 'rank'?" if node.attr == "ndim" else nearest(node.attr, _ATTRIBUTES)
        raise ExpressionError(f"undefined attribute {node.attr!r}{hint}")
    if isinstance(node, ast.Constant) and not isinstance(node.value, int | float | str | None):
        raise ExpressionError(f"invalid constant {node.value!r}; expected a number, a string or None")
    if isinstance(node, ast.Attribute | ast.Subscript) and isinstance(node.ctx, ast.Store):
        raise ExpressionError(f"the variable of a comprehension is a name, not {ast.unparse(node)!r}")
    if isinstance(node, ast.comprehension) and (node.is_async or node.ifs):
        raise ExpressionError("a comprehension cannot have a condition; combine the condition with the element")
    if isinstance(node, ast.Call):
        if not isinstance(node.func, ast.Name) or node.func.id not in functions:
            raise ExpressionError(f"cannot call {ast.unparse(node.func)!r}; available: {', '.join(sorted(functions))}")
        if node.keywords or any(isinstance(argument, ast.Starred) for argument in node.args):
            raise ExpressionError(f"keyword and starred arguments are not allowed: {ast.unparse(node)!r}")
