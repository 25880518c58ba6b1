"""What the page draws of a call: its tensors, the groups of their axes, and which elements belong together."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from conformance.findings.recorded_call import RESULT, RecordedCall, recorded_call
from conformance.reports.literals import element, shape_text
from conformance.results.records import CaseRecord

MOST_ELEMENTS = 64
MOST_RANK = 4

POINTED, SHARED, REST = 0, 1, 2
"""Colours of axes: pointed along, one for each thing that points, and whatever else an element has."""


def picture(case: CaseRecord) -> dict[str, Any] | None:
    """The drawing as data; None for a call without tensors, or of a version that wrote them otherwise.

    ``parts``: the tensors in the order of the eye, each with its ``role`` (index, target, moved or other), its ``name``,
    a ``head``, its ``shape``, its ``axes`` (pairs of a label and a colour), and its ``cells`` (texts; ``True`` where they
    stand in the call as lists, None where they are too many to draw). ``result``: shape and axes of what comes out.
    ``moves``: the numbers of the cells of the index argument, of the target and of what is moved; an empty list is
    outside, None is not drawn. ``vectors``: whether vectors point, not single elements; ``out``: whether elements are
    taken out, not put in; ``fits``: whether the arguments fit each other, as far as the spec says.
    """
    call = recorded_call(case)
    if call is None or not call.tensors:
        return None
    return {
        "parts": [_part(call, role, name) for role, name in _roles(call)],
        "result": _result(call),
        "moves": [] if _is_relation(case) else _moves(call),
        "vectors": call.indexing is not None and call.indexing.by_vectors,
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
    return {
        "role": role,
        "name": name,
        "head": f"{tensor.dtype} {shape_text(shape)}{view}" if tensor else f"new, {shape_text(shape)}",
        "shape": list(shape),
        "axes": _axes(call, name),
        "cells": _cells(call, name, shape),
    }


def _cells(call: RecordedCall, name: str, shape: tuple[int, ...]) -> list[str] | bool | None:
    if not _is_drawn(shape):
        return None
    if name not in call.tensors:
        return [""] * math.prod(shape)
    if isinstance(call.tensors[name].written, list):
        return True
    return [element(value) for value in call.elements(name)]


def _result(call: RecordedCall) -> dict[str, Any] | None:
    """Of what is expected; of a call that should raise or is only observed, what its axes say."""
    expected = call.case.expectation.get("returns", {}).get("shape")
    shape = call.shape(RESULT) if expected is None else tuple(expected)
    if shape is None or _is_relation(call.case):
        return None
    fits = shape == call.shape(RESULT)
    return {"shape": list(shape), "axes": _axes(call, RESULT) if fits else []}


def _axes(call: RecordedCall, name: str) -> list[tuple[str, int]]:
    """A label and a colour for each axis: by its group, or where single elements point by its position."""
    groups, indexing = call.axes.get(name, []), call.indexing
    pointed_axes = call.geometry.axes if call.geometry else ()
    if indexing is None or indexing.by_elements:
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
    """The moves between tensors that are drawn with their elements."""
    if call.index is None or call.shape(call.index) is None:
        return []
    drawn = {name: _is_drawn(call.shape(name) or ()) for name in (call.index, call.target, call.moved) if name}
    if not drawn[call.index]:
        return []
    return [
        [list(move.index), _told(move.target, drawn[call.target or ""]), _told(move.moved, drawn.get(call.moved or ""))]
        for move in call.moves()
    ]


def _is_drawn(shape: tuple[int, ...]) -> bool:
    return len(shape) <= MOST_RANK and 0 < math.prod(shape) <= MOST_ELEMENTS


def _told(cells: tuple[int, ...] | None, drawn: bool | None) -> list[int] | None:
    return list(cells) if cells is not None and (drawn or not cells) else None


def _is_relation(case: CaseRecord) -> bool:
    """Its two sides are expressions, of which the call is only the values."""
    return "relation" in case.expectation
