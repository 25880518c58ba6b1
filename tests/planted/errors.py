"""Defects in what is refused, and in the errors."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.planted.defect import ADD, COPY, INDEX_ADD, SCATTER, SORTED, UPDATE, VECTOR_REDUCE, Array, Right, defect


@defect("error-type", SCATTER, cases="type-error")
def raises_KeyError_for_a_shape_of_another_type(right: Right, shape: Any, **given: Any) -> Array:  # noqa: N802
    if not isinstance(shape, tuple):
        raise KeyError(shape)
    return right(shape=shape, **given)


@defect("error-type", SCATTER, cases="value-error")
def raises_RuntimeError_for_a_length_below_one(right: Right, shape: Any, **given: Any) -> Array:  # noqa: N802
    if isinstance(shape, tuple) and min(shape, default=1) < 1:
        raise RuntimeError("too short")
    return right(shape=shape, **given)


@defect("accepted", UPDATE, ADD, VECTOR_REDUCE)
def takes_a_mask(right: Right, tensor: Array, indices: Array, updates: Array, **given: Any) -> Array:
    if indices.dtype != bool:
        return right(tensor=tensor, indices=indices, updates=updates, **given)
    result = tensor.copy()
    result[tuple(np.moveaxis(indices, -1, 0))] = updates
    return result


@defect("accepted", COPY, INDEX_ADD, cases="index-rank")
def takes_an_index_of_two_axes_for_a_vector(right: Right, index: Array, **given: Any) -> Array:
    return right(index=index.reshape(-1), **given)


@defect("accepted", UPDATE, ADD, VECTOR_REDUCE)
def takes_one_axis_of_positions_with_as_many_updates(
    right: Right, tensor: Array, indices: Array, updates: Array, **given: Any
) -> Array:
    if indices.ndim == tensor.ndim == 1 and indices.shape == updates.shape:
        indices = indices[:, None]
    return right(tensor=tensor, indices=indices, updates=updates, **given)


@defect("accepted", UPDATE, ADD, VECTOR_REDUCE)
def transposes_indices_that_do_not_fit(right: Right, tensor: Array, indices: Array, **given: Any) -> Array:
    if indices.ndim == 2 and indices.shape[1] > tensor.ndim:
        indices = indices.T
    return right(tensor=tensor, indices=indices, **given)


@defect("accepted", UPDATE, ADD, VECTOR_REDUCE)
def repeats_one_row_of_updates(right: Right, tensor: Array, indices: Array, updates: Array, **given: Any) -> Array:
    due = indices.shape[:-1] + tensor.shape[indices.shape[-1] :]
    if updates.shape == due[1:]:
        updates = np.broadcast_to(updates, due)
    return right(tensor=tensor, indices=indices, updates=updates, **given)


@defect("accepted", SORTED, cases="ids-ascending")
def takes_ids_in_any_order(right: Right, data: Array, segment_ids: Array, **given: Any) -> Array:
    order = np.argsort(segment_ids, kind="stable")
    return right(data=data[order], segment_ids=segment_ids[order], **given)
