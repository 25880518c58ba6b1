"""Calls that extend another call of their clause."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from conformance.specification.file_format import CallPart, OutcomePart
from conformance.specification.problems import nearest

Say = Callable[[str, str], None]
"""Takes the name of a call and what is wrong with its ``extends``."""

_OUTCOMES = frozenset({*OutcomePart.model_fields, "on"})


def resolved(parts: Mapping[str, CallPart], say: Say) -> dict[str, CallPart]:
    """The calls by name, whole; one whose ``extends`` leads nowhere is left as it is."""
    return {name: _resolved(name, part, parts, say) for name, part in parts.items()}


def _resolved(name: str, part: CallPart, parts: Mapping[str, CallPart], say: Say) -> CallPart:
    if part.extends is None:
        return part
    others = {other: one for other, one in parts.items() if one.extends is None}
    if part.extends not in others:
        why = "itself extends another call" if part.extends in parts else "is no call of this clause"
        say(name, f"{part.extends!r} {why}{nearest(part.extends, others)}")
        return part
    return _merged(others[part.extends], part)


def _merged(base: CallPart, part: CallPart) -> CallPart:
    """What ``part`` says, and from ``base`` the rest: arguments one by one, what comes of the call as a whole."""
    own = part.model_fields_set
    left_out = {"extends", "note", *(_OUTCOMES if own & _OUTCOMES else ())}
    kept = base.model_fields_set - left_out
    said = {key: getattr(base, key) for key in kept} | {key: getattr(part, key) for key in own}
    return CallPart.model_construct(_fields_set=kept | own, **said | {"call": {**base.call, **part.call}})
