"""Batches of calls that are wrong, and some that are right in another style."""

from __future__ import annotations

import numpy as np

from tests.planted.arguments import is_last
from tests.planted.defect import (
    ADD,
    ALONG,
    COPY,
    FILL,
    INDEX_ADD,
    INTO,
    PLAIN,
    SCATTER,
    SORTED,
    UPDATE,
    VECTOR_REDUCE,
    Array,
)
from tests.planted.hooks import Calls, PlantedHook, right_hook, wrong_batch, wrong_batch_of_derivatives


@wrong_batch("shape", *PLAIN)
def has_its_axis_at_the_end(result: Array, _: Calls) -> Array:
    return np.moveaxis(result, 0, -1)


@wrong_batch("value", UPDATE, ADD, VECTOR_REDUCE, ALONG, INTO, COPY, INDEX_ADD)
def has_its_axis_in_the_place_of_another_as_long_as_it(result: Array, _: Calls) -> Array:
    return result.swapaxes(0, 1) if result.ndim > 1 and result.shape[0] == result.shape[1] else result


@wrong_batch("value", *PLAIN)
def has_the_result_of_the_first_call_for_all(result: Array, _: Calls) -> Array:
    return np.stack([result[0]] * len(result))


@wrong_batch("value", *PLAIN)
def has_the_results_in_reverse_order(result: Array, _: Calls) -> Array:
    return result[::-1]


@wrong_batch("value", *PLAIN)
def takes_the_indices_of_the_first_call_for_all(result: Array, batch: Calls) -> Array:
    def first(_: int, given: dict[str, Array]) -> dict[str, Array]:
        indices = [name for name in batch.axes if given[name].dtype.kind in "iu"]
        return {name: np.array(np.take(batch.tensors[name], 0, batch.axes[name])) for name in indices}

    return batch.with_calls(result, first)


# Which fills the same in any order, and takes ids in one order only.
@wrong_batch("value", *(name for name in PLAIN if name not in (FILL, SORTED)))
def takes_an_index_that_all_calls_share_from_another_place_for_each(result: Array, batch: Calls) -> Array:
    def rolled(number: int, given: dict[str, Array]) -> dict[str, Array]:
        shared = {name: value for name, value in given.items() if name not in batch.axes}
        return {
            name: np.roll(value, number, 0) for name, value in shared.items() if value.dtype.kind in "iu" and value.ndim
        }

    return batch.with_calls(result, rolled)


@wrong_batch("value", *PLAIN)
def takes_a_batch_along_the_last_axis_as_one_along_the_first(result: Array, batch: Calls) -> Array:
    def along_the_first(number: int, _: dict[str, Array]) -> dict[str, Array]:
        last = {name: batch.tensors[name] for name, axis in batch.axes.items() if axis == -1}
        return {name: value.reshape(-1, *value.shape[:-1])[number] for name, value in last.items()}

    return batch.with_calls(result, along_the_first)


@wrong_batch("value", ADD, VECTOR_REDUCE, SCATTER)
def adds_only_the_last_of_several_updates_to_a_position(result: Array, batch: Calls) -> Array:
    def without_lost(_: int, given: dict[str, Array]) -> dict[str, Array]:
        if "updates" not in given or given["indices"].ndim != 2:
            return {}
        updates = np.array(given["updates"])
        updates[~is_last(given["indices"])] = 0
        return {"updates": updates}

    return batch.with_calls(result, without_lost)


@wrong_batch("dtype", *PLAIN)
def gives_float64(result: Array, _: Calls) -> Array:
    return result.astype(np.float64)


@wrong_batch_of_derivatives("value", *PLAIN)
def gives_each_call_the_sum_of_all_derivatives(derivatives: Array, _: Calls) -> Array:
    return np.broadcast_to(derivatives.sum(0), derivatives.shape).astype(derivatives.dtype)


@wrong_batch_of_derivatives("value", *PLAIN)
def gives_each_call_the_derivative_of_the_first(derivatives: Array, _: Calls) -> Array:
    return np.broadcast_to(derivatives[0], derivatives.shape).copy()


@right_hook("vmap")
def gives_the_results_in_another_order_of_memory(result: Array, _: Calls) -> Array:
    return np.array(result, order="F")


@right_hook("vmap")
def gives_negative_zeros(result: Array, _: Calls) -> Array:
    return np.where(result == 0, -np.abs(result), result)


@right_hook("vmap")
def another_of_several_updates_to_a_position_remains_in_each_call(result: Array, batch: Calls) -> Array:
    def turned(number: int, given: dict[str, Array]) -> dict[str, Array]:
        is_turned = number % 2 and "updates" in given and given["indices"].ndim == 2
        return {name: given[name][::-1] for name in ("indices", "updates")} if is_turned else {}

    return batch.with_calls(result, turned)


HOOKS = [value for value in vars().values() if isinstance(value, PlantedHook)]
