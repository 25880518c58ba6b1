"""A program around a call as code of a script, in which it calls the adapter's own functions."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Mapping, Sequence

from conformance.repro.errors import NoScript
from conformance.repro.source import AdapterSource
from conformance.results.records import MappingRecord
from conformance.specification.programs.language import (
    Called,
    Changed,
    Expression,
    Program,
    Step,
    UnderTest,
    replaced,
    with_values,
)


def in_framework(
    program: Program, mapping: MappingRecord, mappings: Sequence[MappingRecord], source: AdapterSource
) -> Program:
    """The program with the adapter's functions in place of operations; NoScript if it calls one that the target lacks.

    mapping: the API under test. mappings: all of the target, in the order of the adapter's file.
    """
    others: dict[str, MappingRecord] = {}
    for other in sorted(mappings, key=lambda one: one.composed):
        if not other.lacks_kernel:
            others.setdefault(other.operation, other)

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

    statements = tuple(with_values(each, change) for each in program.statements)
    return Program(program.parameters, statements, tuple(replaced(result, change) for result in program.results))


def _on_copy(
    operation: str, arguments: Sequence[Expression], others: Mapping[str, MappingRecord], source: AdapterSource
) -> Called:
    """A call of the API that a worker takes for another operation, as the worker makes it: with a copy of what it changes."""
    if operation not in others:
        raise NoScript(f"the results have no API for {operation}")
    other = others[operation]
    given = list(arguments)
    if other.in_place is not None and source.defines("copy"):
        [function] = ast.parse(textwrap.dedent(other.source)).body
        assert isinstance(function, ast.FunctionDef), "its name was read"
        place = [each.arg for each in function.args.args].index(other.in_place)
        given[place] = Step("copy", (given[place],))
    return Called(source.function_name(other.source), tuple(given))
