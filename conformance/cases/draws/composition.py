"""Runs a program statement by statement on NumPy arrays, with the reference for its calls, and rejects what is not determined.

What a program returns is not determined if it writes different elements to one place, writes to memory from which it reads at the
same time, or depends on whether a step has memory of its own, which differs between frameworks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from conformance.cases.draws.choices import Rejected
from conformance.cases.duplicates import duplicates_of
from conformance.cases.expectations import ReturnsAnyWritten
from conformance.cases.reference import Reference, ReferenceFailed
from conformance.specification.applied import Applied
from conformance.specification.literals import Argument, Tensor, frozen
from conformance.specification.model import Call, Operation
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
    Statement,
    Step,
    UnderTest,
)
from conformance.specification.programs.meaning import OPERATORS, step_on_arrays

Array = np.ndarray[Any, Any]
Value = Array | int | str | float | bool | tuple[int, ...] | None


class Undetermined(Rejected):
    """A program whose result is not determined, or that is no valid program; the message says why."""


@dataclass
class Composition:
    """The values of a program so far."""

    operations: Mapping[str, Operation]
    reference: Reference
    changes: str | None = None
    """The argument that the call under test changes; None if it returns a new tensor."""
    values: dict[str, Value] = field(default_factory=dict)
    accumulates: bool = False
    """Whether elements were added or multiplied, so that results may be rounded."""
    _loose: set[str] = field(default_factory=set)
    """The names of what may have memory of its own or not."""
    _stale: set[str] = field(default_factory=set)
    """Those of them that shared memory that was changed since."""

    def give(self, name: str, value: Argument) -> None:
        """Set a parameter."""
        self.values[name] = np.array(value.array) if isinstance(value, Tensor) else value  # type: ignore[assignment]

    def run(self, statement: Statement) -> None:
        """Run a statement; Undetermined leaves everything as it is."""
        with np.errstate(all="ignore"):
            match statement:
                case Assigned(name, UnderTest(operation, named)):
                    values = {each: self.value(value) for each, value in named}
                    result = self._called(operation, values)
                    if self.changes is not None:
                        target = self._changeable(dict(named)[self.changes], values[self.changes])
                        self._separate(target, [value for each, value in values.items() if each != self.changes])
                        self._change(target, result)
                        result = target
                        self._loose.discard(name)
                    self.values[name] = result
                case Assigned(name, expression):
                    value = self.value(expression)
                    self.values[name] = value
                    if _is_loose(expression, self._loose):
                        self._loose.add(name)
                case Change(function, tensor, expression):
                    target, value = self._changeable(tensor, self.value(tensor)), self.value(expression)
                    self._separate(target, [value])
                    if not isinstance(value, np.ndarray | int):
                        raise Undetermined("it is no tensor and no number")
                    if np.shape(value) not in ((), target.shape) or _dtype(value) not in (None, target.dtype):
                        raise Undetermined("what is written does not fit")
                    self._change(target, np.add(target, value).astype(target.dtype) if function == "add" else value)
                case CalledInPlace(operation, given):
                    values = self._named(operation, [self.value(each) for each in given])
                    target = self._changeable(given[0], next(iter(values.values())))
                    self._separate(target, list(values.values())[1:])
                    self._change(target, self._called(operation, values))

    def _changeable(self, expression: Expression, value: Value) -> Array:
        if not isinstance(value, np.ndarray) or not value.flags.writeable or not value.ndim:
            raise Undetermined("it cannot be changed")
        match expression:
            case Name(name) if name not in self._loose:
                return value
            case Step("view"):
                return value
        raise Undetermined("it may have memory of its own")

    def _separate(self, target: Array, others: Sequence[Value]) -> None:
        if any(isinstance(other, np.ndarray) and np.shares_memory(target, other) for other in others):
            raise Undetermined("it is written from its own memory")

    def _change(self, target: Array, value: Value) -> None:
        if isinstance(value, np.ndarray) and value.shape != target.shape and value.ndim:
            raise Undetermined("the result has another shape than the target")
        for name in self._loose:
            other = self.values[name]
            if isinstance(other, np.ndarray) and np.shares_memory(target, other):
                self._stale.add(name)
        target[...] = value

    def value(self, expression: Expression) -> Value:  # noqa: C901 - one case for each class
        """The value of an expression; it may share memory with others."""
        match expression:
            case Name(name):
                if name in self._stale or name not in self.values:
                    raise Undetermined("it depends on whether a step has memory of its own")
                return self.values[name]
            case Number(number):
                return number
            case Shape(lengths):
                return lengths
            case Negative(operand):
                return self._array(operand) * -1
            case Computed(operator, left, right):
                return self._computed(operator, self.value(left), self.value(right))
            case Sliced(tensor, slices):
                whole = self._array(tensor)
                if len(slices) > whole.ndim:
                    raise Undetermined("too many slices")
                part = whole[tuple(slice(each.start, each.stop, each.step) for each in slices)]
                if not part.size:
                    raise Undetermined("nothing is left")
                return part
            case Step():
                return self._step(expression)
            case Called(operation, arguments):
                return self._called(operation, self._named(operation, [self.value(each) for each in arguments]))
            case UnderTest() | Changed():
                raise Undetermined("the call under test has a statement of its own")

    def _array(self, expression: Expression) -> Array:
        value = self.value(expression)
        if not isinstance(value, np.ndarray):
            raise Undetermined("it is no tensor")
        return value

    def _computed(self, operator: Operator, left: Value, right: Value) -> Array:
        arrays = [side for side in (left, right) if isinstance(side, np.ndarray)]
        if not arrays or len({each.dtype for each in arrays}) > 1 or len({each.shape for each in arrays}) > 1:
            raise Undetermined("frameworks may promote it")
        return np.asarray(OPERATORS[operator](left, right)).astype(arrays[0].dtype)

    def _step(self, step: Step) -> Array:
        first, *others = (self.value(each) for each in step.arguments)
        self.accumulates |= step.function == "total"
        if step.function == "view":
            return self._viewed(step.arguments[0], np.asarray(first))
        try:
            return step_on_arrays(step.function, first, *others)
        except ValueError as error:
            raise Undetermined(str(error)) from None

    def _viewed(self, expression: Expression, value: Array) -> Array:
        if isinstance(expression, Step) and expression.function == "reshape":
            whole = self._array(expression.arguments[0])
            if not whole.flags.c_contiguous:
                raise Undetermined("a tensor with gaps has no such view")
        return value

    def _named(self, operation: str, values: Sequence[Value]) -> dict[str, Value]:
        return dict(zip(self.operations[operation].arguments, values, strict=False))

    def _called(self, operation: str, values: Mapping[str, Value]) -> Array:
        arguments = {name: _argument(value) for name, value in values.items()}
        call = Applied(self.operations[operation], Call(arguments))
        if call.broken_rules or any(not each.fits or not each.inside.all() for each in call.geometries.values()):
            raise Undetermined("the call breaks a rule")
        # Of elements that are only copied, which of several remains is open, unless they are equal.
        if not call.accumulates:
            allowed = duplicates_of(call, self.reference)
            if isinstance(allowed, ReturnsAnyWritten) and not _are_equal(allowed):
                raise Undetermined("different elements are written to one place")
        else:
            self.accumulates = True
        try:
            return np.array(self.reference(call).array)
        except ReferenceFailed as error:
            raise Undetermined(str(error)) from None


def composed(
    program: Program,
    arguments: Mapping[str, Argument],
    operations: Mapping[str, Operation],
    reference: Reference,
    changes: str | None,
) -> Composition:
    """The values of a program after its last statement; Undetermined if its results are not determined."""
    composition = Composition(operations, reference, changes)
    for name, value in arguments.items():
        composition.give(name, value)
    for statement in program.statements:
        composition.run(statement)
    for result in program.results:
        composition.value(result)
    return composition


def _is_loose(expression: Expression, loose: set[str]) -> bool:
    match expression:
        case Name(name):
            return name in loose
        case Step("view"):
            return False
        case Step(function) if function in VIEWS:
            return True
        case Sliced():
            return True
        case _:
            return False


def _are_equal(allowed: ReturnsAnyWritten) -> bool:
    """Whether all that is written to each position is the same."""
    seen: dict[int, Any] = {}
    return all(
        seen.setdefault(position, value) == value
        for position, value in zip(allowed.writes.positions.tolist(), allowed.writes.values.tolist(), strict=True)
    )


def _argument(value: Value) -> Argument:
    if not isinstance(value, np.ndarray):
        return value
    return Tensor(value.dtype.name, frozen(np.array(value)), None)


def _dtype(value: Value) -> Any:
    return value.dtype if isinstance(value, np.ndarray) else None
