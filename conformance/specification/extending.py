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
    bases = {name: part for name, part in parts.items() if part.extends is None}
    return {
        name: part if part.extends is None else _resolved(name, part, part.extends, bases, parts, report)
        for name, part in parts.items()
    }


def _resolved(
    name: str, part: CallPart, base: str, bases: Mapping[str, CallPart], parts: Mapping[str, CallPart], report: Report
) -> CallPart:
    if base not in bases:
        reason = "itself extends another call" if base in parts else "is not a call of this clause"
        report(name, f"{base!r} {reason}{nearest(base, bases)}")
        return part
    return _merged(bases[base], part)


def _merged(base: CallPart, part: CallPart) -> CallPart:
    """The keys of ``part``, completed from ``base``: arguments individually, the expected outcome as a whole."""
    own = part.model_fields_set
    excluded = {"extends", "note", *(_OUTCOMES if own & _OUTCOMES else ())}
    inherited = base.model_fields_set - excluded
    values = {key: getattr(base, key) for key in inherited} | {key: getattr(part, key) for key in own}
    return CallPart.model_construct(_fields_set=inherited | own, **values | {"call": {**base.call, **part.call}})
