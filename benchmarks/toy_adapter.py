"""Gathers correctly under several names; with ``DIES``, one call of a hundred ends its process."""

from __future__ import annotations

import os
import zlib
from functools import partial

import numpy as np

from conformance.adapter import api

DIES = False


def describe():
    return {"framework": "toy", "version": "1.0"}


def gather(name, input, dim, index):
    if DIES and zlib.crc32(name.encode() + input.tobytes() + index.tobytes()) % 100 == 0:
        os.abort()
    inside = tuple(
        slice(0, index.shape[axis]) if axis != dim % input.ndim else slice(None) for axis in range(input.ndim)
    )
    return np.take_along_axis(input[inside], index, dim)


for _name in ("first", "second", "third", "fourth", "fifth"):
    globals()[_name] = api(f"toy.{_name}", operation="gather_elements")(partial(gather, _name))
