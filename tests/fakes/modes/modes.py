"""Gathers rightly in eager mode; compiled, each API goes wrong in its own way, and in ``shapes`` it computes no values."""

from __future__ import annotations

import numpy as np

from conformance.adapter import Abstract, FellBack, Unsupported, api

_set_up = {}


def describe():
    return {"framework": "fake", "version": "1.0"}


def setup(device, mode):
    _set_up["mode"] = mode


def prepare(function, mode):
    if mode in ("eager", "shapes"):
        return function
    if function.func is fallen:

        def run(**tensors):
            raise FellBack("the compiler was not there")

        return run
    if function.func in (fused, unsteady):
        return _Clamping(function)
    return _Compiled(function)


class _Compiled:
    """Like a compiled function that an error spoils for good."""

    def __init__(self, function):
        self.function = function
        self.spoilt = False

    def __call__(self, **tensors):
        if self.spoilt and self.function.func is spoilt:
            raise RuntimeError("still broken")
        try:
            return self.function(**tensors)
        except IndexError:
            self.spoilt = True
            raise


class _Clamping:
    """Like a compiled function that lost the check of its indices."""

    def __init__(self, function):
        self.function = function
        self.calls = 0

    def __call__(self, input, index):
        self.calls += self.function.func is unsteady
        dim = self.function.keywords["dim"]
        return np.take_along_axis(input, np.clip(index, 0, input.shape[dim] - 1), dim) + input.dtype.type(self.calls)


def to_native(array, dtype):
    return Abstract(array.shape, dtype) if _set_up["mode"] == "shapes" else array


def to_numpy(value):
    return value


def _gather(input, dim, index):
    if _set_up["mode"] == "shapes":
        if len(input.shape) != len(index.shape):
            raise ValueError("as many axes")
        return Abstract(index.shape, input.dtype)
    if index.min(initial=0) < 0 or index.max(initial=0) >= input.shape[dim]:
        raise IndexError("index out of range")
    return np.take_along_axis(input, index, dim)


@api("fake.right", operation="gather_elements")
def right(input, dim, index):
    return _gather(input, dim, index)


@api("fake.spoilt", operation="gather_elements")
def spoilt(input, dim, index):
    return _gather(input, dim, index)


@api("fake.worse", operation="gather_elements")
def worse(input, dim, index):
    if getattr(worse, "broken", False):
        raise RuntimeError("broken until the process ends")
    try:
        return _gather(input, dim, index)
    except IndexError:
        worse.broken = _set_up["mode"] == "compile"
        raise


@api("fake.fallen", operation="gather_elements")
def fallen(input, dim, index):
    return _gather(input, dim, index)


@api("fake.clamps", operation="gather_elements")
def clamps(input, dim, index):
    if _set_up["mode"] == "compile":
        return np.take_along_axis(input, np.clip(index, 0, input.shape[dim] - 1), dim)
    return _gather(input, dim, index)


@api("fake.fused", operation="gather_elements")
def fused(input, dim, index):
    return _gather(input, dim, index)


@api("fake.unsteady", operation="gather_elements")
def unsteady(input, dim, index):
    return _gather(input, dim, index)


@api("fake.formless", operation="gather_elements")
def formless(input, dim, index):
    if dim == 0:
        raise Unsupported("not along the first axis")
    return _gather(input, dim, index)


@api("fake.flat", operation="gather_elements")
def flat(input, dim, index):
    result = _gather(input, dim, index)
    return Abstract((result.shape[0], 1), "float64") if _set_up["mode"] == "shapes" else result
