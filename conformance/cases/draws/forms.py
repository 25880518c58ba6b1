"""What makes two calls equal, and what makes two calls of the same form."""

from __future__ import annotations

from collections.abc import Hashable

from conformance.specification.literals import Tensor
from conformance.specification.model import Call

Key = tuple[Hashable, ...]


def key_of(call: Call) -> Key:
    """The same for equal calls only: the names, forms, dtypes, shapes and elements of all arguments are equal."""
    return tuple(
        (name, value.dtype, value.shape, value.array.tobytes()) if isinstance(value, Tensor) else (name, repr(value))
        for name, value in call.arguments.items()
    )


def form_of(call: Call) -> Key:
    """The same for calls that differ only in the elements of tensors: a mode that compiles does so once for all of them."""
    return tuple(
        (name, value.dtype, value.shape) if isinstance(value, Tensor) else (name, repr(value))
        for name, value in call.arguments.items()
    )
