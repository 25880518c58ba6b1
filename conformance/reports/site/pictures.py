"""Diagrams of calls: the tensors, the groups of their axes, and the elements that belong together."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from conformance.findings.recorded_call import RESULT, RecordedCall, recorded_call
from conformance.reports.literals import element, flat_elements, shape_text
from conformance.results.records import CaseRecord
from conformance.results.variations import TransformedRecord

MOST_ELEMENTS = 64
MOST_RANK = 4
MOST_SPOTS = 8
"""The largest number of vectors that are shown in a target that is too large to draw."""

POINTED, SHARED, REST = 0, 1, 2
"""Colours of axes: axes that indices select along, batch axes, and all other axes."""


def is_drawn(shape: Sequence[int]) -> bool:
    """Whether an array of this shape is drawn element by element."""
    return len(shape) <= MOST_RANK and 0 < math.prod(shape) <= MOST_ELEMENTS


def picture(case: CaseRecord) -> dict[str, Any] | None:
    """The diagram as data, ``Picture`` of ``page.d.ts``; None for a call without tensors, or from an older file.

    Each of ``moves`` has the numbers of the elements of the index, of the target and of the moved tensor. An empty list
    is out of bounds; None is not drawn.
    """
    call = recorded_call(case) if not isinstance(case.variation, TransformedRecord) else None
    if call is None or not call.tensors:
        return None
    return {
        "parts": [_part(call, role, name) for role, name in _roles(call)],
        "result": _result(call),
        "moves": [] if _is_relation(case) else _moves(call),
        "out": call.moved == RESULT,
        "fits": call.case.axes != {},
    }


def _roles(call: RecordedCall) -> Iterator[tuple[str, str]]:
    roles = {"index": call.index, "target": call.target, "moved": call.moved}
    for role, name in roles.items():
        if name is not None and (role == "target" or name != RESULT):
            yield role, name
    for name in call.tensors:
        if name not in roles.values():
            yield "other", name


def _part(call: RecordedCall, role: str, name: str) -> dict[str, Any]:
    shape = call.shape(name) or ()
    tensor = call.tensors.get(name)
    view = f", {tensor.view}" if tensor and tensor.view else ""
    drawn = is_drawn(shape)
    return {
        "role": role,
        "name": name,
        "head": f"{tensor.dtype} {shape_text(shape)}{view}" if tensor else f"new, {shape_text(shape)}",
        "shape": list(shape),
        "axes": _axes(call, name),
        "cells": list(_cells(call, name, shape)) if drawn else None,
        "spots": [] if drawn or role != "target" else _spots(call, shape),
    }


def _cells(call: RecordedCall, name: str, shape: tuple[int, ...]) -> tuple[str, ...]:
    if name not in call.tensors:
        return ("",) * math.prod(shape)
    written = call.tensors[name].written
    return tuple(flat_elements(written) if isinstance(written, list) else map(element, call.elements(name)))


def _spots(call: RecordedCall, shape: tuple[int, ...]) -> list[tuple[int, list[float]]]:
    """For a target drawn as a block: each move with its relative position along the first two axes."""
    geometry = call.geometry
    if geometry is None or geometry.depth is None or geometry.paired or _is_relation(call.case):
        return []
    if not is_drawn(geometry.index.shape):
        return []
    rows = geometry.vectors.reshape(-1, geometry.vectors.shape[-1]).tolist() if geometry.vectors.size else []
    vectors = [list(zip(vector[:2], shape, strict=False)) for vector in rows]
    if len(vectors) > MOST_SPOTS:
        return []
    inside = [
        (number, vector) for number, vector in enumerate(vectors) if all(0 <= index < size for index, size in vector)
    ]
    return [(number, [(index + 0.5) / size for index, size in vector]) for number, vector in inside]


def _result(call: RecordedCall) -> dict[str, Any] | None:
    """Shape and axes of the expected result; without one, from the axes of the operation."""
    expected = call.case.expectation.get("returns", {}).get("shape")
    shape = call.shape(RESULT) if expected is None else tuple(expected)
    if shape is None or _is_relation(call.case):
        return None
    fits = shape == call.shape(RESULT)
    return {"shape": list(shape), "axes": _axes(call, RESULT) if fits else []}


def _axes(call: RecordedCall, name: str) -> list[tuple[str, int]]:
    """A label and a colour for each axis, from its group, or from its position if the index has single elements."""
    groups, indexing = call.axes.get(name, []), call.indexing
    pointed_axes = call.geometry.axes if call.geometry else ()
    if indexing is None or indexing.is_aligned:
        return [("along", POINTED) if axis in pointed_axes else ("other", SHARED) for axis in range(len(groups))]
    pointed = {group for axis, group in enumerate(call.axes.get(indexing.into, [])) if axis in pointed_axes}
    batch = set(call.axes.get(call.index or "", []))
    return [(_label(group), _colour(group, pointed, batch)) for group in groups]


def _label(group: str) -> str:
    return "depth" if group.startswith("rank(") else group


def _colour(group: str, pointed: set[str], batch: set[str]) -> int:
    if group in pointed or group.startswith("rank("):
        return POINTED
    return SHARED if group in batch else REST


def _moves(call: RecordedCall) -> list[list[list[int] | None]]:
    """The moves between tensors whose elements are drawn."""
    if call.index is None or call.shape(call.index) is None:
        return []
    drawn = {name: is_drawn(call.shape(name) or ()) for name in (call.index, call.target, call.moved) if name}
    if not drawn[call.index]:
        return []
    return [
        [
            list(move.index),
            _drawn_cells(move.target, drawn[call.target or ""]),
            _drawn_cells(move.moved, drawn.get(call.moved or "")),
        ]
        for move in call.moves()
    ]


def _drawn_cells(cells: tuple[int, ...] | None, drawn: bool | None) -> list[int] | None:
    return list(cells) if cells is not None and (drawn or not cells) else None


def _is_relation(case: CaseRecord) -> bool:
    """Whether the case is a relation: two expressions, not a call of its own."""
    return "relation" in case.expectation
