"""Draws programs: two to five statements around a call of an operation, out of everything that the language of programs has.

Half of them change tensors. Each name is returned, and each argument that is changed, since what nobody reads is computed by nobody.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from conformance.cases.draws.choices import Choose, Rejected, choose_item
from conformance.cases.draws.composition import Composition
from conformance.cases.draws.elements import as_tensor
from conformance.cases.draws.fitting import MOST_ELEMENTS, fitting
from conformance.cases.reference import Reference
from conformance.specification.applied import Applied
from conformance.specification.indices.kinds import Along, Flat, InKey, Labels
from conformance.specification.literals import Argument, Tensor
from conformance.specification.model import Around, Call, Operation
from conformance.specification.programs.language import (
    Apis,
    Assigned,
    Called,
    CalledInPlace,
    Change,
    ChangeName,
    Computed,
    Expression,
    Name,
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
    values_of,
)
from conformance.specification.programs.meaning import changed_by

DTYPES = ("float32", "int64", "float64", "int32", "int16")
LEAST, MOST = 2, 5
"""The number of statements."""
LENGTHS = (3, 4, 2, 5, 3, 1)
"""Of the axes of a target."""
ATTEMPTS = 12
"""The maximum number of attempts for a statement."""
UNUSUAL = frozenset({
    "take_into", "masked_select", "batched_gather_nd", "batched_index_select", "tensor_scatter_nd_reduce", "segment_reduce",
    "unsorted_segment_reduce",
})  # fmt: skip
"""Operations that are drawn as the call under test alone: their results go elsewhere, have shapes that depend on data, or few
frameworks have them."""
SELECTING = "masked_select"
"""The one whose result has a shape that depends on data."""
READERS: Mapping[str, str] = {
    "index_copy": "index_select",
    "index_add": "index_select",
    "index_reduce": "index_select",
    "tensor_scatter_nd_update": "gather_nd",
    "tensor_scatter_nd_add": "gather_nd",
    "tensor_scatter_nd_reduce": "gather_nd",
    "scatter_elements": "gather_elements",
    "put": "take",
    "advanced_index_set": "advanced_index_get",
}
"""By operation that writes, the one that reads at the same positions."""
_LOW, _HIGH = -9, 9
"""The elements of tensors."""

Array = np.ndarray[Any, Any]


def drawable(operations: Mapping[str, Operation]) -> Mapping[str, Operation]:
    """The operations that programs are drawn of."""
    return {name: each for name, each in operations.items() if each.layout is not None}


def draw_program(
    choose: Choose, operation: Operation, operations: Mapping[str, Operation], reference: Reference
) -> tuple[Applied, bool]:
    """A call of an operation with a program around it, and whether its results may be rounded; Rejected if the choices lead to none.

    operations: those that the program may call.
    """
    draft = _Draft(choose, operation, operations, reference, changes=choose(0, 1) == 1)
    return draft.drawn(), draft.composition.accumulates


def is_written(operation: Operation) -> bool:
    """Whether an operation may change its main argument: the result has its shape."""
    return operation.name in READERS or operation.name in ("index_fill", "masked_fill", "masked_scatter")


@dataclass
class _Draft:
    choose: Choose
    operation: Operation
    operations: Mapping[str, Operation]
    reference: Reference
    changes: bool
    arguments: dict[str, Argument] = field(default_factory=dict)
    statements: list[Statement] = field(default_factory=list)
    results: list[str] = field(default_factory=list)
    unsized: set[str] = field(default_factory=set)
    """The names of results whose shapes depend on data, with which nothing else is done."""

    def __post_init__(self) -> None:
        self.dtype = choose_item(self.choose, DTYPES)
        self.is_changing = self.changes and is_written(self.operation) and self.choose(0, 2) == 2
        self.main = self.operation.main_argument
        self.composition = Composition(
            {**self.operations, self.operation.name: self.operation},
            self.reference,
            self.main if self.is_changing else None,
        )

    def drawn(self) -> Applied:
        call = self._own_call()
        for name, value in call.items():
            self._give(name, value)
        count = self.choose(LEAST, MOST)
        place = self.choose(0, count - 1)
        for number in range(count):
            self._next(self._under_test if number == place else self._statement)
        apis: Apis = "changing" if self.is_changing else "returning"
        program = Program(tuple(self.arguments), tuple(self.statements), ())
        changed = changed_by(program, self.main if self.is_changing else None)
        returned = [*self.results, *(name for name in self.arguments if name in changed)]
        program = Program(tuple(self.arguments), tuple(self.statements), tuple(map(Name, returned)))
        for result in program.results:
            self.composition.value(result)
        manner = Around(program, apis, self.main if self.is_changing else None)
        return Applied(self.operation, Call(self.arguments, manner))

    def _own_call(self) -> dict[str, Argument]:
        """The arguments of the call under test, all of which are arguments of the program."""
        for _ in range(ATTEMPTS):
            rank = choose_item(self.choose, [2, 2, 2, 1, 3, 4])
            shape = tuple(choose_item(self.choose, LENGTHS) for _ in range(rank))
            if math.prod(shape) <= MOST_ELEMENTS:
                try:
                    call = self._fitting(self.operation, shape)
                except Rejected:
                    continue
                return {
                    name: self._data(value) if name in call.data and name in call.tensors else value
                    for name, value in call.arguments.items()
                }
        raise Rejected

    def _data(self, value: Argument) -> Argument:
        assert isinstance(value, Tensor)
        return self._tensor(value.shape)

    def _tensor(self, shape: Sequence[int]) -> Tensor:
        numbers = [self.choose(_LOW, _HIGH) for _ in range(math.prod(shape))]
        return as_tensor(self.dtype, np.array(numbers).reshape(shape))

    def _fitting(self, operation: Operation, shape: tuple[int, ...]) -> Applied:
        return fitting(self.choose, operation, shape, self.dtype)

    def _give(self, name: str, value: Argument) -> None:
        self.arguments[name] = value
        self.composition.give(name, value)

    def _new(self, letter: str, value: Argument) -> Name:
        """A parameter of the program."""
        number = 1
        while f"{letter}{number}" in self.composition.values:
            number += 1
        self._give(f"{letter}{number}", value)
        return Name(f"{letter}{number}")

    def _next(self, make: Callable[[], Statement]) -> None:
        """Add a statement whose result is determined; Rejected if none is found."""
        for _ in range(ATTEMPTS):
            before = dict(self.arguments)
            try:
                statement = make()
                self.composition.run(statement)
            except (Rejected, ValueError, OverflowError):
                for name in [name for name in self.arguments if name not in before]:
                    del self.arguments[name], self.composition.values[name]
                continue
            self.statements.append(statement)
            if isinstance(statement, Assigned):
                self.results.append(statement.name)
            return
        raise Rejected

    def _under_test(self) -> Statement:
        own = self.composition.values[self.main]
        assert isinstance(own, np.ndarray)
        others = [name for name, array in self._tensors() if array.shape == own.shape]
        target = Name(choose_item(self.choose, [self.main, *others]))
        arguments: list[tuple[str, Expression]] = []
        for name in list(self.arguments):
            if name not in self.operation.arguments:
                continue
            value = self.arguments[name]
            if name == self.main:
                arguments.append((name, target))
            elif isinstance(value, Tensor) and self.choose(0, 2) == 2:
                given = {one: Name(one) for one in self.arguments if one in self.operation.arguments}
                arguments.append((name, self._other(self.operation, name, value, target, given, Name(name))))
            else:
                arguments.append((name, Name(name)))
        result = self._result()
        if self.operation.name == SELECTING:
            self.unsized.add(result)
        return Assigned(result, UnderTest(self.operation.name, tuple(arguments)))

    def _result(self) -> str:
        number = 0
        while f"y{number}" in self.composition.values:
            number += 1
        return f"y{number}"

    def _statement(self) -> Statement:
        kinds: list[Callable[[], Statement]]
        if self.changes:
            kinds = (
                [self._change] * 6
                + [self._in_place] * 4
                + [self._from_itself] * 2
                + [self._call] * 4
                + [self._view, self._step, self._element]
            )
        else:
            kinds = [self._call] * 5 + [self._element] * 3 + [self._step] * 3 + [self._part] * 2
        return choose_item(self.choose, kinds)()

    def _tensors(self) -> Iterator[tuple[str, Array]]:
        """The tensors of data whose shapes do not depend on data: what a compiler may do with others is limited."""
        for name, value in self.composition.values.items():
            if name in self.unsized:
                continue
            if isinstance(value, np.ndarray) and value.dtype == self.dtype and not self._is_index(name):
                yield name, value

    def _is_index(self, name: str) -> bool:
        return (name[0] in "ij" and name not in (self.main,) and name != "input") or (
            name in self.operation.arguments and self.operation.arguments[name].index
        )

    def _any(self) -> tuple[Name, Array]:
        """A tensor with axes; most often one that a statement before has used or made."""
        tensors = [(name, array) for name, array in self._tensors() if array.ndim]
        values = [value for each in self.statements for value in values_of(each)]
        used = {part.name for value in values for part in parts_of(value) if isinstance(part, Name)}
        likely = [each for each in tensors if each[0] in used or each[0] == self.main]
        name, array = choose_item(self.choose, [*tensors, *likely, *likely, *likely])
        return Name(name), array

    def _call(self) -> Statement:
        target, array = self._any()
        operation = choose_item(self.choose, self._others())
        # A call of the operation under test would change its argument if that call does.
        if self.is_changing and operation.name == self.operation.name:
            raise Rejected
        return Assigned(self._result(), Called(operation.name, self._arguments(operation, target, array)))

    def _in_place(self) -> Statement:
        target, array = self._any()
        whole: Expression = target
        if self.choose(0, 3) == 3 and array.flags.c_contiguous:
            whole, array = Step("view", (Step("reshape", (target, Shape((array.size,)))),)), array.reshape(-1)
        operation = choose_item(self.choose, [each for each in self._others() if is_written(each)])
        return CalledInPlace(operation.name, self._arguments(operation, whole, array))

    def _from_itself(self) -> Statement:
        """What is read at some places is changed and written back there; a place that occurs again gets the same again."""
        target, array = self._any()
        whole: Expression = target
        if self.choose(0, 1) and array.flags.c_contiguous:
            whole, array = Step("view", (Step("reshape", (target, Shape((array.size,)))),)), array.reshape(-1)
        operation = choose_item(self.choose, [each for each in self._others() if each.name in READERS])
        main = operation.main_argument
        drawn = self._fitting(operation, array.shape)
        given: dict[str, Expression] = {main: whole}
        for name, value in drawn.arguments.items():
            if name == main or (isinstance(value, Tensor) and name in drawn.data):
                continue
            if isinstance(value, Tensor):
                given[name] = self._other(operation, name, value, whole, given)
            else:
                given[name] = self._new("k", value) if isinstance(value, str) else Number(int(value))  # type: ignore[arg-type]
        source = next((name for name in operation.arguments if name in drawn.data and name != main), None)
        if source is None:  # a number is written
            raise Rejected
        given[source] = Computed("+", self._read(operation, whole, given), Number(self.choose(1, 3)))
        return CalledInPlace(operation.name, tuple(given[name] for name in operation.arguments if name in given))

    def _read(self, operation: Operation, target: Expression, given: Mapping[str, Expression]) -> Expression:
        """What an operation reads at the places at which another one writes."""
        reader = self.operations[READERS[operation.name]]
        main = reader.main_argument
        return Called(
            reader.name,
            tuple(
                target if name == main else given[name] for name in reader.arguments if name in given or name == main
            ),
        )

    def _others(self) -> Sequence[Operation]:
        return [each for name, each in self.operations.items() if name not in UNUSUAL]

    def _arguments(self, operation: Operation, target: Expression, array: Array) -> tuple[Expression, ...]:
        drawn = self._fitting(operation, array.shape)
        main = operation.main_argument
        given: dict[str, Expression] = {}
        for name in operation.arguments:
            value = drawn.arguments.get(name)
            if name == main:
                given[name] = target
            elif isinstance(value, Tensor):
                given[name] = self._other(operation, name, value, target, given)
            elif isinstance(value, str):
                given[name] = self._new("k", value)
            elif isinstance(value, tuple):
                given[name] = Shape(value)
            elif type(value) is int:
                given[name] = Number(value)
            elif value is not None or any(
                later in drawn.arguments for later in list(operation.arguments)[len(given) :]
            ):
                raise Rejected
            else:
                break
        return tuple(given.values())

    def _other(
        self,
        operation: Operation,
        name: str,
        value: Tensor,
        target: Expression,
        given: Mapping[str, Expression],
        own: Name | None = None,
    ) -> Expression:
        """What stands for a tensor of a call besides its target. own: the parameter that has it already."""
        spec = operation.arguments[name]
        if not spec.index:
            return self._source(value.shape, operation, target, given, own)
        parameter = own or self._new("m" if value.dtype == "bool" else "i", value)
        if value.dtype == "bool" or self.choose(0, 2):
            return parameter
        kind = self.choose(0, 2)
        if kind == 0:
            return Computed("*", parameter, Number(0))
        if kind == 1:
            return Step("flip", (parameter,))
        assert spec.indexing is not None
        if value.rank == 1 and isinstance(spec.indexing, Along | Flat | InKey | Labels):
            most = int(value.array.max()) + 1
            return Computed("%", Step("arange", (Number(value.shape[0]), parameter)), Number(self.choose(1, most)))
        return parameter

    def _source(
        self,
        shape: tuple[int, ...],
        operation: Operation | None,
        target: Expression,
        given: Mapping[str, Expression],
        own: Name | None = None,
    ) -> Expression:
        """A tensor of data of a shape: one that is there, a part of one, what is read at the same positions, or a new one."""
        kind = self.choose(0, 5)
        if kind == 0:
            return own or self._new("t", self._tensor(shape))
        if kind == 1 and operation is not None and operation.name in READERS:
            return Computed("+", self._read(operation, target, given), Number(self.choose(1, 3)))
        fits = [name for name, array in self._tensors() if array.shape == shape]
        if fits and kind in (2, 3):
            there: Expression = Name(choose_item(self.choose, fits))
            return [there, Step("flip", (there,)), Step("copy", (there,))][self.choose(0, 2)]
        longer = [
            (name, array.shape)
            for name, array in self._tensors()
            if array.ndim == len(shape) and all(a >= b for a, b in zip(array.shape, shape, strict=True))
        ]
        if longer and shape:
            chosen, whole = choose_item(self.choose, longer)
            part = Sliced(Name(chosen), tuple(self._slice(a, b) for a, b in zip(whole, shape, strict=True)))
            return Step("copy", (part,)) if self.choose(0, 1) else part
        return own or self._new("t", self._tensor(shape))

    def _slice(self, length: int, wanted: int) -> Slice:
        """A slice of an axis that has a length."""
        if length == wanted:
            return Slice()
        if len(range(0, length, 2)) == wanted and self.choose(0, 1):
            return Slice(step=2)
        return [Slice(None, wanted), Slice(length - wanted, None)][self.choose(0, 1)]

    def _element(self) -> Statement:
        first, array = self._any()
        operator: Operator = choose_item(self.choose, ["+", "*", "-"])
        if self.choose(0, 1):
            return Assigned(self._result(), Computed(operator, first, Number(self.choose(1, 3))))
        return Assigned(self._result(), Computed(operator, first, self._source(array.shape, None, first, {})))

    def _step(self) -> Statement:
        kind = self.choose(0, 2)
        tensor, _ = self._any()
        return Assigned(
            self._result(), [Step("flip", (tensor,)), Step("copy", (tensor,)), Step("total", (tensor,))][kind]
        )

    def _part(self) -> Statement:
        tensor, array = self._any()
        return Assigned(self._result(), self._part_of(tensor, array, can_repeat=True))

    def _view(self) -> Statement:
        tensor, array = self._any()
        return Assigned(self._result(), Step("view", (self._part_of(tensor, array, can_repeat=False),)))

    def _part_of(self, tensor: Name, array: Array, *, can_repeat: bool) -> Expression:
        kind = self.choose(0, 4 if can_repeat else 3)
        if kind == 1:
            return Step("transpose", (tensor,))
        if kind == 2:
            return Step("reshape", (tensor, Shape((array.size,))))
        if kind == 3:
            turned = array.T
            return Sliced(Step("transpose", (tensor,)), self._slices(turned))
        if kind == 4:
            first = Sliced(tensor, (Slice(None, 1),))
            return Step("expand", (first, Shape(array.shape)))
        return Sliced(tensor, self._slices(array))

    def _slices(self, array: Array) -> tuple[Slice, ...]:
        axes = self.choose(1, min(2, array.ndim))
        return tuple(self._any_slice(array.shape[axis]) for axis in range(axes))

    def _any_slice(self, length: int) -> Slice:
        options = [Slice(), Slice(None, 1), Slice(length - 1, None)]
        if length > 1:
            options += [Slice(1, None), Slice(None, length - 1), Slice(step=2)]
        if length > 2:
            options += [Slice(1, length - 1)]
        return choose_item(self.choose, options)

    def _change(self) -> Statement:
        tensor, array = self._any()
        destination: Expression = tensor
        if self.choose(0, 2) == 2:
            part = self._part_of(tensor, array, can_repeat=False)
            destination = Step("view", (part,))
            value = self.composition.value(destination)
            assert isinstance(value, np.ndarray)
            array = value
        kind = self.choose(0, 3)
        if kind == 0:
            return Change("fill", destination, Number(self.choose(0, 7)))
        if kind == 1:
            return Change("add", destination, Number(self.choose(1, 3)))
        function: ChangeName = "write" if kind == 2 else "add"
        if self.choose(0, 3) == 3 and isinstance(destination, Name):
            operation = choose_item(self.choose, self._others())
            if self.is_changing and operation.name == self.operation.name:
                raise Rejected
            read = Called(operation.name, self._arguments(operation, tensor, array))
            return Change(function, destination, read)
        return Change(function, destination, self._source(array.shape, None, tensor, {}))
