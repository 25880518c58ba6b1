"""Converts a worker's reply to an outcome; no other module reads the worker's format of outcomes."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from conformance.outcomes.model import (
    MOST_VALUES,
    Abstract,
    Error,
    Outcome,
    Raised,
    Returned,
    Unsupported,
    Warned,
)
from conformance.specification.dtypes import NAMES, numpy_dtype
from conformance.specification.literals import Tensor, frozen
from conformance.specification.numbers import elements

Reply = Mapping[str, Any]
Clean = Callable[[str], str]
"""Removes this machine's folders from a text."""


def tensor_of(array: np.ndarray[Any, Any], dtype: str) -> Tensor:
    """A worker's result as a tensor; for a dtype unknown to the suite, its bytes."""
    try:
        array = array.view(numpy_dtype(dtype))
    except TypeError:
        dtype = f"{dtype} (unknown to the suite)"
    return Tensor(dtype, frozen(array), None)


def outcome_of(reply: Reply, result: Tensor | None, clean: Clean = str) -> Outcome:
    """The outcome that a worker reports; ``result`` is the returned tensor, if any."""
    warnings = tuple(Warned(clean(entry["text"]), entry["count"]) for entry in reply.get("warnings", ()))
    if reply["status"] == "unsupported":
        return Unsupported(clean(reply["reason"]), warnings)
    changed, aliased, spilled = (tuple(reply.get(key, ())) for key in ("changed", "aliased", "spilled"))
    if reply["status"] == "raised":
        error, lost = _error(reply["error"], clean), bool(reply.get("lost"))
        return Raised(error, lost, changed, spilled, reply.get("in_place"), warnings)
    if result is None:
        return Abstract(reply["dtype"], tuple(reply["shape"]), warnings)
    return returned(result, changed, aliased, spilled, warnings)


def returned(
    result: Tensor,
    changed: tuple[str, ...] = (),
    aliased: tuple[str, ...] = (),
    spilled: tuple[str, ...] = (),
    warnings: tuple[Warned, ...] = (),
) -> Returned:
    """The outcome of a call that returned this result."""
    array = result.array
    if array.size <= MOST_VALUES and result.dtype in NAMES:
        identity, values = _digest_and_values(result.dtype, result.shape, array.tobytes())
    else:
        identity, values = digest(result), None
    return Returned(result.dtype, result.shape, identity, values, changed, aliased, spilled, warnings)


# cached since many APIs return the same small result
@lru_cache(maxsize=1024)
def _digest_and_values(dtype: str, shape: tuple[int, ...], data: bytes) -> tuple[str, Any]:
    array = np.frombuffer(data, numpy_dtype(dtype)).reshape(shape)
    return digest(Tensor(dtype, array, None)), elements(array)


def digest(value: Tensor) -> str:
    """A short hash of a tensor's dtype, shape and bytes."""
    text = f"{value.dtype} {list(value.shape)}\0".encode()
    return hashlib.sha256(text + np.ascontiguousarray(value.array).tobytes()).hexdigest()[:16]


def escaped(text: str) -> str:
    """The text with escapes for characters that UTF-8 cannot encode."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _error(error: Reply, clean: Clean) -> Error:
    # The author of an adapter needs the path of the faulty file.
    text = escaped if error.get("fault") == "adapter" else clean
    return Error(
        type=error["type"],
        message=text(error["message"]),
        module=error["module"],
        phase=error["phase"],
        bases=tuple(error["bases"]),
        fault=error.get("fault"),
    )
