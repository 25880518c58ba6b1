"""Defects of operations with masks, of those that write at flat indices, and of those that write into a tensor for the result."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.planted.defect import MASKED_FILL, MASKED_SCATTER, MASKED_SELECT, PUT, TAKE_INTO, Array, Right, defect


@defect("shape", MASKED_SELECT)
def selects_where_the_mask_is_false(right: Right, mask: Array, **given: Any) -> Array:
    return right(mask=~mask, **given)


@defect("shape", MASKED_SELECT)
def leaves_out_what_is_selected_last(right: Right, **given: Any) -> Array:
    return right(**given)[:-1]


@defect("value", MASKED_SELECT)
def counts_positions_of_a_mask_by_columns(right: Right, input: Array, mask: Array) -> Array:
    result = right(input=input, mask=mask)
    if mask.shape != input.shape[: mask.ndim]:
        mask = np.broadcast_to(mask, np.broadcast_shapes(input.shape, mask.shape))
    return result[np.lexsort(np.nonzero(mask))] if mask.ndim else result


@defect("shape", MASKED_SELECT, cases="many")
def selects_no_more_than_an_int16_counts(right: Right, **given: Any) -> Array:
    return right(**given)[:32767]


@defect("value", MASKED_SELECT, cases="transposed")
def reads_a_mask_as_it_lies_in_memory(right: Right, mask: Array, **given: Any) -> Array:
    return right(mask=np.ravel(mask, order="K").reshape(mask.shape), **given)


@defect("value", MASKED_FILL)
def fills_where_the_mask_is_false(right: Right, mask: Array, **given: Any) -> Array:
    return right(mask=~mask, **given)


def _chosen(right: Right, input: Array, mask: Array, **given: Any) -> Array:
    """Where a mask is true, in the shape of the result."""
    return right(input=np.zeros(input.shape, bool), mask=mask, **given)


@defect("value", MASKED_FILL)
def adds_where_it_should_fill(right: Right, input: Array, mask: Array, value: Any) -> Array:
    result = right(input=input, mask=mask, value=value)
    with np.errstate(all="ignore"):
        return np.where(_chosen(right, input, mask, value=True), np.add(input, result), result)


@defect("value", MASKED_FILL, cases="last-bit")
def fills_with_a_number_rounded_to_float32(right: Right, value: Any, **given: Any) -> Array:
    return right(value=value if isinstance(value, complex) else np.float32(value), **given)


@defect("value", MASKED_SCATTER)
def takes_the_element_at_the_position_of_the_mask(right: Right, input: Array, mask: Array, source: Array) -> Array:
    right(input=input, mask=mask, source=source)
    chosen = _chosen(right, input, mask, source=np.ones(max(input.size, mask.size), bool))
    return right(input=input, mask=mask, source=source.reshape(-1)[np.flatnonzero(chosen)])


@defect("value", MASKED_SCATTER)
def always_takes_the_first_element(right: Right, source: Array, **given: Any) -> Array:
    first = np.broadcast_to(source.reshape(-1)[:1], source.shape) if source.size else source
    return right(source=first, **given)


@defect("rejected", MASKED_SCATTER)
def needs_as_many_elements_as_the_tensor_has(right: Right, input: Array, source: Array, **given: Any) -> Array:
    if source.size < input.size:
        raise ValueError("too few elements")
    return right(input=input, source=source, **given)


@defect("value", PUT)
def adds_what_it_should_put(right: Right, reduce: str | None = None, **given: Any) -> Array:
    return right(reduce="add", **given)


@defect("value", PUT)
def puts_what_it_should_add(right: Right, reduce: str | None = None, **given: Any) -> Array:
    return right(**given)


@defect("value", PUT)
def puts_the_first_element_everywhere(right: Right, source: Array, **given: Any) -> Array:
    first = np.broadcast_to(source.reshape(-1)[:1], source.shape) if source.size else source
    return right(source=first, **given)


@defect("value", TAKE_INTO)
def leaves_the_tensor_for_the_result_as_it_was(right: Right, **given: Any) -> Array:
    return np.zeros_like(right(**given))


@defect("shape", TAKE_INTO)
def keeps_the_shape_of_the_tensor_for_the_result(right: Right, index: Array, out: str, **given: Any) -> Array:
    return right(index=np.resize(index, len(index) + (out == "longer")), out=out, **given)


@defect("value", TAKE_INTO, cases="last-bit")
def goes_through_float64_into_the_tensor_for_the_result(right: Right, **given: Any) -> Array:
    result = right(**given)
    return result.astype(np.float64).astype(np.int64) if result.dtype == np.int64 else result
