"""Fails, dies or hangs when it is set up in a forked process, as its environment says."""

from __future__ import annotations

import os
import signal
import threading

import numpy as np

from conformance.adapter import api

IMPORTED_IN = os.getpid()


def _fail():
    if os.getpid() == IMPORTED_IN:
        return
    how = os.environ["AFTER_FORK"]
    if how == "dies":
        os.kill(os.getpid(), signal.SIGSEGV)
    if how == "hangs":
        threading.Event().wait()
    if how == "raises":
        raise RuntimeError("the device was initialized before the fork")


def setup(device, mode):
    if os.environ.get("AFTER_FORK") != "tensor":
        _fail()


def to_native(array, dtype):
    if os.environ.get("AFTER_FORK") == "tensor" and os.getpid() != IMPORTED_IN:
        raise RuntimeError("no tensor")
    return array


@api("fake.gather", operation="gather_elements")
def gather(input, dim, index):
    if index.min(initial=0) < 0 or index.max(initial=0) >= input.shape[dim]:
        raise IndexError("index out of range")
    inside = tuple(slice(None) if axis == dim else slice(length) for axis, length in enumerate(index.shape))
    return np.take_along_axis(input[inside], index, dim)
