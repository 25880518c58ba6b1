"""Gathers rightly; on some calls one API ends the process, and another does not come back."""

from __future__ import annotations

import os
import time

import numpy as np

from conformance.adapter import api


def describe():
    return {"framework": "ends_on_draws", "version": "1.0"}


def _gather(input, dim, index):
    if index.ndim != input.ndim or index.min(initial=0) < 0 or index.max(initial=0) >= input.shape[dim]:
        raise IndexError("index out of range")
    inside = tuple(slice(0, index.shape[axis]) if axis != dim else slice(None) for axis in range(input.ndim))
    return np.take_along_axis(input[inside], index, dim)


@api("fake.dies", operation="gather_elements")
def dies(input, dim, index):
    if index.ndim >= 2 and index.size >= 3:
        os.abort()
    return _gather(input, dim, index)


@api("fake.dies_of_errors", operation="gather_elements")
def dies_of_errors(input, dim, index):
    if index.min(initial=0) < 0:
        os.abort()
    return _gather(input, dim, index)


@api("fake.hangs", operation="gather_elements")
def hangs(input, dim, index):
    while index.max(initial=0) > 2:
        time.sleep(1)
    return _gather(input, dim, index)
