"""The attempts of units that are under way, and what is suspected of their calls."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from conformance.cluster.gathering import Gathering
from conformance.cluster.unit import Attempt
from conformance.events import Waiting
from conformance.results.records import EndRecord, Record, TargetRecord

MOST_TRIES = 2
"""Machines that one call may take down."""


@dataclass
class Past:
    """What the earlier attempts of a unit have shown."""

    attempts: int = 0
    """Those that had begun."""
    suspects: Counter[tuple[str, str]] = field(default_factory=Counter)
    """How many machines were lost during each call."""
    losses: int = 0
    """Machines that were lost while calls were not announced: each may have been lost during any call without a result."""


@dataclass
class UnderWay:
    """An attempt that is under way."""

    attempt: Attempt
    gathering: Gathering
    past: Past = field(default_factory=Past)
    machine: str | None = None
    held: list[Record] = field(default_factory=list)
    """Records that are written when the unit is complete, since only then nothing changes them any more."""
    record: TargetRecord | None = None
    end: EndRecord | None = None
    calling: tuple[str, str] | None = None
    """The case and API of the call that was announced last."""
    waiting: Waiting | None = None
    blocked: str | None = None
    """The reason why the target could not be started there."""


def fatal_call(under: UnderWay) -> tuple[str, str] | None:
    """The call during which a second machine was lost; notes the loss if there is none."""
    past, call = under.past, under.calling
    if call is None:
        past.losses += 1
        return None
    past.suspects[call] += 1
    perhaps_before = past.losses > 0 and not under.gathering.has(*call)
    if past.suspects[call] + perhaps_before < MOST_TRIES:
        return None
    past.losses = 0
    return call
