"""Refuses an index outside, until three valid calls were made: after those it ends the process."""

from __future__ import annotations

import os

import numpy as np

from conformance.adapter import api

_valid_calls = []


def describe():
    return {"framework": "fake", "version": "1.0"}


@api("fake.aborts_later", operation="gather_elements")
def gather(input, dim, index):
    if index.max(initial=0) >= input.shape[dim]:
        if len(_valid_calls) > 2:
            os.abort()
        raise IndexError("index out of range")
    _valid_calls.append(None)
    return np.take_along_axis(input, index, dim)
