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
from conformance.cases.model import Writes
from conformance.cases.policies import policy_outcomes
from conformance.cases.reference import Reference, ReferenceFailed
from conformance.specification.literals import Tensor, frozen
from conformance.specification.model import Call, Operation

MOST_RESULTS = 64

Permitted = Callable[[Call], Sequence[Tensor]]
"""The permitted results of a call of one operation; see ``permitted_results``."""


def permitted_by(operation: Operation, reference: Reference) -> Permitted:
    """``permitted_results`` of this operation, computed once for equal calls.

    Cases that differ only in the dtype of their data are computed with the same data in float64, so that half of the calls are.
    """
    known: dict[Hashable, Sequence[Tensor]] = {}

    def permitted(call: Call) -> Sequence[Tensor]:
        key = key_of(call)
        if key not in known:
            known[key] = permitted_results(operation, call, reference)
        return known[key]

    return permitted


def permitted_results(operation: Operation, call: Call, reference: Reference) -> Sequence[Tensor]:
    """The permitted results of a call; empty if they are not known, or more than ``MOST_RESULTS``."""
    outcomes = policy_outcomes(operation, call, reference)
    if outcomes:
        return [outcome.result for outcome in outcomes]
    try:
        value = reference(operation, call)
    except ReferenceFailed:
        return []
    duplicates = duplicates_of(operation, call, reference)
    writes = duplicates.writes if duplicates is not None else None
    return [value] if writes is None else _each_remaining(value, writes)


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
