"""Calls with duplicate indices: what they write, and the results that are allowed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from conformance.cases.model import Expectation, Returns, Writes
from conformance.cases.reference import Reference, ReferenceFailed
from conformance.specification.expressions import EVALUATION_ERRORS
from conformance.specification.indexing import RESULT, IndexGeometry, Indexing, Shape
from conformance.specification.literals import Argument, Tensor, frozen
from conformance.specification.model import Call, Operation


def duplicates_of(
    operation: Operation, call: Call, reference: Reference, expectation: Expectation | None = None
) -> Returns | None:
    """The allowed results of a call with duplicate indices; None for other calls, and if they are unknown.

    A result expected by a spec takes precedence. Otherwise accumulated elements are summed, and any one of several
    copied elements may remain.
    """
    geometry = _duplicate_writes(operation, call)
    if geometry is None or operation.broken_rules(call):
        return None
    if isinstance(expectation, Returns):
        return expectation
    accumulates = bool(operation.result_accumulates.value(operation.values(call)))
    sources = [] if accumulates else list(_sources(operation, call, geometry.indexing))
    writes = _writes(geometry, sources)
    if sources and writes is None:
        return None
    value = _written(operation.values(call).get(geometry.indexing.into), writes) if writes is not None else None
    try:
        return Returns(value or reference(operation, call), None, accumulates, "reference", writes=writes)
    except ReferenceFailed:
        return None


def _written(into: object, writes: Writes) -> Tensor | None:
    """The tensor after the last write to each position; None if it is not a tensor of this dtype."""
    if not isinstance(into, Tensor) or into.array.dtype != writes.values.dtype:
        return None
    array = np.array(into.array)
    array.reshape(-1)[writes.positions] = writes.values
    return Tensor(into.dtype, frozen(array), None)


def _duplicate_writes(operation: Operation, call: Call) -> IndexGeometry | None:
    """The geometry of the indices to write, if all are in bounds and two refer to the same positions."""
    geometries = operation.geometries(call).values()
    for geometry in geometries:
        if not geometry.fits or not is_written(operation, call, geometry):
            continue
        if all(each.inside.all() for each in geometries) and geometry.has_duplicates and geometry.positions.size:
            return geometry
    return None


def is_written(operation: Operation, call: Call, geometry: IndexGeometry) -> bool:
    """Whether the result has the shape of the indexed argument, and still has it if that is longer."""
    into = geometry.indexing.into
    if into == RESULT:
        return True
    if geometry.indexing.mask:
        return _is_kept(operation, call, geometry)
    value = operation.values(call)[into]
    for lengths in (geometry.shape, _longer(geometry)):
        target: Argument = lengths[0] if isinstance(value, int) else lengths
        if isinstance(value, Tensor):
            target = replace(value, array=np.broadcast_to(0, lengths))
        values = operation.values(call.with_arguments({into: target}))
        try:
            if operation.result_shape.value(values) != lengths:
                return False
        except EVALUATION_ERRORS:  # a mask in a key does not fit what is longer
            return False
    return True


def _is_kept(operation: Operation, call: Call, geometry: IndexGeometry) -> bool:
    """Whether the result has the shape of what a mask selects from, even if that is longer and nothing is selected."""
    into, lengths = geometry.indexing.into, _longer(geometry)
    value = call.arguments[into]
    assert isinstance(value, Tensor)
    masks = {name for name, spec in operation.arguments.items() if spec.indexing == geometry.indexing}
    nothing = Tensor("bool", np.broadcast_to(False, lengths[: geometry.index.ndim]), None)
    longer = replace(value, array=np.broadcast_to(0, lengths))
    changed = call.with_arguments({**dict.fromkeys(masks, nothing), into: longer})
    return bool(operation.result_shape.value(operation.values(changed)) == lengths)


def _longer(geometry: IndexGeometry) -> Shape:
    """The shape of a longer target: if only the length of its first axis is an argument, longer there."""
    if geometry.indexing.labels is not None:
        return (geometry.shape[0] + 1, *geometry.shape[1:])
    return tuple(length + 1 for length in geometry.shape)


def _writes(geometry: IndexGeometry, sources: Sequence[Tensor]) -> Writes | None:
    """The elements to write and their positions; None unless exactly one tensor can be their source."""
    values = geometry.part_of(sources[0].array) if len(sources) == 1 else None
    return None if values is None else Writes(geometry.positions.reshape(-1), values.reshape(-1))


def _sources(operation: Operation, call: Call, indexing: Indexing) -> Iterator[Tensor]:
    for name, value in call.arguments.items():
        if isinstance(value, Tensor) and name != indexing.into and not operation.arguments[name].index:
            yield value
