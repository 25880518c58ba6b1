"""Cases in which what a call reads lies in the memory that it writes; the expectation is that of the same numbers in memory of their own.

``CLAUSE/shared.index.ahead`` has an index that begins two elements before the tensor that the call changes, ``behind`` two
elements behind it, and ``same`` at the same element. So a call that reads an element after it has written there takes another
number for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from conformance.cases.draws.geometry import Profile
from conformance.cases.expectations import Returns
from conformance.cases.forms.calls import calls_of
from conformance.cases.forms.geometries import (
    Lengths,
    changed,
    index_groups,
    indexed_groups,
    usual_lengths,
    usual_profiles,
)
from conformance.cases.model import Case, Entry, drawn_clause
from conformance.cases.reference import Reference, ReferenceFailed
from conformance.cases.vacuous import vacuous
from conformance.cases.variation import Alike, SharingMemory, Turn, taking_turns
from conformance.cases.written import first_behaviour
from conformance.specification.applied import Applied
from conformance.specification.indices.kinds import Mask
from conformance.specification.literals import Tensor, frozen
from conformance.specification.model import Clause, Operation, Sharing

DISTANCE = 2
"""The number of elements between the beginnings of two arguments."""
SHIFTS = {"ahead": -DISTANCE, "behind": DISTANCE, "same": 0}
"""By name, the place of what is read, relative to what is changed."""
LONGEST, LONG = 8, 6
"""The length of an axis that indices point along, and of an axis of indices."""
OF_DATA = "float32"
"""The dtype of data that share memory with other data."""


@dataclass(frozen=True)
class _Shared:
    """A call whose arguments have elements in common, and its result."""

    call: Applied
    manner: Sharing
    result: Tensor
    shown: int
    """The number of elements of what is read that the call changes."""


def shared_memory_cases(operation: Operation, reference: Reference) -> Iterator[Case]:
    """``<clause>/shared.<argument>.<place>``: each other tensor in the memory of the one that the operation changes.

    They belong to the clause of valid draws, or without a layout to the first behaviour. With several axes the places take turns. An
    operation whose result has another shape writes into none of its arguments.
    """
    if operation.written_argument is not None:
        make = _of_written if operation.layout is None else _cases
        yield from taking_turns(operation.name, make(operation, reference))


def _of_written(operation: Operation, reference: Reference) -> Iterator[Alike[Case]]:
    """The call of a spec that shows most in each place."""
    clause, calls = first_behaviour(operation)
    for other in _others(operation):
        for place, shift in SHIFTS.items():
            shared = filter(None, (_shared(call, reference, other, shift) for call in calls))
            found = max(shared, key=lambda one: one.shown, default=None)
            if found is not None:
                yield Alike(("shared", other), partial(_case, found, clause, f"shared.{other}.{place}"))


def _cases(operation: Operation, reference: Reference) -> Iterator[Alike[Case]]:
    """Those of the same argument are alike."""
    for number, other in enumerate(_others(operation)):
        for which, profile in enumerate(_profiles(operation)):
            for turn, (place, shift) in enumerate(SHIFTS.items()):
                if which and turn != number % len(SHIFTS):
                    continue
                lengths = _lengths(operation, profile, longer=not which)
                # A mean is rounded; the next reduction takes its place.
                turns = (turn, turn + 1)
                made = (_most_telling(operation, reference, lengths, other, shift, each) for each in turns)
                found = next(filter(None, made), None)
                if found is not None:
                    name = f"shared.{other}.{place}{'.axes' if which else ''}"
                    yield Alike(("shared", other), partial(_case, found, drawn_clause(operation), name))


def _others(operation: Operation) -> list[str]:
    """The tensors besides the one that APIs of the operation change."""
    specs = operation.arguments.items()
    return [name for name, spec in specs if "tensor" in spec.kinds and name != operation.written_argument]


def _profiles(operation: Operation) -> list[Profile]:
    """The numbers of axes with the fewest axes, and with the most."""
    layout = operation.layout
    assert layout is not None
    found = sorted(usual_profiles(layout, *indexed_groups(layout)), key=lambda profile: sum(profile.values()))
    return found if len(found) < 2 else [found[0], found[-1]]


def _lengths(operation: Operation, profile: Profile, *, longer: bool) -> Lengths:
    """The usual lengths, or longer ones of the axes of indices, so that much is written."""
    layout = operation.layout
    assert layout is not None
    lengths: Lengths = usual_lengths(layout, profile)
    if not longer:
        return lengths
    for groups, length in ((indexed_groups(layout), LONGEST), (index_groups(layout), LONG)):
        for group in dict.fromkeys(groups):
            if lengths[group] and layout.groups[group].other is None:
                lengths = changed(layout, lengths, group, length, [0])
    return lengths


def _most_telling(
    operation: Operation, reference: Reference, lengths: Lengths, other: str, shift: int, turn: int
) -> _Shared | None:
    """The call, of several with other elements, that changes most of what is read; None if none does."""
    indexing = operation.arguments[other].indexing
    dtype = OF_DATA if indexing is None else "bool" if isinstance(indexing, Mask) else "int64"
    calls = calls_of(operation, lengths, dtype, turn, f"shared {other} {shift}", factors=False)
    found = [_shared(call, reference, other, shift) for call in calls]
    return max(filter(None, found), key=lambda one: one.shown, default=None)


def _shared(call: Applied, reference: Reference, other: str, shift: int) -> _Shared | None:
    """The call with the changed tensor as the memory has it; None if that has no such place, or shows nothing."""
    main = call.operation.written_argument
    assert main is not None
    target, read = call.arguments.get(main), call.arguments.get(other)
    if not isinstance(target, Tensor) or not isinstance(read, Tensor) or target.dtype != read.dtype or not read.size:
        return None
    into, of = _common(target.size, read.size, shift)
    elements = target.array.reshape(-1).copy()
    elements[into] = read.array.reshape(-1)[of]
    shared = call.with_arguments({main: Tensor(target.dtype, frozen(elements.reshape(target.shape)), None)})
    if shared.broken_rules or "mean" in shared.arguments.values():
        return None
    try:
        result = reference(shared)
    except ReferenceFailed:
        return None
    if result.shape != target.shape or vacuous(shared, Returns(result, accumulates=False)) is not None:
        return None
    shown = int(np.count_nonzero(result.array.reshape(-1)[into] != elements[into]))
    return _Shared(shared, Sharing(main, other, shift), result, shown) if shown else None


def _common(first: int, second: int, shift: int) -> tuple[slice, slice]:
    """The elements of two flat arrays that lie in the same memory, as slices of each."""
    begin, end = max(shift, 0), max(min(first, second + shift), 0)
    return slice(begin, end), slice(begin - shift, max(end - shift, 0))


def _case(found: _Shared, clause: Clause, name: str, turn: Turn) -> Case:
    return Case(
        f"{clause.id}/{name}",
        found.call.made(found.manner),
        clause,
        Returns(found.result, found.call.accumulates),
        Entry(clause.location),
        SharingMemory(found.manner, turn),
    )
