"""Gathers correctly in a process that was forked after the import, and wrongly in a new one."""

from __future__ import annotations

import os

import numpy as np

from conformance.adapter import api

IMPORTED_IN = os.getpid()


def describe():
    return {"framework": "tells_how_it_was_started", "version": "1.0"}


@api("fake.gather", operation="gather_elements")
def gather(input, dim, index):
    result = np.take_along_axis(input, index, dim)
    return result if os.getpid() != IMPORTED_IN else result + 1
