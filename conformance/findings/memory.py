"""Whether a call that reads elements returned memory that is in none of its arguments."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from conformance.findings.recorded_call import recorded_call
from conformance.outcomes.model import Outcome, Returned
from conformance.results.records import CaseRecord
from conformance.specification.dtypes import numpy_dtype
from conformance.specification.numbers import elements


def shows_other_memory(case: CaseRecord, outcome: Outcome) -> bool:
    """Whether an element that the call moved is in no argument, and no constant that stands for a missing one.

    What a call writes or computes shows nothing of the kind. An index that was cut to fewer bits reads an element of the
    argument, though not the one that it names.
    """
    if not isinstance(outcome, Returned) or outcome.values is None or outcome.dtype == "bool":
        return False
    call = recorded_call(case)
    if call is None or not call.reads:
        return False
    dtype = numpy_dtype(outcome.dtype)
    known = _fills(dtype)
    with np.errstate(all="ignore"):
        for tensor in call.tensors.values():
            known |= {*_flat(elements(tensor.array)), *_flat(elements(tensor.array.astype(dtype)))}
    return not known.issuperset(_flat(outcome.values))


def _fills(dtype: Any) -> set[str]:
    """Constants that implementations return for a missing element: zero, NaN, and the ends of the range of integers."""
    ends = [np.iinfo(dtype).min, np.iinfo(dtype).max] if np.dtype(dtype).kind in "iu" else [float("nan")]
    return {*_flat(elements(np.array([0, *ends], dtype)))}


def _flat(values: Any) -> Iterator[str]:
    if isinstance(values, list):
        for value in values:
            yield from _flat(value)
    else:
        yield str(values)
