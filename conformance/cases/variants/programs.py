"""Cases with a program around the call: what a mode compiles is more than the call alone.

``<clause>/program.NAME.DTYPE``. The expectation is what the reference returns in the same program on NumPy arrays.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from conformance.cases.duplicates import is_written
from conformance.cases.expectations import Returns
from conformance.cases.forms.calls import telling_call
from conformance.cases.forms.geometries import Lengths, changed, usual_lengths, usual_profiles
from conformance.cases.model import Case, Entry
from conformance.cases.reference import Reference, ReferenceFailed
from conformance.cases.vacuous import is_constant
from conformance.cases.variation import InProgram, Turn, first_turn
from conformance.specification.applied import Applied
from conformance.specification.layout import Layout
from conformance.specification.literals import Argument, Tensor, frozen, misfit
from conformance.specification.model import Around, Clause, Operation
from conformance.specification.programs import VIEWS, NamedProgram
from conformance.worker.programs import NAME
from conformance.worker.views import build

DTYPES = ("float32", "int64", "bfloat16")
LENGTHS = (None, 127, 128, 129)
"""Lengths of an axis of the target, by turns, since vectors have powers of two; None for an ordinary one."""


def program_cases(operation: Operation, reference: Reference) -> Iterator[Case]:
    """The programs around a valid call of an operation that has a layout, in several dtypes."""
    if operation.layout is None:
        return
    drawn = next(clause for clause in operation.clauses if clause.name == operation.layout.drawn)
    number = 0
    first = first_turn(operation.name, "program")
    for turn, named in enumerate(operation.programs):
        for place, dtype in enumerate(DTYPES):
            length = LENGTHS[(turn + place) % len(LENGTHS)]
            # A sample has each program in one dtype, and the next one in another.
            of_case = Turn(first + turn + place)
            case = _case(operation, drawn, named, dtype, length, number + 1, of_case, reference)
            if case is not None:
                number += 1
                yield case


def _case(
    operation: Operation,
    drawn: Clause,
    named: NamedProgram,
    dtype: str,
    length: int | None,
    number: int,
    turn: Turn,
    reference: Reference,
) -> Case | None:
    for attempt, lengths in enumerate(_lengths(operation, length)):
        base = telling_call(operation, reference, lengths, dtype, number + attempt, f"program {named.name}")
        if base is None:
            continue
        made = _around(named, base)
        # Sums in a narrow dtype depend on their order.
        if made is None or (dtype == "bfloat16" and base.accumulates):
            continue
        call, around = made
        try:
            result = reference(call)
        except ReferenceFailed:
            continue
        if _is_expanded(operation, named) and is_constant(result):
            continue
        return Case(
            f"{drawn.id}/program.{named.name}.{dtype}",
            call,
            drawn,
            Returns(result, base.accumulates),
            Entry(drawn.location, named.program.states),
            InProgram(around, dtype == "bfloat16", turn),
        )
    return None


def _is_expanded(operation: Operation, named: NamedProgram) -> bool:
    """Whether tensors of the call have equal elements, so that the result may have them too, whatever is read."""
    return any("expanded(" in expression for expression in (named.program.before(operation.name) or {}).values())


def _lengths(operation: Operation, length: int | None) -> Iterator[Lengths]:
    """The lengths of several profiles; the last axis of the target has the given one."""
    layout = operation.layout
    assert layout is not None
    for profile in usual_profiles(layout):
        lengths = usual_lengths(layout, profile)
        group = _last_group(layout, lengths)
        if length is None:
            yield lengths
        elif group is not None and sum(map(len, lengths.values())) <= _FEW_AXES:
            axis = len(lengths[group]) - 1
            longer = changed(layout, lengths, group, length, [axis])
            # Indices and updates are as long, as every API needs.
            for follower in (each.name for each in layout.groups.values() if each.other == group):
                longer = changed(layout, longer, follower, length, [axis])
            yield longer


_FEW_AXES = 5
"""The maximum number of axes of all groups of a call with a long axis."""


def _last_group(layout: Layout, lengths: Mapping[str, tuple[int, ...]]) -> str | None:
    """The group of the last axis of the target; None if it has no axes."""
    target = layout.target(next(iter(layout.indices)))
    groups = [part.group for part in target if not part.rank and lengths[part.group]]
    return groups[-1] if groups else None


@dataclass(frozen=True)
class _Roles:
    """The tensors of a call by what they are in a program."""

    index: tuple[str, ...]
    data: tuple[str, ...]
    target: tuple[str, ...]
    written: tuple[str, ...]


def _roles(call: Applied) -> _Roles:
    index = tuple(name for name in call.tensors if name not in call.data)
    data = tuple(call.data)
    into = {spec.indexing.into for name in index if (spec := call.operation.arguments[name]).indexing is not None}
    geometries = call.geometries.values()
    target = {each.indexing.into for each in geometries if is_written(call, each)}
    written = tuple(name for name in data if name not in into)
    return _Roles(index, data, tuple(name for name in data if name in target), written)


def _around(named: NamedProgram, call: Applied) -> tuple[Applied, Around] | None:
    """A call with a program around it, in which the call has the given arguments; None if the program does not fit it."""
    before, after = named.program.before(call.operation.name), named.program.after(call.operation.name)
    roles = _roles(call)
    if before is None or after is None:
        return None
    target = next(iter(roles.target), None)
    if target is None and "target" in f"{after} {list(before)}":
        return None
    outer: dict[str, Argument] = {}
    lines = []
    for role, expression in before.items():
        for name in getattr(roles, role):
            value = call.arguments[name]
            assert isinstance(value, Tensor)
            # Elements that share memory cannot be changed in place.
            is_shared = "expanded(" in expression and name in roles.target
            buffer = None if is_shared else _buffer(expression, value)
            if buffer is not None:
                outer[name] = buffer
                lines.append(f"{name} = {_written(expression, name, value, target)}")
    if before and not lines:
        return None
    names = ", ".join(call.arguments)
    passed = ", ".join(f"{name}={name}" for name in call.arguments)
    body = [*lines, f"result = {call.operation.name}({passed})", f"return {_written(after, 'x', None, target)}"]
    text = "\n    ".join([f"def {NAME}({names}):", *body])
    around = Around(f"{text}\n")
    return call.with_arguments(outer).made(around), around


def _buffer(expression: str, value: Tensor) -> Tensor | None:
    """What the program gets for an argument to have a value; None if the value cannot be such a view."""
    view = next((name for name in VIEWS if f"{name}(" in expression), None)
    if view is None:
        return value
    if view == "expanded":
        repeats = value.rank > 0 and value.shape[0] > 1
        return Tensor(value.dtype, frozen(np.array(value.array[:1])), None) if repeats else None
    if misfit(view, value.array) is not None:
        return None
    base = build(value.array, view).base
    assert base is not None
    return Tensor(value.dtype, frozen(base), None)


def _written(expression: str, name: str, value: Tensor | None, target: str | None) -> str:
    tree = _Names(name, value, target).visit(ast.parse(expression, mode="eval"))
    return ast.unparse(ast.fix_missing_locations(tree))


class _Names(ast.NodeTransformer):
    """Replaces ``x`` and ``target`` by arguments, and views by what Python and the adapter have for them."""

    def __init__(self, name: str, value: Tensor | None, target: str | None) -> None:
        self._name, self._value, self._target = name, value, target

    def visit_Name(self, node: ast.Name) -> ast.expr:
        names = {"x": self._name, "target": self._target or node.id}
        return ast.Name(names.get(node.id, node.id), ast.Load())

    def visit_Call(self, node: ast.Call) -> ast.expr:
        assert isinstance(node.func, ast.Name)
        arguments = [self.visit(argument) for argument in node.args]
        if node.func.id not in VIEWS or self._value is None:
            return ast.Call(node.func, arguments, [])
        [inner] = map(ast.unparse, arguments)
        axes = ", ".join([{"offset": "1:-1", "strided": "::2"}.get(node.func.id, "")] * self._value.rank)
        views = {"transposed": f"transpose({inner})", "expanded": f"expand({inner}, {self._value.shape})"}
        return ast.parse(views.get(node.func.id, f"{inner}[{axes}]"), mode="eval").body
