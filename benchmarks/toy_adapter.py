"""Gathers correctly under several names; with ``DIES``, one call of a hundred ends its process."""

from __future__ import annotations

import os
import zlib

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


@api("toy.first", operation="gather_elements")
def first(input, dim, index):
    return gather("first", input, dim, index)


@api("toy.second", operation="gather_elements")
def second(input, dim, index):
    return gather("second", input, dim, index)


@api("toy.third", operation="gather_elements")
def third(input, dim, index):
    return gather("third", input, dim, index)


@api("toy.fourth", operation="gather_elements")
def fourth(input, dim, index):
    return gather("fourth", input, dim, index)


@api("toy.fifth", operation="gather_elements")
def fifth(input, dim, index):
    return gather("fifth", input, dim, index)
