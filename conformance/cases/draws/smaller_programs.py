"""Smaller programs than a drawn one: with fewer statements and results, simpler expressions, smaller tensors; and the form of a program.

Two programs have one form if they differ in names, numbers and lengths alone.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, count

import numpy as np

from conformance.cases.draws.choices import Rejected
from conformance.cases.draws.composition import composed
from conformance.cases.draws.elements import as_tensor
from conformance.cases.draws.program_source import program_case
from conformance.cases.draws.programs import is_written
from conformance.cases.model import Case
from conformance.cases.reference import ReferenceFailed
from conformance.cases.variation import DrawnProgram
from conformance.specification.applied import Applied
from conformance.specification.literals import Argument, Tensor
from conformance.specification.model import Around, Call, Operation
from conformance.specification.programs.forms import form_of, one_like_others
from conformance.specification.programs.language import (
    Assigned,
    Called,
    CalledInPlace,
    Change,
    Computed,
    Expression,
    Name,
    Negative,
    Number,
    Program,
    Shape,
    Slice,
    Sliced,
    Statement,
    Step,
    UnderTest,
    operands_of,
    parts_of,
    replaced,
    values_of,
    with_values,
)
from conformance.specification.programs.meaning import changed_by


@dataclass(frozen=True)
class _Sketch:
    """A program with its arguments, in which the call under test is one like others."""

    statements: tuple[Statement, ...]
    results: tuple[Expression, ...]
    arguments: Mapping[str, Argument]
    under_test: int
    """The place of the statement with the call under test."""


def form_of_program(case: Case) -> str:
    """The same for programs that differ in names, numbers and lengths alone."""
    manner = case.call.manner
    assert isinstance(manner, Around)
    return form_of(manner.program, is_changing=manner.changes is not None)


def fewer_statements(case: Case) -> Iterator[Case]:
    """The same with fewer statements, the fewest first."""
    sketch = _sketch(case)
    places = range(len(sketch.statements))
    for number in range(1, len(sketch.statements)):
        for kept in combinations(places, number):
            yield from _built(case, _kept(sketch, kept))


def simpler(case: Case) -> Iterator[Case]:
    """The same with something simpler in one place, and before that everywhere."""
    sketch = _sketch(case)
    filled = _filled(sketch, range(len(sketch.statements)))
    if filled != sketch:
        yield from _built(case, filled)
        for place in range(len(sketch.statements)):
            one = _filled(sketch, [place])
            if one != sketch:
                yield from _built(case, one)
    for result in sketch.results if len(sketch.results) > 1 else ():
        yield from _built(case, replace(sketch, results=(result,)))
    for result in sketch.results if len(sketch.results) > 2 else ():
        yield from _built(case, replace(sketch, results=tuple(each for each in sketch.results if each != result)))
    for place, statement in enumerate(sketch.statements):
        for smaller in _simpler_statements(statement):
            yield from _built(case, replace(sketch, statements=_with(sketch.statements, place, smaller)))


def smaller_tensors(case: Case) -> Iterator[Case]:
    """The same with a shorter axis, or with simpler elements."""
    sketch = _sketch(case)
    tensors = [value for value in sketch.arguments.values() if isinstance(value, Tensor)]
    for length in sorted({length for value in tensors for length in value.shape if length > 1}, reverse=True):
        for shorter in dict.fromkeys((1, 2, length - 1)):
            if shorter < length:
                yield from _built(case, _shortened(sketch, length, shorter))
    counted = {name: _counted(value) for name, value in sketch.arguments.items()}
    if any(_differs(counted[name], value) for name, value in sketch.arguments.items()):
        yield from _built(case, replace(sketch, arguments=counted))


def reductions(case: Case) -> Iterator[Case]:
    """Everything with fewer statements, as it is and with each change as simple as can be."""
    sketch = _sketch(case)
    for number in range(1, len(sketch.statements) + 1):
        for kept in combinations(range(len(sketch.statements)), number):
            fewer = _kept(sketch, kept)
            if fewer is not None:
                filled = _filled(fewer, range(len(fewer.statements)))
                yield from _built(case, filled)
                if filled != fewer and number < len(sketch.statements):
                    yield from _built(case, fewer)


def _sketch(case: Case) -> _Sketch:
    manner = case.call.manner
    assert isinstance(manner, Around)
    whole = one_like_others(manner.program, is_changing=manner.changes is not None)
    under_test = len(manner.program.before)
    statements = tuple(
        with_values(each, lambda part: _literal(part, case.call.arguments)) if place == under_test else each
        for place, each in enumerate(whole.statements)
    )
    return _Sketch(statements, whole.results, dict(case.call.arguments), under_test)


def _literal(expression: Expression, arguments: Mapping[str, Argument]) -> Expression:
    """A number or a shape of the call where it stands."""
    value = arguments.get(expression.name) if isinstance(expression, Name) else None
    if type(value) is int:
        return Number(value)
    return Shape(value) if isinstance(value, tuple) else expression


def _with(statements: Sequence[Statement], place: int, statement: Statement) -> tuple[Statement, ...]:
    return (*statements[:place], statement, *statements[place + 1 :])


def _called(statement: Statement) -> Called | CalledInPlace | None:
    """The call that a statement is, if it can be that under test."""
    if isinstance(statement, CalledInPlace):
        return statement
    return statement.value if isinstance(statement, Assigned) and isinstance(statement.value, Called) else None


def _kept(sketch: _Sketch, kept: Sequence[int]) -> _Sketch | None:
    """Some of the statements, where what others have made is replaced by that of which they made it; None without a call."""
    stands_for: dict[str, Expression] = {}

    def substituted(part: Expression) -> Expression:
        return stands_for.get(part.name, part) if isinstance(part, Name) else part

    statements: list[Statement] = []
    under_test = None
    for place, statement in enumerate(sketch.statements):
        line = with_values(statement, substituted)
        if place not in kept:
            if isinstance(line, Assigned):
                stands_for[line.name] = _first(line.value)
            continue
        if _called(line) is not None and (under_test is None or place == sketch.under_test):
            under_test = len(statements)
        statements.append(line)
    if under_test is None:
        return None
    named = {each.name for each in statements if isinstance(each, Assigned)}
    results = tuple(dict.fromkeys(replaced(each, substituted) for each in sketch.results))
    results = tuple(
        each for each in results if isinstance(each, Name) and (each.name in named or each.name in sketch.arguments)
    )
    return _Sketch(tuple(statements), results, sketch.arguments, under_test)


def _first(expression: Expression) -> Expression:
    """The tensor of which an expression makes another one."""
    while not isinstance(expression, Name) and (operands := operands_of(expression)):
        expression = operands[0]
    return expression


def _filled(sketch: _Sketch, places: Sequence[int]) -> _Sketch:
    """Changes as ones that fill a tensor, where they are not the call under test."""
    statements = list(sketch.statements)
    for place in places:
        match statements[place]:
            case Change(_, tensor, value) if value != Number(0):
                statements[place] = Change("fill", tensor, Number(0))
            case CalledInPlace(_, (tensor, *_)) if place != sketch.under_test:
                statements[place] = Change("fill", tensor, Number(0))
    return replace(sketch, statements=tuple(statements))


def _simpler_statements(statement: Statement) -> Iterator[Statement]:
    if isinstance(statement, CalledInPlace):  # without an optional argument
        yield CalledInPlace(statement.operation, statement.arguments[:-1])
    for value in values_of(statement):
        for part in dict.fromkeys(parts_of(value)):
            for smaller in _simpler_expressions(part):
                yield with_values(statement, lambda each, part=part, smaller=smaller: smaller if each == part else each)  # type: ignore[misc]


def _simpler_expressions(part: Expression) -> Iterator[Expression]:
    match part:
        case Computed("%", Step("arange", (_, like)), _):
            yield Computed("*", like, Number(0))
        case Computed(_, left, _):
            yield left
        case Negative(operand):
            yield operand
        case Step(function, (first, *_)) if function not in ("arange", "total"):
            yield first
        case Sliced(tensor, slices):
            yield tensor
            if len(slices) > 1:
                yield Sliced(tensor, slices[:1])
                yield Sliced(tensor, (Slice(), *slices[1:]))
        case Called(operation, (first, *others)):
            yield first
            yield Called(operation, (first, *others[:-1]))
        case _:
            return


def _shortened(sketch: _Sketch, length: int, shorter: int) -> _Sketch:
    """All axes of a length cut, with what the program writes of it."""
    sizes: dict[int, int] = {}
    arguments: dict[str, Argument] = {}
    for name, value in sketch.arguments.items():
        if not isinstance(value, Tensor):
            arguments[name] = (
                tuple(shorter if each == length else each for each in value) if isinstance(value, tuple) else value
            )
            continue
        cut = value.array[tuple(slice(shorter if each == length else each) for each in value.shape)]
        sizes.setdefault(value.array.size, cut.size)
        if value.dtype == "int64" and value.kind == "integer" and _is_index(name, sketch):
            cut = np.minimum(cut, max(shorter - 1, 0)) if cut.size and cut.max() < length else cut
        arguments[name] = as_tensor(value.dtype, cut)
    sizes[length] = shorter

    def cut_lengths(part: Expression) -> Expression:
        match part:
            case Shape(lengths):
                return Shape(tuple(sizes.get(each, each) for each in lengths))
            case Step("arange", (Number(number), like)):
                return Step("arange", (Number(sizes.get(number, number)), like))
            case _:
                return part

    return replace(
        sketch, statements=tuple(with_values(each, cut_lengths) for each in sketch.statements), arguments=arguments
    )


def _is_index(name: str, sketch: _Sketch) -> bool:
    main = [part for each in sketch.statements for value in values_of(each) for part in parts_of(value)]
    firsts = {call.arguments[0] for call in main if isinstance(call, Called)}
    firsts |= {each.arguments[0] for each in sketch.statements if isinstance(each, CalledInPlace)}
    return Name(name) not in firsts


def _counted(value: Argument) -> Argument:
    if not isinstance(value, Tensor) or value.kind == "bool" or value.dtype == "int64":
        return value
    return as_tensor(value.dtype, np.arange(1, value.array.size + 1).reshape(value.shape))


def _differs(first: Argument, second: Argument) -> bool:
    if not isinstance(first, Tensor) or not isinstance(second, Tensor):
        return False
    return not np.array_equal(first.array, second.array)


def _built(case: Case, sketch: _Sketch | None) -> Iterator[Case]:
    """The case of a smaller program, if its result is determined."""
    if sketch is None:
        return
    origin = case.variation
    assert isinstance(origin, DrawnProgram)
    try:
        call = _as_call(case, sketch, origin)
        assert isinstance(call.manner, Around)
        composition = composed(
            call.manner.program, call.arguments, {**origin.operations, case.operation.name: case.operation},
            origin.reference, call.manner.changes,
        )  # fmt: skip
        yield program_case(
            call, origin.operations, origin.reference, origin.number, accumulates=composition.accumulates, name=case.id
        )
    except (Rejected, ReferenceFailed, ValueError, LookupError, OverflowError):
        return


def _as_call(case: Case, sketch: _Sketch, origin: DrawnProgram) -> Applied:
    """The call under test of a sketch with the program around it; its arguments have the names that the operation gives them."""
    statement = sketch.statements[sketch.under_test]
    called = _called(statement)
    operations = {**origin.operations, case.operation.name: case.operation}
    is_changing = isinstance(statement, CalledInPlace)
    if called is None or (is_changing and not is_written(operations[called.operation])):
        raise Rejected
    operation = operations[called.operation]
    sketch = _renamed(sketch, called, operation)
    called = _called(sketch.statements[sketch.under_test])
    assert called is not None
    own = dict(zip(operation.arguments, called.arguments, strict=False))
    before = Program((), sketch.statements[: sketch.under_test], ())
    values = composed(before, sketch.arguments, operations, origin.reference, None)
    arguments = dict(sketch.arguments)
    for name, value in own.items():
        if value == Name(name):
            continue
        received = values.value(value)
        if isinstance(received, np.ndarray):
            arguments[name] = as_tensor(received.dtype.name, received)
        else:
            arguments[name], own[name] = received, Name(name)
    return _around(sketch, operation, own, arguments, is_changing=is_changing)


def _renamed(sketch: _Sketch, called: Called | CalledInPlace, operation: Operation) -> _Sketch:
    """With the names of the operation for the parameters that the call gets as they are; no other name is one of these."""
    new: dict[str, str] = {}
    for name, given in zip(operation.arguments, called.arguments, strict=False):
        if isinstance(given, Name) and given.name in sketch.arguments and given.name not in new:
            new[given.name] = name
    taken = {*operation.arguments}
    for name in [*sketch.arguments, *(each.name for each in sketch.statements if isinstance(each, Assigned))]:
        if name not in new:
            new[name] = _free(name, taken)
            taken.add(new[name])

    def rename(part: Expression) -> Expression:
        return Name(new[part.name]) if isinstance(part, Name) else part

    statements = [with_values(each, rename) for each in sketch.statements]
    return _Sketch(
        tuple(Assigned(new[each.name], each.value) if isinstance(each, Assigned) else each for each in statements),
        tuple(replaced(each, rename) for each in sketch.results),
        {new[name]: value for name, value in sketch.arguments.items()},
        sketch.under_test,
    )


def _around(
    sketch: _Sketch,
    operation: Operation,
    own: Mapping[str, Expression],
    arguments: Mapping[str, Argument],
    *,
    is_changing: bool,
) -> Applied:
    """The call with these arguments of its own, and the program around it with the parameters that it uses."""
    statement = sketch.statements[sketch.under_test]
    result = (
        statement.name if isinstance(statement, Assigned) else _free("y", {*arguments, *_assigned(sketch.statements)})
    )
    call = Assigned(result, UnderTest(operation.name, tuple(own.items())))
    statements = _with(sketch.statements, sketch.under_test, call)
    values = [value for each in statements for value in values_of(each)]
    used = {part.name for value in values for part in parts_of(value) if isinstance(part, Name)}
    parameters = [*own, *(name for name in arguments if name in used and name not in own)]
    known = {*parameters, *_assigned(statements)}
    results = tuple(each for each in sketch.results if isinstance(each, Name) and each.name in known)
    changes = operation.main_argument if is_changing else None
    if not results:
        changed = changed_by(Program(tuple(parameters), statements, ()), changes)
        results = tuple(map(Name, [result, *(name for name in parameters if name in changed)]))
    program = Program(tuple(parameters), statements, results)
    manner = Around(program, "changing" if is_changing else "returning", changes)
    return Applied(operation, Call({name: arguments[name] for name in parameters}, manner))


def _assigned(statements: Sequence[Statement]) -> set[str]:
    return {each.name for each in statements if isinstance(each, Assigned)}


def _free(name: str, taken: Collection[str]) -> str:
    """A name that is not taken: ``index2`` if ``index`` is."""
    if name not in taken:
        return name
    stem = name.rstrip("0123456789")
    return next(free for number in count(2) if (free := f"{stem}{number}") not in taken)
