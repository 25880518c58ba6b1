"""The calls of specs with an index out of bounds, with about the largest or smallest index that each index dtype holds.

It is the limit of the dtype, or the next number that shows what is done to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from conformance.specification.applied import Applied
from conformance.specification.dtypes import numpy_dtype
from conformance.specification.indices.geometry import IndexGeometry
from conformance.specification.literals import Tensor, frozen
from conformance.specification.model import Behaves, Call, Clause, Observed, Operation, Raises, WrittenCall

USUAL = ("int32", "int64")
"""The dtypes of indices in every clause; others are tried in the first clause of an operation."""
OTHERS = ("int8", "uint8", "int16", "uint16", "uint32")
LIMITS_OF_INT32 = {"two-to-the-31-less-one": 2**31 - 1, "minus-two-to-the-31": -(2**31)}
"""Limits of another dtype, in int64."""
NEXT = 8
"""Number of indices, from the limit on inwards, that are tried."""


def outside_calls(operation: Operation) -> Iterator[tuple[Clause, Sequence[WrittenCall]]]:
    """The first call of each clause whose index is too large, and the first whose index is too small, at the limits of dtypes.

    Of each there are several, with the limit and with the next numbers inwards. They expect what the call in the spec does.
    """
    in_others: dict[str, str] = {}
    for clause in operation.clauses:
        if clause.family == "example":
            continue  # it is about its own numbers
        done: set[tuple[str, str | None]] = set()
        for written in clause.written_calls if clause.relation is None else ():
            if not isinstance(written.expected, Raises | Behaves | Observed):
                continue
            for name, geometry in Applied(operation, written.call).geometries.items():
                side = _side(geometry) if not written.about_dtype else None
                if side is None or (side, written.device) in done:
                    continue
                done.add((side, written.device))
                for dtype in (*USUAL, *(OTHERS if in_others.setdefault(side, clause.id) == clause.id else ())):
                    yield from ((clause, calls) for calls in _at_limits(written, name, geometry, side, dtype) if calls)


def _side(geometry: IndexGeometry) -> str | None:
    """``above`` or ``below`` if some indices are beyond this end of their axes, even counted from the end; else None."""
    if not geometry.fits or not geometry.bounds:
        return None
    vectors, bounds = geometry.vectors.astype(object), np.array(geometry.bounds, object)
    above, below = bool((vectors >= bounds).any()), bool((vectors < -bounds).any())
    if above == below or (bool((vectors < 0).any()) and above):
        return None
    return "above" if above else "below"


def _at_limits(
    written: WrittenCall, name: str, geometry: IndexGeometry, side: str, dtype: str
) -> Iterator[Sequence[WrittenCall]]:
    limits = np.iinfo(numpy_dtype(dtype))
    named = {f"largest-{dtype}": int(limits.max)} if side == "above" else {f"smallest-{dtype}": int(limits.min)}
    if dtype == "int64":
        named |= {word: limit for word, limit in LIMITS_OF_INT32.items() if (limit > 0) == (side == "above")}
    inwards = -1 if side == "above" else 1
    for word, limit in named.items():
        indices = (_moved(geometry, side, limit + inwards * step, dtype) for step in range(NEXT))
        yield [
            replace(
                written,
                name=f"form.{word}{f'.{written.device}' if written.device else ''}",
                call=written.call.with_arguments({name: index}),
                fixed=_cast(written.fixed, name, dtype),
                about_dtype=() if dtype in USUAL else (name,),
            )
            for index in indices
            if index is not None
        ]


def _moved(geometry: IndexGeometry, side: str, limit: int, dtype: str) -> Tensor | None:
    """The index with each number beyond the end replaced by the limit; None if that is inside, or the others do not fit."""
    vectors, bounds = geometry.vectors.astype(object), np.array(geometry.bounds, object)
    beyond = vectors >= bounds if side == "above" else vectors < -bounds
    if any(-bound <= limit < bound for bound in geometry.bounds) or (side == "below" and limit >= 0):
        return None
    moved = np.where(beyond, limit, vectors)
    info = np.iinfo(numpy_dtype(dtype))
    if moved.size and not (info.min <= moved.min() and moved.max() <= info.max):
        return None
    return Tensor(dtype, frozen(moved.reshape(geometry.index.shape).astype(numpy_dtype(dtype))), None)


def _cast(fixed: Call | None, name: str, dtype: str) -> Call | None:
    value = fixed.arguments[name] if fixed is not None else None
    return fixed.with_arguments({name: value.cast(dtype)}) if fixed is not None and isinstance(value, Tensor) else fixed
