"""Adapters whose calls are right and whose derivatives are not, and some whose derivatives are right in another style."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.selfcheck import planted_hooks
from conformance.selfcheck.defect import (
    ADD,
    ALONG,
    COPY,
    FILL,
    GATHER,
    INDEX_ADD,
    INTO,
    PLAIN,
    REDUCE,
    SCATTER,
    SEGMENTS,
    SELECT,
    SORTED,
    TAKE,
    UPDATE,
    VECTOR_REDUCE,
)
from conformance.selfcheck.detection import Detection
from conformance.selfcheck.planted_hooks import PlantedHook

_INDEX = "index = next(value for value in tensors.values() if value.dtype.kind in 'iu')\n"
_WRITTEN = "written = of in ('updates', 'src', 'source')\n"

WRONG = (
    PlantedHook(
        "does not add what several reads of an element give",
        "if of in ('input', 'params'):\n    derivative = np.where(derivative > cotangent.max(initial=0), cotangent.max(initial=0), derivative)",
        "value",
        (GATHER, ALONG, SELECT, TAKE),
    ),
    PlantedHook(
        "gives the cotangent to each of several updates to a position",
        _WRITTEN + "if written:\n"
        "    values = {name: value for name, value in tensors.items() if value.dtype.kind == 'f'}\n"
        "    for position in np.ndindex(derivative.shape):\n"
        "        moved = {name: np.zeros(value.shape) if name in values else value for name, value in tensors.items()}\n"
        "        moved[of][position] = 1\n"
        "        for other in np.ndindex(derivative.shape):\n"
        "            if other != position:\n"
        "                moved[of][other] = np.nan\n"
        "        if not derivative[position]:\n"
        "            places = np.isnan(function(**moved))\n"
        "            derivative[position] = cotangent.reshape(-1)[int(np.flatnonzero(places)[0])] if places.any() else 0",
        "value",
        (UPDATE, COPY),
    ),
    PlantedHook(
        "leaves what was overwritten its derivative",
        "if of in ('tensor', 'input') and derivative.shape == cotangent.shape:\n    derivative = cotangent.copy()",
        "value",
        (UPDATE, COPY, FILL),
    ),
    PlantedHook(
        "gives the derivative of another of several updates than it wrote",
        "if cotangent.shape == result.shape and of in ('updates', 'source', 'src'):\n"
        + "    "
        + _INDEX.replace("\n", "\n    ")
        + "turned = {name: value[::-1].copy() for name, value in tensors.items() if name not in ('tensor', 'input')}\n"
        "    try:\n"
        "        turned = {**tensors, **turned}\n"
        "        derivative = vjp_right(function, turned, of, cotangent)[1][::-1].copy()\n"
        "    except (ValueError, IndexError):\n"
        "        pass",
        "inconsistent",
        (UPDATE,),
    ),
    PlantedHook(
        "clamps an index and drops its derivative",
        _INDEX + "if of == 'src' and derivative.shape == index.shape:\n"
        "    derivative = np.where((0 <= index) & (index < max(result.shape)), derivative, 0).astype(derivative.dtype)",
        "inconsistent",
        (INTO,),
        ("    component = int(index)\n", "    component = min(max(int(index), 0), shape[axis] - 1)\n"),
    ),
    PlantedHook(
        "always gives zero",
        "derivative = np.zeros_like(derivative)",
        "value",
        (UPDATE, ADD, VECTOR_REDUCE, SCATTER, GATHER),
    ),
    PlantedHook("gives ones", "derivative = np.ones_like(derivative)", "value", (UPDATE, GATHER, ALONG, INTO, SELECT)),
    PlantedHook(
        "gives float64",
        "derivative = derivative.astype(np.float64)",
        "dtype",
        PLAIN,
    ),
    PlantedHook(
        "gives NaN if there is nothing to read or to write",
        _INDEX + "derivative = np.full_like(derivative, np.nan) if index.size == 0 else derivative",
        "value",
        # Of as many slices as there are ids, none is left to have a derivative.
        (VECTOR_REDUCE, ALONG, INTO, SELECT, COPY, INDEX_ADD, FILL, REDUCE, TAKE),
    ),
    PlantedHook(
        "gives NaN for an empty segment",
        "if 'segment_ids' in tensors:\n"
        "    empty = np.setdiff1d(np.arange(len(derivative)), tensors['segment_ids'])\n"
        "    derivative[empty] = np.nan",
        "value",
        (SEGMENTS, SORTED),
        kind="jvp",
    ),
    PlantedHook(
        "has the shape of a vector",
        "derivative = derivative.reshape(-1)",
        "shape",
        PLAIN,
    ),
    PlantedHook(
        "gives what lies beyond a shorter index a derivative",
        "if of == 'src':\n    derivative = np.where(derivative == 0, cotangent.dtype.type(1), derivative)",
        "value",
        (INTO,),
    ),
)

RIGHT = (
    PlantedHook(
        "gives a derivative in another order of memory", "derivative = np.array(derivative, order='F')", None, ()
    ),
    PlantedHook(
        "gives negative zeros", "derivative = np.where(derivative == 0, -np.abs(derivative), derivative)", None, ()
    ),
    PlantedHook(
        "remembers nothing of the data",
        "result, derivative = vjp_right(function, {name: value.copy() for name, value in tensors.items()}, of, cotangent)",
        None,
        (),
    ),
)


def detections() -> Iterator[Detection]:
    """Every wrong and every right derivative."""
    yield from planted_hooks.detections(WRONG, RIGHT, "derivative")
