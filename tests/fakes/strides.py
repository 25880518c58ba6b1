"""Gathers rightly from arrays of their own; from views each API in its own wrong way."""

from __future__ import annotations

import numpy as np

from conformance.adapter import api


def describe():
    return {"framework": "fake", "version": "1.0"}


@api("fake.right", operation="gather_elements")
def right(input, dim, index):
    return np.take_along_axis(input, index, dim)


@api("fake.no_strides", operation="gather_elements")
def no_strides(input, dim, index):
    base = input.base if isinstance(input.base, np.ndarray) else input
    return np.take_along_axis(base.ravel()[: input.size].reshape(input.shape), index, dim)


@api("fake.spills", operation="gather_elements")
def spills(input, dim, index):
    result = np.take_along_axis(input, index, dim)
    if isinstance(input.base, np.ndarray):
        input.base[-1] = 0
    return result


@api("fake.half", operation="gather_elements", dtypes=("float16", "float32"), index_dtypes=("int32",))
def half(input, dim, index):
    return np.take_along_axis(input.astype(np.float32), index, dim)


@api("fake.choosy", operation="gather_elements")
def choosy(input, dim, index):
    """Takes no int16, and float64 only for small numbers."""
    if input.dtype == np.int16 or (input.dtype == np.float64 and input.max() > 3):
        raise TypeError(f"no kernel for {input.dtype}")
    return np.take_along_axis(input, index, dim)
