"""Defects with an empty index, in narrow integers, in long sums, and with infinities and NaN."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tests.planted.arguments import one_by_one
from tests.planted.defect import (
    ADD,
    ALONG,
    COPY,
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

NARROW = ("int8", "int16", "uint8")


# An empty index beside ordinary data


@defect("accepted", UPDATE, ADD, VECTOR_REDUCE, cases="/form.indices-of-shape-0x")
def returns_early_for_no_index_vectors(right: Right, tensor: Array, indices: Array, **given: Any) -> Array:
    return right(tensor=tensor, indices=indices, **given) if indices.size else tensor.copy()


@defect("accepted", SCATTER, cases="/form.indices-of-shape-0x")
def returns_zeros_for_no_index_vectors(right: Right, indices: Array, updates: Array, shape: Any) -> Array:
    if indices.size == 0 and updates.size:
        return np.zeros(shape, updates.dtype)
    return right(indices=indices, updates=updates, shape=shape)


@defect("accepted", INDEX_ADD, COPY, REDUCE, cases="/form.index-of-shape-0.beside-1-axes")
def returns_early_for_no_indices(right: Right, input: Array, index: Array, **given: Any) -> Array:
    return right(input=input, index=index, **given) if index.size or not input.size else input.copy()


@defect("value", INTO, cases="/form.index-of-shape-0.beside-")
def forgets_the_input_for_an_empty_vector_of_indices(right: Right, index: Array, **given: Any) -> Array:
    result = right(index=index, **given)
    return np.zeros_like(result) if index.shape == (0,) else result


@defect("shape", ALONG, SELECT, TAKE, cases="/form.index-of-shape-2x0")
def flattens_an_empty_index(right: Right, index: Array, **given: Any) -> Array:
    return right(index=index.reshape(-1) if index.size == 0 else index, **given)


# Narrow integers


def _clipped(value: Array, dtype: np.dtype[Any]) -> Array:
    limits = np.iinfo(dtype)
    return np.clip(value, limits.min, limits.max).astype(dtype)


def _saturating(right: Right, given: dict[str, Any], places: Sequence[str]) -> Array:
    sign = -1 if given.get("reduce") == "sub" else 1

    def added(now: Any, update: Any, _: Any) -> Any:
        return _clipped(now.astype(np.int64) + sign * update.astype(np.int64), update.dtype)

    dtype = given["updates"].dtype.name
    return (
        one_by_one(right, given, added) if dtype in places and given.get("reduce", "sub") == "sub" else right(**given)
    )


@defect("value", ADD, VECTOR_REDUCE, SCATTER, cases="-within.int")
def saturates_in_the_order_of_updates(right: Right, **given: Any) -> Array:
    return _saturating(right, given, NARROW)


@defect("value", ADD, VECTOR_REDUCE, SCATTER, cases="-within.int16")
def saturates_from_the_last_update_on(right: Right, indices: Array, updates: Array, **given: Any) -> Array:
    right(indices=indices, updates=updates, **given)
    if indices.ndim != 2:
        return right(indices=indices, updates=updates, **given)
    return _saturating(right, {**given, "indices": indices[::-1], "updates": updates[::-1]}, NARROW)


@defect("value", ADD, SCATTER, INDEX_ADD, SEGMENTS, SORTED, cases="sums-beyond.")
def saturates_the_result(right: Right, **given: Any) -> Array:
    result = right(**given)
    if result.dtype.name not in NARROW:
        return result
    wide = {name: value.astype(np.int64) if _has(value, result.dtype) else value for name, value in given.items()}
    return _clipped(right(**wide), result.dtype)


@defect("value", SEGMENTS, SORTED, INDEX_ADD, cases="sums-within.uint8")
def takes_uint8_for_a_signed_number(right: Right, **given: Any) -> Array:
    result = right(**given)
    return np.minimum(result, 127).astype(np.uint8) if result.dtype == np.uint8 else result


@defect("value", VECTOR_REDUCE, REDUCE, INTO, cases="products-within.")
def multiplies_narrow_integers_in_half_of_their_bits(right: Right, **given: Any) -> Array:
    result = right(**given)
    return result & (np.iinfo(result.dtype).max >> 1) if result.dtype.name in NARROW else result


def _has(value: Any, dtype: np.dtype[Any]) -> bool:
    return isinstance(value, np.ndarray) and value.dtype == dtype


def adds_backwards_in_wider_numbers(right: Right, tensor: Array, indices: Array, updates: Array) -> Array:
    """Right: modular arithmetic, and sums of which no partial sum is rounded, have the same result in any order and width."""
    right(tensor=tensor, indices=indices, updates=updates)
    wide = np.int64 if tensor.dtype.kind in "iu" else np.float64
    result = right(tensor=tensor.astype(wide), indices=indices[::-1], updates=updates[::-1].astype(wide))
    with np.errstate(all="ignore"):
        return np.asarray(result.astype(tensor.dtype))


# Long sums


def _cut(given: dict[str, Any], count: int) -> dict[str, Any]:
    """The call without the terms behind the first ``count``."""
    names = ("index", "indices", "segment_ids", "source", "src", "updates", "data")
    return {name: value[:count] if name in names and len(value) > count else value for name, value in given.items()}


@defect("value", ADD, SCATTER, VECTOR_REDUCE, INDEX_ADD, INTO, SEGMENTS, SORTED, cases=".float16-70000")
def counts_terms_in_16_bits(right: Right, **given: Any) -> Array:
    return right(**_cut(given, 65535))


@defect("value", ADD, SCATTER, INDEX_ADD, INTO, SEGMENTS, SORTED, cases="long-sums.float16-4096")
def adds_float16_in_bfloat16(right: Right, **given: Any) -> Array:
    import ml_dtypes

    result = right(**given)
    if result.dtype != np.float16:
        return result
    half = {
        name: value.astype(ml_dtypes.bfloat16) if _has(value, result.dtype) else value for name, value in given.items()
    }
    return right(**half).astype(np.float16)


@defect("value", ADD, INDEX_ADD, SEGMENTS, cases="long-sums.bfloat16-4096")
def drops_what_is_left_of_blocks(right: Right, **given: Any) -> Array:
    return right(**_cut(given, 4032))


# Infinities and NaN


@defect("value", INDEX_ADD, SEGMENTS, SORTED, VECTOR_REDUCE, ADD, SCATTER, INTO, cases="/form.non-finite-")
def multiplies_by_a_matrix_of_zeros_and_ones(right: Right, **given: Any) -> Array:
    result = right(**given)
    return np.full_like(result, np.nan) if result.dtype.kind == "f" and np.isnan(result).any() else result


@defect("value", INDEX_ADD, SEGMENTS, SORTED, REDUCE, cases="/form.non-finite-")
def takes_NaN_for_the_neutral_number(right: Right, **given: Any) -> Array:  # noqa: N802 - as it is written
    name = "data" if "data" in given else "source"
    neutral = 1 if given.get("reduce") == "prod" else 0
    given[name] = (
        np.where(np.isnan(given[name]), neutral, given[name]) if given[name].dtype == np.float32 else given[name]
    )
    return right(**given)
