"""What the call in a program receives, and how far its indices are out of bounds, in the simplest way that works."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.specification.literals import Tensor, argument
from tests.findings.naive.places import are_vectors, bounds_of, paired_of, target_of, vectors_of
from tests.findings.naive.records import Json, Records

EQUAL, GREATER = "an index equal to the length", "an index greater than the length"
NEGATIVE, BELOW = "a negative index in range", "a negative index out of bounds"


class _Called(Exception):
    """What a call received."""


class _Unknown(Exception):
    """Something is computed by another operation."""


def received_by(case: Json, operations: set[str]) -> dict[str, Any] | None:
    """The arguments that the call of a case receives: its program is run on NumPy arrays; None if it calls others before."""
    given = {name: argument(value) for name, value in case["call"].items()}
    program = case.get("program") or case.get("variation", {}).get("program")
    if not program:
        return given

    def call(**arguments: Any) -> None:
        raise _Called(arguments)

    def other(*_: Any) -> None:
        raise _Unknown

    functions: dict[str, Any] = dict.fromkeys(operations, other)
    functions |= {"transpose": np.transpose, "expand": np.broadcast_to, "reshape": np.reshape, "view": lambda x: x}
    functions |= {
        "copy": np.array,
        "stacked": np.array,
        "flip": np.flipud,
        "arange": lambda n, x: np.arange(n, dtype=x.dtype),
    }
    functions |= {"fill": _write, "write": _write, "add": lambda x, y: _write(x, x + y)}
    functions[case["operation"]] = call
    exec(program, functions)  # of a file of this repository, or one that the tests made
    try:
        functions["program"](
            **{name: one.array.copy() if isinstance(one, Tensor) else one for name, one in given.items()}
        )
    except _Unknown:
        return None
    except _Called as called:
        [arguments] = called.args
    return {
        name: Tensor(one.dtype.name, one, None) if isinstance(one, np.ndarray) else given[name]
        for name, one in arguments.items()
    }


def _write(x: Any, y: Any) -> None:
    x[...] = y


class Ranges:
    """How far the indices of calls are out of bounds, in the words of a report."""

    def __init__(self, records: Records) -> None:
        self._operations = {case["operation"] for case in records.cases.values()}
        self._points: dict[str, Json] = {}
        for case in records.cases.values():
            self._points.setdefault(case["operation"], {}).update(case.get("points") or {})

    def of(self, case: Json) -> set[str]:
        """By index argument, if the operation has several: ``index j: an index equal to the length``."""
        call, declared = received_by(case, self._operations), self._points[case["operation"]]
        words = set()
        for name, points in declared.items():
            pairs = _pairs(call, name, points) if call else []
            found = {word for number, bound in pairs for word in _words(number, bound)}
            words |= {f"index {name}: {word}" for word in found} if len(declared) > 1 else found
        return words


def _words(number: int, bound: int) -> set[str]:
    if number < 0:
        return {NEGATIVE if number >= -bound else BELOW}
    return {EQUAL} if number == bound else {GREATER} if number > bound else set()


def _pairs(call: Json, name: str, points: Json) -> list[tuple[int, int]]:
    """Each number of an index argument, with what it should be less than; none if the arguments do not fit."""
    index = call.get(name)
    if not isinstance(index, Tensor) or index.kind != "integer" or points["selects"] == "mask":
        return []
    along = call.get(points["along"] or "")
    if isinstance(along, str):
        return _of_key(call, name, along, call[points["into"]].shape)
    if points["into"] == "result":  # which has a slice for each label up to the largest
        labels = [int(label) for label in index.array.reshape(-1)]
        return [(label, max(*labels, -1) + 1) for label in labels]
    shape = target_of(call, name, points)
    if shape is None or min(shape, default=0) < 0 or (along is not None and not -len(shape) <= along < len(shape)):
        return []
    vectors = are_vectors(points)
    depth = index.shape[-1] if vectors and index.shape else 1
    paired = paired_of(call, name, points)
    if (
        paired is None
        or (vectors and (not index.shape or paired + depth > len(shape)))
        or (points.get("labels") and not shape)
    ):
        return []
    if points["selects"] == "elements" and along is not None:
        beside = [
            (one, other)
            for at, (one, other) in enumerate(zip(index.shape, shape, strict=False))
            if at != along % len(shape)
        ]
        if index.rank != len(shape) or any(one > other for one, other in beside):
            return []
    bounds = bounds_of(shape[paired:] if vectors else shape, points, along, depth)
    return [
        (number, bound)
        for _, row in vectors_of(index.array, vectors)
        for number, bound in zip(row, bounds, strict=True)
    ]


def _of_key(call: Json, name: str, key: str, shape: tuple[int, ...]) -> list[tuple[int, int]]:
    items = [part for item in key.split(", ") for part in _axes_of(call, item)]
    missing = len(shape) - sum(item not in ("None", "...") for item, _ in items)
    if missing < 0:
        return []
    at = items.index(("...", 0)) if ("...", 0) in items else len(items)
    items[at : at + 1] = [(":", 0)] * missing
    axis, bound, shapes = 0, None, []
    for item, part in items:
        tensor = call.get(item)
        if item == name:
            bound = shape[axis]
        if isinstance(tensor, Tensor):
            is_mask = tensor.kind == "bool"
            if is_mask and tensor.shape[part] != shape[axis]:
                return []
            shapes.append((int(tensor.array.sum()),) if is_mask else tensor.shape)
        elif item.lstrip("-").isdigit() and not -shape[axis] <= int(item) < shape[axis]:
            return []
        axis += item != "None"
    try:
        np.broadcast_shapes(*shapes)
    except ValueError:
        return []
    return [] if bound is None else [(int(number), bound) for number in call[name].array.reshape(-1)]


def _axes_of(call: Json, item: str) -> list[tuple[str, int]]:
    """A mask stands for as many axes as it has."""
    tensor = call.get(item)
    if isinstance(tensor, Tensor) and tensor.kind == "bool":
        return [(item, part) for part in range(tensor.rank)]
    return [(item, 0)]
