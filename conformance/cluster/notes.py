"""The lines of a unit that are no records: ``cli/streaming.py`` prints them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Calling:
    """A call that is made next."""

    case: str
    api: str
    waits: bool
    """Whether the process waits until it is permitted."""
    kind: Literal["calling"] = "calling"


@dataclass(frozen=True)
class Preparing:
    """What the target is prepared with."""

    message: str
    kind: Literal["preparing"] = "preparing"


@dataclass(frozen=True)
class Notice:
    """What the user should know."""

    message: str
    kind: Literal["notice"] = "notice"


@dataclass(frozen=True)
class LongCall:
    """A call that is under way."""

    case: str
    api: str
    seconds: float


@dataclass(frozen=True)
class StillWaiting:
    """The call that the target waits for, if any."""

    waiting: LongCall | None
    kind: Literal["waiting"] = "waiting"


@dataclass(frozen=True)
class Cases:
    """The digest of the cases of the unit."""

    digest: str
    kind: Literal["cases"] = "cases"


Note = Calling | Preparing | Notice | StillWaiting | Cases
