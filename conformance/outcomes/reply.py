"""Converts a worker's reply to an observation; no other module reads the worker's format of outcomes.

The adapter runs in the worker's process, so a reply may contain anything; each part is checked.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Literal, TypeVar

import numpy as np

from conformance.outcomes.bits import is_large
from conformance.outcomes.model import (
    MOST_VALUES,
    Abstract,
    Error,
    NotExported,
    Outcome,
    Outside,
    Part,
    Raised,
    Returned,
    Unsupported,
    Warned,
)
from conformance.specification.dtypes import NAMES, numpy_dtype
from conformance.specification.literals import Tensor, frozen
from conformance.specification.numbers import elements
from conformance.worker import arrays, frames

Reply = Mapping[str, Any]
Clean = Callable[[str], str]
"""Removes this machine's folders from a text."""

_NUMBERS = {
    *arrays.BITS_OF,
    *(np.dtype(kind).name for kind in {*np.sctypeDict.values()} if np.dtype(kind).kind in arrays.KINDS),
}
"""The names of all dtypes of numbers, also of those that no spec has."""

MOST_TEXT = 10_000
"""Characters of a text to keep."""
MOST_AXES = 64

Value = TypeVar("Value")


class InvalidReply(ValueError):
    """A reply that is not one of a worker; the message says which part is wrong."""


def without_duration(body: bytes) -> tuple[bytes, float]:
    """The bytes of a result and the duration of the call, in seconds, from the body of a reply; InvalidReply if it has none."""
    end = len(body) - frames.SECONDS.size
    if end < 0:
        raise InvalidReply("no duration")
    seconds: float = frames.SECONDS.unpack_from(body, end)[0]
    if not math.isfinite(seconds):
        raise InvalidReply("the duration is not finite")
    return body[:end], seconds


def outcome_and_result(reply: Reply, body: bytes, clean: Clean) -> tuple[Outcome, Tensor | None]:
    """What a worker replies to a call, without its duration; InvalidReply for anything else."""
    if reply.get("type") != "outcome":
        raise InvalidReply(f"a reply of type {reply.get('type')!r:.40} to a call")
    outcome = _field(reply, "outcome", dict)
    result = _result(reply["result"], body) if "result" in reply else None
    return outcome_of(outcome, result, clean), result


def forward_of(reply: Reply) -> Tensor | None:
    """The result of the call itself, where a transform of it was computed; None for other calls. InvalidReply as above."""
    entry = reply["outcome"].get("forward")
    if entry is None:
        return None
    try:
        return _result(entry, bytes.fromhex(_field(entry, "bits", str)))
    except (ValueError, TypeError) as error:
        raise InvalidReply(f"forward: {error}") from None


def _result(entry: Any, body: bytes) -> Tensor:
    dtype, shape = _field(entry, "dtype", str), [*_lengths(entry)]
    if dtype not in _NUMBERS:
        raise InvalidReply(f"{dtype!r:.100} is not a dtype of numbers")
    if "elements" in entry and _field(entry, "elements", int) < 0:
        raise InvalidReply("elements is negative")
    try:
        size = arrays.size_of(entry)
        if size != len(body):
            raise InvalidReply(f"{len(body)} bytes instead of the {size} of {dtype}{shape}")
        return tensor_of(*arrays.from_bytes(entry, body, 0))
    except IndexError as error:
        raise InvalidReply(f"an element outside {shape}: {error}") from None
    except ValueError as error:
        raise InvalidReply(str(error)) from None


def _field(reply: Any, name: str, kind: type[Value], default: Value | None = None) -> Value:
    value = reply.get(name, default) if isinstance(reply, dict) else None
    if type(value) is not kind:
        raise InvalidReply(f"{name} is {type(value).__name__} instead of {kind.__name__}")
    return value


def _text(reply: Any, name: str) -> str:
    return _field(reply, name, str)[:MOST_TEXT]


def parts_of(reply: Reply) -> tuple[Part, ...]:
    """The results of a program that are joined in one; InvalidReply for anything else."""
    if "parts" not in reply:
        return ()
    parts = []
    for entry in _field(reply, "parts", list):
        parts.append(Part(escaped(_text(entry, "name")), _text(entry, "dtype"), _lengths(entry)))
    return tuple(parts)


def _lengths(entry: Any) -> tuple[int, ...]:
    shape = _field(entry, "shape", list)
    if len(shape) > MOST_AXES or not all(type(length) is int and length >= 0 for length in shape):
        raise InvalidReply("shape is not a list of lengths")
    return tuple(shape)


def _names(reply: Reply, name: str) -> tuple[str, ...]:
    if name not in reply or reply[name] == []:
        return ()
    names = _field(reply, name, list)
    if not all(type(text) is str for text in names):
        raise InvalidReply(f"{name} is not a list of texts")
    return tuple(names)


def _outside(reply: Reply) -> tuple[Outside, ...]:
    """What a call wrote or read next to its arguments."""
    if "outside" not in reply:
        return ()
    return tuple(
        Outside(
            _optional(entry, "argument"),
            _word(entry, "access", ("wrote", "read", "unwritten", "freed", "overlap")),
            None if entry.get("distance") is None else _field(entry, "distance", int),
            None if entry.get("size") is None else _field(entry, "size", int),
            _optional(entry, "place"),
            _optional(entry, "function"),
            "memcheck" if _word(entry, "by", (None, "memcheck")) else "guards",
        )
        for entry in _field(reply, "outside", list)
    )


def _optional(entry: Any, name: str) -> str | None:
    return None if not isinstance(entry, dict) or entry.get(name) is None else escaped(_text(entry, name))


def tensor_of(array: np.ndarray[Any, Any], dtype: str) -> Tensor:
    """A worker's result as a tensor; for a dtype unknown to the suite, its bytes."""
    try:
        array = array.view(numpy_dtype(dtype))
    except TypeError:
        dtype = f"{dtype} (unknown to the suite)"
    return Tensor(dtype, frozen(array), None)


def outcome_of(reply: Reply, result: Tensor | None, clean: Clean = str) -> Outcome:
    """The outcome that a worker reports; ``result`` is the returned tensor, if any. InvalidReply for anything else."""
    warnings = _warnings(reply, clean) if "warnings" in reply else ()
    status = reply.get("status")
    if status == "unsupported":
        return Unsupported(clean(_text(reply, "reason")), warnings)
    if status == "not-exported":
        return NotExported(clean(_text(reply, "reason")), warnings)
    changed, aliased = (_names(reply, key) for key in ("changed", "aliased"))
    outside = _outside(reply)
    if status == "raised":
        error, lost = _error(reply.get("error"), clean), _field(reply, "lost", bool, default=False)
        in_place: Literal["unchanged", "written"] | None = _word(reply, "in_place", (None, "unchanged", "written"))
        return Raised(error, lost, changed, outside, in_place, warnings)
    if status != "returned":
        raise InvalidReply(f"status {status!r:.40}")
    if result is not None:
        return returned(result, changed, aliased, outside, warnings, parts_of(reply))
    shape = _field(reply, "shape", list)
    if not all(type(length) is int for length in shape):
        raise InvalidReply("shape is not a list of lengths")
    return Abstract(_text(reply, "dtype"), tuple(shape), warnings)


def _warnings(reply: Reply, clean: Clean) -> tuple[Warned, ...]:
    entries = _field(reply, "warnings", list)
    return tuple(Warned(clean(_text(entry, "text")), _field(entry, "count", int)) for entry in entries)


def returned(
    result: Tensor,
    changed: tuple[str, ...] = (),
    aliased: tuple[str, ...] = (),
    outside: tuple[Outside, ...] = (),
    warnings: tuple[Warned, ...] = (),
    parts: tuple[Part, ...] = (),
) -> Returned:
    """The outcome of a call that returned this result."""
    array = result.array
    if array.size <= MOST_VALUES and result.dtype in NAMES:
        identity, values = _digest_and_values(result.dtype, result.shape, array.tobytes())
    else:
        identity, values = digest(result), None
    return Returned(result.dtype, result.shape, identity, values, changed, aliased, outside, warnings, parts)


# cached since many APIs return the same small result
@lru_cache(maxsize=1024)
def _digest_and_values(dtype: str, shape: tuple[int, ...], data: bytes) -> tuple[str, Any]:
    array = np.frombuffer(data, numpy_dtype(dtype)).reshape(shape)
    return digest(Tensor(dtype, array, None)), elements(array)


def digest(value: Tensor) -> str:
    """A short hash of a tensor's dtype, shape and bytes; of a large one, of its elements that are not zero."""
    text = f"{value.dtype} {list(value.shape)}\0".encode()
    is_dense = not is_large(value.array)
    data = np.ascontiguousarray(value.array).tobytes() if is_dense else arrays.pack((value.array, value.dtype))[1]
    return hashlib.sha256(text + data).hexdigest()[:16]


def escaped(text: str) -> str:
    """The text with escapes for characters that UTF-8 cannot encode."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _error(error: Any, clean: Clean) -> Error:
    fault: Literal["adapter"] | None = _word(error, "fault", (None, "adapter"))
    # The author of an adapter needs the path of the faulty file.
    text = escaped if fault == "adapter" else clean
    return Error(
        type=escaped(_text(error, "type")),
        message=text(_text(error, "message")),
        module=escaped(_text(error, "module")),
        phase=_word(error, "phase", ("arguments", "call", "result", "forward")),
        bases=_names(error, "bases"),
        fault=fault,
        by=clean(_text(error, "by")) if "by" in error else None,
    )


def _word(reply: Any, name: str, words: tuple[str | None, ...]) -> Any:
    word = reply.get(name) if isinstance(reply, dict) else ""
    if word not in words:
        raise InvalidReply(f"{name} is {word!r:.40}; expected one of {words}")
    return word
