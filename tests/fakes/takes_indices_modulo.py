"""Takes every index modulo the length, though what it follows gives a meaning only to those between minus the length and the length."""

from __future__ import annotations

import numpy as np

from conformance.adapter import api


def describe():
    return {"framework": "takes_indices_modulo", "version": "1.0"}


@api("fake.modulo", operation="gather_elements", follows="onnx.GatherElements")
def modulo(input, dim, index):
    if index.ndim != input.ndim:
        raise IndexError("another number of axes")
    inside = tuple(slice(0, index.shape[axis]) if axis != dim else slice(None) for axis in range(input.ndim))
    return np.take_along_axis(input[inside], index % input.shape[dim], dim)
