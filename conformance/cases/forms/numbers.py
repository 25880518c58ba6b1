"""Forms with numbers at the edges: axes counted from the end or far outside, narrow indices on long axes, data of every dtype."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from conformance.cases.draws.elements import as_tensor
from conformance.cases.draws.geometry import Geometry
from conformance.cases.forms.calls import ORDINARY, FormCall, calls_of, form_in_dtype, plain_arguments, telling_call
from conformance.cases.forms.geometries import (
    Lengths,
    only_in_indices,
    usual_lengths,
    usual_profiles,
)
from conformance.cases.forms.single import rotated
from conformance.cases.forms.values import NARROWER
from conformance.cases.reference import Reference
from conformance.specification.applied import Applied
from conformance.specification.layout import Layout
from conformance.specification.literals import Argument, Tensor, tensor
from conformance.specification.model import Call, Clause, Operation, Printed, Raises

BEYOND = {"int8": 129, "uint8": 257, "int16": 32769, "uint16": 65537}
"""By index dtype, the length of an axis that it cannot count; its largest number is still a position there."""
MANY = 40
"""The number of updates, or of elements read, of a call with many."""
FAR = 100
UNDECIDED = "no document says what follows from an axis that the tensor lacks"


def number_forms(operation: Operation, reference: Reference) -> Iterator[FormCall]:
    """Calls with numbers at the edges of what an argument or a dtype holds."""
    layout = operation.layout
    assert layout is not None
    yield from _axes(operation, layout)
    yield from _long_axes(operation, layout)
    yield from _own_values(operation, layout, reference)


def _axes(operation: Operation, layout: Layout) -> Iterator[FormCall]:
    """An axis, or a number of axes, counted from the end, each of three, which means the same as from the start; and axes far outside."""
    along = {indices.indexing.axis: indices.indexing.into for indices in layout.indices.values()}
    batched = {indices.indexing.paired_by: index for index, indices in layout.indices.items()}
    made: set[str] = set()
    for name, into in {**along, **batched}.items():
        if name is None:
            continue
        for profile in usual_profiles(layout):
            lengths = usual_lengths(layout, profile)
            call = next(calls_of(operation, lengths, ORDINARY, 0, "axis"), None)
            if call is None or (rank := _rank(call, into)) != 3:
                continue
            from_the_start = call.arguments[name]
            assert isinstance(from_the_start, int)
            form = f"{name}-minus-{rank - from_the_start}"
            if form in made:  # by another number of axes before or after
                continue
            made.add(form)
            counted = call.with_arguments({name: from_the_start - rank})
            yield FormCall(form, counted, call, open=True, meaning=call)
            if from_the_start == 1 and name in along:
                for word, axis in (("far-above", rank + FAR), ("far-below", -rank - FAR)):
                    yield FormCall(f"{name}-{word}", call.with_arguments({name: axis}), call, observed=UNDECIDED)


def counted_axes(operation: Operation) -> Iterator[tuple[Clause, FormCall]]:
    """The clauses about an axis that is counted from the end, each with such an axis of three; a refusal contradicts them."""
    layout = operation.layout
    assert layout is not None
    forms = [form for form in _axes(operation, layout) if form.meaning is not None]
    for clause in operation.clauses:
        for form in forms:
            [(name, _)] = _differing(form)
            if clause.family == "behaviour" and _is_about_the_end(clause, name):
                yield clause, replace(form, open=False)


def _differing(form: FormCall) -> Iterator[tuple[str, Argument]]:
    """The number by which a form differs from its control."""
    return ((name, value) for name, value in form.call.arguments.items() if value is not form.control.arguments[name])


def _is_about_the_end(clause: Clause, name: str) -> bool:
    """Whether a number is negative in each of its calls, and all of them return."""
    calls = clause.written_calls
    numbers = [written.call.arguments.get(name) for written in calls]
    are_negative = all(isinstance(number, int) and number < 0 for number in numbers)
    return bool(calls) and are_negative and all(isinstance(each.expected, Printed | None) for each in calls)


def _rank(call: Applied, name: str) -> int:
    value = call.arguments[name]
    return value.rank if isinstance(value, Tensor) else len(value) if isinstance(value, tuple) else -1


def _long_axes(operation: Operation, layout: Layout) -> Iterator[FormCall]:
    """Indices of each narrow dtype on an axis that is longer than it counts, one and many, with the first and last position."""
    if not all(indices.indexing.holds_positions for indices in layout.indices.values()):
        return  # a mask counts nothing
    for number, (dtype, length) in enumerate(BEYOND.items()):
        last = int(np.iinfo(dtype).max)
        positions = np.unique(np.linspace(0, last, MANY).astype(np.int64))[::-1]
        for word, indices in (("one", positions[:1]), ("many", positions)):
            for name in layout.indices:
                call = call_along(operation, layout, name, length, indices, "float32" if number % 2 else "int32")
                if call is None:
                    continue
                index = call.arguments[name]
                assert isinstance(index, Tensor)
                narrow = call.with_arguments({name: index.cast(dtype)})
                if not _must_be_refused(narrow):
                    form = f"{name}-{dtype}-beyond.{word}"
                    yield FormCall(form, narrow, call, about_dtype=(name,), base=call, meaning=call)


def _must_be_refused(call: Applied) -> bool:
    """Whether a rule requires an error, as one about the dtype of indices does in calls of the spec."""
    broken = call.broken_rules
    return any(rule.name in broken and isinstance(rule.broken, Raises) for rule in call.operation.rules)


def call_along(
    operation: Operation,
    layout: Layout,
    index: str,
    length: int,
    positions: np.ndarray[Any, Any],
    dtype: str,
    turn: int = 0,
) -> Applied | None:
    """A call with these positions along a single long axis; None if the index must be as long as the axis. Others are 0.

    turn: as of optional arguments.
    """
    plain = plain_arguments(operation, turn, dtype, factors=False)
    geometry = Geometry(_single_axis(layout, index, length, len(positions)), plain, dtype, "int64")
    arguments: dict[str, Argument] = {}
    start = 1
    for name, spec in operation.arguments.items():
        if not geometry.has(layout, name):
            if name == index:
                return None
            arguments |= {name: geometry.plain[name]} if name in geometry.plain else {}
            continue
        shape = list(geometry.shape(layout, name))
        if name == index:
            if np.prod(shape) != len(positions):
                return None
            is_ordered = spec.indexing is not None and spec.indexing.is_ordered
            arguments[name] = as_tensor("int64", (np.sort(positions) if is_ordered else positions).reshape(shape))
        elif spec.index:
            arguments[name] = as_tensor("int64", np.zeros(shape))
        elif "tensor" in spec.kinds:
            stop = start + int(np.prod(shape))
            arguments[name] = tensor(dtype, f"reshape(arange({start}, {stop}), {shape})")
            start = stop
        else:
            arguments[name] = tuple(shape) if "vector" in spec.kinds else sum(shape)
    return Applied(operation, Call(arguments))


def _single_axis(layout: Layout, index: str, length: int, count: int) -> Lengths:
    """The lengths of a call along a single axis, that of the target, and that of the index; other axes have length one."""
    indexed = layout.indexed_group(index)
    # Where an index has several groups of its own, the last is as long as there are positions.
    own = [part.group for part in layout.arguments[index] if part.group in only_in_indices(layout)][-1:]
    used = {indexed, *own}
    lengths: dict[str, tuple[int, ...]] = {}
    for name in layout.groups:
        root = layout.groups[layout.root(name)]
        axes = max(root.low, min(1, root.high) if root.name in used else 0)
        long = length if name == indexed else count
        lengths[name] = (long, *(1 for _ in range(axes - 1))) if root.name in used and axes else (1,) * axes
    return lengths


def _own_values(operation: Operation, layout: Layout, reference: Reference) -> Iterator[FormCall]:
    """Data of each dtype that another dtype does not hold."""
    geometries = [usual_lengths(layout, profile) for profile in usual_profiles(layout)[:6]]
    for turn, dtype in enumerate(NARROWER):
        for lengths in rotated(geometries, turn):
            form = f"own-values.{dtype}"
            call = telling_call(operation, reference, lengths, dtype, turn, form, own_values=True)
            if call is not None:
                yield form_in_dtype(form, call, dtype)
                break
