"""Gathers correctly under several names; with ``FAULTS``, some of a thousand calls end their process, hang or reply garbage."""

from __future__ import annotations

import os
import struct
import time
import zlib
from collections.abc import Sequence
from functools import partial

import numpy as np

from conformance.adapter import api
from conformance.worker import frames

FAULTS = ()
"""The faults of the calls with the first numbers of a thousand."""
DEATHS = ("died",) * 10
"""One call of a hundred ends its process."""
ALL_FAULTS = (*DEATHS, "hung", "garbled")
"""And one of a thousand hangs, and one replies garbage."""

_frame = frames.frame
_garbled: list[str] = []
"""Is not empty if the next reply is garbage."""


def fault_of(name: str, input: np.ndarray, index: np.ndarray, faults: Sequence[str]) -> str | None:
    """What happens to a call, by its arguments; None for nothing."""
    number = zlib.crc32(name.encode() + input.tobytes() + index.tobytes()) % 1000
    return faults[number] if number < len(faults) else None


def _reply(number: int, header: bytes, body: bytes) -> bytes:
    return _frame(number, b"[]", struct.pack("<d", 0.0)) if _garbled else _frame(number, header, body)


frames.frame = _reply


def describe() -> dict[str, str]:
    return {"framework": "toy", "version": "1.0"}


def gather(name: str, input: np.ndarray, dim: int, index: np.ndarray) -> np.ndarray:
    fault = fault_of(name, input, index, FAULTS)
    if fault == "died":
        os.abort()
    if fault == "hung":
        time.sleep(3600)
    if fault == "garbled":
        _garbled.append(name)
    inside = tuple(
        slice(0, index.shape[axis]) if axis != dim % input.ndim else slice(None) for axis in range(input.ndim)
    )
    return np.take_along_axis(input[inside], index, dim)


for _name in ("first", "second", "third", "fourth", "fifth"):
    globals()[_name] = api(f"toy.{_name}", operation="gather_elements")(partial(gather, _name))
