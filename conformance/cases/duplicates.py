"""Calls with duplicate indices: what they write, and the results that are allowed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from conformance.cases.expectations import Compared, Expectation, Returns, ReturnsAnyWritten, Writes
from conformance.cases.reference import Reference, ReferenceFailed
from conformance.specification.applied import Applied
from conformance.specification.expressions import EVALUATION_ERRORS
from conformance.specification.indices.geometry import IndexGeometry
from conformance.specification.indices.kinds import RESULT, Indexing
from conformance.specification.literals import Argument, Tensor, frozen


def duplicates_of(call: Applied, reference: Reference, expectation: Expectation | None = None) -> Compared | None:
    """The allowed results of a call with duplicate indices; None for other calls, and if they are unknown.

    A result expected by a spec takes precedence. Otherwise accumulated elements are summed, and any one of several
    copied elements may remain.
    """
    geometry = _duplicate_writes(call)
    if geometry is None or call.broken_rules:
        return None
    if isinstance(expectation, Compared):
        return expectation
    accumulates = call.accumulates
    sources = [] if accumulates else list(_sources(call, geometry.indexing))
    writes = _writes(geometry, sources)
    if sources and writes is None:
        return None
    try:
        if writes is None:
            return Returns(reference(call), accumulates)
        value = _written(call.values.get(geometry.indexing.into), writes)
        return ReturnsAnyWritten(value or reference(call), writes)
    except ReferenceFailed:
        return None


def _written(into: object, writes: Writes) -> Tensor | None:
    """The tensor after the last write to each position; None if it is not a tensor of this dtype."""
    if not isinstance(into, Tensor) or into.array.dtype != writes.values.dtype:
        return None
    array = np.array(into.array)
    array.reshape(-1)[writes.positions] = writes.values
    return Tensor(into.dtype, frozen(array), None)


def _duplicate_writes(call: Applied) -> IndexGeometry | None:
    """The geometry of the indices to write, if all are in bounds and two refer to the same positions."""
    geometries = call.geometries.values()
    for geometry in geometries:
        if not geometry.fits or not is_written(call, geometry):
            continue
        if all(each.inside.all() for each in geometries) and geometry.has_duplicates and geometry.positions.size:
            return geometry
    return None


def is_written(call: Applied, geometry: IndexGeometry) -> bool:
    """Whether the result has the shape of the indexed argument, and still has it if that is longer."""
    into = geometry.indexing.into
    if into == RESULT:
        return True
    if geometry.indexing.counts_from_data:
        return _is_kept(call, geometry)
    value = call.values[into]
    for lengths in (geometry.shape, geometry.indexing.longer(geometry.shape)):
        target: Argument = lengths[0] if isinstance(value, int) else lengths
        if isinstance(value, Tensor):
            target = replace(value, array=np.broadcast_to(0, lengths))
        try:
            if call.with_arguments({into: target}).result_shape != lengths:
                return False
        except EVALUATION_ERRORS:  # a mask in a key does not fit what is longer
            return False
    return True


def _is_kept(call: Applied, geometry: IndexGeometry) -> bool:
    """Whether the result has the shape of what a mask selects from, even if that is longer and nothing is selected."""
    into, lengths = geometry.indexing.into, geometry.indexing.longer(geometry.shape)
    value = call.arguments[into]
    assert isinstance(value, Tensor)
    masks = {name for name, spec in call.operation.arguments.items() if spec.indexing == geometry.indexing}
    nothing = Tensor("bool", np.broadcast_to(False, lengths[: geometry.index.ndim]), None)
    longer = replace(value, array=np.broadcast_to(0, lengths))
    changed = call.with_arguments({**dict.fromkeys(masks, nothing), into: longer})
    return bool(changed.result_shape == lengths)


def _writes(geometry: IndexGeometry, sources: Sequence[Tensor]) -> Writes | None:
    """The elements to write and their positions; None unless exactly one tensor can be their source."""
    values = geometry.part_of(sources[0].array) if len(sources) == 1 else None
    return None if values is None else Writes(geometry.positions.reshape(-1), values.reshape(-1))


def _sources(call: Applied, indexing: Indexing) -> Iterator[Tensor]:
    return (value for name, value in call.data.items() if name != indexing.into)
