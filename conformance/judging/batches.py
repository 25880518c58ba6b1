"""Which results a batch of calls should have returned: a permitted one of each."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from conformance.cases.model import Returns
from conformance.judging.compare import compare, matches
from conformance.specification.literals import Tensor, frozen


def nearest_results(expected: Returns, result: Tensor | None) -> Returns:
    """The expectation with the permitted result of each call that differs least from what the batch has for it."""
    value = expected.value
    if result is None or (result.dtype, result.shape) != (value.dtype, value.shape):
        return expected
    chosen = [
        min(permitted, key=lambda one: compare(_of_call(expected, one, number), np.asarray(result.array[number])).count)
        for number, permitted in enumerate(expected.batch)
    ]
    array = np.stack([one.array for one in chosen])
    return replace(expected, value=replace(value, array=frozen(array)))


def are_permitted(expected: Returns, results: Tensor | None) -> bool:
    """Whether these are permitted results, one of each call."""
    return results is not None and matches(nearest_results(expected, results), results)


def _of_call(expected: Returns, permitted: Tensor, number: int) -> Returns:
    bounds = None if expected.bounds is None else np.asarray(expected.bounds[number])
    return replace(expected, value=permitted, bounds=bounds)
