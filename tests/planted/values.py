"""Defects in the numbers that a call gives, in some of them for certain numbers or dtypes only."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.planted.arguments import counted, in_rows, integers, is_last, one_by_one
from tests.planted.defect import (
    ADD,
    ADVANCED_SET,
    ALONG,
    COPY,
    FILL,
    GATHER,
    INDEX_ADD,
    INTO,
    PLAIN,
    REDUCE,
    SCATTER,
    SEGMENTS,
    SELECT,
    SORTED,
    TAKE,
    UPDATE,
    VECTOR_REDUCE,
    Array,
    Defect,
    Right,
    defect,
)


def _quotient(total: Array, count: Array, dtype: np.dtype[Any]) -> Array:
    divide = np.floor_divide if dtype.kind in "biu" else np.true_divide
    with np.errstate(all="ignore"):
        return np.asarray(divide(total, count.astype(dtype)).astype(dtype))


# Scatters of index vectors


@defect("value", UPDATE)
def adds_where_it_should_set(right: Right, **given: Any) -> Array:
    return one_by_one(right, given, lambda now, update, _: np.add(now, update))


@defect("value", ADD, SCATTER)
def sets_where_it_should_add(right: Right, **given: Any) -> Array:
    return one_by_one(right, given, lambda _now, update, _: update)


@defect("value", SCATTER, ADD, cases="duplicates")
def adds_only_one_of_the_updates_to_a_position(right: Right, **given: Any) -> Array:
    return one_by_one(right, given, lambda _, update, before: np.add(before, update))


@defect("value", ADD, SCATTER, cases="int8")
def saturates_int8(right: Right, updates: Array, **given: Any) -> Array:
    def saturated(now: Any, update: Any, _: Any) -> Any:
        return np.clip(np.add(now, update, dtype=np.int16), -128, 127)

    is_small = updates.dtype == np.int8
    return one_by_one(right, {**given, "updates": updates}, saturated) if is_small else right(updates=updates, **given)


@defect("value", SCATTER, cases="truths")
def adds_booleans_modulo_two(right: Right, updates: Array, **given: Any) -> Array:
    if updates.dtype != bool:
        return right(updates=updates, **given)
    return one_by_one(right, {**given, "updates": updates}, lambda now, update, _: np.logical_xor(now, update))


@defect("value", SCATTER, ADD, cases="not-a-number")
def treats_NaN_as_zero_in_sums(right: Right, updates: Array, **given: Any) -> Array:  # noqa: N802 - as it is written
    return right(updates=np.nan_to_num(updates, posinf=np.inf, neginf=-np.inf), **given)


@defect("value", UPDATE, cases="bit-by-bit")
def treats_NaN_as_zero_when_moving_data(right: Right, updates: Array, **given: Any) -> Array:  # noqa: N802
    return right(updates=np.nan_to_num(updates), **given)


@defect("value", UPDATE, cases="bit-by-bit")
def loses_the_sign_of_zero(right: Right, updates: Array, **given: Any) -> Array:
    return right(updates=updates + np.zeros((), updates.dtype), **given)


@defect("value", UPDATE, cases="last-bit")
def moves_64_bit_integers_through_float64(right: Right, updates: Array, **given: Any) -> Array:
    updates = updates.astype(np.float64).astype(np.int64) if updates.dtype == np.int64 else updates
    return right(updates=updates, **given)


@defect("value", UPDATE, cases="complex64")
def drops_the_imaginary_part(right: Right, updates: Array, **given: Any) -> Array:
    return right(updates=updates.real.astype(updates.dtype), **given)


@defect("value", UPDATE, cases=".complex128")
def conjugates_complex128(right: Right, updates: Array, **given: Any) -> Array:
    return right(updates=updates.conj() if updates.dtype == np.complex128 else updates, **given)


@defect("value", UPDATE, cases=".uint8")
def is_wrong_only_in_uint8(right: Right, updates: Array, **given: Any) -> Array:
    return right(updates=updates + np.uint8(1) if updates.dtype == np.uint8 else updates, **given)


@defect("value", ADD, cases=".bfloat16")
def sets_where_it_should_add_only_in_bfloat16(right: Right, updates: Array, **given: Any) -> Array:
    if updates.dtype.name != "bfloat16":
        return right(updates=updates, **given)
    return one_by_one(right, {**given, "updates": updates}, lambda _now, update, _: update)


def _only_the_last(reduction: str, word: str) -> Defect:
    def wrong(right: Right, indices: Array, updates: Array, reduce: str, **given: Any) -> Array:
        result = right(indices=indices, updates=updates, reduce=reduce, **given)
        if reduce != word:
            return result
        rows, values = in_rows(indices, updates)
        last = is_last(rows)
        return right(indices=rows[last], updates=values[last], reduce=reduce, **given)

    return Defect(f"reduces only the last of several updates with {reduction}", wrong, "value", (VECTOR_REDUCE,))


REDUCTIONS_OF_THE_LAST = tuple(
    _only_the_last(reduction, word)
    for reduction, word in (("subtract", "sub"), ("multiply", "prod"), ("maximum", "amax"), ("minimum", "amin"))
)


@defect("value", VECTOR_REDUCE)
def subtracts_what_is_there_from_an_update(right: Right, reduce: str, **given: Any) -> Array:
    given["reduce"] = reduce
    if reduce != "sub" or given["updates"].dtype == bool:
        return right(**given)
    return one_by_one(right, given, lambda now, update, _: np.subtract(update, now))


@defect("value", VECTOR_REDUCE)
def compares_the_sizes_of_numbers_without_their_signs(right: Right, reduce: str, **given: Any) -> Array:
    given["reduce"] = reduce
    if reduce != "amax":
        return right(**given)
    return one_by_one(right, given, lambda now, update, _: np.where(np.abs(now) < np.abs(update), update, now))


# Scatters along an axis


def _takes_for(taken: str, word: str) -> Callable[..., Array]:
    """A function that takes another word for a reduction."""
    return lambda right, reduce=None, **given: right(reduce=taken if reduce == word else reduce, **given)


@defect("value", INTO)
def sets_along_an_axis_where_it_should_add(right: Right, reduce: str | None = None, **given: Any) -> Array:
    return right(reduce=None if reduce == "add" else reduce, **given)


WORDS = (
    Defect("multiplies as it adds", _takes_for("multiply", "add"), "value", (INTO,)),
    Defect("adds as it multiplies", _takes_for("add", "multiply"), "value", (INTO,)),
    Defect("keeps the largest where it should keep the smallest", _takes_for("amax", "amin"), "value", (INTO,)),
    Defect("keeps the smallest where it should keep the largest", _takes_for("amin", "amax"), "value", (INTO,)),
    Defect("takes the smallest for the largest", _takes_for("amin", "amax"), "value", (REDUCE,)),
)


@defect("value", INTO)
def divides_a_mean_by_one_too_few(right: Right, input: Array, reduce: str | None = None, **given: Any) -> Array:
    result = right(input=input, reduce=reduce, **given)
    if reduce != "mean":
        return result
    count = counted(right, {**given, "input": input, "src": 1, "reduce": "add"})
    return _quotient(right(input=input, reduce="add", **given), np.maximum(count, 1), input.dtype)


def _only_the_last_along(ufunc: np.ufunc, word: str) -> Defect:
    def wrong(right: Right, input: Array, reduce: str | None = None, **given: Any) -> Array:
        result = right(input=input, reduce=reduce, **given)
        if reduce != word:
            return result
        count = counted(right, {**given, "input": input, "src": 1, "reduce": "add"})
        with np.errstate(all="ignore"):
            return np.where(count > 0, ufunc(input, right(input=input, **given)), input)

    return Defect(f"applies only the last of several values with {ufunc.__name__}", wrong, "value", (INTO,))


LAST_OF_SEVERAL = (
    _only_the_last_along(np.add, "add"),
    _only_the_last_along(np.multiply, "multiply"),
    _only_the_last_along(np.maximum, "amax"),
    _only_the_last_along(np.minimum, "amin"),
)


@defect("value", INTO)
def reads_a_scalar_source_as_one(right: Right, src: Any, **given: Any) -> Array:
    return right(src=src if isinstance(src, np.ndarray) else 1, **given)


@defect("value", INDEX_ADD)
def ignores_alpha(right: Right, alpha: Any = 1, **given: Any) -> Array:
    return right(**given)


@defect("value", FILL, cases="last-bit")
def fills_with_a_number_that_float32_holds(right: Right, value: Any, **given: Any) -> Array:
    return right(value=value if isinstance(value, complex) else np.asarray(value).astype(np.float32), **given)


@defect("value", REDUCE)
def always_reduces_what_is_there_too(right: Right, include_self: str | None = None, **given: Any) -> Array:
    return right(**given)


@defect("value", REDUCE)
def counts_what_is_not_reduced(
    right: Right, input: Array, dim: int, index: Array, reduce: str, include_self: str | None = None, **given: Any
) -> Array:
    words = {"reduce": reduce, "include_self": include_self}
    result = right(input=input, dim=dim, index=index, **words, **given)
    if reduce != "mean":
        return result
    slices = np.bincount(integers(index), minlength=input.shape[dim]) + (include_self != "no")
    slices = np.maximum(slices, 1).reshape(-1, *[1] * (input.ndim - 1 - dim % input.ndim))
    return (result * (slices / (slices + 1))).astype(result.dtype)


@defect("value", REDUCE)
def reduces_only_the_last_of_several_slices(right: Right, dim: int, index: Array, source: Array, **given: Any) -> Array:
    right(dim=dim, index=index, source=source, **given)
    last = is_last(index[:, None])
    return right(dim=dim, index=index[last], source=np.compress(last, source, dim), **given)


@defect("value", COPY)
def mixes_duplicates(right: Right, input: Array, dim: int, index: Array, **given: Any) -> Array:
    result = right(input=input, dim=dim, index=index, **given)
    positions, counts = np.unique(index, return_counts=True)
    mixed = np.moveaxis(result, dim, 0)  # a view
    for position in positions[counts > 1]:
        mixed[int(position)] = (mixed[int(position)] + 1).astype(result.dtype)
    return result


# Segments


@defect("value", SEGMENTS, cases="empty-segments")
def begins_a_maximum_with_zero(right: Right, reduce: str, **given: Any) -> Array:
    result = right(reduce=reduce, **given)
    return np.maximum(result, np.zeros((), result.dtype)) if reduce == "amax" else result


@defect("value", SEGMENTS)
def reduces_only_the_first_slice_of_a_segment(right: Right, segment_ids: Array, **given: Any) -> Array:
    right(segment_ids=segment_ids, **given)
    first = np.full(segment_ids.size, -1)
    first[np.unique(segment_ids, return_index=True)[1]] = 0
    return right(segment_ids=np.where(first.reshape(segment_ids.shape) < 0, -1, integers(segment_ids)), **given)


@defect("value", SEGMENTS)
def divides_by_the_number_of_all_slices(right: Right, segment_ids: Array, reduce: str, **given: Any) -> Array:
    result = right(segment_ids=segment_ids, reduce=reduce, **given)
    if reduce != "mean":
        return result
    total = right(segment_ids=segment_ids, reduce="sum", **given)
    return _quotient(total, np.array(max(segment_ids.size, 1)), result.dtype)


@defect("value", SORTED)
def begins_a_minimum_and_a_maximum_with_zero(right: Right, reduce: str, **given: Any) -> Array:
    result, zero = right(reduce=reduce, **given), np.zeros((), given["data"].dtype)
    return np.maximum(result, zero) if reduce == "amax" else np.minimum(result, zero) if reduce == "amin" else result


@defect("value", SORTED, cases="empty")
def gives_an_empty_product_zero(right: Right, segment_ids: Array, reduce: str, **given: Any) -> Array:
    result = right(segment_ids=segment_ids, reduce=reduce, **given)
    if reduce == "prod":
        result[np.setdiff1d(np.arange(len(result)), segment_ids)] = 0
    return result


# Keys


@defect("value", ADVANCED_SET)
def adds_only_the_last_of_several_values_that_a_key_names_for_one_position(
    right: Right, input: Array, values: Any, reduce: str | None = None, **given: Any
) -> Array:
    result = right(input=input, values=values, reduce=reduce, **given)
    if reduce != "add":
        return result
    count = counted(right, {**given, "input": input, "values": 1, "reduce": "add"})
    return np.where(count > 0, np.add(input, right(input=input, values=values, **given)), input)


# Dtypes


@defect("dtype", UPDATE, ADD, VECTOR_REDUCE, SCATTER, GATHER, ALONG, INTO)
def returns_float64_for_every_floating_dtype(right: Right, **given: Any) -> Array:
    result = right(**given)
    return result.astype(np.float64) if result.dtype.kind == "f" else result


@defect("dtype", *(name for name in PLAIN if name != SCATTER), cases=".float16")
def returns_float32_for_float16(right: Right, **given: Any) -> Array:
    result = right(**given)
    return result.astype(np.float32) if result.dtype == np.float16 else result


@defect("shape", ALONG, SELECT, TAKE, cases=".int32")
def returns_a_vector_of_int32(right: Right, **given: Any) -> Array:
    result = right(**given)
    return result.reshape(-1) if result.dtype == np.int32 else result


# Numbers of positions


@defect("rejected", UPDATE, ADD, VECTOR_REDUCE, SCATTER, GATHER, cases="beyond-int8")
def counts_positions_in_int8(right: Right, indices: Array, **given: Any) -> Array:
    indices = integers(indices)
    return right(indices=np.where((indices > 127) & (indices < 256), indices - 256, indices), **given)


@defect("value", UPDATE, SCATTER, GATHER, cases="beyond-uint16")
def counts_positions_in_uint16(right: Right, indices: Array, **given: Any) -> Array:
    indices = integers(indices)
    return right(indices=np.where(abs(indices) < 2**31, indices & 65535, indices), **given)


@defect("rejected", ALONG, INTO, cases="beyond-int8")
def counts_positions_along_an_axis_in_int8(right: Right, index: Array, **given: Any) -> Array:
    index = integers(index)
    return right(index=np.where((index > 127) & (index < 256), index - 256, index), **given)


@defect("value", UPDATE, ADD, VECTOR_REDUCE, SCATTER, GATHER, cases="index-uint8")
def reads_indices_of_uint8_as_a_mask(right: Right, indices: Array, **given: Any) -> Array:
    return right(indices=np.minimum(indices, 1) if indices.dtype == np.uint8 else indices, **given)


@defect("value", ALONG, INTO, SELECT, COPY, INDEX_ADD, REDUCE, cases="index-int16")
def reads_an_index_of_int16_as_zero(right: Right, index: Array, **given: Any) -> Array:
    return right(index=np.zeros_like(index) if index.dtype == np.int16 else index, **given)


@defect("value", TAKE, cases="form.index-int16-beyond")
def counts_no_further_than_an_index_of_int8_does(right: Right, index: Array, **given: Any) -> Array:
    return right(index=index % 128 if index.dtype == np.int16 else index, **given)
