"""Try an adapter's conversions: what ``to_native`` makes of an array, ``to_numpy`` must give back bit by bit.

An array that does not come back would be reported as the framework's divergence, although the adapter changed it.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Mapping
from typing import Any, Optional

import numpy as np

from conformance.adapter import Abstract
from conformance.worker import views
from conformance.worker.arrays import BITS_OF, Tensor, carrier

DTYPES = (
    *("float32", "int64", "int32", "float64", "bool", "int8", "int16", "uint8", "uint16", "uint32", "uint64"),
    *("float16", "bfloat16", "complex64", "complex128"),
)
"""The dtypes of the suite, the usual ones first."""
ORDINARY, EMPTY = "ordinary", "empty"
"""Kinds of arrays, besides the kinds of views."""

ToNative = Callable[[Any, str], Any]
ToHost = Callable[[Any], Any]


class Conversions:
    """The conversions of an adapter, each tried once for a dtype and a kind of array."""

    def __init__(self, to_native: ToNative, to_host: ToHost) -> None:
        """to_host: ``to_numpy``, whose result is an ``arrays.Tensor`` or an Abstract."""
        self._to_native = to_native
        self._to_host = to_host
        self._problems: dict[tuple[str, str], Optional[str]] = {}

    def problem(self, tensor: Tensor, view: Optional[str]) -> Optional[str]:
        """Why tensors like this one cannot be tested; None if they can, or if the framework has none."""
        key = tensor[1], view or (EMPTY if tensor[0].size == 0 else ORDINARY)
        if key not in self._problems:
            self._problems[key] = self._tried(*key)
        return self._problems[key]

    def problems(self) -> dict[str, str]:
        """By dtype, why ordinary tensors cannot be tested."""
        tried = {dtype: self.problem((_probe(dtype, ORDINARY), dtype), None) for dtype in DTYPES}
        return {dtype: problem for dtype, problem in tried.items() if problem is not None}

    def adopt(self, problems: Mapping[str, str]) -> None:
        """Take over what ``problems`` returned in another process, instead of trying this again."""
        self._problems.update({(dtype, ORDINARY): problems.get(dtype) for dtype in DTYPES})

    def common_failure(self) -> Optional[str]:
        """The traceback of the adapter if no dtype can be converted, all for the same reason; otherwise None."""
        failures: dict[str, str] = {}
        for dtype in DTYPES:
            try:
                self._to_host(self._to_native(_probe(dtype, ORDINARY), dtype))
            except Exception as error:
                failures.setdefault(type(error).__name__, _trace(error))
            else:
                return None
        return next(iter(failures.values())) if len(failures) == 1 else None

    def _tried(self, dtype: str, kind: str) -> Optional[str]:
        array = _as_kind(_probe(dtype, kind), kind)
        before = array.copy()
        try:
            native = self._to_native(array, dtype)
        except Exception:
            return None  # the call says that the framework has no such tensor
        what = f"the adapter's to_numpy(to_native(x)) of {_words(dtype, kind)}"
        try:
            host = self._to_host(native)
        except Exception as error:
            return f"{what} raises {type(error).__name__}: {str(error)[:500]}"
        if isinstance(host, Abstract):
            return None
        difference = _difference((before, dtype), host)
        return difference and f"{what} {difference}"


def _words(dtype: str, kind: str) -> str:
    if kind == ORDINARY:
        return f"a {dtype} tensor" if dtype[0] not in "iu" else f"an {dtype} tensor"
    return f"an empty {dtype} tensor" if kind == EMPTY else f"a {kind} view of {dtype}"


def _difference(before: Tensor, after: Tensor) -> Optional[str]:
    if after[1] != before[1]:
        return f"has dtype {after[1]}"
    if after[0].shape != before[0].shape:
        return f"has shape {list(after[0].shape)} instead of {list(before[0].shape)}"
    if after[0].tobytes() != before[0].tobytes():
        return "has other elements"
    return None


def _probe(dtype: str, kind: str) -> np.ndarray:
    """Different elements that need all bits of the dtype; for a dtype that NumPy lacks, bits of such elements."""
    shape = (0, 3) if kind == EMPTY else (2, 3)
    if dtype in BITS_OF:
        return np.arange(0x3F81, 0x3F87, dtype=carrier(dtype))[: int(np.prod(shape))].reshape(shape)
    kinds = np.dtype(dtype).kind
    if kinds in "iu":
        values: Any = np.iinfo(dtype).max - np.arange(6, dtype=np.uint64)
    elif kinds == "b":
        values = np.array([True, False, True, True, False, False])
    else:
        values = 1 / np.arange(3, 9, dtype=np.float64) + (1j if kinds == "c" else 0)
    array: np.ndarray = values.astype(dtype)[: int(np.prod(shape))].reshape(shape)
    return array


def _as_kind(array: np.ndarray, kind: str) -> np.ndarray:
    if kind in (ORDINARY, EMPTY):
        return array.copy()
    return views.build(array, kind).array


def _trace(error: Exception) -> str:
    return "".join(traceback.format_exception(type(error), error, error.__traceback__)[-6:])
