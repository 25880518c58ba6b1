"""A program around a call as code of a script, in which it calls the adapter's own functions."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Mapping, Sequence

from conformance.repro.errors import NoScript
from conformance.repro.source import AdapterSource
from conformance.results.records import MappingRecord
from conformance.specification.programs.language import (
    Assigned,
    Called,
    CalledInPlace,
    Changed,
    Expression,
    Program,
    Statement,
    Step,
    UnderTest,
    replaced,
    with_values,
)
from conformance.worker.programs import changing, returning


def in_framework(
    program: Program, mapping: MappingRecord, mappings: Sequence[MappingRecord], source: AdapterSource
) -> Program:
    """The program with the adapter's functions in place of operations; NoScript if it calls one that the target lacks.

    mapping: the API under test. mappings: all of the target, in the order of the adapter's file.
    """
    apis = [other for other in mappings if not other.lacks_kernel]
    others, changes = returning(apis), changing(mapping, apis, lambda one: next(iter(_arguments(one)), None))

    def change(part: Expression) -> Expression:
        match part:
            case UnderTest(_, arguments):
                return UnderTest(source.function_name(mapping.source), arguments)
            case Called(operation, arguments) if operation == mapping.operation:
                return Called(source.function_name(mapping.source), arguments)
            case Called(operation, arguments):
                return _on_copy(operation, arguments, others, source)
            case Changed(target, result):
                return result if mapping.in_place is None else target
            case _:
                return part

    statements = tuple(_statement(with_values(each, change), changes, source) for each in program.statements)
    return Program(program.parameters, statements, tuple(replaced(result, change) for result in program.results))


def _statement(statement: Statement, changes: Mapping[str, MappingRecord], source: AdapterSource) -> Statement:
    """The same, of a call of another operation that changes its first argument the API that a worker takes for it."""
    if not isinstance(statement, CalledInPlace):
        return statement
    if statement.operation not in changes:
        raise NoScript(f"the results have no API for {statement.operation} that changes its first argument")
    return Assigned("_", Called(source.function_name(changes[statement.operation].source), statement.arguments))


def _on_copy(
    operation: str, arguments: Sequence[Expression], others: Mapping[str, MappingRecord], source: AdapterSource
) -> Called:
    """A call of the API that a worker takes for another operation, as the worker makes it: with a copy of what it changes."""
    if operation not in others:
        raise NoScript(f"the results have no API for {operation}")
    other = others[operation]
    given = list(arguments)
    if other.in_place is not None and source.defines("copy"):
        place = _arguments(other).index(other.in_place)
        given[place] = Step("copy", (given[place],))
    return Called(source.function_name(other.source), tuple(given))


def _arguments(mapping: MappingRecord) -> list[str]:
    """The names of the arguments of an API's function; none if its source is not known."""
    functions = [each for each in ast.parse(textwrap.dedent(mapping.source)).body if isinstance(each, ast.FunctionDef)]
    return [each.arg for function in functions for each in function.args.args]
