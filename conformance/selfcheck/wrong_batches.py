"""Adapters whose calls are right and whose batches of calls are not, and some whose batches are right in another style."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from conformance.selfcheck import planted_hooks
from conformance.selfcheck.defect import (
    ADD,
    ALONG,
    COPY,
    FILL,
    INDEX_ADD,
    INTO,
    PLAIN,
    SCATTER,
    SORTED,
    UPDATE,
    VECTOR_REDUCE,
)
from conformance.selfcheck.detection import Detection
from conformance.selfcheck.planted_hooks import PlantedHook

_Batch = partial(PlantedHook, kind="vmap")
_EACH = (
    "for number in range(len(result)):\n"
    "    given = {name: np.array(np.take(value, number, axes[name])) if name in axes else value\n"
    "             for name, value in tensors.items()}\n"
)
"""The beginning of a loop over the calls of a batch, with the arguments of each."""
_KEPT = "    try:\n        result[number] = function(**given)\n    except (ValueError, IndexError):\n        pass"
"""The end of it: the result of a call with other arguments, if it returns."""

WRONG = (
    _Batch("has its axis at the end", "result = np.moveaxis(result, 0, -1)", "shape", PLAIN),
    _Batch(
        "has its axis in the place of another as long as it",
        "if result.ndim > 1 and result.shape[0] == result.shape[1]:\n    result = result.swapaxes(0, 1)",
        "value",
        (UPDATE, ADD, VECTOR_REDUCE, ALONG, INTO, COPY, INDEX_ADD),
    ),
    _Batch(
        "has the result of the first call for all",
        "result = np.stack([result[0]] * len(result))",
        "value",
        PLAIN,
    ),
    _Batch("has the results in reverse order", "result = result[::-1]", "value", PLAIN),
    _Batch(
        "takes the indices of the first call for all",
        _EACH
        + "    given |= {name: np.array(np.take(value, 0, axes[name]))\n"
        + "              for name, value in tensors.items() if name in axes and value.dtype.kind in 'iu'}\n"
        + _KEPT,
        "value",
        PLAIN,
    ),
    _Batch(
        "takes an index that all calls share from another place for each",
        _EACH
        + "    given |= {name: np.roll(value, number, 0)\n"
        + "              for name, value in tensors.items() if name not in axes and value.dtype.kind in 'iu' and value.ndim}\n"
        + _KEPT,
        "value",
        # Which fills the same in any order, and takes ids in one order only.
        tuple(name for name in PLAIN if name not in (FILL, SORTED)),
    ),
    _Batch(
        "takes a batch along the last axis as one along the first",
        _EACH
        + "    given |= {name: np.take(tensors[name].reshape(-1, *tensors[name].shape[:-1]), number, 0)\n"
        + "              for name, axis in axes.items() if axis == -1}\n"
        + _KEPT,
        "value",
        PLAIN,
    ),
    _Batch(
        "adds only the last of several updates to a position",
        _EACH
        + "    vectors = given.get('indices')\n"
        + "    if vectors is not None and vectors.ndim == 2 and 'updates' in given:\n"
        + "        lost = [row for row in range(len(vectors)) if (vectors[row] == vectors[row + 1:]).all(axis=1).any()]\n"
        + "        given['updates'] = np.array(given['updates'])\n"
        + "        given['updates'][lost] = 0\n"
        + _KEPT,
        "value",
        (ADD, VECTOR_REDUCE, SCATTER),
    ),
    _Batch("gives float64", "result = result.astype(np.float64)", "dtype", PLAIN),
)

RIGHT = (
    _Batch("gives the results in another order of memory", "result = np.array(result, order='F')", None),
    _Batch("gives negative zeros", "result = np.where(result == 0, -np.abs(result), result)", None),
    _Batch(
        "another of several updates to a position remains in each call",
        _EACH
        + "    vectors = given.get('indices')\n"
        + "    if number % 2 and vectors is not None and vectors.ndim == 2 and 'updates' in given:\n"
        + "        given |= {'indices': vectors[::-1], 'updates': given['updates'][::-1]}\n"
        + _KEPT,
        None,
    ),
)


def detections() -> Iterator[Detection]:
    """Every wrong and every right batch."""
    yield from planted_hooks.detections(WRONG, RIGHT, "batch")
