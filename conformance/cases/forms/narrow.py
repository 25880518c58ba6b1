"""Narrow integers: sums that pass an end of their dtype on the way, results at the end, and results beyond it.

Modular arithmetic forgets that a sum was beyond the end as soon as it is back, and saturating arithmetic does not. What becomes of a
result beyond the end is expected only in the clauses of a spec that have such a call.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from conformance.cases.forms.accumulating import Accumulation, accumulations, choices_of
from conformance.cases.forms.calls import FormCall, form_in_dtype
from conformance.cases.reference import Reference, ReferenceFailed
from conformance.specification.applied import Applied
from conformance.specification.model import Clause, Operation, Printed

DTYPES = ("uint8", "int8", "int16")
Numbers = tuple[Sequence[int], Sequence[Sequence[int]]]
"""For each position what is there, and its terms."""


def narrow_forms(operation: Operation, reference: Reference) -> Iterator[FormCall]:
    """Sums, differences and products that their dtype holds, though not all partial sums."""
    for each in accumulations(operation, reference):
        for dtype in DTYPES:
            yield _form(each, "within", dtype, _within(each, dtype))


def overflowing_forms(operation: Operation, reference: Reference) -> Iterator[tuple[Clause, FormCall]]:
    """Results that their dtype does not hold, which are taken modulo its size, in each clause that has such a call in its spec."""
    found = [*accumulations(operation, reference)]
    for clause in operation.clauses:
        chosen = {choices_of(call) for call in _overflowing(operation, clause, reference)}
        for each in found:
            if each.choices in chosen:
                for dtype in DTYPES:
                    yield clause, _form(each, "beyond", dtype, _beyond(each, dtype))


def _form(each: Accumulation, where: str, dtype: str, numbers: Numbers) -> FormCall:
    return form_in_dtype(f"{each.word}-{where}.{dtype}", each.call(dtype, *numbers), dtype)


def _within(each: Accumulation, dtype: str) -> Numbers:
    """Results within the dtype.

    In a signed dtype the partial sums pass an end of it whether the terms are added forwards or backwards. In an unsigned one the results
    are about the largest number, which a detour through a signed one does not hold.
    """
    low, high = _limits(dtype)
    root, half = math.isqrt(high), high // 2
    if each.word == "products":
        return [root, 1, 2], [[root, 1, 1, 1], [1, root, 1, root], [1, 1, 3, high // 6]]
    if low == 0:
        terms = [[high - half - 3, 1, 1, 1], [half, half, 0, 0], [1, 1, 0, 0]]
        return [half, 0, high - 4] if each.word == "sums" else [high, high, high], terms
    step = 3 * (high // 4) if each.word == "sums" else -3 * (high // 4)
    start = abs(step)
    # By the last numbers no result is what was there.
    return [start, start, -start], [
        [step, step, -step, 1 - step],
        [-step, -step, step, step + 2],
        [-step, step, -step, step + 3],
    ]


def _beyond(each: Accumulation, dtype: str) -> Numbers:
    """Results beyond the largest number, and of differences beyond the smallest one."""
    low, high = _limits(dtype)
    root, half = math.isqrt(high), high // 2
    if each.word == "products":
        return [root + 1, 3, 2], [[root + 1, 1, 1, 1], [1, half, 1, 1], [1, 1, 3, half]]
    start = [high - 1, half, high] if each.word == "sums" else [low + 1, 3, low]
    return start, [[1, 1, 1, 1], [half, 5, 1, 1], [half, half, 1, 1]]


def _limits(dtype: str) -> tuple[int, int]:
    limits = np.iinfo(dtype)
    return int(limits.min), int(limits.max)


def _overflowing(operation: Operation, clause: Clause, reference: Reference) -> Iterator[Applied]:
    """The written calls of a clause whose expected result is another one than in a wider dtype."""
    for written in clause.written_calls if clause.relation is None else ():
        call = Applied(operation, written.call)
        dtypes = {value.dtype for value in call.data.values()}
        is_valid = isinstance(written.expected, Printed | None) and not call.broken_rules
        if not (is_valid and dtypes and dtypes <= {*DTYPES} and call.accumulates):
            continue
        wide = call.with_arguments({name: value.cast("int64") for name, value in call.data.items()})
        try:
            results = [reference(one).array.tolist() for one in (call, wide)]
        except ReferenceFailed:
            continue
        if results[0] != results[1]:
            yield call
