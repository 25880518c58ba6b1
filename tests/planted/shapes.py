"""Defects in what shapes, lengths and axes mean."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tests.planted.arguments import Arguments, in_rows, indexed_shape, integers, sizes
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
    SCATTER,
    SEGMENTS,
    SORTED,
    TAKE,
    UPDATE,
    VECTOR_REDUCE,
    Array,
    Right,
    defect,
)


@defect("rejected", UPDATE, ADD, VECTOR_REDUCE, SCATTER)
def uses_the_rank_of_indices_minus_one_as_depth(right: Right, indices: Array, updates: Array, **given: Any) -> Array:
    if updates.shape != indices.shape[:-1] + indexed_shape(given)[indices.ndim - 1 :]:
        raise ValueError("updates have the wrong shape")
    return right(indices=indices, updates=updates, **given)


def _due(indices: Array, given: Arguments) -> tuple[int, ...]:
    """The shape that updates must have."""
    return (*indices.shape[:-1], *indexed_shape(given)[indices.shape[-1] :])


@defect("accepted", UPDATE, ADD, VECTOR_REDUCE, SCATTER)
def accepts_updates_of_any_shape_with_the_right_number_of_elements(
    right: Right, indices: Array, updates: Array, **given: Any
) -> Array:
    due = _due(indices, given)
    return right(indices=indices, updates=updates.reshape(due) if updates.size == math.prod(due) else updates, **given)


@defect("accepted", UPDATE, ADD, VECTOR_REDUCE, SCATTER)
def repeats_updates_until_there_are_enough(right: Right, indices: Array, updates: Array, **given: Any) -> Array:
    return right(indices=indices, updates=np.resize(updates, _due(indices, given)), **given)


@defect("accepted", UPDATE, SCATTER)
def accepts_indices_with_one_axis(right: Right, indices: Array, updates: Array, **given: Any) -> Array:
    if indices.ndim == 1:
        indices, updates = indices[None], updates[None]
    return right(indices=indices, updates=updates, **given)


@defect("shape", GATHER)
def folds_the_batch_axes_of_the_result(right: Right, params: Array, indices: Array) -> Array:
    return right(params=params, indices=indices).reshape(-1, *params.shape[indices.shape[-1] :])


@defect("rejected", GATHER)
def reverses_the_columns_of_index_vectors(right: Right, indices: Array, **given: Any) -> Array:
    return right(indices=indices[..., ::-1], **given)


@defect("accepted", SCATTER)
def takes_negative_lengths_for_none(right: Right, updates: Array, shape: Any, **given: Any) -> Array:
    if isinstance(shape, tuple) and min(shape, default=1) < 1:
        return np.zeros(np.maximum(shape, 0), updates.dtype)
    return right(updates=updates, shape=shape, **given)


@defect("accepted", SCATTER)
def accepts_an_empty_shape(right: Right, updates: Array, shape: Any, **given: Any) -> Array:
    return np.zeros((), updates.dtype) if shape == () else right(updates=updates, shape=shape, **given)


@defect("accepted", SCATTER)
def accepts_a_shape_of_any_type(right: Right, shape: Any, **given: Any) -> Array:
    return right(shape=tuple(shape), **given)


@defect("accepted", UPDATE, SCATTER, GATHER)
def accepts_indices_of_any_dtype(right: Right, indices: Array, **given: Any) -> Array:
    return right(indices=indices.astype(np.int64), **given)


@defect("rejected", INTO)
def requires_a_source_with_the_shape_of_index(right: Right, index: Array, src: Any, **given: Any) -> Array:
    if np.ndim(src) and src.shape != index.shape:
        raise ValueError("src and index differ in shape")
    return right(index=index, src=src, **given)


@defect("rejected", ALONG, INTO)
def requires_an_index_as_long_as_the_input_along_the_other_axes(
    right: Right, input: Array, dim: int, index: Array, **given: Any
) -> Array:
    if index.size and np.delete(index.shape, dim).tolist() != np.delete(input.shape, dim).tolist():
        raise ValueError("input and index differ in shape")
    return right(input=input, dim=dim, index=index, **given)


@defect("value", INTO)
def reads_the_source_as_if_it_had_the_shape_of_index(right: Right, index: Array, src: Any, **given: Any) -> Array:
    right(index=index, src=src, **given)
    return right(index=index, src=np.resize(src, index.shape) if np.ndim(src) else src, **given)


@defect("value", UPDATE, ADD, VECTOR_REDUCE, SCATTER, GATHER)
def uses_the_last_position_instead_of_the_first(right: Right, indices: Array, **given: Any) -> Array:
    indices = integers(indices)
    return right(indices=np.where(indices == 0, sizes(indices, given) - 1, indices), **given)


@defect("value", ALONG)
def always_reads_along_the_first_axis(right: Right, dim: int, **given: Any) -> Array:
    return right(dim=0, **given)


@defect("rejected", INTO)
def always_writes_along_the_first_axis(right: Right, dim: int, **given: Any) -> Array:
    return right(dim=0, **given)


@defect("shape", GATHER)
def returns_a_single_element_with_an_axis(right: Right, **given: Any) -> Array:
    result = right(**given)
    return result.reshape(result.shape or (1,))


@defect("value", ALONG)
def reads_from_the_end_with_three_axes(right: Right, input: Array, dim: int, index: Array) -> Array:
    result = right(input=input, dim=dim, index=index)
    return right(input=np.flip(input, dim), dim=dim, index=index) if input.ndim == 3 else result


@defect("value", ALONG)
def is_wrong_only_with_four_axes(right: Right, input: Array, **given: Any) -> Array:
    result = right(input=input, **given)
    return np.zeros_like(result) if input.ndim == 4 else result


@defect("value", UPDATE, SCATTER, GATHER)
def reads_index_vectors_under_two_batch_axes_in_another_order(right: Right, indices: Array, **given: Any) -> Array:
    return right(indices=indices[::-1] if indices.ndim == 3 else indices, **given)


@defect("value", COPY, INDEX_ADD)
def applies_only_the_first_slice(right: Right, dim: int, index: Array, source: Array, **given: Any) -> Array:
    right(dim=dim, index=index, source=source, **given)
    return right(dim=dim, index=index[:1], source=np.take(source, range(len(index[:1])), dim), **given)


@defect("value", FILL)
def fills_only_the_first_slice(right: Right, index: Array, **given: Any) -> Array:
    right(index=index, **given)
    return right(index=index[:1], **given)


@defect("value", FILL)
def fills_along_the_first_axis(right: Right, input: Array, index: Array, value: Any, **given: Any) -> Array:
    right(input=input, index=index, value=value, **given)
    return right(input=input, dim=0, index=index[index < len(input)], value=value)


@defect("value", TAKE)
def counts_the_first_axis_first(right: Right, input: Array, index: Array) -> Array:
    return right(input=input.ravel(order="F"), index=index)


@defect("rejected", TAKE)
def counts_elements_along_the_last_axis_only(right: Right, input: Array, index: Array) -> Array:
    if (index >= math.prod(input.shape[-1:])).any():
        raise IndexError("out of bounds for the last axis")
    return right(input=input, index=index)


@defect("shape", TAKE)
def has_one_axis_whatever_the_index_has(right: Right, index: Array, **given: Any) -> Array:
    return right(index=index.reshape(-1), **given)


@defect("value", SEGMENTS, cases="ids-prefix")
def labels_by_the_first_axis_of_several(right: Right, segment_ids: Array, **given: Any) -> Array:
    first = segment_ids[(slice(None), *[slice(1)] * (segment_ids.ndim - 1))]
    return right(segment_ids=np.broadcast_to(first, segment_ids.shape), **given)


@defect("shape", SORTED)
def has_a_row_for_each_id_that_occurs_and_none_for_one_that_is_skipped(
    right: Right, segment_ids: Array, **given: Any
) -> Array:
    right(segment_ids=segment_ids, **given)
    return right(segment_ids=np.unique(segment_ids, return_inverse=True)[1], **given)


@defect("value", BATCHED_SELECT)
def reads_each_part_of_a_batch_by_the_index_of_the_first(
    right: Right, index: Array, batch_dims: int, **given: Any
) -> Array:
    paired = batch_dims % (index.ndim + 1) if batch_dims >= 0 else batch_dims + index.ndim
    if index.size:
        index = np.array(np.broadcast_to(index[(0,) * paired], index.shape))
    return right(index=index, batch_dims=batch_dims, **given)


@defect("value", BATCHED_GATHER)
def reads_each_part_of_a_batch_from_the_first(right: Right, params: Array, batch_dims: int, **given: Any) -> Array:
    right(params=params, batch_dims=batch_dims, **given)
    if params.size:
        params = np.broadcast_to(params[(0,) * batch_dims], params.shape)
    return right(params=params, batch_dims=batch_dims, **given)


@defect("accepted", BATCHED_SELECT, BATCHED_GATHER)
def accepts_batch_axes_of_unequal_lengths(right: Right, batch_dims: int, **given: Any) -> Array:
    (tensor, data), (name, index) = [(each, given[each]) for each in given if isinstance(given[each], np.ndarray)]
    paired = min(batch_dims if batch_dims >= 0 else batch_dims + index.ndim, data.ndim, index.ndim)
    shared = tuple(slice(min(data.shape[axis], index.shape[axis])) for axis in range(paired))
    return right(batch_dims=batch_dims, **{**given, tensor: data[shared], name: index[shared]})


@defect("shape", BATCHED_SELECT)
def takes_a_negative_number_of_batch_axes_for_none(right: Right, batch_dims: int, **given: Any) -> Array:
    return right(batch_dims=max(batch_dims, 0), **given)


@defect("accepted", BATCHED_SELECT)
def takes_an_axis_that_is_one_of_the_batch(
    right: Right, input: Array, dim: int, batch_dims: int, **given: Any
) -> Array:
    return right(input=input, dim=dim, batch_dims=min(batch_dims, dim % input.ndim), **given)


@defect("value", UPDATE, ADD, VECTOR_REDUCE, SCATTER)
def drops_the_last_update(right: Right, indices: Array, updates: Array, **given: Any) -> Array:
    right(indices=indices, updates=updates, **given)
    rows, values = in_rows(indices, updates)
    return right(indices=rows[:-1], updates=values[:-1], **given)


@defect("value", UPDATE, ADD, VECTOR_REDUCE, SCATTER)
def applies_only_the_first_of_several_updates(right: Right, indices: Array, updates: Array, **given: Any) -> Array:
    right(indices=indices, updates=updates, **given)
    rows, values = in_rows(indices, updates)
    return right(indices=rows[:1], updates=values[:1], **given)
