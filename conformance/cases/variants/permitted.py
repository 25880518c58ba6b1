"""Every permitted result of a valid call, and of one with out-of-bounds indices the result of every policy.

Where the specification leaves something open, such as which of several updates to a position remains, each way to decide it gives
a result. They come in an order that depends on the indices but not on the data, so that the results of two calls that differ
only in data correspond to each other.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from itertools import product
from math import prod

import numpy as np

from conformance.cases.draws.forms import key_of
from conformance.cases.duplicates import duplicates_of
from conformance.cases.expectations import ReturnsAnyWritten, Writes
from conformance.cases.policies import policy_outcomes
from conformance.cases.reference import Reference, ReferenceFailed
from conformance.specification.applied import Applied
from conformance.specification.literals import Tensor, frozen

MOST_RESULTS = 64

Permitted = Callable[[Applied], Sequence[Tensor]]
"""The permitted results of a call of one operation; see ``permitted_results``."""


def permitted_by(reference: Reference) -> Permitted:
    """``permitted_results`` of calls of one operation, computed once for equal calls.

    Cases that differ only in the dtype of their data are computed with the same data in float64, so that half of the calls are.
    """
    known: dict[Hashable, Sequence[Tensor]] = {}

    def permitted(call: Applied) -> Sequence[Tensor]:
        key = key_of(call)
        if key not in known:
            known[key] = permitted_results(call, reference)
        return known[key]

    return permitted


def permitted_results(call: Applied, reference: Reference) -> Sequence[Tensor]:
    """The permitted results of a call; empty if they are not known, or more than ``MOST_RESULTS``."""
    outcomes = policy_outcomes(call, reference)
    if outcomes:
        return [outcome.result for outcome in outcomes]
    try:
        value = reference(call)
    except ReferenceFailed:
        return []
    duplicates = duplicates_of(call, reference)
    return _each_remaining(value, duplicates.writes) if isinstance(duplicates, ReturnsAnyWritten) else [value]


def _each_remaining(value: Tensor, writes: Writes) -> list[Tensor]:
    """The results in which each of several writes to a position remains."""
    groups: dict[int, list[int]] = {}
    for number, position in enumerate(writes.positions.tolist()):
        groups.setdefault(position, []).append(number)
    if prod(map(len, groups.values())) > MOST_RESULTS:
        return []
    results = []
    for chosen in product(*groups.values()):
        array = np.array(value.array)
        array.reshape(-1)[list(groups)] = writes.values[list(chosen)]
        results.append(Tensor(value.dtype, frozen(array), None))
    return results
