"""Programs around a call, from ``programs.yaml`` in the suite's specs: data, which every operation with a layout gets.

A program computes arguments of a call, makes the call, and computes something of its result. Its text is Python that runs in a
target's interpreter and on the reference.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from conformance.specification.problems import Location, Problem, SpecError, display_path
from conformance.specification.yaml_file import read_yaml

VIEWS = ("offset", "strided", "transposed", "expanded")
"""Functions of one tensor that a program calls before the call."""
CHANGED = "changed"
"""A function of a tensor and a result: the tensor if the call changes it in place, otherwise the result."""

Role = Literal["data", "index", "target", "written"]
"""All tensors but the index; the index; what it points into; what is written there."""
Text = str | dict[str, str]
"""An expression, or one for each operation that the program is about."""
_NODES = (
    ast.Expression,
    ast.Name,
    ast.Load,
    ast.Constant,
    ast.BinOp,
    ast.Add,
    ast.Sub,
    ast.Mult,
    ast.UnaryOp,
    ast.USub,
    ast.Call,
)


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Program(_Part):
    """What is computed before and after a call; ``x`` stands for the argument, as passed to the program."""

    states: str
    data: Text | None = None
    index: Text | None = None
    target: Text | None = None
    written: Text | None = None
    result: Text | None = None

    def before(self, operation: str) -> Mapping[Role, str] | None:
        """The expressions of arguments by role; None if the program is not about an operation."""
        texts: dict[Role, Text | None] = {
            "data": self.data, "index": self.index, "target": self.target, "written": self.written
        }  # fmt: skip
        found = {role: _of(text, operation) for role, text in texts.items() if text is not None}
        return None if None in found.values() else found  # type: ignore[return-value] # without None

    def after(self, operation: str) -> str | None:
        """The expression of the program's result; None if the program is not about an operation."""
        return "result" if self.result is None else _of(self.result, operation)


@dataclass(frozen=True)
class NamedProgram:
    """A program of a file."""

    name: str
    program: Program
    location: Location


class _File(_Part):
    programs: dict[str, Program]


@cache
def load_programs(path: Path) -> tuple[NamedProgram, ...]:
    """The programs of a file; SpecError if it is not valid."""
    content, lines = read_yaml(path)
    try:
        file = TypeAdapter(_File).validate_python(content)
    except ValidationError as error:
        raise SpecError([Problem(Location(display_path(path)), str(error))]) from None
    programs = [
        NamedProgram(name, program, lines.location(("programs", name))) for name, program in file.programs.items()
    ]
    problems = [
        Problem(each.location, f"program {each.name}: {text!r} is not allowed: {reason}")
        for each in programs
        for text, reason in _problems(each.program)
    ]
    if problems:
        raise SpecError(problems)
    return tuple(programs)


def _of(text: Text, operation: str) -> str | None:
    return text if isinstance(text, str) else text.get(operation)


def _problems(program: Program) -> Iterator[tuple[str, str]]:
    for text in (program.data, program.index, program.target, program.written, program.result):
        for expression in text.values() if isinstance(text, dict) else [text]:
            if expression is not None:
                reason = _reason(expression)
                if reason is not None:
                    yield expression, reason


def _reason(expression: str) -> str | None:
    """Why an expression is not allowed; None if it is."""
    try:
        tree = ast.parse(expression, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return "it is no expression"
    for node in ast.walk(tree):
        if not isinstance(node, _NODES):
            return "a program has names, numbers, +, -, * and calls with positional arguments"
        if isinstance(node, ast.Name) and node.id[0] == "_":
            return "a name begins with a letter"
        if isinstance(node, ast.Constant) and not isinstance(node.value, int):
            return "its constants are integers"
        if isinstance(node, ast.Call) and (node.keywords or not isinstance(node.func, ast.Name)):
            return "a program calls functions by name, with positional arguments"
    return None
