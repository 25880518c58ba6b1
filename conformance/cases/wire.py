"""Encodes calls for a worker, which lacks ml_dtypes and receives bfloat16 as bits."""

from __future__ import annotations

from conformance.specification.literals import Tensor
from conformance.specification.model import Call, Derivative
from conformance.worker import arrays
from conformance.worker.arguments import Arguments
from conformance.worker.manner import Manner
from conformance.worker.transforms import SEED


def to_wire(call: Call) -> Arguments:
    """The arguments of a call as a worker accepts them."""
    values = {**call.arguments, **call.tensors}
    if isinstance(call.transform, Derivative):
        values[SEED] = values.pop(call.transform.name_of_seed)
    return {
        name: (value.array.view(arrays.carrier(value.dtype)), value.dtype) if isinstance(value, Tensor) else value
        for name, value in values.items()
    }


def views_of(call: Call) -> dict[str, str]:
    """The kind of view of each argument that is one."""
    return {
        name: value.view
        for name, value in call.arguments.items()
        if isinstance(value, Tensor) and value.view is not None
    }


def manner_of(call: Call) -> Manner:
    """How its arguments are passed."""
    transform = call.transform
    return Manner(views_of(call), call.passed, call.program, (transform.kind, transform.of) if transform else None)
