"""Correct without duplicate indices; with duplicates, each API has a fault of its own."""

from __future__ import annotations

import os

import numpy as np

from conformance.adapter import api

_calls = []
_dtypes = set()
_once_calls = []


def describe():
    return {"framework": "duplicates", "version": "1.0"}


def _call_number():
    _calls.append(None)
    return len(_calls)


def _where(indices):
    return tuple(np.moveaxis(indices, -1, 0))


def _updated(tensor, indices, updates, order):
    result = tensor.copy()
    for number in order:
        result[tuple(indices.reshape(-1, indices.shape[-1])[number])] = updates.reshape(-1)[number]
    return result


@api("fake.last", operation="tensor_scatter_nd_update")
def last(tensor, indices, updates):
    result = tensor.copy()
    result[_where(indices)] = updates
    return result


@api("fake.any", operation="tensor_scatter_nd_update")
def any_order(tensor, indices, updates):
    order = np.roll(np.arange(updates.size), _call_number())
    return _updated(tensor, indices, updates, order)


@api("fake.mixes", operation="tensor_scatter_nd_update")
def mixes(tensor, indices, updates):
    result = tensor.copy()
    result[_where(indices)] = updates.mean(dtype=np.float64) + 0.25
    return result


@api("fake.noise", operation="tensor_scatter_nd_add")
def noise(tensor, indices, updates):
    result = tensor.copy()
    np.add.at(result, _where(indices), updates)
    return result + np.array(_call_number() + os.getpid(), tensor.dtype)


@api("fake.loses", operation="tensor_scatter_nd_add")
def loses(tensor, indices, updates):
    """Loses an update in every third call."""
    result = tensor.copy()
    remaining = slice(1 if _call_number() % 3 == 0 else 0, None)
    np.add.at(result, _where(indices[remaining]), updates[remaining])
    return result


@api("fake.cached", operation="tensor_scatter_nd_add")
def cached(tensor, indices, updates):
    """Wrong after a call in another dtype."""
    _dtypes.add(tensor.dtype.name)
    result = tensor.copy()
    np.add.at(result, _where(indices), updates)
    return result + np.array(len(_dtypes) - 1, tensor.dtype)


@api("fake.once", operation="tensor_scatter_nd_add")
def once(tensor, indices, updates):
    """Right in the first call of a process, and wrong ever after."""
    _once_calls.append(None)
    result = tensor.copy()
    np.add.at(result, _where(indices), updates)
    return result + np.array(len(_once_calls) > 1, tensor.dtype)


@api("fake.rounds", operation="tensor_scatter_nd_add")
def rounds(tensor, indices, updates):
    """Adds in a different order each time."""
    order = np.roll(np.arange(len(indices)), _call_number())
    result = tensor.copy()
    np.add.at(result, _where(indices[order]), updates[order])
    return result


@api("fake.fails_later", operation="tensor_scatter_nd_add")
def fails_later(tensor, indices, updates):
    if _call_number() % 4 == 3:
        raise RuntimeError("not every time")
    result = tensor.copy()
    np.add.at(result, _where(indices), updates)
    return result
