"""Several results of a program, which are compared as one: what each of them is, and in which of them an element lies."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from conformance.judging.vocabulary import Divergence
from conformance.outcomes.model import Part

Place = tuple[str, tuple[int, ...]]
"""The name of a result, and an index into it."""


def differing_parts(expected: Sequence[Part], got: Sequence[Part]) -> Iterator[tuple[Divergence, str]]:
    """In which dtypes and shapes the results of a program differ from the expected ones, with sentences."""
    if len(expected) != len(got):
        yield "shape", f"expected {_counted(expected)}, got {_counted(got)}"
        return
    for due, is_ in zip(expected, got, strict=True):
        if due.dtype != is_.dtype:
            yield "dtype", f"expected dtype {due.dtype} in {due.name}, got {is_.dtype}"
        if due.shape != is_.shape:
            yield "shape", f"expected shape {list(due.shape)} in {due.name}, got {list(is_.shape)}"


def place_of(parts: Sequence[Part], position: int) -> Place:
    """Where an element of the joined results lies."""
    for part in parts:
        size = math.prod(part.shape)
        if position < size:
            return part.name, tuple(map(int, np.unravel_index(position, part.shape)))
        position -= size
    raise IndexError(position)


def _counted(parts: Sequence[Part]) -> str:
    return f"{max(len(parts), 1)} result{'s' if len(parts) > 1 else ''}"
