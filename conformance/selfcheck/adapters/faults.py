"""Wrong in ways that take a process to see: each API behaves, but for one call or after one call."""

# ruff: noqa: A001, A002 - arguments have the names that operations give them
from __future__ import annotations

import os
import signal
import sys
import time
from typing import Any

import numpy as np

from conformance.adapter import api

MOST_EATEN = 2**30
"""Bytes after which the one that eats memory stops, should nobody end it."""
_turns: list[None] = []
_seen: set[str] = set()


def describe() -> dict[str, Any]:
    return {"framework": "faults"}


def _gather(input: np.ndarray, dim: int, index: np.ndarray) -> np.ndarray:
    if index.min(initial=0) < 0 or index.max(initial=0) >= input.shape[dim]:
        raise IndexError("index out of range")
    inside = tuple(slice(None) if axis == dim else slice(length) for axis, length in enumerate(index.shape))
    return np.take_along_axis(input[inside], index, dim)


def _is_the_one(input: np.ndarray, dim: int) -> bool:
    """Whether it is the call that goes wrong: of three axes, along the middle one."""
    return input.ndim == 3 and dim == 1


def _turn() -> int:
    _turns.append(None)
    return len(_turns)


@api("faults.crashes", operation="gather_elements")
def crashes(input: np.ndarray, dim: int, index: np.ndarray) -> np.ndarray:
    if _is_the_one(input, dim):
        os.kill(os.getpid(), signal.SIGSEGV)
    return _gather(input, dim, index)


@api("faults.exits", operation="gather_elements")
def exits(input: np.ndarray, dim: int, index: np.ndarray) -> np.ndarray:
    if _is_the_one(input, dim):
        sys.exit(7)
    return _gather(input, dim, index)


@api("faults.eats_memory", operation="gather_elements")
def eats_memory(input: np.ndarray, dim: int, index: np.ndarray) -> np.ndarray:
    eaten: list[np.ndarray] = []
    while _is_the_one(input, dim):
        if len(eaten) * 2**24 < MOST_EATEN:
            eaten.append(np.ones(2**24, np.uint8))
        else:
            time.sleep(1)
    return _gather(input, dim, index)


@api("faults.prints", operation="gather_elements")
def prints(input: np.ndarray, dim: int, index: np.ndarray) -> np.ndarray:
    for descriptor in (1, 2):
        os.write(descriptor, b"more than any pipe holds\n" * 100_000 if _is_the_one(input, dim) else b"")
    return _gather(input, dim, index)


@api("faults.noise", operation="gather_elements")
def noise(input: np.ndarray, dim: int, index: np.ndarray) -> np.ndarray:
    """Another wrong result in each process."""
    result = _gather(input, dim, index)
    return result + os.getpid() if _is_the_one(input, dim) else result


@api("faults.stained", operation="gather_elements")
def stained(input: np.ndarray, dim: int, index: np.ndarray) -> np.ndarray:
    """Wrong in all that comes after one call."""
    result = _gather(input, dim, index)
    if "the one" in _seen:
        result = result[::-1].copy()
    _seen.update(["the one"] if _is_the_one(input, dim) else [])
    return result


@api("faults.poisoned", operation="gather_elements")
def poisoned(input: np.ndarray, dim: int, index: np.ndarray) -> np.ndarray:
    """Raises once it has raised."""
    if "an error" in _seen:
        raise RuntimeError("not any more")
    try:
        return _gather(input, dim, index)
    except IndexError:
        _seen.add("an error")
        raise


@api("faults.changes_its_input", operation="gather_elements")
def changes_its_input(input: np.ndarray, dim: int, index: np.ndarray) -> np.ndarray:
    result = _gather(input, dim, index)
    if _is_the_one(input, dim):
        input += 1
    return result


@api("faults.depends_on_order", operation="tensor_scatter_nd_update")
def depends_on_order(tensor: np.ndarray, indices: np.ndarray, updates: np.ndarray) -> np.ndarray:
    """Of several updates to one place another remains each time."""
    order = np.roll(np.arange(len(indices)), _turn())
    result = tensor.copy()
    for number in order:
        result[tuple(indices[number])] = updates[number]
    return result


@api("faults.loses_some", operation="tensor_scatter_nd_add")
def loses_some(tensor: np.ndarray, indices: np.ndarray, updates: np.ndarray) -> np.ndarray:
    """Loses an update, as two threads that add to one place at once, in every third call."""
    result = tensor.copy()
    some = slice(_turn() % 3 == 0, None)
    np.add.at(result, tuple(np.moveaxis(indices[some], -1, 0)), updates[some])
    return result
