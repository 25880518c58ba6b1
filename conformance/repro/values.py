"""Tensors as the users of a framework write them: several forms, the most natural first.

Which of them gives the very tensor, only the framework can tell; see ``conformance.repro.in_target``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from conformance.specification.literals import Tensor

_MOST_ALIKE, _MOST_WRITTEN = 8, 24
"""Elements up to which an array, all alike or counting up, is written out although a constructor gives it."""

Array = np.ndarray[Any, Any]


def forms(value: Tensor, constructors: Sequence[str], modules: Sequence[str]) -> list[str]:
    """Expressions that may give a tensor, most natural first: by the framework's constructors, then by NumPy."""
    return list(dict.fromkeys(_forms(value, constructors, modules)))


def _forms(value: Tensor, constructors: Sequence[str], modules: Sequence[str]) -> Iterator[str]:
    plain = _compact(value.array, "") or listed(value.array)
    in_numpy = numpy_form(value)
    for constructor in constructors:
        yield f"{constructor}({plain})"
    for constructor in constructors:
        for module in modules:
            yield f"{constructor}({plain}, dtype={module}.{value.dtype})"
            yield f"{constructor}({plain}, dtype={module}.{value.dtype}_)"
    for constructor in constructors:
        yield f"{constructor}({in_numpy})"
    yield plain if plain.startswith("np.") else f"np.array({plain})"
    yield in_numpy


def numpy_form(value: Tensor) -> str:
    """The array by NumPy, with its dtype; that of a dtype that NumPy lacks in float32."""
    dtype = "float32" if value.array.dtype.kind == "V" or value.dtype == "bfloat16" else value.dtype
    named = f"np.{dtype}" if dtype != "bool" else "bool"
    array = f"np.array({listed(value.array)}, dtype={named})"
    if value.array.size == 0:
        return f"np.zeros({_tuple(value.shape)}, dtype={named})"
    return _compact(value.array, f", dtype={named}") or array


def listed(array: Array) -> str:
    """Nested lists of an array's elements."""
    if array.ndim == 0:
        return _element(array[()])
    return "[" + ", ".join(listed(row) if array.ndim > 1 else _element(row) for row in array) + "]"


def _compact(array: Array, dtype: str) -> str | None:
    """A large array by a constructor, where one gives it."""
    if array.size <= _MOST_ALIKE:
        return None
    flat = array.reshape(-1)
    if array.dtype.kind == "f" and not np.isfinite(flat).all():
        return None
    shape = _tuple(array.shape)
    # by their bytes, as -0.0 equals 0.0
    if flat.tobytes() == flat[:1].tobytes() * flat.size:
        if not any(flat[:1].tobytes()):
            return f"np.zeros({shape}{dtype})"
        one = f"np.ones({shape}{dtype})"
        return one if flat[0] == 1 else f"np.full({shape}, {_element(flat[0])}{dtype})"
    if array.dtype.kind in "iuf" and array.size > _MOST_WRITTEN and (np.diff(flat) == 1).all():
        counted = f"np.arange({_element(flat[0])}, {_element(flat[-1] + 1)}{dtype})"
        return counted if array.ndim == 1 else f"{counted}.reshape{shape}"
    return None


def _tuple(shape: Sequence[int]) -> str:
    return repr(tuple(shape))


def _element(value: Any) -> str:
    kind = np.asarray(value).dtype.kind
    if kind in "biu":
        return repr(value.item())
    if kind == "c":
        return repr(complex(value))
    number = float(value)
    if not np.isfinite(number):
        return f"float('{number}')"
    # the shortest text that gives the same element back
    text = str(value)
    return text if "." in text or "e" in text else f"{text}.0"
