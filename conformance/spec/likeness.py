"""Calls that are like another one of their clause but for what they say themselves."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from conformance.spec.file_format import CallPart, OutcomePart
from conformance.spec.problems import nearest

Say = Callable[[str, str], None]
"""Takes the name of a call and what is wrong with its ``like``."""

_OUTCOMES = frozenset({*OutcomePart.model_fields, "on"})


def resolved(parts: Mapping[str, CallPart], say: Say) -> dict[str, CallPart]:
    """The calls by name, whole; one whose ``like`` leads nowhere is left as it is."""
    return {name: _resolved(name, part, parts, say) for name, part in parts.items()}


def _resolved(name: str, part: CallPart, parts: Mapping[str, CallPart], say: Say) -> CallPart:
    if part.like is None:
        return part
    others = {other: one for other, one in parts.items() if one.like is None}
    if part.like not in others:
        why = "is itself like another call" if part.like in parts else "is no call of this clause"
        say(name, f"{part.like!r} {why}{nearest(part.like, others)}")
        return part
    return _merged(others[part.like], part)


def _merged(base: CallPart, part: CallPart) -> CallPart:
    """What ``part`` says, and from ``base`` the rest: arguments one by one, what comes of the call as a whole."""
    own = part.model_fields_set
    left_out = {"like", "note", *(_OUTCOMES if own & _OUTCOMES else ())}
    kept = base.model_fields_set - left_out
    said = {key: getattr(base, key) for key in kept} | {key: getattr(part, key) for key in own}
    return CallPart.model_construct(_fields_set=kept | own, **said | {"call": {**base.call, **part.call}})
