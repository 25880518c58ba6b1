"""``programs.yaml`` in the suite's specs: programs as templates, of which every operation with a layout gets those that fit it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal, get_args

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from conformance.specification.problems import Location, Problem, SpecError, display_path
from conformance.specification.programs.language import (
    Apis,
    Assigned,
    Called,
    Expression,
    Statement,
    UnderTest,
    parts_of,
    values_of,
)
from conformance.specification.programs.reading import NotAProgram, read_expression, read_lines
from conformance.specification.vocabulary import Nesting
from conformance.specification.yaml_file import read_yaml

Role = Literal["data", "index", "target", "written"]
"""All tensors but the index; the index; what it points into; what is written there."""
ROLES: tuple[Role, ...] = get_args(Role)
BUFFERED = ("offset", "strided", "transposed", "expanded")
"""Functions of a role in a template: that view of what the program gets in its place."""
MEASURES = ("shape", "flat", "size", "few")
"""Functions of a role: the lengths of its axes, that of all elements along one axis, the number of elements, and two, or one if an
axis is shorter."""
CALL = "call"


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class ProgramTemplate(_Part, title="Program"):
    """A program of ``programs.yaml``, which goes [around calls](derived-cases.md#programs-around-calls)."""

    states: str
    """What it does, as a sentence."""
    text: str
    """Its lines; the last returns one or several results."""
    where: dict[str, dict[str, str]] = {}
    """Names in the text, each with an expression for each operation; the program is about these operations alone."""
    operations: list[str] | None = None
    """The operations that it is about; by default all that it fits."""
    apis: Apis = "any"
    """The APIs that it is about: those that return a new tensor, those that change their target in place, or any."""
    constants: list[Role] = []
    """Roles whose tensors are [constants of what is compiled](derived-cases.md#constants-and-arguments)."""
    transforms: list[Nesting] = []
    """The [transforms of a transform](derivatives.md) that are made of the program too."""


@dataclass(frozen=True)
class NamedProgram:
    """A program of a file, whose statements are about roles, which stand for the arguments of a call, and about ``call()``."""

    name: str
    states: str
    statements: tuple[Statement, ...]
    results: tuple[Expression, ...]
    where: Mapping[str, Mapping[str, Expression]]
    """By name, the expression that it stands for in a program around each operation; its names are arguments of the operation."""
    operations: frozenset[str] | None
    """Those that the program is about; None for all that it fits."""
    apis: Apis
    constants: tuple[Role, ...]
    """What is a constant of what is compiled, rather than an argument."""
    transforms: tuple[Nesting, ...]
    """The nested transforms that are made of it too."""
    location: Location

    def stands_for(self, operation: str) -> Mapping[str, Expression] | None:
        """What its names stand for around a call of an operation; None if it is not about the operation."""
        found = {
            name: by_operation[operation] for name, by_operation in self.where.items() if operation in by_operation
        }
        is_about = self.operations is None or operation in self.operations
        return found if is_about and len(found) == len(self.where) else None

    def calls(self, function: str) -> bool:
        """Whether a function of templates occurs in it."""
        expressions = [*(value for each in self.statements for value in values_of(each)), *self.results]
        parts = (part for each in expressions for part in parts_of(each))
        return any(isinstance(part, Called) and part.operation == function for part in parts)


class _File(_Part):
    programs: dict[str, ProgramTemplate]


@cache
def load_programs(path: Path) -> tuple[NamedProgram, ...]:
    """The programs of a file; SpecError if it is not valid."""
    content, lines = read_yaml(path)
    try:
        file = TypeAdapter(_File).validate_python(content)
    except ValidationError as error:
        raise SpecError([Problem(Location(display_path(path)), str(error))]) from None
    programs, problems = [], []
    for name, written in file.programs.items():
        location = lines.location(("programs", name))
        try:
            programs.append(_program(name, written, location))
        except NotAProgram as error:
            problems.append(Problem(location, f"program {name}: {error}"))
    if problems:
        raise SpecError(problems)
    return tuple(programs)


def _program(name: str, written: ProgramTemplate, location: Location) -> NamedProgram:
    statements, results = read_lines(written.text)
    parts = [part for each in statements for value in values_of(each) for part in parts_of(value)]
    if sum(map(is_call, parts)) != 1 or not any(
        isinstance(each, Assigned) and is_call(each.value) for each in statements
    ):
        raise NotAProgram(f"it has to name the result of one {CALL}()")
    where = {
        each: {operation: read_expression(text) for operation, text in by_operation.items()}
        for each, by_operation in written.where.items()
    }
    operations = None if written.operations is None else frozenset(written.operations)
    constants = tuple(written.constants)
    return NamedProgram(
        name,
        written.states,
        statements,
        results,
        where,
        operations,
        written.apis,
        constants,
        tuple(written.transforms),
        location,
    )


def is_call(expression: Expression) -> bool:
    """Whether an expression of a template is the call under test: ``call()``, or with other arguments ``call(index=...)``."""
    return isinstance(expression, Called | UnderTest) and expression.operation == CALL
