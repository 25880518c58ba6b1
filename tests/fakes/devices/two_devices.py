"""Gathers on a CPU, on a GPU that ignores an index outside, and by an API whose check there loses the GPU."""

from __future__ import annotations

import numpy as np

from conformance.adapter import api

PRESENT = ("cpu", "cuda", "cuda:0", "npu")


class Lost(RuntimeError):
    """What every call raises once a check on the GPU has failed."""


class Gpu:
    used = False
    lost = False


def describe():
    return {"framework": "two_devices", "version": "1.0"}


def setup(device, mode):
    if device not in PRESENT:
        raise RuntimeError(f"there is no device {device!r}; there are {', '.join(PRESENT)}")
    Gpu.used = device.startswith("cuda")


def to_native(array, dtype):
    if Gpu.lost:
        raise Lost("an earlier call lost the device")
    return array


def _is_outside(input, dim, index):
    return index.min(initial=0) < 0 or index.max(initial=0) >= input.shape[dim]


@api("two.gather", operation="gather_elements")
def gather(input, dim, index):
    if not Gpu.used and _is_outside(input, dim, index):
        raise IndexError("index out of range")
    inside = (index >= 0) & (index < input.shape[dim])
    return np.where(inside, np.take_along_axis(input, np.where(inside, index, 0), dim), 0).astype(input.dtype)


@api("two.asserts", operation="gather_elements")
@api("two.asserts-too", operation="gather_elements")
def asserts(input, dim, index):
    if _is_outside(input, dim, index):
        Gpu.lost = Gpu.used
        raise Lost("device-side assert") if Gpu.used else IndexError("index out of range")
    return np.take_along_axis(input, index, dim)
