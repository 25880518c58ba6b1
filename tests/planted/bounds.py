"""Defects in the treatment of out-of-bounds indices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from conformance.judging.vocabulary import Behaviour
from tests.planted.arguments import are_outside, in_rows, integers, sizes
from tests.planted.defect import (
    ADD,
    ALONG,
    GATHER,
    INTO,
    SCATTER,
    SEGMENTS,
    SELECT,
    SORTED,
    UPDATE,
    VECTOR_REDUCE,
    Array,
    Defect,
    Right,
    defect,
)

VECTORS = (UPDATE, ADD, VECTOR_REDUCE, SCATTER)
Change = Callable[[Array, int], Array]
"""Of indices, given the size of their axis."""


def clamped(index: Array, size: int) -> Array:
    return np.clip(index, 0, size - 1)


def clamped_at_the_end(index: Array, size: int) -> Array:
    return np.minimum(index, size - 1)


def counted_from_the_end(index: Array, size: int) -> Array:
    return np.where((-size <= index) & (index < 0), index + size, index)


def modulo(index: Array, size: int) -> Array:
    return index % size


CHANGES: tuple[tuple[str, Change, Behaviour], ...] = (
    ("clamps", clamped, "clamps"),
    ("wraps negative indices of", counted_from_the_end, "wraps-negative"),
    ("wraps modulo", modulo, "wraps-modulo"),
)


def _column(
    word: str, column: str, axis: int, change: Change, behaviour: Behaviour, operations: tuple[str, ...] = VECTORS
) -> Defect:
    def wrong(right: Right, indices: Array, **given: Any) -> Array:
        indices = integers(indices)
        depth = indices.shape[-1]
        if depth:
            indices[..., axis % depth] = change(indices[..., axis % depth], sizes(indices, given)[axis % depth])
        return right(indices=indices, **given)

    name = f"{word} the {column.replace('-', ' ')}"
    return Defect(name, wrong, "accepted", operations, behaviour, column)


COLUMNS = (
    *(
        _column(word, column, axis, change, behaviour)
        for column, axis in (("first-column", 0), ("last-column", -1))
        for word, change, behaviour in CHANGES
    ),
    _column("clamps at the end of", "middle-column", 1, clamped_at_the_end, "clamps"),
    *(_column(word, "first-column", 0, change, behaviour, (GATHER,)) for word, change, behaviour in CHANGES),
)


@defect("accepted", *VECTORS, behaviour="ignores", cases="outside")
def ignores_an_out_of_bounds_index_vector(right: Right, indices: Array, updates: Array, **given: Any) -> Array:
    rows, values = in_rows(integers(indices), updates)
    inside = ~are_outside(rows, given)
    return right(indices=rows[inside], updates=values[inside], **given)


@defect("accepted", *VECTORS, behaviour="stops", cases="outside")
def stops_at_an_out_of_bounds_index_vector_and_drops_the_tail(
    right: Right, indices: Array, updates: Array, **given: Any
) -> Array:
    rows, values = in_rows(integers(indices), updates)
    before = ~np.logical_or.accumulate(are_outside(rows, given))
    return right(indices=rows[before], updates=values[before], **given)


@defect("accepted", *VECTORS, behaviour="clamps", cases="at-the-size")
def clamps_an_index_equal_to_the_size(right: Right, indices: Array, **given: Any) -> Array:
    indices = integers(indices)
    return right(indices=indices - (indices == sizes(indices, given)), **given)


@defect("accepted", *VECTORS, behaviour="other", cases="two-to-the-32-plus-one")
def truncates_indices_to_32_bits(right: Right, indices: Array, **given: Any) -> Array:
    return right(indices=integers(indices).astype(np.int32), **given)


@defect("accepted", *VECTORS, behaviour="other", cases="flat-offset-inside")
def checks_only_the_flat_offset(right: Right, indices: Array, **given: Any) -> Array:
    indices = integers(indices)
    shape = tuple(sizes(indices, given))
    if not shape:
        return right(indices=indices, **given)
    flat = indices @ np.array([int(np.prod(shape[axis + 1 :])) for axis in range(len(shape))])
    return right(indices=np.stack(np.unravel_index(flat, shape), axis=-1), **given)


def _along(word: str, change: Change, behaviour: Behaviour, purpose: str, operation: str) -> Defect:
    def wrong(right: Right, input: Array, dim: int, index: Array, **given: Any) -> Array:
        index = change(integers(index), input.shape[dim]) if index.size else index
        return right(input=input, dim=dim, index=index, **given)

    return Defect(f"{word} an index along an axis {purpose}", wrong, "accepted", (operation,), behaviour)


ALONG_AN_AXIS = tuple(
    _along(word, change, behaviour, purpose, operation)
    for word, change, behaviour in CHANGES
    for purpose, operation in (("to read", ALONG), ("to write", INTO))
)


@defect("accepted", ALONG, behaviour="fills")
def reads_zero_for_an_out_of_bounds_index(right: Right, input: Array, dim: int, index: Array) -> Array:
    inside = (index >= 0) & (integers(index) < input.shape[dim])
    result = right(input=input, dim=dim, index=np.where(inside, index, index.dtype.type(0)))
    result[~inside] = 0
    return result


@defect("value", SEGMENTS, behaviour="wraps-negative", cases="negative-ids")
def counts_a_negative_id_from_the_end(right: Right, segment_ids: Array, num_segments: int, **given: Any) -> Array:
    segment_ids = integers(segment_ids)
    return right(segment_ids=segment_ids + num_segments * (segment_ids < 0), num_segments=num_segments, **given)


@defect("accepted", SEGMENTS, behaviour="clamps", cases="ids-past-the-end")
def clamps_an_id_past_the_end(right: Right, segment_ids: Array, num_segments: int, **given: Any) -> Array:
    segment_ids = np.minimum(integers(segment_ids), num_segments - 1)
    return right(segment_ids=segment_ids, num_segments=num_segments, **given)


@defect("accepted", SORTED, behaviour="ignores", cases="ids-not-negative")
def leaves_out_a_slice_with_a_negative_id(right: Right, data: Array, segment_ids: Array, **given: Any) -> Array:
    segment_ids = integers(segment_ids)
    return right(data=data[segment_ids >= 0], segment_ids=segment_ids[segment_ids >= 0], **given)


@defect("accepted", SELECT, behaviour="clamps", cases="behind-8192")
def checks_the_first_of_several_chunks_of_its_index(
    right: Right, input: Array, dim: int, index: Array, **given: Any
) -> Array:
    rest = np.clip(index[8192:], 0, input.shape[dim] - 1)
    return right(input=input, dim=dim, index=np.concatenate([index[:8192], rest]), **given)
