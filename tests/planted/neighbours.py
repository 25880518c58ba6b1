"""Defects that accept what a neighbouring convention means: updates that are broadcast, a mask for an index, a list for a key."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.planted.arguments import Arguments, indexed_shape
from tests.planted.defect import (
    ADD,
    ALONG,
    BATCHED_GATHER,
    BATCHED_SELECT,
    COPY,
    FILL,
    GATHER,
    INDEX_ADD,
    INTO,
    REDUCE,
    SCATTER,
    SEGMENTS,
    SELECT,
    SORTED,
    TAKE,
    UPDATE,
    VECTOR_REDUCE,
    Array,
    Right,
    defect,
)

VECTORS = (UPDATE, ADD, VECTOR_REDUCE, SCATTER)
SLICES = (INDEX_ADD, COPY, REDUCE)


def _due(indices: Array, given: Arguments) -> tuple[int, ...]:
    """The shape that updates must have."""
    return (*indices.shape[:-1], *indexed_shape(given)[indices.shape[-1] :])


@defect("accepted", *VECTORS, cases="/form.updates-one-row")
def takes_one_row_for_all_index_vectors(right: Right, indices: Array, updates: Array, **given: Any) -> Array:
    due = _due(indices, given)
    if updates.shape == due[indices.ndim - 1 :]:
        updates = np.array(np.broadcast_to(updates, due))
    return right(indices=indices, updates=updates, **given)


@defect("accepted", *VECTORS, cases="/form.updates-one-along-1")
def broadcasts_updates_along_their_last_axis(right: Right, indices: Array, updates: Array, **given: Any) -> Array:
    due = _due(indices, given)
    if updates.ndim == len(due) > 1 and updates.shape[-1] == 1 and updates.size:
        updates = updates.repeat(due[-1], -1)
    return right(indices=indices, updates=updates, **given)


@defect("accepted", *VECTORS, cases="/form.updates-without-the-first-axis.of-two-axes")
def adds_a_batch_axis_that_updates_lack(right: Right, indices: Array, updates: Array, **given: Any) -> Array:
    due = _due(indices, given)
    if indices.ndim == 3 and updates.shape == due[1:]:
        updates = np.array(np.broadcast_to(updates, due))
    return right(indices=indices, updates=updates, **given)


@defect("accepted", *VECTORS, cases="/form.updates-under-another-axis")
def drops_a_first_axis_of_length_one_of_updates(right: Right, indices: Array, updates: Array, **given: Any) -> Array:
    if updates.shape == (1, *_due(indices, given)):
        updates = updates[0]
    return right(indices=indices, updates=updates, **given)


@defect("accepted", *VECTORS, cases="/form.indices-one-for-all")
def repeats_a_single_index_vector(right: Right, indices: Array, updates: Array, **given: Any) -> Array:
    if indices.ndim == 2 and len(indices) == 1 and updates.ndim:
        indices = indices.repeat(len(updates), 0)
    return right(indices=indices, updates=updates, **given)


@defect("accepted", *SLICES, cases="/form.source-one-")
def broadcasts_a_source(right: Right, input: Array, dim: int, index: Array, source: Array, **given: Any) -> Array:
    due = [len(index) if axis == dim % input.ndim else length for axis, length in enumerate(input.shape)]
    if source.ndim == input.ndim and source.size:
        source = np.array(np.broadcast_to(source, due))
    return right(input=input, dim=dim, index=index, source=source, **given)


@defect("accepted", *SLICES, cases="/form.index-one-for-all")
def repeats_a_single_index(right: Right, index: Array, source: Array, dim: int, **given: Any) -> Array:
    if index.shape == (1,) and source.ndim:
        index = index.repeat(source.shape[dim])
    return right(index=index, source=source, dim=dim, **given)


@defect("accepted", INTO, cases="/form.src-")
def broadcasts_a_source_to_the_index(right: Right, index: Array, src: Any, **given: Any) -> Array:
    if isinstance(src, np.ndarray) and 1 in src.shape and index.size:
        src = np.array(np.broadcast_to(src, index.shape))
    return right(index=index, src=src, **given)


@defect("accepted", SEGMENTS, SORTED, cases="/form.segment_ids-one-for-all")
def gives_all_rows_the_only_id(right: Right, data: Array, segment_ids: Array, **given: Any) -> Array:
    if segment_ids.shape == (1,):
        segment_ids = segment_ids.repeat(len(data))
    return right(data=data, segment_ids=segment_ids, **given)


@defect("accepted", *VECTORS, GATHER, cases="/form.indices-mask-of-axis")
def takes_a_mask_of_the_first_axis_for_index_vectors(right: Right, indices: Array, **given: Any) -> Array:
    if indices.dtype == bool and indices.ndim == 1:
        indices = np.argwhere(indices)
    return right(indices=indices, **given)


@defect("accepted", *VECTORS, GATHER, BATCHED_GATHER, cases="/form.indices-mask-of-data")
def takes_a_mask_of_the_data_for_index_vectors(right: Right, indices: Array, **given: Any) -> Array:
    shape = given["params"].shape if "params" in given else indexed_shape(given)
    if indices.dtype == bool and indices.shape == shape:
        indices = np.argwhere(indices)
    return right(indices=indices, **given)


@defect("accepted", *SLICES, cases="/form.index-mask-of-axis")
def takes_a_mask_of_the_axis_for_an_index(right: Right, index: Array, **given: Any) -> Array:
    return right(index=np.flatnonzero(index) if index.dtype == bool and index.ndim == 1 else index, **given)


@defect("accepted", ALONG, cases="/form.index-mask-of-axis")
def selects_slices_by_a_mask(right: Right, input: Array, dim: int, index: Array) -> Array:
    if index.dtype == bool and index.shape == input.shape[dim : dim + 1]:
        return np.compress(index, input, dim)
    return right(input=input, dim=dim, index=index)


@defect("value", SELECT, TAKE, COPY, FILL, INDEX_ADD, REDUCE, SEGMENTS, cases="-as-a-list")
def reads_only_the_first_of_a_list(right: Right, **given: Any) -> Array:
    name = "segment_ids" if "segment_ids" in given else "index"
    if isinstance(given[name], list):
        given[name] = np.full(len(given[name]), given[name][0])
    return right(**given)


@defect("value", UPDATE, ADD, SCATTER, cases="/form.indices-as-a-list")
def reads_a_list_of_index_vectors_backwards(right: Right, indices: Any, **given: Any) -> Array:
    return right(indices=np.array(indices[::-1]) if isinstance(indices, list) else indices, **given)


@defect("shape", SELECT, cases="/form.index-as-a-number")
def keeps_the_axis_of_a_number(right: Right, index: Any, **given: Any) -> Array:
    return right(index=np.array([index]) if isinstance(index, int) else index, **given)


@defect("value", ALONG, SELECT, FILL, INDEX_ADD, COPY, cases="/form.dim-minus-2")
def reads_backwards_along_the_last_axis_but_one(right: Right, input: Array, dim: int, **given: Any) -> Array:
    return right(input=np.flip(input, dim).copy() if dim == -2 else input, dim=dim, **given)


@defect("value", ALONG, SELECT, FILL, INDEX_ADD, COPY, cases="/form.dim-minus-3")
def reads_backwards_along_the_last_axis_but_two(right: Right, input: Array, dim: int, **given: Any) -> Array:
    return right(input=np.flip(input, dim).copy() if dim == -3 else input, dim=dim, **given)


@defect("rejected", BATCHED_SELECT, cases="/form.dim-minus-")
def refuses_an_axis_that_is_counted_from_the_end_but_the_last(right: Right, dim: int, **given: Any) -> Array:
    if dim < -1:
        raise ValueError("dim")
    return right(dim=dim, **given)


@defect("rejected", BATCHED_SELECT, cases="/form.batch_dims-minus-2")
def counts_only_one_batch_axis_from_the_end(right: Right, batch_dims: int, **given: Any) -> Array:
    if batch_dims < -1:
        raise ValueError("batch_dims")
    return right(batch_dims=batch_dims, **given)


def with_python_types(right: Right, **given: Any) -> Array:
    """Right: an index may be nested lists or a number too."""
    indices = {name for name in given if name in ("index", "indices", "segment_ids", "mask", "i", "j")}
    return right(**{name: np.array(value) if name in indices else value for name, value in given.items()})
