"""Programs from their text, which is parsed as Python and never run: a results file may come from anybody."""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from typing import get_args

from conformance.specification.programs.language import (
    CHANGED,
    CHANGES,
    FUNCTION,
    STEPS,
    Assigned,
    Called,
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
    Slice,
    Sliced,
    Statement,
    Step,
    UnderTest,
    parts_of,
)

LONGEST = 10_000
"""The maximum number of characters of a program that is read."""
_OPERATORS: Mapping[type[ast.operator], Operator] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.FloorDiv: "//", ast.Mod: "%"
}  # fmt: skip
assert {*_OPERATORS.values()} == {*get_args(Operator)}


class NotAProgram(ValueError):
    """A text that is no program; the message says why."""


@lru_cache(maxsize=256)
def read_program(text: str) -> Program:
    """The program of a text as ``Program.text`` is; NotAProgram for any other."""
    match _parsed(text):
        case [ast.FunctionDef(name=name, args=parameters, body=body)] if name == FUNCTION:
            statements, results = read_body(body)
        case _:
            raise NotAProgram(f"it is no function {FUNCTION}")
    program = Program(_parameters(parameters), statements, results)
    try:
        is_written_so = program.text == text
        calls = sum(isinstance(part, UnderTest) for part in program.parts())
    except RecursionError:
        raise NotAProgram("it is nested too deeply") from None
    if not is_written_so:
        raise NotAProgram("it is not written as programs are")
    if calls != 1 or not any(isinstance(each, Assigned) and isinstance(each.value, UnderTest) for each in statements):
        raise NotAProgram("it has to name the result of one call with its arguments by name")
    return program


def read_lines(text: str) -> tuple[tuple[Statement, ...], tuple[Expression, ...]]:
    """The statements of a program without its head, and what it returns."""
    return read_body(_parsed(text))


def read_expression(text: str) -> Expression:
    """An expression of a program; NotAProgram for any other text."""
    match _parsed(text):
        case [ast.Expr(value=node)]:
            return _expression(node)
    raise NotAProgram("it is no expression")


def read_body(lines: Sequence[ast.stmt]) -> tuple[tuple[Statement, ...], tuple[Expression, ...]]:
    """As ``read_lines``, of what is parsed already."""
    if not lines or not isinstance(lines[-1], ast.Return) or lines[-1].value is None:
        raise NotAProgram("a program ends with return and what it returns")
    returned = lines[-1].value
    nodes = returned.elts if isinstance(returned, ast.Tuple) else [returned]
    if not nodes:
        raise NotAProgram("it returns nothing")
    return tuple(map(_statement, lines[:-1])), tuple(map(_expression, nodes))


def names_in(expressions: Collection[Expression]) -> set[str]:
    """The names that occur in expressions."""
    return {part.name for each in expressions for part in parts_of(each) if isinstance(part, Name)}


def _parsed(text: str) -> list[ast.stmt]:
    if len(text) > LONGEST:
        raise NotAProgram(f"it has more than {LONGEST} characters")
    try:
        return ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise NotAProgram("it is no Python") from None


def _parameters(given: ast.arguments) -> tuple[str, ...]:
    return tuple(_named(each.arg) for each in given.args)


def _named(name: str) -> str:
    if name.startswith("_"):
        raise NotAProgram("a name begins with a letter")
    return name


def _statement(line: ast.stmt) -> Statement:
    match line:
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            return Assigned(_named(name), _expression(value))
        case ast.Expr(value=ast.Call(func=ast.Name(id=function), args=[tensor, value], keywords=[])):
            for change in CHANGES:
                if function == change:
                    return Change(change, _expression(tensor), _expression(value))
    raise NotAProgram(f"a line names the value of an expression, or calls {', '.join(CHANGES)} with two arguments")


def _expression(node: ast.expr) -> Expression:
    try:
        return _read(node)
    except RecursionError:
        raise NotAProgram("it is nested too deeply") from None


def _read(node: ast.expr) -> Expression:
    match node:
        case ast.Name(id=name):
            return Name(_named(name))
        case ast.Constant(value=value) if type(value) is int:
            return Number(value)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=value)) if type(value) is int:
            return Number(-value)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return Negative(_read(operand))
        case ast.BinOp(left=left, op=operator, right=right) if type(operator) in _OPERATORS:
            return Computed(_OPERATORS[type(operator)], _read(left), _read(right))
        case ast.Tuple(elts=lengths):
            return Shape(tuple(_integer(length) for length in lengths))
        case ast.Subscript(value=tensor, slice=key):
            parts = key.elts if isinstance(key, ast.Tuple) else [key]
            return Sliced(_read(tensor), tuple(map(_slice, parts)))
        case ast.Call(func=ast.Name(id=function), args=arguments, keywords=keywords):
            return _call(_named(function), arguments, keywords)
    raise NotAProgram("a program has names, integers, shapes, + - * // %, slices, and calls of functions by name")


def _call(function: str, arguments: Sequence[ast.expr], keywords: Sequence[ast.keyword]) -> Expression:
    if keywords:
        named = tuple((_named(each.arg or "_"), _read(each.value)) for each in keywords)
        if arguments or function in (*STEPS, *CHANGES, CHANGED):
            raise NotAProgram("only the call under test has arguments by name, and no others")
        return UnderTest(function, named)
    read = tuple(map(_read, arguments))
    for step, count in STEPS.items():
        if function == step:
            if len(read) != count:
                raise NotAProgram(f"{step} has {count} arguments")
            return Step(step, read)
    if function == CHANGED and len(read) == 2:
        return Changed(*read)
    if function in (*CHANGES, CHANGED):
        raise NotAProgram(f"{function} is not called so")
    return Called(function, read)


def _slice(part: ast.expr) -> Slice:
    if not isinstance(part, ast.Slice):
        raise NotAProgram("what stands in brackets is a slice for each axis")
    bounds = (None if bound is None else _integer(bound) for bound in (part.lower, part.upper, part.step))
    return Slice(*bounds)


def _integer(node: ast.expr) -> int:
    match node:
        case ast.Constant(value=value) if type(value) is int:
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=value)) if type(value) is int:
            return -value
    raise NotAProgram("a length or a bound is an integer")
