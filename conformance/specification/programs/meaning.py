"""What the call in a program receives, and which arguments a program changes; both are computed from the program without a framework."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from conformance.specification.dtypes import NAMES
from conformance.specification.literals import MOST_ELEMENTS, Argument, Tensor, frozen, misfit
from conformance.specification.programs.language import (
    VIEWS,
    Assigned,
    Called,
    CalledInPlace,
    Change,
    Changed,
    Computed,
    Expression,
    Name,
    Negative,
    Number,
    Operator,
    Program,
    Shape,
    Sliced,
    Step,
    StepName,
    UnderTest,
)

Array = np.ndarray[Any, Any]
OPERATORS: Mapping[Operator, Callable[[Any, Any], Any]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "//": operator.floordiv, "%": operator.mod
}  # fmt: skip


def step_on_arrays(function: StepName, first: Any, second: Any = None) -> Array:
    """What a step gives for arrays: a view of the first where NumPy has one. ValueError if it does not fit."""
    array = np.asarray(first)
    match function:
        case "arange":
            return np.arange(first, dtype=np.asarray(second).dtype)
        case "expand":
            return np.broadcast_to(array, second)
        case "reshape":
            return np.reshape(array, second)
        case "transpose":
            return np.transpose(array)
        case "view":
            return array
        case "flip":
            return np.array(np.flip(array, 0))
        case "copy":
            return np.array(array)
        case "stacked":
            return np.stack([*array])
        case "total":
            return np.asarray(array.sum(0, dtype=array.dtype))


class _NotComputed(Exception):
    """The program does not tell, since another operation computes something, or it needs too much memory."""


def received(program: Program, arguments: Mapping[str, Argument]) -> dict[str, Argument] | None:
    """The arguments that the call under test receives if the program gets these; None if the program does not tell."""
    try:
        return _Reader(program, arguments).received()
    except (_NotComputed, ArithmeticError, LookupError, TypeError, ValueError, MemoryError, RecursionError):
        return None


def changed_by(program: Program, in_place: str | None) -> frozenset[str]:
    """The parameters that the program may change, by itself or by its calls; in_place: the argument that the API changes."""
    known = {name: frozenset([name]) for name in program.parameters}
    found: set[str] = set()
    for statement in program.statements:
        match statement:
            case Assigned(name, value):
                found |= _changed_in(value, known, program.call.operation, in_place, program.call)
                known[name] = _memory_of(value, known, in_place)
            case Change(_, tensor, _) | CalledInPlace(_, (tensor, *_)):
                found |= _memory_of(tensor, known, in_place)
    for result in program.results:
        found |= _changed_in(result, known, program.call.operation, in_place, program.call)
    return frozenset(found)


_Memory = Mapping[str, frozenset[str]]
"""By name, the parameters with which it may share memory."""


def _memory_of(expression: Expression, known: _Memory, in_place: str | None) -> frozenset[str]:
    match expression:
        case Name(name):
            return known.get(name, frozenset())
        case Sliced(tensor):
            return _memory_of(tensor, known, in_place)
        case Step(function, arguments) if function in VIEWS:
            return _memory_of(arguments[0], known, in_place)
        case Changed(target, result):
            return _memory_of(target, known, in_place) | _memory_of(result, known, in_place)
        case UnderTest(_, named):
            return _union(_memory_of(value, known, in_place) for name, value in named if name == in_place)
        case Called(_, arguments) if in_place is not None and arguments:
            return _memory_of(arguments[0], known, in_place)
        case _:
            return frozenset()


def _changed_in(
    expression: Expression, known: _Memory, operation: str, in_place: str | None, call: UnderTest
) -> frozenset[str]:
    """The parameters that calls of the operation under test change in an expression."""
    match expression:
        case UnderTest():
            return _memory_of(expression, known, in_place)
        case Called(name, arguments) if name == operation and in_place is not None:
            place = [each for each, _ in call.arguments].index(in_place)
            return _memory_of(arguments[place], known, in_place) if place < len(arguments) else frozenset()
        case _:
            return frozenset()


def _union(sets: Iterable[frozenset[str]]) -> frozenset[str]:
    return frozenset().union(*sets)


class _Reader:
    """Computes arguments; the elements of all arrays are counted before they are made."""

    def __init__(self, program: Program, arguments: Mapping[str, Argument]) -> None:
        self._program = program
        self._given = arguments
        self._elements = 0
        self._arrays: dict[str, Array | int] = {}
        """What is computed, by name; what is not here is as it was given."""
        self._views: dict[str, str | None] = {}
        if any(isinstance(each, Change) for each in program.before):
            for name, value in arguments.items():
                if isinstance(value, Tensor):
                    self._count(value.shape)
                    self._arrays[name] = np.array(value.array)

    def received(self) -> dict[str, Argument]:
        with np.errstate(all="ignore"):
            for statement in self._program.before:
                if isinstance(statement, CalledInPlace):
                    raise _NotComputed
                if isinstance(statement, Change):
                    self._change(statement)
                else:
                    self._arrays[statement.name] = self._value(statement.value)
                    self._views[statement.name] = self._view_of(statement.value)
            return {name: self._argument(value) for name, value in self._program.call.arguments}

    def _argument(self, expression: Expression) -> Argument:
        if isinstance(expression, Name) and expression.name not in self._arrays:
            return self._given[expression.name]
        array = np.asarray(self._value(expression))
        if array.dtype.name not in NAMES:
            raise _NotComputed
        view = self._view_of(expression)
        is_view = view is not None and misfit(view, array) is None
        return Tensor(array.dtype.name, frozen(np.array(array)), None, view if is_view else None)

    def _view_of(self, expression: Expression) -> str | None:
        """The memory layout that an expression gives a tensor, by its name among ``VIEWS``; None for one of its own memory."""
        match expression:
            case Name(name):
                return self._views.get(name)
            case Sliced(_, slices):
                return "strided" if any(each.step is not None for each in slices) else "offset"
            case Step("transpose"):
                return "transposed"
            case Step("expand"):
                return "expanded"
            case Step("view", (whole,)):
                return self._view_of(whole)
            case _:
                return None

    def _change(self, change: Change) -> None:
        tensor, value = self._value(change.tensor), self._value(change.value)
        if not isinstance(tensor, np.ndarray):
            raise _NotComputed
        self._count(tensor.shape)
        tensor[...] = self._computed(OPERATORS["+"], tensor, value) if change.function == "add" else value

    def _value(self, expression: Expression) -> Array | int:  # noqa: C901 - one case for each class
        match expression:
            case Name(name):
                if name in self._arrays:
                    return self._arrays[name]
                value = self._given[name]
                if isinstance(value, Tensor):
                    return value.array
                if type(value) is int:
                    return value
            case Number(number):
                return number
            case Negative(operand):
                return self._counted(-self._value(operand))
            case Computed(sign, left, right):
                return self._computed(OPERATORS[sign], self._value(left), self._value(right))
            case Sliced(whole, slices):
                return np.asarray(self._value(whole))[tuple(slice(each.start, each.stop, each.step) for each in slices)]
            case Step():
                return self._step(expression)
            case Shape() | Called() | UnderTest() | Changed():
                pass
        raise _NotComputed

    def _step(self, step: Step) -> Array:
        match step:
            case Step("arange", (Number(length), like)):
                self._count([length])
                return step_on_arrays("arange", length, self._value(like))
            case Step("expand" | "reshape" as function, (whole, Shape(lengths))):
                self._count(lengths)
                return step_on_arrays(function, self._value(whole), lengths)
            case Step(function, (whole,)):
                return step_on_arrays(function, self._counted(self._value(whole)))
        raise _NotComputed

    def _computed(self, compute: Callable[[Any, Any], Any], *sides: Array | int) -> Array | int:
        self._count(np.broadcast_shapes(*map(np.shape, sides)))
        result: Array | int = compute(*sides)
        arrays = [side for side in sides if isinstance(side, np.ndarray)]
        # Where the dtype does not hold a number, NumPy 1 returns another dtype, and NumPy 2 raises.
        if len(arrays) == 1 and isinstance(result, np.ndarray | np.generic) and result.dtype != arrays[0].dtype:
            raise _NotComputed
        return result

    def _counted(self, value: Array | int) -> Array | int:
        self._count(np.shape(value))
        return value

    def _count(self, shape: Sequence[int]) -> None:
        if min(shape, default=0) < 0:
            raise _NotComputed
        self._elements += math.prod(shape)
        if self._elements > MOST_ELEMENTS:
            raise _NotComputed
