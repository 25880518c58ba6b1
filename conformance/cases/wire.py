"""Encodes calls for a worker, which lacks ml_dtypes and receives bfloat16 as bits, and casts indices to what an API accepts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from conformance.specification.applied import Applied
from conformance.specification.indices import keys as indices
from conformance.specification.literals import Argument, Tensor
from conformance.specification.model import (
    Around,
    AsUsual,
    Batch,
    Derivative,
    Nested,
    PassedAs,
    SecondDerivative,
    Sharing,
    around_of,
)
from conformance.worker import arrays
from conformance.worker.arguments import Arguments
from conformance.worker.keys import Key
from conformance.worker.manner import Manner
from conformance.worker.transforms import INNER_SEED, SEED


def to_wire(call: Applied) -> Arguments:
    """The arguments of a call as a worker accepts them."""
    values = {**call.arguments, **call.tensors}
    match call.manner:
        case (Derivative() as derivative) | Nested(derivative=derivative):
            values[SEED] = values.pop(derivative.name_of_seed)
        case SecondDerivative(first=first) as manner:
            values[INNER_SEED] = values.pop(first.name_of_seed)
            values[SEED] = values.pop(manner.name_of_second_seed)
        case _:
            pass
    return {name: _encoded(call, name, value) for name, value in values.items()}


def keys_of(call: Applied) -> list[Key]:
    """The keys among the arguments of a call; of a program, all words that can be read so."""
    return [value for value in to_wire(call).values() if isinstance(value, Key)]


def _encoded(call: Applied, name: str, value: Argument) -> Any:
    if isinstance(value, Tensor):
        return value.array.view(arrays.carrier(value.dtype)), value.dtype
    spec = call.operation.arguments.get(name)
    # Any word of a program may be a key of another operation.
    may_be_key = isinstance(value, str) and (spec is None or "key" in spec.kinds)
    return _key(str(value)) if may_be_key else value


def _key(text: str) -> Key | str:
    """A key that is written so; the text itself if it is none."""
    try:
        key = indices.key_of(text)
    except ValueError:
        return text
    return Key(key.items, key.is_alone)


def views_of(call: Applied) -> dict[str, str]:
    """The kind of view of each argument that is one."""
    return {
        name: value.view
        for name, value in call.arguments.items()
        if isinstance(value, Tensor) and value.view is not None
    }


def manner_of(call: Applied) -> Manner:
    """How its arguments are passed."""
    views = views_of(call)
    match call.manner:
        case AsUsual():
            return Manner(views)
        case PassedAs(ways):
            return Manner(views, passed=ways)
        case Around(program, passed=passed):
            return Manner(views, passed=passed.ways, program=program.text)
        case Sharing(changed, other, shift):
            return Manner(views, shares=(changed, other, shift))
        case Derivative() | Batch() | Nested() | SecondDerivative():
            around = around_of(call.manner)
            text = around.program.text if around is not None else None
            return Manner(views, program=text, transform=tuple(call.manner.steps))


def cast_indices(call: Applied, index_dtypes: Sequence[str]) -> tuple[Applied, dict[str, str]]:
    """The call with integer indices in a dtype that the API accepts, and the new dtype of each cast argument.

    A mask is none of them, even where a case has one of integers.
    Nothing is cast if that would change a value or the rules that the call breaks, so a case that tests the dtype of
    indices still tests it.
    """
    cast: dict[str, Tensor] = {}
    for name, spec in call.operation.arguments.items():
        value = call.arguments.get(name)
        is_mask = spec.indexing is not None and spec.indexing.family == "bool"
        if not (spec.index and index_dtypes and isinstance(value, Tensor) and value.kind == "integer") or is_mask:
            continue
        if value.dtype not in index_dtypes:
            cast[name] = value.cast(index_dtypes[0])
            if not np.array_equal(cast[name].array, value.array):
                return call, {}
    if not cast:
        return call, {}
    changed = call.with_arguments(cast)
    if changed.broken_rules != call.broken_rules:
        return call, {}
    return changed, {name: value.dtype for name, value in cast.items()}
