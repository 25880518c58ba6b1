"""Builds views of larger buffers in a script with plain NumPy, as the worker does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from conformance.outcomes.model import Outside
from conformance.repro.errors import NoScript
from conformance.repro.values import numpy_form
from conformance.specification.literals import Tensor
from conformance.worker.arrays import BITS_OF
from conformance.worker.guards import nearest
from conformance.worker.views import FILLER, build


@dataclass(frozen=True)
class View:
    """Statements that build a view, and the variables of the view and its buffer."""

    lines: tuple[str, ...]
    variable: str
    buffer: str
    content: Tensor
    """The buffer's elements before the call."""


MOST_BESIDE = 16
"""Elements beside an argument that a script shows, if the result does not tell which it shows."""


def view_of(name: str, value: Tensor, outside: Sequence[Outside] = (), place: int = 0) -> View | None:
    """How a script builds an argument that is a view, or next to which a call wrote or read; None for any other.

    NoScript if NumPy lacks its dtype.

    outside: what the call did next to it. place: the number of the argument.
    """
    if value.view is None:
        return _between(name, value, outside, place) if outside else None
    if value.dtype in BITS_OF:
        raise NoScript(f"cannot write a {value.dtype} view: NumPy has no such dtype")
    buffer, view = f"{name}_buffer", f"{name}_view"
    base = build(value.array, value.view).base
    assert base is not None, "a view has a buffer"
    content = Tensor(value.dtype, base, None)
    if value.view in ("transposed", "expanded", "loose"):
        # The view covers the whole buffer.
        lines = [f"{buffer} = {numpy_form(content)}", f"{view} = {_slicing(value, base, buffer)}"]
    else:
        lines = [f"{buffer} = {_buffer(base)}", f"{view} = {_slicing(value, base, buffer)}"]
        lines += [f"{view}[...] = {numpy_form(value)}"] if value.array.size else []
    return View(tuple(lines), view, buffer, content)


def _between(name: str, value: Tensor, outside: Sequence[Outside], place: int) -> View:
    """An argument between elements that are not its own, as the worker has it."""
    if value.dtype in BITS_OF:
        raise NoScript(f"cannot write a {value.dtype} view: NumPy has no such dtype")
    distances = [one.distance for one in outside if one.distance is not None] or [-MOST_BESIDE, MOST_BESIDE]
    before, behind = (
        nearest(value.array.dtype, place, side, max(0, *(side * each for each in distances))) for side in (-1, 1)
    )
    elements = np.concatenate([before, value.array.reshape(-1), behind])
    content = Tensor(value.dtype, elements, None)
    buffer, view = f"{name}_buffer", f"{name}_view"
    part = f"{buffer}[{len(before)}:{len(before) + value.array.size}]"
    shaped = part if value.rank == 1 else f"{part}.reshape({value.shape!r})"
    return View((f"{buffer} = {numpy_form(content)}", f"{view} = {shaped}"), view, buffer, content)


def _buffer(base: np.ndarray) -> str:
    filler = bool(FILLER) if base.dtype == bool else FILLER
    return f"np.full({base.shape!r}, {filler!r}, dtype={'bool' if base.dtype == bool else f'np.{base.dtype.name}'})"


def _slicing(value: Tensor, base: np.ndarray, buffer: str) -> str:
    if value.view == "transposed":
        return f"{buffer}.T"
    if value.view == "expanded":
        strides = tuple(
            0 if buffer_length != length else step
            for buffer_length, length, step in zip(base.shape, value.shape, base.strides, strict=True)
        )
        return f"np.lib.stride_tricks.as_strided({buffer}, {value.shape!r}, {strides!r})"
    if value.view == "loose":
        strides = build(value.array, value.view).array.strides
        return f"np.lib.stride_tricks.as_strided({buffer}, {value.shape!r}, {strides!r})"
    parts = {"strided": ["::2"] * value.rank, "offset": ["1:-1"] * value.rank}
    return f"{buffer}[{', '.join(parts.get(str(value.view)) or map(_up_to, value.shape))}]"


def _up_to(length: int) -> str:
    return f":{length}"
