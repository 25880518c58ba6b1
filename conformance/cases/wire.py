"""Calls and results between the parent, where ml_dtypes is, and a worker, where bfloat16 is its bits."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.specification.dtypes import numpy_dtype
from conformance.specification.literals import Tensor, frozen
from conformance.specification.model import Call
from conformance.worker import arrays
from conformance.worker.arguments import Arguments


def to_wire(call: Call) -> Arguments:
    """A call's arguments as a worker takes them."""
    return {
        name: (value.array.view(arrays.carrier(value.dtype)), value.dtype) if isinstance(value, Tensor) else value
        for name, value in call.arguments.items()
    }


def views_of(call: Call) -> dict[str, str]:
    """The arguments that are views, and of which kind."""
    return {
        name: value.view
        for name, value in call.arguments.items()
        if isinstance(value, Tensor) and value.view is not None
    }


def from_wire(result: tuple[np.ndarray[Any, Any], str]) -> Tensor:
    """A worker's result as a tensor; of a dtype that the suite does not know, its bytes."""
    array, dtype = result
    try:
        array = array.view(numpy_dtype(dtype))
    except TypeError:
        dtype = f"{dtype} (unknown to the suite)"
    return Tensor(dtype, frozen(array), None)
