"""Cases with a program around the call: what a mode compiles is more than the call alone.

``<clause>/program.NAME.DTYPE``. The expectation is what the reference returns in the same program on NumPy arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from conformance.cases.data_in_dtype import data_of, in_dtype
from conformance.cases.duplicates import is_written
from conformance.cases.expectations import Returns
from conformance.cases.forms.calls import telling_call
from conformance.cases.forms.geometries import Lengths, changed, usual_lengths, usual_profiles
from conformance.cases.model import Case, Entry, drawn_clause
from conformance.cases.reference import Reference, ReferenceFailed, results_of
from conformance.cases.vacuous import is_constant, vacuous
from conformance.cases.variation import Alike, InProgram, Turn, taking_turns
from conformance.cases.written import first_behaviour
from conformance.specification.applied import Applied
from conformance.specification.indices.keys import key_of
from conformance.specification.indices.kinds import InKey
from conformance.specification.layout import Layout
from conformance.specification.literals import Argument, Tensor, frozen, misfit
from conformance.specification.model import Around, Clause, Operation, PassedAs
from conformance.specification.problems import Problem
from conformance.specification.programs.file import BUFFERED, CALL, MEASURES, ROLES, NamedProgram, Role
from conformance.specification.programs.language import (
    Assigned,
    Called,
    Expression,
    Name,
    Number,
    Program,
    Shape,
    Slice,
    Sliced,
    Statement,
    Step,
    UnderTest,
    parts_of,
    replaced,
    values_of,
    with_values,
)
from conformance.worker.views import build

DTYPES = ("float32", "int64", "bfloat16")
OF_TRANSFORMS = "float32"
"""The dtype of programs that have nested transforms."""
NOTE = "a program on which a target was wrong"
LENGTHS = (None, 127, 128, 129)
"""Lengths of an axis of the target, by turns, since vectors have powers of two; None for an ordinary one."""


def program_cases(operation: Operation, reference: Reference) -> Iterator[Case]:
    """The programs around valid calls of an operation, in several dtypes."""
    yield from taking_turns(operation.name, _alike(operation, reference))


def kept_programs(operation: Operation, reference: Reference) -> Iterator[Case | Problem]:
    """The programs that runs found and that are kept with the specs."""
    for clause in operation.clauses:
        for kept in clause.programs:
            call, name = Applied(operation, kept.call), f"{clause.id}/{kept.name}"
            assert isinstance(call.manner, Around)
            try:
                results = results_of(reference, call)
            except ReferenceFailed as error:
                yield Problem(kept.location, f"{name}: {error}", clause.id, name)
                continue
            calls_others = any(isinstance(part, Called) for part in call.manner.program.parts())
            accumulates = call.accumulates or calls_others or _adds(call.manner.program)
            is_open = "bfloat16" in (tensor.dtype for tensor in call.data.values())
            expected = Returns(results.value, accumulates, parts=results.parts)
            variation = InProgram(call.manner, is_open, Turn(0, of=1))
            yield Case(name, call, clause, expected, Entry(kept.location, NOTE), variation)


def _alike(operation: Operation, reference: Reference) -> Iterator[Alike[Case]]:
    """The cases of a program are alike, so that an API meets each program in one dtype, and the next one in another."""
    number = 0
    for turn, named in enumerate(operation.programs):
        for place, dtype in enumerate(DTYPES):
            # A tracer takes the elements of a constant one by one, and a derivative needs a call of the reference for each.
            is_short = named.constants or (named.transforms and dtype == OF_TRANSFORMS)
            length = None if is_short else LENGTHS[(turn + place) % len(LENGTHS)]
            make = _case(operation, named, dtype, length, number + 1, reference)
            if make is not None:
                number += 1
                yield Alike((named.name,), make)


def _case(
    operation: Operation,
    named: NamedProgram,
    dtype: str,
    length: int | None,
    number: int,
    reference: Reference,
) -> Callable[[Turn], Case] | None:
    """What makes the case of a program with its turn; None if the program does not fit any call of the operation."""
    for clause, base, is_open in _bases(operation, named, dtype, length, number, reference):
        call = around(named, base, partial(reference, base))
        if call is None:
            continue
        assert isinstance(call.manner, Around)
        adds = _adds(call.manner.program)
        accumulates = base.accumulates or adds
        # Sums in a narrow dtype depend on their order.
        if dtype == "bfloat16" and accumulates:
            continue
        try:
            results = results_of(reference, call)
        except ReferenceFailed:
            continue
        # Data that the suite chooses are constant only where they are filled.
        is_chosen = operation.layout is not None and not adds and not named.calls("expanded")
        if not is_chosen and is_constant(results.value):
            continue
        name = f"{clause.id}/program.{named.name}.{dtype}"
        expected, entry = Returns(results.value, accumulates, parts=results.parts), Entry(clause.location, named.states)
        vary = partial(InProgram, call.manner, is_open, transforms=named.transforms)
        return lambda turn: Case(name, call, clause, expected, entry, vary(turn=turn))
    return None


def _bases(
    operation: Operation, named: NamedProgram, dtype: str, length: int | None, number: int, reference: Reference
) -> Iterator[tuple[Clause, Applied, bool]]:
    """Valid calls with their clauses, and whether an API may refuse them for their dtype: those of the layout, or else of the spec."""
    if operation.layout is None:
        yield from _written(operation, dtype, number, reference)
        return
    drawn = drawn_clause(operation)
    for attempt, lengths in enumerate(_lengths(operation, length)):
        base = telling_call(operation, reference, lengths, dtype, number + attempt, f"program {named.name}")
        if base is not None:
            yield drawn, base, dtype == "bfloat16"


def _written(
    operation: Operation, dtype: str, number: int, reference: Reference
) -> Iterator[tuple[Clause, Applied, bool]]:
    """The calls of the first behaviour with their data in a dtype, beginning with another one for each number."""
    clause, calls = first_behaviour(operation)
    first = number % len(calls) if calls else 0
    for call in (*calls[first:], *calls[:first]):
        data = in_dtype(data_of(call), dtype, accumulates=call.accumulates)
        if data is None:
            continue
        base = call.with_arguments(data)
        if not all(value.size for value in base.tensors.values()):
            continue
        try:
            returns = Returns(reference(base), base.accumulates)
        except ReferenceFailed:
            continue
        if not base.broken_rules and vacuous(base, returns) is None:
            yield clause, base, dtype not in (value.dtype for value in call.data.values())


def _adds(program: Program) -> bool:
    """Whether a program adds the elements of a tensor."""
    return any(isinstance(part, Step) and part.function == "total" for part in program.parts())


def _lengths(operation: Operation, length: int | None) -> Iterator[Lengths]:
    """The lengths of several profiles; the last axis of the target has the given one, where a call can have it."""
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
    if length is not None:
        yield from _lengths(operation, None)


_FEW_AXES = 5
"""The maximum number of axes of all groups of a call with a long axis."""


def _last_group(layout: Layout, lengths: Mapping[str, tuple[int, ...]]) -> str | None:
    """The group of the last axis of the target; None if it has no axes."""
    target = layout.target(next(iter(layout.indices)))
    groups = [part.group for part in target if not part.rank and lengths[part.group]]
    return groups[-1] if groups else None


def _roles(call: Applied) -> Mapping[Role, tuple[str, ...]]:
    """The tensors of a call by what they are in a program."""
    index = tuple(name for name in call.tensors if name not in call.data)
    data = tuple(call.data)
    into = {spec.indexing.into for name in index if (spec := call.operation.arguments[name]).indexing is not None}
    target = {each.indexing.into for each in call.geometries.values() if is_written(call, each)}
    if not target and call.operation.written_argument is not None:
        target = {call.operation.written_argument}
        into |= target
    return {
        "index": index,
        "data": data,
        "target": tuple(name for name in data if name in target),
        "written": tuple(name for name in data if name not in into),
    }


class _Misfit(Exception):
    """A program does not fit a call."""


def around(named: NamedProgram, call: Applied, result: Callable[[], Tensor]) -> Applied | None:
    """A call with a program around it, in which the call has the given arguments; None if the program does not fit it.

    result: what the call itself returns.
    """
    stands_for = named.stands_for(call.operation.name)
    if stands_for is None:
        return None
    fitting = _Fitting(call, _roles(call), stands_for, result)
    try:
        statements = tuple(line for each in named.statements for line in fitting.lines(each))
        results = tuple(fitting.expression(each) for each in named.results)
        constants = [name for role in named.constants for name in fitting.roles[role]]
        changes = fitting.single("target") if named.apis == "changing" else None
    except _Misfit:
        return None
    program = Program(tuple(call.arguments), statements, results)
    if not _has_indices_of_keys(program, call):
        return None
    manner = Around(program, named.apis, changes, PassedAs(dict.fromkeys(constants, "constant")))
    return call.with_arguments(fitting.outer).made(manner)


def _has_indices_of_keys(program: Program, call: Applied) -> bool:
    """Whether each other operation that the program gives a key of the call has the indices that stand in it, too."""
    kinds = [spec.indexing for spec in call.operation.arguments.values()]
    keys = {each.key: key_of(str(call.arguments[each.key])).names for each in kinds if isinstance(each, InKey)}
    called = [part.arguments for part in program.parts() if isinstance(part, Called)]
    return all(
        Name(name) in given for key, names in keys.items() for given in called if Name(key) in given for name in names
    )


@dataclass
class _Fitting:
    """Writes a program of a file around a call."""

    call: Applied
    roles: Mapping[Role, tuple[str, ...]]
    stands_for: Mapping[str, Expression]
    result: Callable[[], Tensor]
    outer: dict[str, Argument] = field(default_factory=dict)
    """What the program gets in place of an argument."""

    def lines(self, statement: Statement) -> Iterator[Statement]:
        """A statement about a role for each argument that has it, except for those that cannot be such a view; _Misfit if none is left."""
        role = _role_of(statement)
        if role is None:
            yield self._line(statement, {})
            return
        found = False
        for name in self.roles[role]:
            view = next((each for value in values_of(statement) for each in _buffered_in(value)), None)
            value = self.call.arguments[name]
            assert isinstance(value, Tensor)
            # Elements that share memory cannot be changed in place.
            is_shared = view == "expanded" and name in self.roles["target"]
            buffer = value if view is None else None if is_shared else _buffer(view, value)
            if buffer is not None:
                found = True
                self.outer[name] = buffer
                yield self._line(statement, {role: name})
        if not found:
            raise _Misfit

    def _line(self, statement: Statement, given: Mapping[Role, str]) -> Statement:
        line = with_values(statement, partial(self._replaced, given))
        if isinstance(line, Assigned):
            name = next((given[role] for role in given if role == line.name), line.name)
            assert name in given.values() or name not in self.call.arguments, f"{name} is an argument too"
            return Assigned(name, line.value)
        return line

    def expression(self, expression: Expression) -> Expression:
        return replaced(expression, partial(self._replaced, {}))

    def single(self, role: Role) -> str:
        """The argument that has a role; _Misfit unless there is exactly one."""
        if len(self.roles[role]) != 1:
            raise _Misfit
        return self.roles[role][0]

    def _replaced(self, given: Mapping[Role, str], part: Expression) -> Expression:
        match part:
            case Name(name):
                for role in ROLES:
                    if name == role:
                        return Name(given[role] if role in given else self.single(role))
                return self.stands_for.get(name, part)
            case Called(function, (Name(name),)) if function in MEASURES:
                return self._measured(function, name)
            case Called(function, (inner,)) if function in BUFFERED:
                assert isinstance(inner, Name)
                value = self.call.arguments[inner.name]
                assert isinstance(value, Tensor)
                return _view(function, inner, value)
            case Called(operation=operation) if operation == CALL:
                return self._under_test(())
            case UnderTest(operation, arguments) if operation == CALL:
                return self._under_test(arguments)
            case _:
                return part

    def _under_test(self, others: Sequence[tuple[str, Expression]]) -> UnderTest:
        """The call under test, with other arguments than those that the program has."""
        named = {self.single(role) if (role := _role(name)) is not None else name: value for name, value in others}
        if not named.keys() <= self.call.arguments.keys():
            raise _Misfit
        return UnderTest(
            self.call.operation.name, tuple((name, named.get(name, Name(name))) for name in self.call.arguments)
        )

    def _measured(self, function: str, name: str) -> Expression:
        value = self.call.arguments.get(name, None) if name != "result" else self.result()
        assert isinstance(value, Tensor), f"{name} is no tensor of the call"
        if function in ("shape", "flat"):
            return Shape(value.shape if function == "shape" else (value.array.size,))
        if function == "size":
            return Number(value.array.size)
        if not value.array.size:
            raise _Misfit
        return Number(min(2, *value.shape))


def _role(name: str) -> Role | None:
    return next((role for role in ROLES if role == name), None)


def _role_of(statement: Statement) -> Role | None:
    """The role whose arguments a statement is about one by one."""
    if isinstance(statement, Assigned):
        return _role(statement.name)
    changed = values_of(statement)[0]
    names = [part.name for part in parts_of(changed) if isinstance(part, Name)]
    return next((role for name in names if (role := _role(name)) is not None), None)


def _buffered_in(expression: Expression) -> Iterator[str]:
    """The views of what the program gets in an expression of a template."""
    for part in parts_of(expression):
        if isinstance(part, Called) and part.operation in BUFFERED:
            yield part.operation


def _buffer(view: str, value: Tensor) -> Tensor | None:
    """What the program gets for an argument to have a value; None if the value cannot be such a view."""
    if view == "expanded":
        repeats = value.rank > 0 and value.shape[0] > 1
        return Tensor(value.dtype, frozen(np.array(value.array[:1])), None) if repeats else None
    if misfit(view, value.array) is not None:
        return None
    base = build(value.array, view).base
    assert base is not None
    return Tensor(value.dtype, frozen(base), None)


def _view(view: str, inner: Expression, value: Tensor) -> Expression:
    """What Python and the adapter have for a view of a template."""
    if view == "transposed":
        return Step("transpose", (inner,))
    if view == "expanded":
        return Step("expand", (inner, Shape(value.shape)))
    part = Slice(1, -1) if view == "offset" else Slice(step=2)
    return Sliced(inner, (part,) * value.rank)
