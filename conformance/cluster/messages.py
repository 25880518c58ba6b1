"""What engines report about attempts, and what an engine is."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Protocol

from conformance.cluster.unit import Attempt


@dataclass(frozen=True)
class Begun:
    """A machine has begun an attempt."""

    attempt: str
    """Its name."""
    machine: str


@dataclass(frozen=True)
class Output:
    """Lines that the process of an attempt has printed."""

    attempt: str
    lines: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Ended:
    """The process of an attempt has ended, after all of its output."""

    attempt: str
    status: int
    errors: str = ""
    """The end of its standard error."""
    problem: str | None = None
    """What is wrong with the machine, such as a full disk."""


@dataclass(frozen=True)
class Lost:
    """The machine is gone, or what ran the attempt there."""

    attempt: str
    reason: str


@dataclass(frozen=True)
class Refused:
    """The machine cannot carry out any attempt."""

    machine: str
    reason: str
    attempt: str | None = None
    """The attempt that must go to another machine."""


@dataclass(frozen=True)
class Blocked:
    """No machine can carry out an attempt."""

    attempt: str
    reason: str


@dataclass(frozen=True)
class EngineLost:
    """The engine cannot carry out anything any more."""

    reason: str


Message = Begun | Output | Ended | Lost | Refused | Blocked | EngineLost
Emit = Callable[[Message], None]
"""Returns when the message cannot be lost with the machine that sends it."""
_KINDS = {kind.__name__: kind for kind in (Begun, Output, Ended, Lost, Refused)}


class EngineError(Exception):
    """An engine that cannot be used; the message says what to do."""


class EngineUnreachable(EngineError):
    """An engine whose machines or scheduler do not answer."""


class Engine(Protocol):
    """Carries out attempts on machines, and emits messages about each."""

    @property
    def machines(self) -> int:
        """The number of machines, as far as is known."""

    def start(self, attempt: Attempt) -> None:
        """Carry out an attempt as soon as a machine is free; attempts are begun in the order of their starts."""

    def close(self) -> None:
        """End everything that it carries out."""


def message_text(message: Message) -> str:
    """A message of a machine as text."""
    return json.dumps([type(message).__name__, asdict(message)], ensure_ascii=False)


def read_message(text: str) -> Message:
    """The message of such a text; ValueError if it is none."""
    try:
        kind, fields = json.loads(text)
        message: Message = _KINDS[kind](**fields)
    except (TypeError, KeyError) as error:
        raise ValueError(f"not a message: {error}") from None
    return message
