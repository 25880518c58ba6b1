"""Gathers correctly, but replies with garbage if the input contains a 13; each API with garbage of its own."""

from __future__ import annotations

import json
import struct
from functools import partial

import numpy as np

from conformance.adapter import Abstract, api
from conformance.worker import frames

RAISED = {"status": "raised", "error": {"type": "E", "message": "", "module": "", "phase": "call", "bases": []}}
HEADERS = {
    "list": b"[]",
    "number": b"5",
    "empty": b"",
    "no-json": b"{'type': 'outcome'}",
    "nested": b"[" * 200_000,
    "no-type": b"{}",
    "other-type": b'{"type":"ready"}',
    "no-outcome": b'{"type":"outcome"}',
    "outcome-is-text": b'{"type":"outcome","outcome":"returned"}',
    "no-status": b'{"type":"outcome","outcome":{}}',
    "unknown-status": b'{"type":"outcome","outcome":{"status":"vanished"}}',
    "status-is-list": b'{"type":"outcome","outcome":{"status":["returned"]}}',
    "no-error": b'{"type":"outcome","outcome":{"status":"raised"}}',
    "error-is-text": b'{"type":"outcome","outcome":{"status":"raised","error":"E"}}',
    "no-reason": b'{"type":"outcome","outcome":{"status":"unsupported"}}',
    "no-result": b'{"type":"outcome","outcome":{"status":"returned"}}',
    "reason-is-number": b'{"type":"outcome","outcome":{"status":"unsupported","reason":5}}',
    "warnings-are-text": b'{"type":"outcome","outcome":{"status":"unsupported","reason":"","warnings":"w"}}',
    "changed-is-text": json.dumps({"type": "outcome", "outcome": {**RAISED, "changed": "input"}}).encode(),
    "lost-is-number": json.dumps({"type": "outcome", "outcome": {**RAISED, "lost": 1}}).encode(),
}
"""The header that each API sends in place of its own."""

RESULTS = {
    "short-body": {"dtype": "int64", "shape": [1000]},
    "long-body": {"dtype": "int64", "shape": [0]},
    "huge-shape": {"dtype": "int64", "shape": [2**62, 2**62]},
    "negative-shape": {"dtype": "int64", "shape": [-1]},
    "shape-of-fractions": {"dtype": "int64", "shape": [0.5]},
    "shape-is-text": {"dtype": "int64", "shape": "3"},
    "many-axes": {"dtype": "int64", "shape": [1] * 100},
    "object": {"dtype": "object", "shape": [1]},
    "void": {"dtype": "V8", "shape": [1]},
    "text": {"dtype": "<U1", "shape": [1]},
    "fields": {"dtype": "i4,i4", "shape": [1]},
    "no-dtype": {"dtype": "tensor", "shape": [1]},
    "code": {"dtype": "__import__('os')", "shape": [1]},
}
"""What each API says of its result in place of the truth."""

ARRAYS = {
    "objects": lambda: np.array([object()], dtype=object),
    "structured": lambda: np.zeros(1, dtype=[("a", "i4")]),
    "strings": lambda: np.array(["a"]),
    "bytes": lambda: np.array([b"a"]),
    "voids": lambda: np.zeros(1, dtype="V4"),
    "dates": lambda: np.zeros(1, dtype="M8[s]"),
    "wrong-name": lambda: (np.zeros(1, np.float32), "int32"),
    "unknown-name": lambda: (np.zeros(1, np.float32), "tensor"),
    "shape-of-words": lambda: Abstract(("a",), "int32"),
}
"""What each API returns in place of an array of numbers."""

BODIES = {
    "no-duration": b"",
    "half-a-duration": b"\0" * 4,
    "duration-is-nan": struct.pack("<d", float("nan")),
}
"""The body that each API sends in place of its own."""

_frame = frames.frame
_faults = []
"""The name of the API that was called, if it is faulty."""


def _garbled(number, header, body):
    name = _faults.pop() if _faults else None
    if name in HEADERS:
        return _frame(number, HEADERS[name], struct.pack("<d", 0.0))
    if name in RESULTS:
        return _frame(number, json.dumps({**json.loads(header), "result": RESULTS[name]}).encode(), body)
    return _frame(number, header, BODIES.get(name, body))


frames.frame = _garbled


def describe():
    return {"framework": "fake", "version": "1.0"}


def _gather(input, dim, index):
    if index.min(initial=0) < 0 or index.max(initial=0) >= input.shape[dim]:
        raise IndexError("index out of range")
    inside = tuple(slice(None) if axis == dim else slice(length) for axis, length in enumerate(index.shape))
    return np.take_along_axis(input[inside], index, dim)


def _faulty(name):
    def gather(input, dim, index):
        if 13 in input:
            _faults.append(name)
            if name in ARRAYS:
                return ARRAYS[name]()
        return _gather(input, dim, index)

    return api(f"garbage.{name}", operation="gather_elements")(gather)


class Speechless(Exception):
    def __str__(self):
        raise RuntimeError("no words")


@api("garbage.speechless", operation="gather_elements")
def speechless(input, dim, index):
    if 13 in input:
        raise Speechless
    return _gather(input, dim, index)


for _name in [*HEADERS, *RESULTS, *BODIES, *ARRAYS]:
    globals()[f"faulty {_name}"] = _faulty(_name)
    # between the others, since a target is given up if several workers in a row end
    globals()[f"right {_name}"] = api(f"right.{_name}", operation="gather_elements")(partial(_gather))
