"""Encode the arguments of a call: tensors as bytes, everything else in the header, keys as lists of items."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.worker import arrays
from conformance.worker.keys import Key, from_items, to_items

Arguments = dict[str, Any]
"""Argument name to an ``arrays.Tensor``, a ``Key``, a tuple, a list, or a plain scalar, string or None."""


def is_tensor(value: Any) -> bool:
    return isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], np.ndarray)


def encode(arguments: Arguments) -> tuple[list[dict[str, Any]], list[bytes]]:
    """Return the entries for the header and the bytes of the tensors, in order."""
    entries: list[dict[str, Any]] = []
    parts: list[bytes] = []
    for name, value in arguments.items():
        if is_tensor(value):
            entry, part = arrays.pack(value)
            entries.append({"name": name, "is": "tensor", **entry})
            parts.append(part)
        elif isinstance(value, Key):
            entries.append({"name": name, "is": "key", "items": to_items(value), "alone": value.is_alone})
        elif isinstance(value, tuple):
            entries.append({"name": name, "is": "tuple", "value": list(value)})
        else:
            entries.append({"name": name, "is": "value", "value": value})
    return entries, parts


def decode(entries: list[dict[str, Any]], body: bytes) -> Arguments:
    """Return the arguments; their arrays are read-only views of the body."""
    arguments: Arguments = {}
    offset = 0
    for entry in entries:
        kind = entry["is"]
        if kind == "tensor":
            tensor = arrays.from_bytes(entry, body, offset)
            arguments[entry["name"]] = tensor
            offset += arrays.size_of(entry)
        elif kind == "key":
            arguments[entry["name"]] = from_items(entry["items"], is_alone=entry["alone"])
        else:
            arguments[entry["name"]] = tuple(entry["value"]) if kind == "tuple" else entry["value"]
    return arguments
