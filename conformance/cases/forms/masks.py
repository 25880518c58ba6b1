"""Forms of masks that select everything, nothing, or a single element, for which implementations have paths of their own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import count
from typing import Any

import numpy as np

from conformance.cases.draws.elements import as_tensor
from conformance.cases.forms.calls import FormCall, form_in_dtype
from conformance.cases.forms.geometries import usual_lengths, usual_profiles
from conformance.cases.forms.single import DTYPES, first_call, rotated
from conformance.cases.reference import Reference
from conformance.specification.indices.kinds import Mask
from conformance.specification.literals import Tensor
from conformance.specification.model import Operation

_SIZES: Mapping[str, slice] = {
    "all": slice(None), "none": slice(0), "first": slice(1), "last": slice(-1, None), "all-but-last": slice(-1)
}  # fmt: skip
"""By name, the part of a mask, in row-major order, that is true."""


def mask_forms(operation: Operation, reference: Reference) -> Iterator[FormCall]:
    """Calls whose mask selects all elements, none, the first or the last one, or all but the last."""
    layout = operation.layout
    assert layout is not None
    geometries = [usual_lengths(layout, profile) for profile in usual_profiles(layout)[:6]]
    turns = count()
    for name in (name for name, indices in layout.indices.items() if isinstance(indices.indexing, Mask)):
        for word, true in _SIZES.items():
            for dtype in DTYPES:
                turn, form = next(turns), f"{name}-{word}.{dtype}"
                call = first_call(operation, reference, rotated(geometries, turn), dtype, turn, form)
                if call is not None:
                    made = call.with_arguments({name: _mask(call.arguments[name], true)})
                    yield form_in_dtype(form, made, dtype)


def _mask(mask: Any, true: slice) -> Tensor:
    array = np.zeros(mask.shape, bool)
    array.reshape(-1)[true] = True
    return as_tensor("bool", array)
