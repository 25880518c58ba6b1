"""Gathers wrongly from the second call of a process on; after that, a first call is wrong if another process calls it too."""

from __future__ import annotations

import os
import time
from pathlib import Path

import numpy as np

from conformance.adapter import api

FOLDER = Path(__file__).parent
DIVERGED = FOLDER / "diverged"
PATIENCE = 20.0
"""Seconds to wait for the call of another process."""
_calls = []


def _meets_another() -> bool:
    """Whether another process calls it within the time."""
    (FOLDER / f"called.{os.getpid()}").touch()
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if len(list(FOLDER.glob("called.*"))) > 1:
            return True
        time.sleep(0.01)
    return False


@api("fake.sociable", operation="gather_elements")
def gather(input, dim, index):
    if index.min(initial=0) < 0 or index.max(initial=0) >= input.shape[dim]:
        raise IndexError("index out of range")
    _calls.append(None)
    if len(_calls) > 1:
        DIVERGED.touch()
    is_wrong = len(_calls) > 1 or (DIVERGED.exists() and _meets_another())
    inside = tuple(slice(None) if axis == dim else slice(length) for axis, length in enumerate(index.shape))
    return np.take_along_axis(input[inside], index, dim) + is_wrong
