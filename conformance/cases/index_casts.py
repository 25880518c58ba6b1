"""Casts indices to a dtype that an API accepts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from conformance.specification.literals import Tensor
from conformance.specification.model import Call, Operation


def cast_indices(operation: Operation, call: Call, index_dtypes: Sequence[str]) -> tuple[Call, dict[str, str]]:
    """The call with integer indices in a dtype that the API accepts, and the new dtype of each cast argument.

    Nothing is cast if that would change a value or the rules that the call breaks, so a case that tests the dtype of
    indices still tests it.
    """
    cast: dict[str, Tensor] = {}
    for name, spec in operation.arguments.items():
        value = call.arguments.get(name)
        if not (spec.index and index_dtypes and isinstance(value, Tensor) and value.kind == "integer"):
            continue
        if value.dtype not in index_dtypes:
            cast[name] = value.cast(index_dtypes[0])
    if not cast:
        return call, {}
    changed = call.with_arguments(cast)
    if any(not np.array_equal(value.array, _tensor(call, name).array) for name, value in cast.items()):
        return call, {}
    if operation.broken_rules(changed) != operation.broken_rules(call):
        return call, {}
    return changed, {name: value.dtype for name, value in cast.items()}


def _tensor(call: Call, name: str) -> Tensor:
    value = call.arguments[name]
    assert isinstance(value, Tensor)
    return value
