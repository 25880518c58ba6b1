"""Defects in what a call does to the memory of its arguments, before an error too, and in how it reads memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.planted.arguments import are_outside, in_place, in_rows, integers
from tests.planted.defect import (
    ADD,
    ALONG,
    COPY,
    FILL,
    GATHER,
    INDEX_ADD,
    INTO,
    MASKED_FILL,
    MASKED_SCATTER,
    PUT,
    REDUCE,
    SCATTER,
    TAKE,
    UPDATE,
    VECTOR_REDUCE,
    Array,
    Defect,
    Right,
    defect,
)


@defect("input-changed", UPDATE, ADD, VECTOR_REDUCE)
def changes_its_input(right: Right, **given: Any) -> Array:
    return in_place(right, "tensor", given)


@defect("aliased", UPDATE, ADD, VECTOR_REDUCE)
def returns_its_input(right: Right, tensor: Array, **given: Any) -> Array:
    tensor[...] = right(tensor=tensor, **given)
    return tensor


@defect("aliased", UPDATE, ADD, VECTOR_REDUCE, cases="nothing-to-write")
def returns_its_input_if_there_is_nothing_to_write(right: Right, tensor: Array, indices: Array, **given: Any) -> Array:
    result = right(tensor=tensor, indices=indices, **given)
    return result if indices.size else tensor


@defect("aliased", UPDATE, ADD, VECTOR_REDUCE, cases=".uint16")
def returns_its_input_in_uint16(right: Right, tensor: Array, **given: Any) -> Array:
    result = right(tensor=tensor, **given)
    if tensor.dtype != np.uint16:
        return result
    tensor[...] = result
    return tensor


@defect("input-changed", INTO)
def fills_its_input(right: Right, **given: Any) -> Array:
    return in_place(right, "input", given)


@defect("input-changed", INTO, COPY, INDEX_ADD, FILL, REDUCE, cases=".int16")
def changes_its_input_in_int16(right: Right, **given: Any) -> Array:
    return in_place(right, "input", given) if given["input"].dtype == np.int16 else right(**given)


INTO_THE_INPUT = tuple(
    Defect(f"{what} the tensor itself", lambda right, **given: in_place(right, "input", given), "input-changed", (of,))
    for what, of in (("fills", MASKED_FILL), ("writes into", MASKED_SCATTER), ("puts elements into", PUT))
)


@defect("aliased", GATHER)
def returns_a_view_of_what_it_reads(right: Right, params: Array, indices: Array) -> Array:
    result = right(params=params, indices=indices)
    return params[tuple(indices)] if indices.ndim == 1 and len(indices) < params.ndim else result


@defect("rejected", UPDATE, ADD, VECTOR_REDUCE, SCATTER, cases="nothing-to-write")
def rejects_an_empty_call(right: Right, indices: Array, **given: Any) -> Array:
    if not indices.size:
        raise ValueError("nothing to write")
    return right(indices=indices, **given)


@defect("value", UPDATE, ADD, VECTOR_REDUCE, SCATTER, cases="nothing-to-write")
def returns_uninitialized_memory_for_an_empty_call(right: Right, indices: Array, **given: Any) -> Array:
    result = right(indices=indices, **given)
    return result if indices.size else np.full_like(result, 99)


@defect("rejected", ALONG, cases="nothing-to-read")
def rejects_a_read_of_no_elements(right: Right, index: Array, **given: Any) -> Array:
    if not index.size:
        raise ValueError("nothing to read")
    return right(index=index, **given)


def _reads_the_buffer(right: Right, tensor: Array, **given: Any) -> Array:
    buffer = tensor.base if isinstance(tensor.base, np.ndarray) else tensor
    return right(tensor=np.resize(buffer.reshape(-1), tensor.shape), **given)


STRIDES = tuple(
    Defect(
        f"ignores the strides of a {view} view", _reads_the_buffer, "value", (UPDATE, ADD, VECTOR_REDUCE), cases=view
    )
    for view in ("transposed", "strided")
)


@defect("value", TAKE, cases="transposed")
def counts_elements_as_they_lie_in_memory(right: Right, input: Array, index: Array) -> Array:
    return right(input=np.ravel(input, order="K"), index=index)


@defect("input-changed", UPDATE, ADD, VECTOR_REDUCE, SCATTER, GATHER, cases="outside")
def overwrites_its_index_before_an_error(right: Right, indices: Array, **given: Any) -> Array:
    try:
        return right(indices=indices, **given)
    except IndexError:
        indices[...] = 0
        raise


@defect("input-changed", UPDATE, ADD, VECTOR_REDUCE, cases="minus-one")
def overwrites_its_tensor_before_an_error(
    right: Right, tensor: Array, indices: Array, updates: Array, **given: Any
) -> Array:
    try:
        return right(tensor=tensor, indices=indices, updates=updates, **given)
    except IndexError:
        rows, values = in_rows(integers(indices), updates)
        first = int(are_outside(rows, {"tensor": tensor}).argmax())
        tensor[...] = right(tensor=tensor, indices=rows[:first], updates=values[:first], **given)
        raise


@defect("input-changed", INDEX_ADD, cases="index-outside")
def clamps_its_index_in_place_where_no_document_says_what_follows(
    right: Right, input: Array, dim: int, index: Array, **given: Any
) -> Array:
    np.clip(index, 0, input.shape[dim] - 1, out=index)
    return right(input=input, dim=dim, index=index, **given)


@defect("input-changed", ALONG, cases="index-range/break")
def clamps_its_index_in_place_where_it_should_raise(right: Right, input: Array, dim: int, index: Array) -> Array:
    np.clip(index, 0, input.shape[dim] - 1, out=index)
    return right(input=input, dim=dim, index=index)


@defect("input-changed", COPY, INDEX_ADD)
def overwrites_its_source_before_an_error(right: Right, source: Array, **given: Any) -> Array:
    try:
        return right(source=source, **given)
    except ValueError:
        source[...] = 0
        raise
