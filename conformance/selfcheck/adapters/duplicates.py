"""Correct without duplicate indices; with duplicates each API does something else."""

from __future__ import annotations

import os

import numpy as np

from conformance.adapter import api

_calls = []


def describe():
    return {"framework": "duplicates", "version": "1.0"}


def _turn():
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
def anyone(tensor, indices, updates):
    order = np.roll(np.arange(updates.size), _turn())
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
    return result + np.array(_turn() + os.getpid(), tensor.dtype)


@api("fake.loses", operation="tensor_scatter_nd_add")
def loses(tensor, indices, updates):
    """Loses an update at every third call."""
    result = tensor.copy()
    some = slice(1 if _turn() % 3 == 0 else 0, None)
    np.add.at(result, _where(indices[some]), updates[some])
    return result


@api("fake.rounds", operation="tensor_scatter_nd_add")
def rounds(tensor, indices, updates):
    """Adds in another order each time."""
    order = np.roll(np.arange(len(indices)), _turn())
    result = tensor.copy()
    np.add.at(result, _where(indices[order]), updates[order])
    return result


@api("fake.fails_later", operation="tensor_scatter_nd_add")
def fails_later(tensor, indices, updates):
    if _turn() % 4 == 3:
        raise RuntimeError("not every time")
    result = tensor.copy()
    np.add.at(result, _where(indices), updates)
    return result
