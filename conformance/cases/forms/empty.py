"""Forms without elements or axes: each group of axes and each tensor argument once, and two groups at once."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from conformance.cases.draws.elements import as_tensor
from conformance.cases.forms.calls import ORDINARY, FormCall, calls_of
from conformance.cases.forms.geometries import Lengths, changed, index_groups, usual_lengths, usual_profiles
from conformance.cases.reference import Reference
from conformance.specification.applied import Applied
from conformance.specification.indices.kinds import RESULT, Vectors
from conformance.specification.layout import Layout
from conformance.specification.literals import Argument, Tensor
from conformance.specification.model import Operation

EMPTY_LITERAL = "float32"
"""The dtype that frameworks give to an empty list."""


def empty_forms(operation: Operation, reference: Reference) -> Iterator[FormCall]:  # noqa: ARG001 - as other forms
    """Calls with empty tensors, and with tensors without axes."""
    layout = operation.layout
    assert layout is not None
    lengths = usual_lengths(layout, usual_profiles(layout)[0])
    control = next(calls_of(operation, lengths, ORDINARY, 0, "control"))
    yield from _empty_groups(layout, lengths, control)
    yield from _without_columns(layout, control)
    for name, value in control.arguments.items():
        if isinstance(value, Tensor):
            yield from _replaced(control, name, value)
    tensors = {name: _without_axes(value) for name, value in control.arguments.items() if isinstance(value, Tensor)}
    numbers: dict[str, Argument] = {
        name: 0
        for name, value in control.arguments.items()
        if isinstance(value, int) and name in layout.arguments and layout.arguments[name][0].rank
    }
    yield FormCall("no-axes", control.with_arguments({**tensors, **numbers}), control, open=True)


def _empty_groups(layout: Layout, lengths: Lengths, control: Applied) -> Iterator[FormCall]:
    # The length of an axis that only the result has follows from the indices.
    groups = [group for group in layout.groups if lengths[group] and group in _of_arguments(layout)]
    of_indices = index_groups(layout)
    free = [group for group in groups if layout.groups[group].other is None]
    made: set[tuple[tuple[int, ...], ...]] = set()
    for chosen in [*((group,) for group in groups), *combinations(free, 2)]:
        emptied = lengths
        for group in chosen:
            emptied = changed(layout, emptied, group, 0)
        if tuple(emptied.values()) in made:
            continue
        made.add(tuple(emptied.values()))
        name = f"empty-{'-and-'.join(chosen)}"
        call = next(calls_of(control.operation, emptied, ORDINARY, 0, name), None)
        if call is None:
            continue
        yield FormCall(name, call, control, open=True)
        if len(chosen) == 1 and chosen[0] in of_indices:
            cast = _as_empty_literals(call)
            yield FormCall(f"{name}.index-{EMPTY_LITERAL}", cast, control, open=True, meaning=call)


def _of_arguments(layout: Layout) -> set[str]:
    return {part.group for name, parts in layout.arguments.items() if name != RESULT for part in parts}


def _without_columns(layout: Layout, control: Applied) -> Iterator[FormCall]:
    """Index vectors without components, each of which means the whole target."""
    for name, indices in layout.indices.items():
        if isinstance(indices.indexing, Vectors):
            counted = layout.root(layout.arguments[name][-1].group)
            profile = {**usual_profiles(layout)[0], counted: 0}
            lengths = usual_lengths(layout, profile)
            call = next(calls_of(control.operation, lengths, ORDINARY, 0, "no-columns"), None)
            if call is None:  # two vectors mean the same
                batch = layout.arguments[name][0].group
                call = next(
                    calls_of(control.operation, changed(layout, lengths, batch, 1), ORDINARY, 0, "no-columns"), None
                )
            if call is not None:
                yield FormCall(f"{name}-without-columns", call, control, open=True)


def _replaced(control: Applied, name: str, value: Tensor) -> Iterator[FormCall]:
    """Calls with one tensor that has the shape [0] or no axes."""
    nothing = as_tensor(value.dtype, np.zeros(0))
    call = control.with_arguments({name: nothing})
    yield FormCall(f"{name}-of-shape-0", call, control, open=True)
    if control.operation.arguments[name].index:
        literal = control.with_arguments({name: as_tensor(EMPTY_LITERAL, np.zeros(0))})
        yield FormCall(f"{name}-of-shape-0.index-{EMPTY_LITERAL}", literal, control, open=True, meaning=call)
    yield FormCall(f"{name}-without-axes", control.with_arguments({name: _without_axes(value)}), control, open=True)


def _without_axes(value: Tensor) -> Tensor:
    """Its first element; of a mask, true, which selects."""
    first = value.array.any() if value.dtype == "bool" else value.array.reshape(-1)[0] if value.array.size else 0
    return as_tensor(value.dtype, np.asarray(first))


def _as_empty_literals(call: Applied) -> Applied:
    """The call with its empty indices in the dtype of an empty list."""
    return call.with_arguments(
        {
            name: value.cast(EMPTY_LITERAL)
            for name, value in call.arguments.items()
            if isinstance(value, Tensor) and call.operation.arguments[name].index
        }
    )
