"""Expressions for arguments: several forms of a tensor, the most natural first.

Only the framework can evaluate them to find one that gives the same tensor; see ``conformance.repro.in_target``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from conformance.specification.literals import Tensor
from conformance.worker.arrays import BITS_OF

_CONSTRUCTORS = ("tensor", "constant", "array", "asarray", "Tensor")
"""Names of functions that create a tensor from nested lists, across frameworks."""
_MOST_EQUAL, _MOST_COUNTING = 8, 24
"""Arrays with up to this many equal, or consecutive, elements are written out even if a constructor could create them."""

Array = np.ndarray[Any, Any]


def forms(value: Tensor, modules: Sequence[str]) -> Iterator[str]:
    """Expressions that may evaluate to a tensor, from the framework's modules, the most natural first."""
    plain = _compact(value.array, "") or listed(value.array)
    constructors = [f"{module}.{name}" for name in _CONSTRUCTORS for module in modules]
    dtypes = [f"{module}.{value.dtype}{end}" for module in modules for end in ("", "_")]
    for constructor in constructors:
        yield f"{constructor}({plain})"
        yield from (f"{constructor}({plain}, dtype={dtype})" for dtype in dtypes)
    yield from (f"{constructor}({numpy_form(value)})" for constructor in constructors)


def numpy_form(value: Tensor) -> str:
    """A NumPy expression for the array, with its dtype; of a dtype that NumPy lacks, such as bfloat16, for its bits."""
    if value.dtype in BITS_OF:
        bits = BITS_OF[value.dtype]
        return numpy_form(Tensor(bits, value.array.view(bits), None))
    dtype = "bool" if value.dtype == "bool" else f"np.{value.dtype}"
    if value.array.size == 0:
        return f"np.zeros({value.shape!r}, dtype={dtype})"
    return _compact(value.array, f", dtype={dtype}") or f"np.array({listed(value.array)}, dtype={dtype})"


def plain_form(value: object) -> str:
    """An expression for an argument that is not a tensor."""
    return _element(value) if isinstance(value, float) else repr(value)


def listed(array: Array) -> str:
    """The array's elements as nested lists."""
    if array.ndim == 0:
        return _element(array[()])
    return "[" + ", ".join(listed(row) if array.ndim > 1 else _element(row) for row in array) + "]"


def _compact(array: Array, dtype: str) -> str | None:
    """An expression with a constructor for a large array; None if there is none."""
    if array.size <= _MOST_EQUAL:
        return None
    flat = array.reshape(-1)
    if array.dtype.kind == "f" and not np.isfinite(flat).all():
        return None
    shape = repr(array.shape)
    # by bytes, since -0.0 equals 0.0
    if flat.tobytes() == flat[:1].tobytes() * flat.size:
        if not any(flat[:1].tobytes()):
            return f"np.zeros({shape}{dtype})"
        return f"np.ones({shape}{dtype})" if flat[0] == 1 else f"np.full({shape}, {_element(flat[0])}{dtype})"
    if array.dtype.kind in "iuf" and array.size > _MOST_COUNTING and (np.diff(flat) == 1).all():
        counted = f"np.arange({_element(flat[0])}, {_element(flat[-1] + 1)}{dtype})"
        return counted if array.ndim == 1 else f"{counted}.reshape{shape}"
    return None


def _element(value: Any) -> str:
    kind = np.asarray(value).dtype.kind
    if kind in "biu":
        return repr(np.asarray(value).item())
    if kind == "c":
        return repr(complex(value))
    number = float(value)
    if not np.isfinite(number):
        return f"float('{number}')"
    # str gives the shortest text for the same element
    text = str(value)
    return text if "." in text or "e" in text else f"{text}.0"
