"""Calls whose indices name a place twice: what they write, and what may remain of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from conformance.cases.model import Expectation, Returns, Writes
from conformance.cases.reference import Reference, ReferenceFailed
from conformance.specification.indexing import IndexGeometry, Indexing
from conformance.specification.literals import Tensor, frozen
from conformance.specification.model import Call, Operation


def duplicates_of(
    operation: Operation, call: Call, reference: Reference, expectation: Expectation | None = None
) -> Returns | None:
    """What a call may give whose indices name a place twice; None for any other, and where that cannot be told.

    That is what a spec expects, where it expects a result. Else elements that are added give their sum, and of elements
    that are moved any may remain.
    """
    geometry = _written_twice(operation, call)
    if geometry is None or operation.broken_rules(call):
        return None
    if isinstance(expectation, Returns):
        return expectation
    accumulates = bool(operation.result_accumulates.value(operation.values(call)))
    sources = [] if accumulates else list(_sources(operation, call, geometry.indexing))
    writes = _writes(geometry, sources)
    if sources and writes is None:
        return None
    value = _written(operation.values(call)[geometry.indexing.into], writes) if writes is not None else None
    try:
        return Returns(value or reference(operation, call), None, accumulates, "reference", writes=writes)
    except ReferenceFailed:
        return None


def _written(into: object, writes: Writes) -> Tensor | None:
    """The tensor after the last of the writes to each place; None where it is no tensor that holds such elements."""
    if not isinstance(into, Tensor) or into.array.dtype != writes.values.dtype:
        return None
    array = np.array(into.array)
    array.reshape(-1)[writes.places] = writes.values
    return Tensor(into.dtype, frozen(array), None)


def _written_twice(operation: Operation, call: Call) -> IndexGeometry | None:
    """Where the indices point that say what is written, if they are all inside and two of them mean the same."""
    for geometry in operation.geometries(call).values():
        if not geometry.fits or not _is_written(operation, call, geometry):
            continue
        if geometry.inside.all() and geometry.has_duplicates and geometry.positions.size:
            return geometry
    return None


def _is_written(operation: Operation, call: Call, geometry: IndexGeometry) -> bool:
    """Whether the result has the shape of what indices point into, and would have it were that longer."""
    into = geometry.indexing.into
    value = operation.values(call)[into]
    for lengths in (geometry.shape, tuple(length + 1 for length in geometry.shape)):
        other = replace(value, array=np.broadcast_to(0, lengths)) if isinstance(value, Tensor) else lengths
        values = operation.values(call.with_arguments({into: other}))
        if operation.result_shape.value(values) != lengths:
            return False
    return True


def _writes(geometry: IndexGeometry, sources: Sequence[Tensor]) -> Writes | None:
    """What is written where, if one tensor alone can be what is written."""
    values = geometry.part_of(sources[0].array) if len(sources) == 1 else None
    return None if values is None else Writes(geometry.positions.reshape(-1), values.reshape(-1))


def _sources(operation: Operation, call: Call, indexing: Indexing) -> Iterator[Tensor]:
    for name, value in call.arguments.items():
        if isinstance(value, Tensor) and name != indexing.into and not operation.arguments[name].index:
            yield value
