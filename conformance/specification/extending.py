"""Calls that extend another call of their clause."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from conformance.specification.file_format import CallPart, OutcomePart
from conformance.specification.problems import nearest

Report = Callable[[str, str], None]
"""Takes the name of a call and a message about its ``extends``."""

_OUTCOMES = frozenset({*OutcomePart.model_fields, "on"})


def resolved(parts: Mapping[str, CallPart], report: Report) -> dict[str, CallPart]:
    """The completed calls by name; a call with an invalid ``extends`` is left unchanged."""
    return {name: _resolved(name, part, parts, report) for name, part in parts.items()}


def _resolved(name: str, part: CallPart, parts: Mapping[str, CallPart], report: Report) -> CallPart:
    if part.extends is None:
        return part
    bases = {name: base for name, base in parts.items() if base.extends is None}
    if part.extends not in bases:
        reason = "itself extends another call" if part.extends in parts else "is not a call of this clause"
        report(name, f"{part.extends!r} {reason}{nearest(part.extends, bases)}")
        return part
    return _merged(bases[part.extends], part)


def _merged(base: CallPart, part: CallPart) -> CallPart:
    """The keys of ``part``, completed from ``base``: arguments individually, the expected outcome as a whole."""
    own = part.model_fields_set
    excluded = {"extends", "note", *(_OUTCOMES if own & _OUTCOMES else ())}
    inherited = base.model_fields_set - excluded
    values = {key: getattr(base, key) for key in inherited} | {key: getattr(part, key) for key in own}
    return CallPart.model_construct(_fields_set=inherited | own, **values | {"call": {**base.call, **part.call}})
