"""Whether a function that does nothing could return the expected result of a call."""

from __future__ import annotations

import numpy as np

from conformance.cases.expectations import Returning, ReturnsAnyWritten
from conformance.specification.applied import Applied
from conformance.specification.literals import Tensor


def vacuous(call: Applied, expected: Returning) -> str | None:
    """``it equals input`` or ``all its elements are 0.0``; None if only the operation has this result.

    None too where the form of the call allows no other: a result of at most one element, or nothing to write.
    """
    result = expected.value.array
    if isinstance(expected, ReturnsAnyWritten) or result.size <= 1 or call.lacks_elements or call.key_selects_nothing:
        return None
    for name, value in call.data.items():
        same_type = (value.dtype, value.shape) == (expected.value.dtype, expected.value.shape)
        if same_type and value.array.tobytes() == result.tobytes():
            return f"it equals {name}"
    return f"all its elements are {result.flat[0].item()!r}" if is_constant(expected.value) else None


def is_vacuous(derivative: Tensor, seed: Tensor) -> bool:
    """Whether a derivative is zero, or what it is multiplied by, as if the argument did not matter, or nothing else did."""
    is_seed = derivative.shape == seed.shape and derivative.array.tobytes() == seed.array.tobytes()
    return is_seed or not np.any(derivative.array.astype(np.float64))


def is_constant(result: Tensor) -> bool:
    """Whether a result has several elements, all equal."""
    return result.array.size > 1 and bool((result.array == result.array.flat[0]).all())
