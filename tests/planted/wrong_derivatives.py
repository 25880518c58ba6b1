"""Derivatives that are wrong, and some that are right in another style."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.planted.bounds import clamped
from tests.planted.defect import (
    ADD,
    ALONG,
    COPY,
    FILL,
    GATHER,
    INDEX_ADD,
    INTO,
    MASKED_FILL,
    PLAIN,
    REDUCE,
    SCATTER,
    SEGMENTS,
    SELECT,
    SORTED,
    SPLIT,
    TAKE,
    UPDATE,
    VECTOR_REDUCE,
    Array,
    Right,
)
from tests.planted.hooks import Derived, PlantedHook, right_hook, wrong_derivative, wrong_second_derivative


@wrong_derivative("value", GATHER, ALONG, SELECT, TAKE)
def does_not_add_what_several_reads_of_an_element_give(derivative: Array, given: Derived) -> Array:
    largest = given.seed.max(initial=0)
    return np.where(derivative > largest, largest, derivative) if given.of in ("input", "params") else derivative


@wrong_derivative("value", UPDATE, COPY)
def gives_the_cotangent_to_each_of_several_updates_to_a_position(derivative: Array, given: Derived) -> Array:
    if given.of not in ("updates", "src", "source"):
        return derivative
    zeros = {name: np.zeros(value.shape) for name, value in given.tensors.items() if value.dtype.kind == "f"}
    for position in np.ndindex(derivative.shape):
        # It goes where the update alone, of numbers among nothing but NaN, is not written.
        updates = np.full(derivative.shape, np.nan)
        updates[position] = 1
        if not derivative[position]:
            places = np.isnan(given.function(**{**given.tensors, **zeros, given.of: updates}))
            derivative[position] = given.seed.reshape(-1)[np.flatnonzero(places)[0]] if places.any() else 0
    return derivative


@wrong_derivative("value", UPDATE, COPY, FILL)
def leaves_what_was_overwritten_its_derivative(derivative: Array, given: Derived) -> Array:
    is_target = given.of in ("tensor", "input") and derivative.shape == given.seed.shape
    return given.seed.copy() if is_target else derivative


@wrong_derivative("inconsistent", UPDATE)
def gives_the_derivative_of_another_of_several_updates_than_it_wrote(derivative: Array, given: Derived) -> Array:
    if given.seed.shape != given.result.shape or given.of not in ("updates", "source", "src"):
        return derivative
    turned = {name: value[::-1].copy() for name, value in given.tensors.items() if name not in ("tensor", "input")}
    try:
        return given.again({**given.tensors, **turned}, given.seed)[::-1].copy()
    except (ValueError, IndexError):
        return derivative


def _clamps(right: Right, input: Array, dim: int, index: Array, **given: Any) -> Array:
    return right(input=input, dim=dim, index=clamped(index, input.shape[dim]), **given)


@wrong_derivative("inconsistent", INTO, call=_clamps)
def clamps_an_index_and_drops_its_derivative(derivative: Array, given: Derived) -> Array:
    if given.of != "src" or derivative.shape != given.index.shape:
        return derivative
    inside = (given.index >= 0) & (given.index < max(given.result.shape))
    return np.where(inside, derivative, 0).astype(derivative.dtype)


@wrong_derivative("value", UPDATE, ADD, VECTOR_REDUCE, SCATTER, GATHER)
def always_gives_zero(derivative: Array, _: Derived) -> Array:
    return np.zeros_like(derivative)


@wrong_derivative("value", UPDATE, GATHER, ALONG, INTO, SELECT)
def gives_ones(derivative: Array, _: Derived) -> Array:
    return np.ones_like(derivative)


@wrong_derivative("dtype", *PLAIN)
def gives_float64(derivative: Array, _: Derived) -> Array:
    return derivative.astype(np.float64)


# Of as many slices as there are ids, none is left to have a derivative.
@wrong_derivative("value", VECTOR_REDUCE, ALONG, INTO, SELECT, COPY, INDEX_ADD, FILL, REDUCE, TAKE)
def gives_NaN_if_there_is_nothing_to_read_or_to_write(derivative: Array, given: Derived) -> Array:  # noqa: N802
    return derivative if given.index.size else np.full_like(derivative, np.nan)


@wrong_derivative("value", SEGMENTS, SORTED, kind="jvp")
def gives_NaN_for_an_empty_segment(derivative: Array, given: Derived) -> Array:  # noqa: N802
    if "segment_ids" in given.tensors:
        derivative[np.setdiff1d(np.arange(len(derivative)), given.tensors["segment_ids"])] = np.nan
    return derivative


@wrong_derivative("shape", *PLAIN)
def has_the_shape_of_a_vector(derivative: Array, _: Derived) -> Array:
    return derivative.reshape(-1)


@wrong_derivative("value", INTO)
def gives_what_lies_beyond_a_shorter_index_a_derivative(derivative: Array, given: Derived) -> Array:
    one = given.seed.dtype.type(1)
    return np.where(derivative == 0, one, derivative) if given.of == "src" else derivative


@wrong_derivative("value", FILL, MASKED_FILL)
def takes_the_number_that_it_fills_with_for_a_constant(derivative: Array, given: Derived) -> Array:
    return np.zeros_like(derivative) if given.of == "value" else derivative


@wrong_derivative("value", FILL, MASKED_FILL, kind="jvp")
def has_no_tangent_of_the_number_that_it_fills_with(derivative: Array, given: Derived) -> Array:
    return np.zeros_like(derivative) if given.of == "value" else derivative


@wrong_derivative("value", FILL)
def counts_a_slice_as_often_as_the_index_names_it(derivative: Array, given: Derived) -> Array:
    if given.of != "value" or not given.index.size:
        return derivative
    ones = {name: np.zeros_like(value) for name, value in given.tensors.items() if name == "input"}
    once = [given.function(**{**given.tensors, **ones, "index": given.index[[place]], "value": np.ones(())})
            for place in range(len(given.index))]  # fmt: skip
    return np.asarray(sum((one * given.seed).sum() for one in once), derivative.dtype)


@wrong_second_derivative("value", REDUCE, INTO, VECTOR_REDUCE, SEGMENTS, SORTED, SPLIT)
def has_no_second_derivative_of_a_product(derivative: Array, _: Derived) -> Array:
    return np.zeros_like(derivative)


@wrong_second_derivative("value", REDUCE, INTO, VECTOR_REDUCE)
def omits_how_one_argument_changes_the_derivative_by_another(derivative: Array, given: Derived) -> Array:
    is_of_other = derivative.shape != given.seed.shape or given.of in ("input", "tensor")
    return np.zeros_like(derivative) if is_of_other else derivative


@wrong_second_derivative("value", REDUCE, INTO, VECTOR_REDUCE, SEGMENTS, SORTED, SPLIT)
def takes_the_product_that_it_divides_for_a_constant(derivative: Array, given: Derived) -> Array:
    factors = given.tensors[given.of]
    if factors.shape != given.result.shape or not factors.all():
        return derivative
    return (-given.seed * given.result / factors).astype(derivative.dtype)


@right_hook("vjp-vjp")
def cancels_what_it_divides_but_for_rounding(derivative: Array, _: Derived) -> Array:
    return derivative + np.float32(2**-21)


@right_hook("vjp")
def gives_a_derivative_in_another_order_of_memory(derivative: Array, _: Derived) -> Array:
    return np.array(derivative, order="F")


@right_hook("vjp")
def gives_negative_zeros(derivative: Array, _: Derived) -> Array:
    return np.where(derivative == 0, -np.abs(derivative), derivative)


@right_hook("vjp")
def remembers_nothing_of_the_data(_: Array, given: Derived) -> Array:
    return given.again({name: value.copy() for name, value in given.tensors.items()}, given.seed)


HOOKS = [value for value in vars().values() if isinstance(value, PlantedHook)]
