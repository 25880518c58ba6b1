"""What a program is: a function of tensors that computes arguments, makes a call, and computes or changes something after it.

A program has one call under test, whose arguments are given by name, so that it receives what the API of a target receives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

FUNCTION = "program"
"""The function that the text of a program defines."""

Operator = Literal["+", "-", "*", "//", "%"]
StepName = Literal["transpose", "expand", "reshape", "view", "flip", "copy", "arange", "total", "stacked"]
ChangeName = Literal["fill", "write", "add"]
Apis = Literal["any", "returning", "changing"]
"""The APIs that a program is about: all, those that return a new tensor, or those that change their target in place."""

STEPS: Mapping[StepName, int] = {
    "transpose": 1, "expand": 2, "reshape": 2, "view": 1, "flip": 1, "copy": 1, "arange": 2, "total": 1,
    "stacked": 1
}  # fmt: skip
"""What an adapter has for tensors, with the number of arguments: ``expand(x, shape)``, ``arange(length, index)``."""
VIEWS: frozenset[StepName] = frozenset({"transpose", "expand", "reshape", "view"})
"""Those whose result may share memory with the first argument. ``view`` is a slice or one of the others that does, where what is
changed through it is changed in the whole; a framework without such views has none."""
CHANGES: Mapping[ChangeName, int] = {"fill": 2, "write": 2, "add": 2}
"""What an adapter has for tensors that can be changed: ``fill(x, number)``, ``write(x, y)`` and ``add(x, y)``."""
IN_PLACE = "_"
"""What follows the name of an operation whose call changes its first argument."""
CHANGED = "changed"
"""A function of a tensor and a result: the tensor if the call changes it in place, otherwise the result."""


@dataclass(frozen=True)
class Name:
    """A parameter of the program, or what a statement has named."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Number:
    value: int

    def __str__(self) -> str:
        return str(self.value)


@dataclass(frozen=True)
class Shape:
    """The lengths of axes."""

    lengths: tuple[int, ...]

    def __str__(self) -> str:
        return repr(self.lengths)


@dataclass(frozen=True)
class Negative:
    operand: Expression

    def __str__(self) -> str:
        return f"-{_operand(self.operand, _PRECEDENCE['*'] + 1)}"


@dataclass(frozen=True)
class Computed:
    """Two tensors, or a tensor and a number, element by element."""

    operator: Operator
    left: Expression
    right: Expression

    def __str__(self) -> str:
        own = _PRECEDENCE[self.operator]
        return f"{_operand(self.left, own)} {self.operator} {_operand(self.right, own + 1)}"


@dataclass(frozen=True)
class Slice:
    """The part of an axis."""

    start: int | None = None
    stop: int | None = None
    step: int | None = None

    def __str__(self) -> str:
        start, stop = ("" if bound is None else bound for bound in (self.start, self.stop))
        return f"{start}:{stop}" if self.step is None else f"{start}:{stop}:{self.step}"


@dataclass(frozen=True)
class Sliced:
    """A part of a tensor, which shares its memory."""

    tensor: Expression
    slices: tuple[Slice, ...]
    """Of the first axes."""

    def __str__(self) -> str:
        return f"{_operand(self.tensor, _ATOM)}[{', '.join(map(str, self.slices))}]"


@dataclass(frozen=True)
class Step:
    """What an adapter has for its tensors."""

    function: StepName
    arguments: tuple[Expression, ...]

    def __str__(self) -> str:
        return f"{self.function}({', '.join(map(str, self.arguments))})"


@dataclass(frozen=True)
class Called:
    """A call of an operation of the suite, with its arguments in order; it changes none of them, unless the operation is that under test."""

    operation: str
    arguments: tuple[Expression, ...]

    def __str__(self) -> str:
        return f"{self.operation}({', '.join(map(str, self.arguments))})"


@dataclass(frozen=True)
class UnderTest:
    """The call that the program is about."""

    operation: str
    arguments: tuple[tuple[str, Expression], ...]

    def __str__(self) -> str:
        return f"{self.operation}({', '.join(f'{name}={value}' for name, value in self.arguments)})"


@dataclass(frozen=True)
class Changed:
    """The target after the call if the API changes it, and otherwise the result."""

    target: Expression
    result: Expression

    def __str__(self) -> str:
        return f"{CHANGED}({self.target}, {self.result})"


Expression = Name | Number | Shape | Negative | Computed | Sliced | Step | Called | UnderTest | Changed

_PRECEDENCE: Mapping[Operator, int] = {"+": 1, "-": 1, "*": 2, "//": 2, "%": 2}
_ATOM = 4


def _operand(expression: Expression, least: int) -> str:
    """The text of a part of an expression, in brackets if it does not bind as strongly as this."""
    match expression:
        case Computed(operator):
            binds = _PRECEDENCE[operator]
        case Negative():
            binds = _ATOM - 1
        case Number(value) if value < 0:
            binds = _ATOM - 1
        case _:
            binds = _ATOM
    return str(expression) if binds >= least else f"({expression})"


@dataclass(frozen=True)
class Assigned:
    """Names the value of an expression."""

    name: str
    value: Expression

    def __str__(self) -> str:
        return f"{self.name} = {self.value}"


@dataclass(frozen=True)
class Change:
    """Changes a tensor, or the tensor of which it is a view."""

    function: ChangeName
    tensor: Expression
    value: Expression

    def __str__(self) -> str:
        return f"{self.function}({self.tensor}, {self.value})"


@dataclass(frozen=True)
class CalledInPlace:
    """A call of an operation of the suite that changes its first argument."""

    operation: str
    arguments: tuple[Expression, ...]

    def __str__(self) -> str:
        return f"{self.operation}{IN_PLACE}({', '.join(map(str, self.arguments))})"


Statement = Assigned | Change | CalledInPlace


@dataclass(frozen=True)
class Program:
    """A function of tensors, numbers and shapes."""

    parameters: tuple[str, ...]
    statements: tuple[Statement, ...]
    results: tuple[Expression, ...]
    """What it returns, one or several."""

    @cached_property
    def text(self) -> str:
        """As Python that a worker runs."""
        body = [*map(str, self.statements), f"return {', '.join(map(str, self.results))}"]
        return "\n    ".join([f"def {FUNCTION}({', '.join(self.parameters)}):", *body]) + "\n"

    @property
    def before(self) -> tuple[Statement, ...]:
        """The statements before the call under test."""
        return self.statements[: self._place]

    @property
    def call(self) -> UnderTest:
        """The call under test."""
        return self._statement.value  # type: ignore[return-value] # by how it is found

    @property
    def after(self) -> tuple[Statement, ...]:
        """The statements after the call under test."""
        return self.statements[self._place + 1 :]

    @property
    def returns_the_result(self) -> bool:
        """Whether it returns what the call under test does, and computes or changes nothing after it."""
        return not self.after and self.results == (Name(self._statement.name),)

    @cached_property
    def names_of_results(self) -> tuple[str, ...]:
        """What each result is called in records and sentences."""
        return tuple(map(str, self.results))

    def has(self, *kinds: type) -> bool:
        """Whether something of these classes occurs in it."""
        return any(isinstance(part, kinds) for part in self.parts())

    def parts(self) -> Iterator[Expression | Statement]:
        """Its statements and all expressions in them and in its results."""
        for statement in self.statements:
            yield statement
            for value in values_of(statement):
                yield from parts_of(value)
        for result in self.results:
            yield from parts_of(result)

    @cached_property
    def _place(self) -> int:
        [place] = [
            place
            for place, each in enumerate(self.statements)
            if isinstance(each, Assigned) and isinstance(each.value, UnderTest)
        ]
        return place

    @property
    def _statement(self) -> Assigned:
        statement = self.statements[self._place]
        assert isinstance(statement, Assigned)
        return statement


Replacement = Callable[[Expression], Expression]


def values_of(statement: Statement) -> tuple[Expression, ...]:
    """The expressions of a statement."""
    match statement:
        case Assigned(_, value):
            return (value,)
        case Change(_, tensor, value):
            return tensor, value
        case CalledInPlace(_, arguments):
            return arguments


def with_values(statement: Statement, change: Replacement) -> Statement:
    """A statement with other expressions."""
    new = tuple(replaced(value, change) for value in values_of(statement))
    match statement:
        case Assigned(name):
            return Assigned(name, *new)
        case Change(function):
            return Change(function, *new)
        case CalledInPlace(operation):
            return CalledInPlace(operation, new)


def operands_of(expression: Expression) -> tuple[Expression, ...]:
    """The expressions of which one consists."""
    match expression:
        case Negative(operand):
            return (operand,)
        case Computed(_, left, right):
            return left, right
        case Sliced(tensor):
            return (tensor,)
        case Step(_, arguments) | Called(_, arguments):
            return arguments
        case UnderTest(_, named):
            return tuple(value for _, value in named)
        case Changed(target, result):
            return target, result
        case Name() | Number() | Shape():
            return ()


def parts_of(expression: Expression) -> Iterator[Expression]:
    """An expression and all that occur in it."""
    yield expression
    for operand in operands_of(expression):
        yield from parts_of(operand)


def replaced(expression: Expression, change: Replacement) -> Expression:
    """An expression of which parts are replaced, and then the whole."""
    new = tuple(replaced(operand, change) for operand in operands_of(expression))
    match expression:
        case Negative():
            return change(Negative(*new))
        case Computed(operator):
            return change(Computed(operator, *new))
        case Sliced(_, slices):
            return change(Sliced(new[0], slices))
        case Step(function):
            return change(Step(function, new))
        case Called(operation):
            return change(Called(operation, new))
        case UnderTest(operation, named):
            names = (name for name, _ in named)
            return change(UnderTest(operation, tuple(zip(names, new, strict=True))))
        case Changed():
            return change(Changed(*new))
        case Name() | Number() | Shape():
            return change(expression)
