"""What a cluster tells of the attempts that it was given, and what a cluster is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from conformance.cluster.unit import Attempt, Needs


@dataclass(frozen=True)
class Calling:
    """A call that was announced before it was made."""

    case: str
    api: str
    results: int
    """The number of results that the attempt had before."""


@dataclass(frozen=True)
class Progress:
    """What an attempt has done so far, about once a second. It may be lost."""

    attempt: str
    machine: str
    preparing: str | None = None
    """What is done before the target starts."""
    started: Mapping[str, Any] | None = None
    """Versions of the framework, Python and NumPy, once the target has started."""
    expected: int = 0
    """The number of results that the attempt will have."""
    counts: Mapping[str, int] = field(default_factory=dict)
    """Its results by verdict, or by standing if they diverge."""
    failures: int = 0
    waiting: tuple[str, str, float] | None = None
    """The API and case of the call that it waits for, and the seconds."""
    notices: Sequence[str] = ()
    """What the user should know."""

    @property
    def results(self) -> int:
        return sum(self.counts.values())


@dataclass(frozen=True)
class Ended:
    """The process of an attempt has ended."""

    attempt: str
    machine: str
    status: int
    results: bytes | None
    """Its gzipped results file, whole or not; None if there is none."""
    errors: str = ""
    """The last line of its standard error."""
    calling: Calling | None = None
    problem: str | None = None
    """What is wrong with the machine, such as a full disk."""


@dataclass(frozen=True)
class Lost:
    """The machine is gone, or could not say how the attempt ended."""

    attempt: str
    reason: str
    machine: str | None = None
    """None if no machine had begun the attempt."""
    calling: Calling | None = None
    """The call that was announced last."""


@dataclass(frozen=True)
class Refused:
    """The machine cannot carry out any attempt."""

    machine: str
    reason: str
    attempt: str | None = None
    """The attempt that must go to another machine."""


@dataclass(frozen=True)
class ClusterLost:
    """The cluster cannot carry out anything any more."""

    reason: str


Message = Progress | Ended | Lost | Refused | ClusterLost
Emit = Callable[[Message], None]


class ClusterError(Exception):
    """A cluster that cannot be used; the message says what to do."""


class ClusterUnreachable(ClusterError):
    """A cluster that does not answer."""


class Cluster(Protocol):
    """Carries out attempts on machines, and emits messages about each."""

    @property
    def machines(self) -> int:
        """The number of machines, as far as is known."""

    def slots(self, needs: Needs) -> int:
        """The number of attempts with these needs that it can carry out at the same time."""

    def unsuited(self, attempt: Attempt) -> str | None:
        """The reason why none of its machines will carry out an attempt; None if one may."""

    def submit(self, attempt: Attempt) -> None:
        """Carry out an attempt."""

    def stop(self) -> None:
        """Ask all attempts to end, with a record of their own."""
