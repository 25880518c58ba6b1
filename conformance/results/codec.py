"""The JSON of frozen dataclasses from their fields: of the records of results files, and of what commands print with ``--json``.

What is written is what ``json`` writes. Records are written by msgspec, in a third of the time, without the parts in which
the two may differ: msgspec writes 0.00001 for 1e-05, and null for a number that is not finite.
"""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Callable, Sequence
from functools import cache
from operator import attrgetter
from types import NoneType, UnionType
from typing import Any, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

import msgspec

from conformance.outcomes.model import Returned
from conformance.results.literals import Packed
from conformance.results.variations import IF_ANY


def encoded(value: Any) -> str:
    """A dataclass, a list or dict of them, or a part of one, as JSON on one line; ValueError for a number that is not finite."""
    if dataclasses.is_dataclass(value):
        try:
            return _object(value).decode()
        except UnicodeEncodeError:
            pass  # half of a surrogate pair
    return _JSON.encode(value)


def _as_json(value: Any) -> dict[str, Any]:
    """A dataclass as a JSON object whose values may be dataclasses; sparse fields are omitted if they have their default."""
    if isinstance(value, Packed):
        return dict(value)
    kind: Any = type(value)
    contents: dict[str, Any] = {}
    for name, default in _fields(kind):
        content = getattr(value, name)
        if content is not default and (content != default or type(content) is not type(default)):
            contents[name] = content
    return contents


_ALWAYS = object()
"""In place of the default of a field that is not sparse."""


@cache
def _fields(kind: Any) -> list[tuple[str, Any]]:
    """The names of the fields; with the default of those that are omitted if they have it, as all of outcomes."""
    is_outcome = kind.__module__ == Returned.__module__
    fields = []
    for item in dataclasses.fields(kind):
        default = _ALWAYS
        if item.metadata == IF_ANY or (is_outcome and item.name not in ("status", "abstract")):
            default = item.default if item.default_factory is dataclasses.MISSING else item.default_factory()
        fields.append((item.name, default))
    return fields


_JSON = json.JSONEncoder(default=_as_json, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


class _Form(NamedTuple):
    """How msgspec writes the objects of a dataclass."""

    values: Callable[[Any], tuple[Any, ...]]
    """Gives those of the fields."""
    apart: Sequence[int]
    """The positions of the fields that are not left to msgspec."""
    defaults: Sequence[tuple[int, Any]]
    """By position, defaults that msgspec only recognizes if they are the same object."""
    struct: Callable[..., msgspec.Struct]
    """Takes the values; of sparse fields, it is written without those that have their default."""
    is_outcome: bool


@cache
def _form(kind: Any) -> _Form:
    fields, hints = _fields(kind), get_type_hints(kind)
    names = [name for name, _ in fields]
    values = attrgetter(*names)
    return _Form(
        values if len(names) > 1 else lambda value: (values(value),),
        [number for number, name in enumerate(names) if not _is_plain(hints[name])],
        [(number, default) for number, (_, default) in enumerate(fields) if type(default) in (str, int, float)],
        msgspec.defstruct(
            kind.__name__, [(name, Any, _default(default)) for name, default in fields], omit_defaults=True
        ),
        kind.__module__ == Returned.__module__,
    )


def _default(default: Any) -> Any:
    """The default of a field for msgspec, which omits a list or dict if it is empty, and nothing whose factory it does not know."""
    return msgspec.field(default_factory=type(default)) if type(default) in (list, dict, object) else default


def _is_plain(hint: Any) -> bool:
    """Whether values of a type hold no floats and no dataclasses, so that msgspec writes what ``json`` does."""
    if get_origin(hint) in (list, dict, tuple, Union, UnionType):
        return all(map(_is_plain, get_args(hint)))
    return hint in (str, int, bool, NoneType, ...) or get_origin(hint) is Literal


def _object(value: Any) -> bytes:
    kind: Any = type(value)
    form = _form(kind)
    if not form.is_outcome:
        return _written(value, form)
    known = _OUTCOMES.get(id(value))
    if known is None:
        if len(_OUTCOMES) >= _CACHED:
            _OUTCOMES.clear()
        # The entry keeps the outcome alive, so that its id is not reused.
        known = _OUTCOMES[id(value)] = (value, _written(value, form))
    return known[1]


def _written(value: Any, form: _Form) -> bytes:
    values = list(form.values(value))
    for number in form.apart:
        part = values[number]
        if part or type(part) is Packed:  # what else is empty, or zero, is written alike
            values[number] = _apart(part)
    for number, default in form.defaults:
        if values[number] == default and type(values[number]) is type(default):
            values[number] = default
    return _ENCODER.encode(form.struct(*values))


def _apart(value: Any) -> Any:
    """A value as msgspec is to write it."""
    kind = type(value)
    if kind is float and math.isfinite(value):
        return msgspec.Raw(repr(value).encode())
    if kind is str or kind is bool:
        return value
    if dataclasses.is_dataclass(value):
        return msgspec.Raw(_object(value))
    if kind is list:
        text = _ENCODER.encode(value)
        if not any(sign in text for sign in _DIFFERING):
            return msgspec.Raw(text)
    return msgspec.Raw(_JSON.encode(value).encode())


_ENCODER = msgspec.json.Encoder()
_DIFFERING = (b"0.0000", b"e", b"n", b"{")
"""Without these, a text has no float that json writes in another way, such as 1e-05, 1e+16 or NaN, and no object."""
_CACHED = 64
_OUTCOMES: dict[int, tuple[Any, bytes]] = {}
"""The last outcomes by their ids, as they are written: most APIs of a case have the same."""
