"""The JSON of frozen dataclasses from their fields: of the records of results files, and of what commands print with ``--json``."""

from __future__ import annotations

import dataclasses
import json
from functools import cache
from typing import Any

from conformance.outcomes.model import Returned
from conformance.results.literals import Packed
from conformance.results.variations import IF_ANY


def encoded(value: Any) -> str:
    """A dataclass, a list or dict of them, or a part of one, as JSON on one line; ValueError for a number that is not finite."""
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


@cache
def _fields(kind: Any) -> list[tuple[str, Any]]:
    """The names of the fields; with the default of those that are omitted if they have it, as all of outcomes, else a new object."""
    is_outcome = kind.__module__ == Returned.__module__
    fields = []
    for item in dataclasses.fields(kind):
        default: Any = object()
        if item.metadata == IF_ANY or (is_outcome and item.name not in ("status", "abstract")):
            default = item.default if item.default_factory is dataclasses.MISSING else item.default_factory()
        fields.append((item.name, default))
    return fields


_JSON = json.JSONEncoder(default=_as_json, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
