"""Defects in the treatment of out-of-bounds indices."""

from __future__ import annotations

from dataclasses import replace

from conformance.judging.vocabulary import Behaviour, Divergence
from conformance.selfcheck.defect import (
    ADD,
    ALONG,
    GATHER,
    INTO,
    SCATTER,
    SEGMENTS,
    SORTED,
    UPDATE,
    VECTOR_REDUCE,
    Defect,
)

_VECTORS = """\
        for axis, component in enumerate(where):
            _require_inside(component, shape[axis], axis)
        yield batch, where
"""
_ALONG = """\
    _require_inside(component, shape[axis], axis)
    return"""


def _vectors(name: str, lines: str, behaviour: Behaviour, cases: str = "outside") -> Defect:
    """A defect in the treatment of out-of-bounds index vectors, for which documents require an error."""
    return Defect(
        name, _VECTORS, lines, "accepted", (UPDATE, ADD, VECTOR_REDUCE, SCATTER), "_index_vectors", behaviour, cases
    )


def _column(column: str, axis: int, change: str, word: str, behaviour: Behaviour) -> Defect:
    lines = f"""\
        where = tuple(
            ({change}) if axis == {axis} % len(where) else component
            for axis, (component, size) in enumerate(zip(where, shape))
        )
{_VECTORS}"""
    return _vectors(f"{word} the {column.replace('-', ' ')}", lines, behaviour, cases=column)


_COLUMNS = [("first-column", 0), ("last-column", -1)]
_CHANGES: list[tuple[str, str, Behaviour]] = [
    ("clamps", "min(max(component, 0), size - 1)", "clamps"),
    ("wraps negative indices of", "component + size if -size <= component < 0 else component", "wraps-negative"),
    ("wraps modulo", "component % size", "wraps-modulo"),
]

_ALONG_AXES: list[tuple[str, Divergence, str]] = [("to read", "accepted", ALONG), ("to write", "accepted", INTO)]

POLICIES = [
    *(
        _column(column, axis, change, word, behaviour)
        for column, axis in _COLUMNS
        for word, change, behaviour in _CHANGES
    ),
    _column("middle-column", 1, "min(component, size - 1)", "clamps at the end of", "clamps"),
    _vectors(
        "ignores an out-of-bounds index vector",
        "        if any(not 0 <= component < size for component, size in zip(where, shape)):\n            continue\n        yield batch, where\n",
        "ignores",
    ),
    _vectors(
        "stops at an out-of-bounds index vector and drops the tail",
        "        if any(not 0 <= component < size for component, size in zip(where, shape)):\n            return\n        yield batch, where\n",
        "stops",
    ),
    _vectors(
        "clamps an index equal to the size",
        "        where = tuple(component - (component == size) for component, size in zip(where, shape))\n" + _VECTORS,
        "clamps",
        cases="at-the-size",
    ),
    _vectors(
        "truncates indices to 32 bits",
        "        where = tuple(int(np.array(component).astype(np.int32)) for component in where)\n" + _VECTORS,
        "other",
        cases="two-to-the-32-plus-one",
    ),
    _vectors(
        "checks only the flat offset",
        """\
        flat = int(np.dot(where, [int(np.prod(shape[axis + 1 : len(where)])) for axis in range(len(where))]))
        _require_inside(flat, int(np.prod(shape[: len(where)])), 0)
        yield batch, tuple(map(int, np.unravel_index(flat, shape[: len(where)])))
""",
        "other",
        cases="flat-offset-inside",
    ),
    *(
        Defect(
            f"{word} an index along an axis {purpose}",
            _ALONG,
            f"    size = shape[axis]\n    component = {change}\n" + _ALONG,
            caught,
            (operation,),
            "_along",
            behaviour,
        )
        for word, change, behaviour in _CHANGES
        for purpose, caught, operation in _ALONG_AXES
    ),
    *(
        replace(_column("first-column", 0, change, word, behaviour), operations=(GATHER,))
        for word, change, behaviour in _CHANGES
    ),
    Defect(
        "reads zero for an out-of-bounds index",
        "        result[position] = input[_along(axis, position, index[position], input.shape)]",
        "        inside = 0 <= index[position] < input.shape[axis]\n"
        "        result[position] = input[_along(axis, position, index[position], input.shape)] if inside else 0",
        "accepted",
        (ALONG,),
        "gather_elements",
        "fills",
    ),
    Defect(
        "counts a negative id from the end",
        "        if segment < 0:\n            continue\n",
        "        segment += num_segments * (segment < 0)\n",
        "value",
        (SEGMENTS,),
        "unsorted_segment_reduce",
        "wraps-negative",
        "negative-ids",
    ),
    Defect(
        "clamps an id past the end",
        "        _require_inside(segment, num_segments, 0)\n",
        "        segment = min(segment, num_segments - 1)\n",
        "accepted",
        (SEGMENTS,),
        "unsorted_segment_reduce",
        "clamps",
        "ids-past-the-end",
    ),
    Defect(
        "leaves out a slice with a negative id",
        '    for segment in ids:\n        _require(segment >= 0, f"segment id {segment} is negative")\n',
        "    data, ids = data[np.array(ids, int) >= 0], [segment for segment in ids if segment >= 0]\n",
        "accepted",
        (SORTED,),
        "segment_reduce",
        "ignores",
        "ids-not-negative",
    ),
]
