"""Which derivative a call should have returned: the one that belongs to the result of the call itself, in the same computation."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from conformance.cases.model import Choice, Returns
from conformance.judging.compare import compare, matches
from conformance.outcomes.observation import Observation
from conformance.specification.literals import Tensor

_RESULT = 2.0**-7
"""The allowed relative difference of a result from a permitted one, all of whose elements are small integers or their means."""


def belonging(expected: Returns, observation: Observation) -> Returns | None:
    """The derivative that belongs to the result of the call itself; None if that is no permitted result.

    If several permitted results are equal, so that the result does not tell which one it is: the nearest of their derivatives.
    """
    own = [choice for choice in expected.choices if _is_result(choice, observation.forward)]
    return min(
        (_expecting(expected, one) for one in own), key=lambda one: _distance(one, observation.result), default=None
    )


def belongs_to_another(expected: Returns, result: Tensor | None) -> bool:
    """Whether a derivative belongs to any permitted result."""
    return result is not None and any(matches(_expecting(expected, choice), result) for choice in expected.choices)


def _expecting(expected: Returns, choice: Choice) -> Returns:
    within = float(choice.bounds.max(initial=0.0)) if choice.bounds is not None else None
    return replace(expected, value=choice.derivative, bounds=choice.bounds, within=within)


def _distance(expected: Returns, result: Tensor | None) -> float:
    """The number of elements that differ; more than there are if the dtype or the shape does."""
    value = expected.value
    if result is None or (result.dtype, result.shape) != (value.dtype, value.shape):
        return float("inf")
    return compare(expected, result.array).count


def _is_result(choice: Choice, forward: Tensor | None) -> bool:
    due = choice.result
    if forward is None or (forward.dtype, forward.shape) != (due.dtype, due.shape):
        return False
    wide, other = (tensor.array.astype(np.float64) for tensor in (due, forward))
    return bool(np.allclose(wide, other, rtol=_RESULT if choice.bounds is not None else 0.0, atol=0.0, equal_nan=True))
