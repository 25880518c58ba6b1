"""What a call receives inside a program around it: the program's text, as ``cases/variants/programs.py`` writes it, is read and never run.

A results file may come from anybody, so that its texts are not executed: of the lines before the call only assignments of views,
sums, differences and products are understood.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from conformance.specification.dtypes import NAMES
from conformance.specification.literals import MOST_ELEMENTS, Argument, Tensor, frozen, misfit

LONGEST = 10_000
"""The maximum number of characters of a program that is read."""

Array = np.ndarray[Any, Any]
_OPERATORS: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: lambda left, right: left + right,
    ast.Sub: lambda left, right: left - right,
    ast.Mult: lambda left, right: left * right,
}


class _NotRead(Exception):
    """The text has something that is not understood, or needs too much memory."""


def received(program: str, arguments: Mapping[str, Argument]) -> dict[str, Argument] | None:
    """The arguments that the call in a program receives if the program gets these; None if its text does not tell."""
    try:
        lines = _before_the_call(program)
        reader = _Reader(arguments)
        for name, expression in lines:
            reader.assign(name, expression)
    except (_NotRead, SyntaxError, ArithmeticError, LookupError, TypeError, ValueError, MemoryError, RecursionError):
        return None
    return reader.arguments


def returns_the_result(program: str) -> bool:
    """Whether a program returns what its call does, and computes nothing of it."""
    return program.rstrip().endswith("\n    return result")


def _before_the_call(program: str) -> Sequence[tuple[str, ast.expr]]:
    """The assignments to arguments."""
    if len(program) > LONGEST:
        raise _NotRead
    [function] = ast.parse(program).body
    if not isinstance(function, ast.FunctionDef):
        raise _NotRead
    lines: list[tuple[str, ast.expr]] = []
    for line in function.body:
        if not isinstance(line, ast.Assign) or not isinstance(line.targets[0], ast.Name):
            raise _NotRead
        if line.targets[0].id == "result":
            return lines
        lines.append((line.targets[0].id, line.value))
    raise _NotRead


class _Reader:
    """Computes arguments; the elements of all arrays are counted before they are made."""

    def __init__(self, arguments: Mapping[str, Argument]) -> None:
        self.arguments = dict(arguments)
        self._elements = 0

    def assign(self, name: str, expression: ast.expr) -> None:
        with np.errstate(all="ignore"):
            array = np.asarray(self._value(expression))
        if array.dtype.name not in NAMES:
            raise _NotRead
        view = _view_of(expression)
        is_view = view is not None and misfit(view, array) is None
        self.arguments[name] = Tensor(array.dtype.name, frozen(np.array(array)), None, view if is_view else None)

    def _value(self, node: ast.expr) -> Array | int:
        match node:
            case ast.Name(id=name):
                value = self.arguments[name]
                if isinstance(value, Tensor):
                    return value.array
                if type(value) is int:
                    return value
            case ast.Constant(value=int(number)):
                return number
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return self._counted(-self._value(operand))
            case ast.BinOp(left=left, op=operator, right=right) if type(operator) in _OPERATORS:
                return self._computed(_OPERATORS[type(operator)], self._value(left), self._value(right))
            case ast.Subscript(value=whole, slice=key):
                return np.asarray(self._value(whole))[_slices(key)]
            case ast.Call(func=ast.Name(id="transpose"), args=[whole]):
                return np.transpose(self._value(whole))
            case ast.Call(func=ast.Name(id="expand"), args=[whole, shape]):
                lengths = ast.literal_eval(shape)
                self._count(lengths)
                return np.broadcast_to(self._value(whole), lengths)
        raise _NotRead

    def _computed(self, operator: Callable[[Any, Any], Any], *sides: Array | int) -> Array | int:
        self._count(np.broadcast_shapes(*map(np.shape, sides)))
        result: Array | int = operator(*sides)
        arrays = [side for side in sides if isinstance(side, np.ndarray)]
        # Where the dtype does not hold a number, NumPy 1 returns another dtype, and NumPy 2 raises.
        if len(arrays) == 1 and isinstance(result, np.ndarray | np.generic) and result.dtype != arrays[0].dtype:
            raise _NotRead
        return result

    def _counted(self, value: Array | int) -> Array | int:
        self._count(np.shape(value))
        return value

    def _count(self, shape: Sequence[int]) -> None:
        self._elements += math.prod(shape)
        if self._elements > MOST_ELEMENTS:
            raise _NotRead


def _slices(key: ast.expr) -> tuple[slice, ...]:
    parts = key.elts if isinstance(key, ast.Tuple) else [key]
    return tuple(_slice(part) for part in parts)


def _slice(part: ast.expr) -> slice:
    if not isinstance(part, ast.Slice):
        raise _NotRead
    return slice(*(None if bound is None else ast.literal_eval(bound) for bound in (part.lower, part.upper, part.step)))


def _view_of(expression: ast.expr) -> str | None:
    """The memory layout that an expression gives a tensor, by its name among ``VIEWS``; None for one of its own memory."""
    match expression:
        case ast.Subscript(slice=key):
            return "strided" if any(part.step is not None for part in _slices(key)) else "offset"
        case ast.Call(func=ast.Name(id="transpose")):
            return "transposed"
        case ast.Call(func=ast.Name(id="expand")):
            return "expanded"
    return None
