"""Calls on their way from the parent, where ml_dtypes is, to a worker, where bfloat16 is its bits."""

from __future__ import annotations

from conformance.specification.literals import Tensor
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
