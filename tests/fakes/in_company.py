"""Gathers rightly in a fresh process; each API goes wrong in its own way after other calls, or from time to time."""

from __future__ import annotations

import os

import numpy as np

from conformance.adapter import api

_seen = set()


@api("fake.stained", operation="gather_elements")
def stained(input, dim, index):
    """Wrong once a 13 was seen."""
    result = np.take_along_axis(input, index, dim)
    if 13 in _seen:
        result[0] += 1
    _seen.update(input.tolist())
    return result


@api("fake.fickle", operation="gather_elements")
def fickle(input, dim, index):
    """Wrong, in another way in each process."""
    return np.take_along_axis(input, index, dim) + os.getpid()


@api("fake.steady", operation="gather_elements")
def steady(input, dim, index):
    """Wrong in the same way each time."""
    return np.take_along_axis(input, index, dim) + 1
