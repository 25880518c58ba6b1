"""Encodes calls for a worker, which lacks ml_dtypes and receives bfloat16 as bits."""

from __future__ import annotations

from conformance.specification.literals import Tensor
from conformance.specification.model import Batch, Call
from conformance.worker import arrays
from conformance.worker.arguments import Arguments
from conformance.worker.manner import Manner
from conformance.worker.transforms import SEED


def to_wire(call: Call) -> Arguments:
    """The arguments of a call as a worker accepts them."""
    return {
        name: (value.array.view(arrays.carrier(value.dtype)), value.dtype) if isinstance(value, Tensor) else value
        for name, value in {**call.arguments, **_of_transform(call)}.items()
    }


def _of_transform(call: Call) -> dict[str, Tensor]:
    """What a transform has besides the arguments of the call, or in their place: indices may have been cast since."""
    transform = call.transform
    if isinstance(transform, Batch):
        stacks = transform.stacks.items()
        return {
            name: stack.cast(value.dtype) for name, stack in stacks if isinstance(value := call.arguments[name], Tensor)
        }
    return {SEED: transform.seed} if transform is not None else {}


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
