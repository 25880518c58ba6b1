"""The elements of a result: read, combined and compared in the simplest way that works."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from conformance.specification.literals import argument
from tests.findings.naive.records import Json

WRITES: dict[str, Callable[[Any, Any], Any]] = {
    "adds": lambda old, new: old + new if old.dtype != bool else old | new,
    "multiplies": lambda old, new: old * new if old.dtype != bool else old & new,
    "keeps-last": lambda _, new: new,
    "keeps-largest": np.maximum,
    "keeps-smallest": np.minimum,
}
"""Word to what becomes of an element and the one that is written to its place."""


def array_of(outcome: Json) -> Any:
    """The result of a call whose elements are recorded."""
    numbers = _numbers(outcome["values"], outcome["dtype"])
    return argument({outcome["dtype"]: numbers}).array.reshape(outcome["shape"])  # type: ignore[union-attr]


def _numbers(values: Any, dtype: str) -> Any:
    if isinstance(values, list):
        return [_numbers(value, dtype) for value in values]
    if isinstance(values, str):
        return int(values) if "int" in dtype else complex(values) if "complex" in dtype else float(values)
    return values


def is_close(expected: Any, actual: Any) -> bool:
    if np.asarray(actual).dtype.kind in "biu":
        return bool(expected == actual)
    return bool(np.isclose(complex(expected), complex(actual), rtol=1e-2, atol=0, equal_nan=True))
