"""Gathers correctly unless the input contains a 13; then each API misbehaves in its own way."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time

import numpy as np

from conformance.adapter import Unsupported, api


def describe():
    return {"framework": "misbehaving", "version": "1.0"}


def _unlucky(array):
    return 13 in array


def _gather(input, dim, index):
    if index.min(initial=0) < 0 or index.max(initial=0) >= input.shape[dim]:
        raise IndexError("index out of range")
    inside = tuple(slice(None) if axis == dim else slice(length) for axis, length in enumerate(index.shape))
    return np.take_along_axis(input[inside], index, dim)


@api("fake.right", operation="gather_elements")
def right(input, dim, index):
    return _gather(input, dim, index)


@api("fake.segfault", operation="gather_elements")
def segfault(input, dim, index):
    if _unlucky(input):
        os.kill(os.getpid(), signal.SIGSEGV)
    return _gather(input, dim, index)


@api("fake.exit", operation="gather_elements")
def leave(input, dim, index):
    if _unlucky(input):
        print("leaving on purpose", file=sys.stderr)
        sys.exit(7)
    return _gather(input, dim, index)


@api("fake.hang", operation="gather_elements")
def hang(input, dim, index):
    if _unlucky(input):
        time.sleep(3600)
    return _gather(input, dim, index)


@api("fake.noise", operation="gather_elements")
def noise(input, dim, index):
    if _unlucky(input):
        os.write(1, b"noise on descriptor 1\n" * 200_000)
        os.write(2, b"noise on descriptor 2\n" * 200_000)
        print("noise from Python")
    return _gather(input, dim, index)


@api("fake.close", operation="gather_elements")
def close(input, dim, index):
    if _unlucky(input):
        os.closerange(3, 64)
        time.sleep(3600)
    return _gather(input, dim, index)


@api("fake.babble", operation="gather_elements")
def babble(input, dim, index):
    if _unlucky(input):
        for descriptor in range(3, 64):
            with contextlib.suppress(OSError):
                os.write(descriptor, b"this is no frame of any protocol at all, and long enough to be read as one")
        time.sleep(3600)
    return _gather(input, dim, index)


@api("fake.mutate", operation="gather_elements")
def mutate(input, dim, index):
    result = _gather(input, dim, index)
    if _unlucky(input):
        input += 1
    return result


@api("fake.alias", operation="gather_elements")
def alias(input, dim, index):
    result = _gather(input, dim, index)
    if _unlucky(input) and input.shape == result.shape:
        input[...] = result
        return input
    return result


@api("fake.no-array", operation="gather_elements")
def no_array(input, dim, index):
    result = _gather(input, dim, index)
    return "a string" if _unlucky(input) else result


@api("fake.unsupported", operation="gather_elements")
def unsupported(input, dim, index):
    if _unlucky(input):
        raise Unsupported("it has no unlucky numbers")
    return _gather(input, dim, index)


@api("fake.poisoned", operation="gather_elements")
def poisoned(input, dim, index):
    if getattr(poisoned, "broken", False):
        raise RuntimeError("still broken")
    try:
        return _gather(input, dim, index)
    except IndexError:
        poisoned.broken = True
        raise


@api("fake.warns", operation="gather_elements")
def warns(input, dim, index):
    import warnings

    for _ in range(3):
        warnings.warn("this will change", FutureWarning, stacklevel=1)
    return _gather(input, dim, index)
