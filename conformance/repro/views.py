"""A tensor that is a view of a larger buffer, built in a script by plain NumPy as the worker builds it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from conformance.repro.errors import NoScript
from conformance.repro.values import numpy_form
from conformance.specification.literals import Tensor
from conformance.worker.views import FILLER, build


@dataclass(frozen=True)
class View:
    """Statements that build a view, the variable that holds it, and that of the buffer."""

    lines: tuple[str, ...]
    variable: str
    buffer: str
    held: Tensor
    """The buffer's elements before the call."""


def view_of(name: str, value: Tensor) -> View | None:
    """How a script builds an argument that is a view; None for one that is none. NoScript where NumPy lacks its dtype."""
    if value.view is None:
        return None
    if value.dtype == "bfloat16":
        raise NoScript("its bfloat16 view cannot be written down: NumPy has no such dtype")
    buffer, view = f"{name}_buffer", f"{name}_view"
    base = build(value.array, value.view).base
    assert base is not None, "a view has a buffer"
    held = Tensor(value.dtype, base, None)
    if value.view in ("transposed", "expanded"):
        # Every element of the buffer is one of the view.
        lines = [f"{buffer} = {numpy_form(held)}", f"{view} = {_taken(value, base, buffer)}"]
    else:
        lines = [f"{buffer} = {_filled(base)}", f"{view} = {_taken(value, base, buffer)}"]
        lines += [f"{view}[...] = {numpy_form(value)}"] if value.array.size else []
    return View(tuple(lines), view, buffer, held)


def _filled(base: np.ndarray) -> str:
    filler = bool(FILLER) if base.dtype == bool else FILLER
    return f"np.full({base.shape!r}, {filler!r}, dtype={'bool' if base.dtype == bool else f'np.{base.dtype.name}'})"


def _taken(value: Tensor, base: np.ndarray, buffer: str) -> str:
    if value.view == "transposed":
        return f"{buffer}.T"
    if value.view == "expanded":
        strides = tuple(
            0 if held != length else step
            for held, length, step in zip(base.shape, value.shape, base.strides, strict=True)
        )
        return f"np.lib.stride_tricks.as_strided({buffer}, {value.shape!r}, {strides!r})"
    parts = {"strided": ["::2"] * value.rank, "offset": ["1:-1"] * value.rank}
    return f"{buffer}[{', '.join(parts.get(str(value.view)) or map(_up_to, value.shape))}]"


def _up_to(length: int) -> str:
    return f":{length}"
