"""Two APIs of one worker: the first, right in each call, has sent a reply that no request asked for; the second is wrong.

What sends it is STRAY: a child that returns from a fork, a thread, or a library that writes the same reply twice.
"""

from __future__ import annotations

import os
import sys
import threading

import numpy as np

from conformance.adapter import api
from conformance.worker import frames

STRAY = "fork"
_written = []
"""What the worker wrote last, once it replied to a call."""
_has_written = threading.Event()
_stray = []
"""The thread that sends something stray, until the next reply."""
_pending = []
"""Is not empty if something stray is still to be sent."""


def describe():
    return {"framework": "stray", "version": "1.0"}


_frame = frames.frame


def _recorded(*parts):
    reply = _frame(*parts)
    if b'"outcome"' in reply:
        if _written and _stray:
            _stray.pop().join()  # so that it has been sent before the next reply, however busy the machine is
        _written[:] = [reply]
        _has_written.set()
        if STRAY == "twice" and _pending:
            _pending.clear()
            return reply + reply
    return reply


frames.frame = _recorded


def _write_to_pipes():
    """Write the last reply, once there is one, to whatever the process has open for writing beside standard streams."""
    _has_written.wait()
    for descriptor in range(3, 16):
        try:
            os.write(descriptor, _written[0])
        except OSError:
            continue


def _gather(input, dim, index):
    if index.min(initial=0) < 0 or index.max(initial=0) >= input.shape[dim]:
        raise IndexError("index out of range")
    inside = tuple(slice(None) if axis == dim else slice(length) for axis, length in enumerate(index.shape))
    return np.take_along_axis(input[inside], index, dim)


@api("stray.right", operation="gather_elements")
def right(input, dim, index):
    if not getattr(right, "is_called", False):
        right.is_called = True
        if STRAY == "fork":
            sys.stdout.flush()
            os.fork()
        elif STRAY == "thread":
            _stray.append(threading.Thread(target=_write_to_pipes, daemon=True))
            _stray[0].start()
        else:
            _pending.append(STRAY)
    return _gather(input, dim, index)


@api("stray.zeros", operation="gather_elements")
def zeros(input, dim, index):
    return np.zeros_like(_gather(input, dim, index))
