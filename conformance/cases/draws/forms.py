"""What makes two calls equal, what makes two calls of the same form, and how much two forms differ."""

from __future__ import annotations

from collections.abc import Hashable

from conformance.specification.applied import Applied
from conformance.specification.literals import Tensor
from conformance.specification.model import Call

Key = tuple[Hashable, ...]


def key_of(call: Call | Applied) -> Key:
    """The same for equal calls only: the names, forms, dtypes, shapes and elements of all arguments are equal."""
    return tuple(
        (name, value.dtype, value.shape, value.array.tobytes()) if isinstance(value, Tensor) else (name, repr(value))
        for name, value in call.arguments.items()
    )


def traits_of(call: Applied) -> frozenset[Hashable]:
    """What distinguishes the forms of calls: the more of it two calls do not share, the more they differ."""
    traits: set[Hashable] = set()
    for name, value in call.arguments.items():
        if isinstance(value, Tensor):
            traits |= {(name, "dtype", value.dtype), (name, "rank", value.rank), (name, "view", value.view)}
            traits |= {(name, "empty", value.array.size == 0)}
        else:
            traits.add((name, repr(value)))
    return frozenset(traits)


def elements_of(call: Applied) -> int:
    """The number of elements of all its tensors."""
    return sum(value.array.size for value in call.arguments.values() if isinstance(value, Tensor))


def form_of(call: Applied) -> Key:
    """The same for calls that differ only in the elements of tensors: a mode that compiles does so once for all of them."""
    return tuple(
        (name, value.dtype, value.shape) if isinstance(value, Tensor) else (name, repr(value))
        for name, value in call.arguments.items()
    )
