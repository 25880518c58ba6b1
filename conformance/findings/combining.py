"""What a call did with several updates to one position, from the elements that it returned."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import Any, Literal

import numpy as np

from conformance.findings.recorded_call import RESULT, RecordedCall
from conformance.outcomes.model import Returned
from conformance.specification.dtypes import numpy_dtype

Array = np.ndarray[Any, Any]
Combination = Literal[
    "adds",
    "keeps-last",
    "keeps-first",
    "multiplies",
    "keeps-largest",
    "keeps-smallest",
    "averages",
    "keeps-one",
    "other",
]
_WIDEST = {"bool": bool, "complex64": complex, "complex128": complex}
TOLERANCE = 1e-2
"""Relative difference up to which floats count as equal; the candidates differ by more."""

CANDIDATES: Mapping[Combination, Callable[[Sequence[Any], Array], Any]] = {
    "adds": lambda before, updates: reduce(np.add, [*before, *updates]),
    "keeps-last": lambda before, updates: updates[-1],  # noqa: ARG005 - equal signatures
    "keeps-first": lambda before, updates: updates[0],  # noqa: ARG005
    "multiplies": lambda before, updates: reduce(np.multiply, [*before, *updates]),
    "keeps-largest": lambda before, updates: reduce(np.maximum, [*before, *updates]),
    "keeps-smallest": lambda before, updates: reduce(np.minimum, [*before, *updates]),
    "averages": lambda before, updates: reduce(np.add, [*before, *updates]) / (len(before) + len(updates)),
}
"""Word to the element that it leaves of the element before, if there is one, and the updates, in their order."""
PLAIN: tuple[Combination, ...] = ("adds", "keeps-last", "keeps-first")
"""The candidates for a call that does not choose a reduction."""


def combination(call: RecordedCall, outcome: Returned) -> Combination | None:
    """The word of the only candidate that explains every position that is written twice.

    ``keeps-one`` if each of them holds one of its updates, ``other`` if nothing explains them, None if several candidates
    do, the elements are not recorded, the result has another shape, or a number such as ``alpha`` takes part.
    """
    written = _written_twice(call)
    if outcome.values is None or not written or _has_factor(call):
        return None
    if call.geometry is None or tuple(outcome.shape) != call.geometry.shape:
        return None
    actual = _array(outcome)
    source = call.tensors[str(call.moved)].array.reshape(-1)
    base = call.tensors[str(call.target)].array.reshape(-1) if call.target != RESULT else None
    chooses = any(isinstance(value, str) for value in call.case.call.values())
    words = {*CANDIDATES} if chooses else {*PLAIN}
    keeps_one = True
    for position, sources in written.items():
        updates = source[sources].astype(numpy_dtype(outcome.dtype))
        before = _before(call, updates) if base is None else [base[position]]
        with np.errstate(all="ignore"):
            words = {word for word in words if _is_equal(CANDIDATES[word](before, updates), actual[position])}
        keeps_one &= any(_is_equal(update, actual[position]) for update in updates)
    if len(words) == 1:
        return words.pop()
    return None if words else "keeps-one" if keeps_one else "other"


def _before(call: RecordedCall, updates: Array) -> Sequence[Any]:
    """What a result that the operation creates holds before the updates: zero, and nothing where they are all that is reduced."""
    return [] if call.indexing and call.indexing.labels is not None else [updates.dtype.type(0)]


def _has_factor(call: RecordedCall) -> bool:
    places = {name for indexing in [call.indexing] if indexing for name in (indexing.along, indexing.into)}
    return any(isinstance(value, int | float) for name, value in call.case.call.items() if name not in places)


def _array(outcome: Returned) -> Array:
    """The elements that were returned, in one axis; those that JSON cannot represent are recorded as text."""
    recorded = np.array(outcome.values).reshape(-1)
    dtype = numpy_dtype(outcome.dtype)
    # Not every dtype parses text.
    return (recorded if np.dtype(dtype).kind in "iu" else recorded.astype(_WIDEST.get(outcome.dtype, float))).astype(
        dtype
    )


def _written_twice(call: RecordedCall) -> dict[int, list[int]]:
    """Position in the target to the positions in the source that are written to it, if there are several."""
    written: dict[int, list[int]] = {}
    for move in call.moves():
        if move.target is None or move.moved is None:
            return {}
        for target, source in zip(move.target, move.moved, strict=True):
            written.setdefault(target, []).append(source)
    return {target: sources for target, sources in written.items() if len(sources) > 1}


def _is_equal(expected: Any, actual: Any) -> bool:
    if np.issubdtype(np.asarray(actual).dtype, np.integer) or np.asarray(actual).dtype == bool:
        return bool(expected == actual)
    return bool(np.isclose(complex(expected), complex(actual), rtol=TOLERANCE, atol=0, equal_nan=True))
