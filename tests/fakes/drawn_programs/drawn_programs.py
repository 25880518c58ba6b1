"""Copies rows; compiled, what was copied changes with its input, and reversed rows cannot be compiled. One API is wrong in eager mode too."""

from __future__ import annotations

import sys
from types import ModuleType

import numpy as np

from conformance.adapter import api

# In a test without processes, programs that were made before are run with the functions of an earlier load of this file.
_state = sys.modules.setdefault("conformance_fake_state_of_drawn_programs", ModuleType("state"))
_under_way = vars(_state).setdefault("under_way", {"compiles": False})
_late = vars(_state).setdefault("late", [])
"""Of what is compiled: results, each with the input that it takes over if that is filled."""


def describe():
    return {"framework": "fake", "version": "1.0"}


def setup(device, mode):
    pass


def prepare(function, mode):
    return function if mode == "eager" else _compiled(function)


def prepare_together(function, mode):
    return _compiled(function)


def _compiled(function):
    def call(**tensors):
        _under_way["compiles"] = True
        try:
            return function(**tensors)
        finally:
            _under_way["compiles"] = False
            _late.clear()

    return call


def transpose(tensor):
    return np.transpose(tensor)


def expand(tensor, shape):
    return np.broadcast_to(tensor, shape)


def reshape(tensor, shape):
    return np.reshape(tensor, shape)


def arange(length, index):
    return np.arange(length, dtype=index.dtype)


def total(tensor):
    return np.asarray(tensor.sum(0, dtype=tensor.dtype))


def copy(tensor):
    return tensor.copy()


def view(tensor):
    return tensor


def flip(tensor):
    if _under_way["compiles"]:
        raise TypeError("cannot be compiled")
    return tensor[::-1].copy()


def fill(tensor, number):
    tensor[...] = number
    _changed(tensor)


def _changed(tensor):
    for result, input in _late:
        if np.shares_memory(tensor, input):
            result[...] = input


def add(tensor, values):
    tensor[...] = tensor + values
    _changed(tensor)


def write(tensor, values):
    tensor[...] = values.copy()
    _changed(tensor)


@api("fake.index_select", operation="index_select")
def index_select(input, dim, index):
    return np.take(input, index, dim)


@api("fake.index_copy", operation="index_copy")
def index_copy(input, dim, index, source):
    result = input.copy()
    result[(slice(None),) * dim + (index,)] = source
    if _under_way["compiles"]:
        _late.append((result, input))
    return result


@api("fake.index_add", operation="index_add")
def index_add(input, dim, index, source, alpha=1):
    result = input.copy()
    np.add.at(result, (slice(None),) * dim + (index,), alpha * source)
    return result


@api("fake.index_fill", operation="index_fill")
def index_fill(input, dim, index, value):
    return np.zeros_like(input) + 99
