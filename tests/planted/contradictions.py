"""Defects in what is done with an argument that contradicts another one."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.planted.defect import SCATTER, SEGMENTS, SPLIT, Array, Right, defect


@defect("accepted", SPLIT, cases="contradicts.offsets.beyond")
def reads_behind_its_data(right: Right, data: Array, axis: int, offsets: Array | None = None, **given: Any) -> Array:
    if offsets is None or not offsets.size or offsets.dtype.kind == "f":
        return right(data=data, axis=axis, offsets=offsets, **given)
    missing = max(int(offsets.max()) - data.shape[axis], 0)
    padded = np.pad(data, [(0, missing if place == axis else 0) for place in range(data.ndim)])
    return right(data=padded, axis=axis, offsets=offsets, **given)


@defect("accepted", SPLIT, cases="contradicts.offsets.negative")
def takes_negative_offsets_for_zero(right: Right, offsets: Array | None = None, **given: Any) -> Array:
    return right(offsets=None if offsets is None else np.maximum(offsets, 0), **given)


@defect("accepted", SPLIT, cases="contradicts.offsets.descending")
def sorts_its_offsets(right: Right, offsets: Array | None = None, **given: Any) -> Array:
    return right(offsets=None if offsets is None else np.sort(offsets), **given)


@defect("accepted", SPLIT, cases="contradicts.offsets.empty")
def takes_no_offset_for_no_segment(
    right: Right, data: Array, axis: int, offsets: Array | None = None, **given: Any
) -> Array:
    if offsets is not None and not offsets.size:
        return data.take([], axis)
    return right(data=data, axis=axis, offsets=offsets, **given)


@defect("accepted", SPLIT, cases="contradicts.lengths.shorter")
def leaves_out_what_no_length_names(
    right: Right, data: Array, axis: int, lengths: Array | None = None, **given: Any
) -> Array:
    if lengths is not None and lengths.ndim == 1 and axis == 0:
        data = data[: lengths.sum()]
    return right(data=data, axis=axis, lengths=lengths, **given)


@defect("accepted", SCATTER, cases="contradicts.shape.negative")
def takes_a_negative_length_for_as_many_as_it_needs(right: Right, indices: Array, shape: Any, **given: Any) -> Array:
    if isinstance(shape, tuple) and -1 in shape and indices.size:
        shape = tuple(int(indices.max()) + 1 if length == -1 else length for length in shape)
    return right(indices=indices, shape=shape, **given)


@defect("accepted", SEGMENTS, cases="contradicts.num_segments.negative")
def takes_a_negative_number_of_segments_for_none(right: Right, data: Array, num_segments: Any, **given: Any) -> Array:
    if isinstance(num_segments, int) and num_segments < 0:
        return data[:0]
    return right(data=data, num_segments=num_segments, **given)
