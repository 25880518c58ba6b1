"""What a call did with several updates to one position, from the elements that it returned."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from typing import Any, Literal

import numpy as np

from conformance.findings.recorded_call import RecordedCall
from conformance.outcomes.model import Returned
from conformance.specification.dtypes import numpy_dtype
from conformance.specification.indices.kinds import RESULT

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

CANDIDATES: Mapping[Combination, Callable[[Array], Any]] = {
    "adds": lambda values: reduce(np.add, values),
    "keeps-last": lambda values: values[-1],
    "keeps-first": lambda values: values[0],
    "multiplies": lambda values: reduce(np.multiply, values),
    "keeps-largest": lambda values: reduce(np.maximum, values),
    "keeps-smallest": lambda values: reduce(np.minimum, values),
    "averages": lambda values: reduce(np.add, values) / len(values),
}
"""Word to the element that it leaves of several values, in their order."""
OF_UPDATES = frozenset({"keeps-last", "keeps-first"})
"""The candidates to which the element that was there before is nothing."""
PLAIN: tuple[Combination, ...] = ("adds", "keeps-last", "keeps-first")
"""The candidates for a call that does not choose a reduction."""


def combinations(call: RecordedCall, outcome: Returned, *, conforms: bool) -> frozenset[Combination] | None:
    """The words that explain every position that is written twice; several if the call does not tell them apart.

    ``keeps-one`` if each of them holds one of its updates, ``other`` if nothing explains them. None if the elements are not
    recorded, the result has another shape, or a number such as ``alpha`` takes part.

    conforms: the result is right. Then it may leave out the elements that were there before, since a call can ask for that.
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
    with_base = without = frozenset(CANDIDATES if chooses else PLAIN)
    keeps_one = True
    for position, sources in written.items():
        updates = source[sources].astype(numpy_dtype(outcome.dtype))
        start = updates[:0] if base is None else base[position : position + 1].astype(updates.dtype)
        with_base = _explaining(with_base, start, updates, actual[position])
        without = _explaining(without, updates[:0], updates, actual[position])
        keeps_one &= any(_is_equal(update, actual[position]) for update in updates)
    words = with_base | without if chooses and conforms else with_base
    return words or frozenset({"keeps-one" if keeps_one else "other"})


def _explaining(words: frozenset[Combination], before: Array, updates: Array, element: Any) -> frozenset[Combination]:
    values = np.concatenate([before, updates])
    with np.errstate(all="ignore"):
        return frozenset(
            word for word in words if _is_equal(CANDIDATES[word](updates if word in OF_UPDATES else values), element)
        )


def _has_factor(call: RecordedCall) -> bool:
    places = call.indexing.places if call.indexing is not None else ()
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
