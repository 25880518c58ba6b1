"""Builds views of larger buffers in a script with plain NumPy, as the worker does."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from conformance.repro.errors import NoScript
from conformance.repro.values import numpy_form
from conformance.specification.literals import Tensor
from conformance.worker.arrays import BITS_OF
from conformance.worker.views import FILLER, build


@dataclass(frozen=True)
class View:
    """Statements that build a view, and the variables of the view and its buffer."""

    lines: tuple[str, ...]
    variable: str
    buffer: str
    content: Tensor
    """The buffer's elements before the call."""


def view_of(name: str, value: Tensor) -> View | None:
    """How a script builds an argument that is a view; None if it is not one. NoScript if NumPy lacks its dtype."""
    if value.view is None:
        return None
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
